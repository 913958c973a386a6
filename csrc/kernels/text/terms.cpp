#include "kernels/text/terms.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/text/stem.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {
namespace {

std::uint32_t hash(std::string_view term) {  // FNV-1a with a final mix
    std::uint32_t value = 2166136261U;
    for (const char byte : term) value = (value ^ static_cast<unsigned char>(byte)) * 16777619U;
    return value ^ (value >> 15U);
}

class TermReader {
  public:
    TermReader(std::string_view text, Span span, Vocabulary& vocabulary, std::vector<std::int32_t>& ids)
        : text_(text.substr(0, span.end)), at_(span.begin), vocabulary_(vocabulary), ids_(ids) {}

    void run() {
        while (at_ < text_.size()) {
            const char byte = text_[at_];
            if (ascii_digit(byte)) {
                number();
            } else if (ascii_alpha(byte) || byte == '_') {
                word();
            } else if (static_cast<unsigned char>(byte) < 0x80U) {
                ++at_;
            } else {
                wide();
            }
        }
    }

  private:
    void emit(std::string_view term) {
        if (!term.empty()) ids_.push_back(vocabulary_.intern(term));
    }

    void emit_word(std::string& term, bool plain) {
        if (term.size() < 2 && plain) return;
        if (plain) {
            if (is_stop_word(term)) return;
            stem(term);
        }
        emit(term);
    }

    void wide() {
        const Decoded here = decode(text_, at_);
        const std::uint8_t flags = char_class(here.code);
        if ((flags & kNgram) != 0) {
            bigrams();
        } else if ((flags & (kLetter | kDigit | kMark)) != 0) {
            word();
        } else {
            at_ += here.length;
        }
    }

    // Digits with inner separators, and letters or underscores attached ("5kg", "1a7b").
    void number() {
        const std::size_t begin = at_;
        bool plain_number = true;
        while (at_ < text_.size()) {
            const char byte = text_[at_];
            if (ascii_digit(byte)) {
                ++at_;
            } else if (std::strchr(".,:/-", byte) != nullptr && at_ + 1 < text_.size() && ascii_digit(text_[at_ + 1]) &&
                       ascii_digit(text_[at_ - 1]) && plain_number) {
                ++at_;
            } else if (ascii_alpha(byte) || byte == '_') {
                plain_number = false;
                ++at_;
            } else {
                break;
            }
        }
        term_.clear();
        for (std::size_t i = begin; i < std::min(at_, begin + kLongestTerm); ++i) {
            term_.push_back(ascii_upper(text_[i]) ? static_cast<char>(text_[i] + 32) : text_[i]);
        }
        emit(term_);
    }

    void word() {
        const std::size_t begin = at_;
        term_.clear();
        bool ascii = true;
        bool joined = false;  // has an underscore, a digit or an inner capital
        char before = ' ';
        while (at_ < text_.size()) {
            const char byte = text_[at_];
            if (ascii_lower(byte)) {
                term_.push_back(byte);
            } else if (ascii_upper(byte)) {
                joined |= ascii_lower(before);
                term_.push_back(static_cast<char>(byte + 32));
            } else if (ascii_digit(byte) || byte == '_') {
                joined = true;
                term_.push_back(byte);
            } else if (byte == '.' && version_continues()) {
                joined = true;
                term_.push_back(byte);
            } else if (static_cast<unsigned char>(byte) >= 0x80U) {
                const Decoded here = decode(text_, at_);
                const std::uint8_t flags = char_class(here.code);
                if ((flags & (kLetter | kDigit | kMark)) == 0 || (flags & kNgram) != 0) break;
                ascii = false;
                if (here.code < 0x300 || here.code > 0x36F) append_utf8(term_, fold(here.code));
                at_ += here.length - 1;
            } else {
                break;
            }
            before = byte;
            ++at_;
        }
        const std::string_view raw = text_.substr(begin, at_ - begin);
        if (raw.size() > kLongestTerm) term_.resize(floor_char(term_, std::min(term_.size(), kLongestTerm)));
        if (ascii && joined) return identifier(raw.substr(0, kLongestTerm));
        emit_word(term_, ascii);
    }

