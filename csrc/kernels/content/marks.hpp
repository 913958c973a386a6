// What a line of a log or of a tool's output tells at a glance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/content/hash_table.hpp"
#include "kernels/text/unicode.hpp"

namespace tersely::content {

// Bits; the numbers are part of the border's contract (python/tersely/content/lines.py).
enum Mark : std::uint32_t {
    kError = 1,           // something failed: error, fatal, failed, exception, panic, ... TypeError: ...
    kTrouble = 2,         // something may be wrong: warning, denied, refused, timeout, cannot, missing, ...
    kSummary = 4,         // counts of results ("3 failed", "0 errors"), exit codes, verdicts
    kAnchor = 8,          // names a place: path:12, path(12), "path", line 12
    kFrame = 16,          // a stack frame
    kOverwritten = 32,    // text follows its carriage return, written over it
    kContinued = 64,      // goes on after the piece before it, of a line longer than kLongestLine
    kPassed = 128,        // something went well: ok, passed, done, ...
    kNumber = 256,        // has a number
    kFailure = 512,       // says in a form that tools write that something failed
    kQuiet = 1024,        // is of a level below a warning: INFO, level=debug, [trace]
    kVerdict = 2048,      // opens with what all came to: SUMMARY: ..., Plan: ...
    kOwn = 4096,          // an earlier compression wrote it: how much it left out
    kCompared = 8192,     // opens with what was expected or found, or says both
    kNone = 16384,        // counts how often something went wrong: never ("0 errors", "lost: 0 bytes")
    kPoints = 32768,      // points at something in the line above: signs alone, a "^" or "~~" among them
    kGutter = 65536,      // quotes a file, or draws beside such a quote: "12 | x = 1", "   |  ^^^ not a number"
    kConcludes = 131072,  // says how something stands: "status: ...", "test result: PASSED"
    kWordy = 262144,      // consists of words of letters: three or more, four fifths of all, in no columns
    kOpensId = 524288,    // has no time, and opens with an id, not counted up, that no line before opened with
    kBitsOfLines = 0xFFFFF,
};

// What words do to those beside them; bits above those of marks.
inline constexpr std::uint32_t kNegates = 1U << 20U;  // no, without
inline constexpr std::uint32_t kNot = 1U << 21U;      // not
inline constexpr std::uint32_t kFromHere = kNot;      // of a row: "x.cc:9:11: required from here", in no library
inline constexpr std::uint32_t kExits = 1U << 22U;    // exit, exited, returned
inline constexpr std::uint32_t kNotes = kExits;       // of a row: a note of what stands elsewhere (Outcomes)
inline constexpr std::uint32_t kCodeOf = 1U << 23U;   // code, status: a number follows
inline constexpr std::uint32_t kTests = 1U << 24U;    // what is counted: test, tests
inline constexpr std::uint32_t kOpensBlock = kTests;  // of a row: it ends with an opening bracket
inline constexpr std::uint32_t kLevelKey =
    1U << 25U;  // level, severity, status, result: what follows "=" or ":" is an outcome
inline constexpr std::uint32_t kQuietWord = 1U << 26U;
inline constexpr std::uint32_t kLibrary = kQuietWord;  // of a row: a frame of a library or of a run-time
inline constexpr std::uint32_t kCounted = 1U << 27U;   // failures that tools count: 3 failed, errors: 2
inline constexpr std::uint32_t kTotals =
    1U << 28U;  // summary, plan: before a colon at the start of a line, what follows is a verdict; of a row: it is
                // a heading with such a word near its end, without a number
inline constexpr std::uint32_t kFound = 1U << 29U;     // found: not so is trouble
inline constexpr std::uint32_t kOpensNumber = kFound;  // of a row: it begins with a digit
inline constexpr std::uint32_t kCompares = 1U << 30U;  // expected, actual, left, right, ...
inline constexpr std::uint32_t kLeads = kCompares;     // of a row: it says what the lines below it belong to
inline constexpr std::uint32_t kWarns = 1U << 31U;     // warning, deprecated: trouble that stops nothing

// The hash of letters in lower case, eight at a time.
constexpr std::uint64_t hash_letters(std::string_view letters) {
    std::uint64_t hash = kHashSeed;
    for (; !letters.empty(); letters.remove_prefix(std::min<std::size_t>(letters.size(), 8))) {
        std::uint64_t eight = 0;
        for (std::size_t i = 0; i < letters.size() && i < 8; ++i) {
            eight |= static_cast<std::uint64_t>(static_cast<unsigned char>(letters[i]) | 0x20U) << (8 * i);
        }
        hash = mix(hash, eight);
    }
    return hash;
}

// The marks and the class of a run of ASCII letters, given that hash; 0 for a word that says nothing. O(1).
std::uint32_t word_marks(std::uint64_t hash);

// kError for names that end in "Error", "Exception", "Failure", "Failed", "Fault", "Killed" or "BackOff" after a
// letter, else 0. O(1).
std::uint32_t name_marks(std::string_view letters);

// Places in files that a line names.

// Where the line number ends that follows the path `line[begin:end]`; 0 where none does: "path:12", "path: 12",
// "path(12", "path[12", "path:[12", `path", line 12`, "path, line 12". A path has a dot between letters and no "//" in
// front of it. O(end - begin).
std::size_t anchor_after(std::string_view line, std::size_t begin, std::size_t end);

// Time stamps at the head of a line.

struct Stamp {
    std::size_t at = 0, size = 0;  // bytes of the line; size 0: there is none
};

inline constexpr std::size_t kStampReach = 80;  // bytes of a line in which a time may start

// The first time of day ("10:15:30", "203615" after six digits) with the date, fraction and zone around it:
// ISO 8601, syslog, Apache, "17/06/09 20:10:40", "Sun Dec 04 04:47:44 2005", "04/Dec/2005:04:47:44 +0000".
// O(1): looks at the first bytes only.
Stamp find_stamp(std::string_view line);

// What a line says of how something ended, in the forms that tools write; and which kind of finding it is.

// A word of a line, line[at:end], as read_words met it.
struct Said {
    std::size_t at, end;
    std::uint32_t marks;     // of marks.hpp, with its class
    std::uint64_t only_run;  // hash_letters where it is nothing else; 0: it is more
    std::size_t runs;        // of letters and of digits
    bool number, zero;       // has a digit; is "0"
    bool capitals;           // letters without a small one
    bool event;              // parts in capitals, of which the last says what went wrong: TEST-TIMEOUT
    bool named;              // ends as names of errors do: TypeError
    bool first;              // of its line
    bool quoted;
    bool place;  // a path with a line number
};

// Reads the words of a line, in their order. kFailure stands for what a tool says, not for a word that prose has too:
//  - a word of errors in capitals (ERROR, FAILED), before a colon, in brackets, after stars ("***Failed"), with its
//    number at the start or behind a place ("Error #4: ..."), or the value of a key such as level, severity, status,
//    result; "not ok" before no "# TODO"; "error[E0308]", "TypeError: ..."; "panicked at";
//  - a count above zero beside a word of failures ("3 failed", "errors: 2", "Error 2") or after "exit code" or
//    "exited with"; with it comes kSummary. A count of zero, "no" and "without" take kError away and leave kSummary.
//    "failed=1" goes before the number in front of it, which is the value of another word;
//  - HTTP statuses of 500 and above, after a quoted request, after "HTTP/1.1" or as the value of a key;
//  - signs at the start of a line: crosses, pytest's "E   " (below another such line it goes on: kCompared before "-",
//    "+" and "?", else nothing), "-/+" and "+-" of plans, "! ", ends of a conflict (<<<<<<<); a word of trouble in
//    capitals that opens it or stands before a colon (CONFLICT, REGRESSION:), but no warning; parts in capitals of
//    which the last is such a word (TEST-UNEXPECTED-TIMEOUT), but in no parentheses; ticks are kPassed;
//  - a word of errors behind a line's number alone ("  12:5  error"), or at the end behind a place ("x.cc:8: Failure").
// What a server answered with 4xx, a severity of high and a linter's codes of errors (E1124, F401) are kError.
// What a note behind a place says ("x.cc:8:5: note: substitution failed") is of an error that stands elsewhere.
// A word of errors within a longer name, not at its end, says nothing of one (error-prone, my.exceptions.Names).
// kConcludes: what went well is the value of such a key, or is said of all ("successfully"); or the line opens with one
// and a colon.
// kCompared: one of the first two words is expected, actual, got, left, reason, ... before a colon or "=", or two
// such words stand in the line.
// A finding is what several lines of a linter or compiler share: E0308, CS1002, NULL_DEREFERENCE, a capital before a
// colon after a place ("x.rb:3:1: W: "), lower-case words with dashes in brackets where the line names a place.
// The first of a line counts. What stands around a line that grep found ("x.py-12-    raise") says nothing of outcomes.
// O(line), any bytes are safe.
class Outcomes {
  public:
    // `head`: bytes of the time stamp at the line's start, with what stands before it. `goes_on`: whether the line and
    // the one above are both pytest's.
    Outcomes(std::string_view line, std::size_t head, bool goes_on);
    // The marks that the word gives the line.
    std::uint32_t add(const Said& word) {
        ++words_;
        if (around_ || notes_) return 0;
        const std::uint32_t marks = tells(word) ? say(word) : 0U;
        place_ = place_ || word.place;
        go_on(word);
        return marks;
    }
    void add_break() { number_ = zero_ = false; }
    std::uint32_t marks() const {
        return marks_ | (notes_ ? kNotes : 0U);
    }  // of the line's start and of what was said twice
    // Of a line that opens with one, names it ("[B602:shell]"), names a place or says that something is wrong; else 0.
    std::uint64_t finding() const { return opens_ || place_ || bad_ ? finding_ : 0; }

