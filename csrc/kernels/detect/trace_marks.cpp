#include "kernels/detect/trace_marks.hpp"

#include <algorithm>
#include <array>

#include "kernels/detect/bytes.hpp"
#include "kernels/detect/line_marks.hpp"

namespace tersely::detect {
namespace {

// Without the lines that Python draws beside groups of exceptions: "| ", "+ ".
View without_rails(View line) {
    while (line.size() > 2 && (line[0] == '|' || line[0] == '+') && line[1] == ' ') {
        line.remove_prefix(std::min(line.find_first_not_of(' ', 1), line.size() - 1));
    }
    return line;
}

// Frames that start with their number.
bool is_numbered(View line, bool indented, bool placed) {
    const bool hash = line[0] == '#';
    std::size_t at = hash ? 1 : 0;
    while (at < line.size() && at < 5 && ascii_digit(line[at])) ++at;
    if (at == (hash ? 1U : 0U) || at + 2 >= line.size()) return false;
    if (hash) {  // gdb, the sanitizers; Dart and PHP
        const View name = line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
        const bool known = name.starts_with("0x") || (placed && has(name, "("));
        return line[at] == ' ' && (known || name == "{main}" || name.starts_with("[internal function]"));
    }
    if (line[at] == ':' && line[at + 1] == ' ') {  // Rust: the name of a function, its place is below
        return indented && line[line.size() - 1] != ';' && (has(line, "::") || line.substr(at + 2, 5) == "rust_");
    }
    if (line[at] != ' ') return false;  // Swift: library, address, name
    const std::size_t address = line.find(" 0x");
    return address != View::npos && address + 11 < line.size() && line.find(' ', address + 3) >= address + 11;
}

bool is_placed_frame(View line, bool indented, std::size_t anchor) {
    const View after = line.substr(anchor);
    if (after.starts_with(":in `") || after.starts_with(":in '")) return true;  // Ruby, before 3.4 and since
    if (line.find("@http") < anchor || line.find("@file:") < anchor) return !has(line, " ");  // SpiderMonkey
    if (!indented) return false;
    if (after.empty() || after.starts_with(" +0x")) {
        return has(line.substr(0, anchor), ".go:") || line.starts_with("@ ");  // Go; Julia
    }
    if (after.starts_with(": in ")) return true;  // Lua
    const std::size_t end = line.size();          // Elixir: the function and how many arguments it takes
    return after.starts_with(": ") && ascii_digit(line[end - 1]) && line[end - 2] == '/';
}

bool is_frame(View line, bool indented, bool placed, std::size_t anchor) {
    if (line[0] == '#' || ascii_digit(line[0])) {
        if (is_numbered(line, indented, placed)) return true;
    } else if (line[0] == 'F') {
        if (is_python_frame(line)) return true;
    } else if (line.starts_with("at ") && (indented || has(line, "("))) {
        if (line.back() == ')' || line.ends_with(") {") || has(line, ":line ") || has(line, "://") ||
            has(line, ".js:") || has(line, ".rs:"))
            return true;
    } else if (line.starts_with("...") && (line.ends_with(" more") || line.ends_with(" frames omitted"))) {
        return true;
    } else if (line.starts_with("PHP  ") && line.size() > 8) {
        return ascii_digit(line[line.find_first_not_of(' ', 4)]);
    } else if (line[0] == '[' && indented) {  // Julia; Lua
        const std::size_t close = std::min(line.find_first_not_of("0123456789", 1), line.size());
        if (close > 1 && line.substr(close, 2) == "] " && (has(line, "(") || line.ends_with("scope"))) return true;
        return line.starts_with("[C]: in ");
    }
    if (anchor != View::npos && is_placed_frame(line, indented, anchor)) return true;
    return indented && placed && has(line, " called at ");  // Perl; Haskell
}

// "... at lib/Shop.pm line 42.", as Perl dies.
bool ends_with_line(View line) {
    std::size_t at = line.size() - 1;
    if (line[at] != '.') return false;
    while (at > 0 && ascii_digit(line[at - 1])) --at;
    return at + 1 < line.size() && line.substr(0, at).ends_with(" line ") && has(line, " at ");
}

bool is_head(View line, bool indented) {
    static constexpr std::array<View, 4> kCauses = {"---> ", "Caused by:", "Suppressed: ", "[cause]: "};
    static constexpr std::array<View, 23> kStarts = {"** (",
                                                     "CallStack (from",
                                                     "Current stack trace",
                                                     "During handling of",
                                                     "Exception Group Traceback",
                                                     "Exception in thread",
                                                     "Fatal error: Uncaught",
                                                     "PHP Fatal error",
                                                     "PHP Stack trace:",
                                                     "Program received signal",
                                                     "Stack backtrace:",
                                                     "Stack trace:",
                                                     "Stacktrace:",
                                                     "The above exception",
                                                     "Traceback (most recent",
                                                     "Uncaught ",
                                                     "Unhandled exception",
                                                     "[signal SIG",
                                                     "[stacktrace]",
                                                     "fatal error: all goroutines",
                                                     "goroutine ",
                                                     "panic:",
                                                     "stack "};
    static constexpr ByteSet kFirstOfCauses = bytes_of("-CS[");
    static constexpr ByteSet kFirst = bytes_of("*=CDEFPSTU[fgpst");
    if (in(kFirstOfCauses, line[0]) && starts_with_any(line, kCauses)) return true;
    if (indented) return false;
    if (in(kFirst, line[0])) {
        if (starts_with_any(line, kStarts)) return !line.starts_with("stack ") || has(line, "trace");
        if (line.starts_with("thread '") && has(line, " panicked at")) return true;
        if (line.starts_with("==") && has(line, "==ERROR: ")) return true;
    }
    // java.lang.X: ..., ValueError: ..., NoMethodError (...)
    std::size_t end = 0;
    while (end < line.size() &&
           (ascii_alpha(line[end]) || ascii_digit(line[end]) || line[end] == '.' || line[end] == '_' ||
            line[end] == '$' || (line[end] == ':' && end + 1 < line.size() && line[end + 1] != ' ')))
        ++end;
    const View name = line.substr(0, end);
    const bool closes = end == line.size() || line[end] == ':' || line.substr(end, 2) == " (";
    return closes && end > 5 && (name.ends_with("Exception") || name.ends_with("Error"));
}

}  // namespace

bool is_python_frame(View line) {
    line = without_rails(line);
    return line.starts_with("File \"") && has(line, ", line ");
}

std::uint32_t trace_marks(View line, bool indented, bool placed, std::size_t anchor) {
    const View bare = without_rails(line);
    if (bare.size() < line.size()) {
        if (is_python_frame(bare)) return kFrame;
        return is_head(bare, false) ? kTraceHead : 0U;
    }
    if (is_frame(line, indented, placed, anchor)) return kFrame;
    const bool perl = !indented && placed && anchor == View::npos && ends_with_line(line);
    return perl || is_head(line, indented) ? kTraceHead : 0U;
}

}  // namespace tersely::detect