    // "v1.2.3": a stop between digits of a word that is one letter and digits.
    bool version_continues() const {
        return at_ + 1 < text_.size() && ascii_digit(text_[at_ + 1]) && ascii_digit(text_[at_ - 1]) &&
               term_[0] == 'v' && term_.size() > 1 && ascii_digit(term_[1]);
    }

    void identifier(std::string_view raw) {
        const std::size_t whole_at = ids_.size();
        std::string whole = term_;
        while (!whole.empty() && whole.back() == '_') whole.pop_back();
        whole.erase(0, std::min(whole.find_first_not_of('_'), whole.size()));
        emit(whole);
        int parts = 0;
        for (std::size_t begin = 0; begin < raw.size();) {
            std::size_t end = begin + 1;
            while (end < raw.size() && raw[end] != '_' && raw[end] != '.' &&
                   !(ascii_upper(raw[end]) && (ascii_lower(raw[end - 1]) ||
                                               (end + 1 < raw.size() && ascii_lower(raw[end + 1]) && ascii_alpha(raw[end - 1]))))) {
                ++end;
            }
            term_.clear();
            bool letters = true;
            for (std::size_t i = begin; i < end; ++i) {
                if (raw[i] == '_' || raw[i] == '.') continue;
                letters &= ascii_alpha(raw[i]);
                term_.push_back(ascii_upper(raw[i]) ? static_cast<char>(raw[i] + 32) : raw[i]);
            }
            if (!term_.empty() && term_ != whole) {
                emit_word(term_, letters);
                ++parts;
            }
            begin = end;
        }
        if (parts == 0 && whole.empty()) ids_.resize(whole_at);
    }

    void bigrams() {
        std::string previous;
        int count = 0;
        while (at_ < text_.size()) {
            const Decoded here = decode(text_, at_);
            const std::uint8_t flags = char_class(here.code);
            if ((flags & kNgram) == 0) break;
            term_.clear();
            append_utf8(term_, fold(here.code));
            at_ += here.length;
            if (!previous.empty()) emit(previous + term_);
            previous = term_;
            ++count;
        }
        if (count == 1) emit(previous);
    }

    std::string_view text_;
    std::size_t at_;
    Vocabulary& vocabulary_;
    std::vector<std::int32_t>& ids_;
    std::string term_;
};

}  // namespace

std::int32_t Vocabulary::intern(std::string_view term) {
    const std::uint32_t code = hash(term);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = code & mask;
    while (slots_[slot] >= 0) {
        const auto id = static_cast<std::size_t>(slots_[slot]);
        if (hashes_[id] == code && (*this)[id] == term) return slots_[slot];
        slot = (slot + 1) & mask;
    }
    const auto id = static_cast<std::int32_t>(hashes_.size());
    slots_[slot] = id;
    arena_.append(term);
    offsets_.push_back(arena_.size());
    hashes_.push_back(code);
    if (hashes_.size() * 2 > slots_.size()) grow();
    return id;
}

void Vocabulary::grow() {
    std::vector<std::int32_t> larger(slots_.size() * 4, -1);
    const std::size_t mask = larger.size() - 1;
    for (std::size_t id = 0; id < hashes_.size(); ++id) {
        std::size_t slot = hashes_[id] & mask;
        while (larger[slot] >= 0) slot = (slot + 1) & mask;
        larger[slot] = static_cast<std::int32_t>(id);
    }
    slots_ = std::move(larger);
}

void append_terms(std::string_view text, Span span, Vocabulary& vocabulary, std::vector<std::int32_t>& ids) {
    TermReader(text, span, vocabulary, ids).run();
}

}  // namespace tersely::text
