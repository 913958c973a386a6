#include "kernels/content/anchors.hpp"

namespace tersely::content {
namespace {

bool digit(char byte) { return byte >= '0' && byte <= '9'; }
bool letter(char byte) { return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z'); }

// "name.ext" with an extension of one to ten letters, digits or underscores that starts with a letter.
bool is_path(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || path.starts_with("//")) return false;
    const std::string_view extension = path.substr(dot + 1);
    if (extension.empty() || extension.size() > 10 || !letter(extension[0])) return false;
    for (const char byte : extension) {
        if (!letter(byte) && !digit(byte) && byte != '_' && byte != '+') return false;
    }
    return true;
}

// "Dockerfile", "Makefile", in a folder or not.
bool is_recipe(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
    return name.size() > 4 && name.ends_with("file") && name[0] >= 'A' && name[0] <= 'Z';
}

std::size_t number_after(std::string_view line, std::size_t at) {  // where the number ends; 0: there is none
    std::size_t end = at;
    while (end < line.size() && end - at < 8 && digit(line[end])) ++end;
    return end > at ? end : 0;
}

std::size_t where_number_ends(std::string_view line, std::size_t at) {
    if (at >= line.size()) return 0;
    if (line[at] == ':') {
        ++at;
        if (at < line.size() && (line[at] == ' ' || line[at] == '[')) ++at;
        return number_after(line, at);
    }
    if (line[at] == '(' || line[at] == '[') return number_after(line, at + 1);
    if (line[at] == '"' || line[at] == '\'') ++at;
    if (line.substr(at, 7) == ", line ") return number_after(line, at + 7);
    return 0;
}

}  // namespace

std::size_t anchor_after(std::string_view line, std::size_t begin, std::size_t end) {
    const std::size_t stop = where_number_ends(line, end);
    if (stop == 0) return 0;
    const std::string_view path = line.substr(begin, end - begin);
    return is_path(path) || (is_recipe(path) && digit(line[end + 1])) ? stop : 0;  // "Profile: 3" is no place
}

}  // namespace tersely::content
