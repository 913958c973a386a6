#include "kernels/content/phrases.hpp"

namespace tersely::content {

bool is_phrase(std::string_view bytes, TreeKind kind) {
    bool tag = kind == TreeKind::kAttribute, between = false, word = false;
    char quote = '\0';
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const char byte = bytes[at];
        if (tag && quote == '\0') {
            if (byte == '"' || byte == '\'') quote = byte;
            if (byte == '>') tag = false;
            between = word = false;
        } else if (quote != '\0' && byte == quote) {
            quote = '\0';
        } else if (quote == '\0' && byte == '<' && bytes.substr(at, 2) != "<!") {
            tag = true;
        } else if (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r') {
            between = word;
        } else {
            if (between) return true;
            word = true;
        }
    }
    return false;
}

std::uint64_t template_of(std::string_view bytes) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char byte : bytes) {
        if (byte < '0' || byte > '9') hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
    }
    return hash;
}

}  // namespace tersely::content