  private:
    // False where a word says nothing, whatever it is: most do not.
    bool tells(const Said& word) const {
        if (word.marks != 0 || word.event || (place_ && word.only_run == kNote) || key_end_ != 0 || http_) return true;
        const std::size_t size = word.end - word.at;
        if (word.number && size == 3 && line_[word.at] == '5') return true;
        if (finding_ != 0 || word.quoted) return false;
        if (text::ascii_upper(line_[word.at]) && size == 1) return true;
        return word.runs > 1 && (text::ascii_upper(line_[word.at]) || word.place || place_ || bad_);
    }
    // What the next word asks of this one.
    void go_on(const Said& word) {
        const bool key = (word.marks & (kLevelKey | kCodeOf)) != 0;
        key_end_ = key ? word.end : 0;
        key_ = key ? word.only_run : 0;
        not_ = (word.marks & kNot) != 0 && word.runs == 1;
        zero_ = (word.marks & kNegates) != 0 && word.runs == 1;
        number_ = false;
        http_ = word.runs > 1 && line_[word.at] == 'H' && line_.substr(word.at, 5) == "HTTP/";
        if (!word.number) return;
        // The value of another word, an ordinal or a place ("12:5") counts nothing that follows it.
        const char before = word.at > 0 ? line_[word.at - 1] : ' ';
        const bool place = before == ':' && word.at > 1 && text::ascii_digit(line_[word.at - 2]);
        if (before == '=' || before == '#' || place) return;
        zero_ = word.zero;
        number_ = word.runs == 1 && !word.zero && text::ascii_digit(line_[word.end - 1]);
    }
    static constexpr std::uint64_t kNote = hash_letters("note");
    std::uint32_t say(const Said& word);
    std::uint32_t failed(const Said& word, std::uint32_t marks);
    bool is_value(const Said& word) const;
    std::uint64_t finding_of(const Said& word) const;

    std::string_view line_;
    std::uint32_t marks_ = 0;
    bool around_ = false;  // the line stands around one that grep found
    bool notes_ = false;   // "x.cc:8:5: note: ": what stands behind it is of the error before
    bool never_ = false;   // a sample of a metric, whose value is 0: errors{code="500"} 0
    std::uint64_t finding_ = 0;
    std::size_t key_end_ = 0;   // where a word such as level or status ends; 0: it was not the last one
    std::uint64_t key_ = 0;     // its hash
    std::size_t words_ = 0;     // met
    std::size_t compares_ = 0;  // words of comparisons
    std::size_t exit_ = 0;      // the number of the word "exit", from 1
    bool number_ = false, zero_ = false, not_ = false, http_ = false;  // the word before
    bool place_ = false, bad_ = false, opens_ = false;                 // a place was named, an error or a trouble said
};

// What earlier compressions wrote into lines: how many were left out, how often a line came.

inline constexpr std::string_view kDots = "\xE2\x80\xA6";  // "…": no mark is without

struct OwnMark {
    std::string_view said;        // the line without what we wrote at its end; empty: all of it is ours
    std::int64_t stands_for = 1;  // lines: as many as were left out (0: not said), or as often as it came
};

// Reads the line, without white space around it, as content/logs.py, diff.py and tables.py write it: "… 12 lines",
// "… 1,204 more rows", "… more lines" and "…" are ours; so are " … ×117 to 10:15:30" and " …" at the end of a line.
// O(line).
OwnMark own_mark(std::string_view line);

// The same of a value of JSON, with its key, as content/tree.py writes it: how many values were left out, -1 of one
// that counts none ("…"); 0: it is none of ours. "… 31 more", "… 31" and "…" in arrays; "…": "5 more", "…": 5, "…
// 4-40": "37 more" and "… 4-40": "" in objects. O(1).
std::int64_t own_values(std::string_view value);

// The same of a text between tags ("… 31 more", "…") and of a comment of YAML ("# … 31 more").
std::int64_t own_elements(std::string_view text);

}  // namespace tersely::content
