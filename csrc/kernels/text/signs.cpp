#include "kernels/text/signs.hpp"

#include <algorithm>

#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::text {

namespace {

constexpr std::size_t kMostLed = 40, kLeastDigits = 6, kMostDigits = 20;

bool in_word(char32_t code) { return code == '_' || (char_class(code) & (kLetter | kDigit)) != 0; }

// A text, and a character of which there is none behind it.
struct Reader {
    std::string_view text;

    char32_t at(std::size_t place) const { return place < text.size() ? decode(text, place).code : U' '; }
    char32_t before(std::size_t place) const { return place > 0 ? decode_before(text, place).code : U' '; }
    char byte(std::size_t place) const { return place < text.size() ? text[place] : ' '; }
    std::size_t behind(std::size_t place) const { return place + decode(text, place).length; }

    // The end of up to `most` characters from `place` on that `wanted` takes.
    template <typename Wanted>
    std::size_t run(std::size_t place, std::size_t most, Wanted wanted) const {
        for (; most > 0 && place < text.size() && wanted(at(place)); --most) place = behind(place);
        return place;
    }
};

bool led_by_letters(char32_t code) {
    return code < 0x80U && (ascii_alpha(static_cast<char>(code)) || code == '_' || code == '-');
}
bool led_by_digit(char32_t code) { return is_digit(code) || code == '_' || code == '-'; }

// The end of the code that begins at `place`, the border of a word; `place`: there is none.
std::size_t code_end(const Reader& in, std::size_t place) {
    std::size_t led = place;
    if (is_digit(in.at(place))) {
        led = in.run(in.behind(place), kMostLed, led_by_digit);
        led = ascii_alpha(in.byte(led)) ? led + 1 : place;
    } else if (led_by_letters(in.at(place))) {
        led = in.run(place, kMostLed, led_by_letters);
        led = is_digit(in.at(led)) ? in.behind(led) : place;
    }
    if (led > place) {
        const std::size_t end = in.run(led, in.text.size(), [](char32_t code) { return in_word(code) || code == '-'; });
        if (end > led && in.behind(led) < end) return end;
    }
    const char32_t before = in.before(place);
    if (is_digit(before) || among(static_cast<char>(before < 0x80U ? before : U' '), ".,:-")) return place;
    if (!is_digit(in.at(in.run(place, kLeastDigits - 1, is_digit)))) return place;
    const std::size_t end = in.run(place, kMostDigits, is_digit);
    if (in_word(in.at(end))) return place;
    return among(in.byte(end), ".,:") && is_digit(in.at(end + 1)) ? place : end;
}

}  // namespace

std::vector<Span> find_codes(std::string_view text) {
    std::vector<Span> found;
    const Reader in{text};
    bool within = false;  // a word
    for (std::size_t place = 0; place < text.size();) {
        const char byte = text[place];
        const bool ascii = static_cast<unsigned char>(byte) < 0x80U;
        const bool word = ascii ? ascii_alpha(byte) || ascii_digit(byte) || byte == '_' : in_word(in.at(place));
        const std::size_t end = word != within && (word || byte == '-') ? code_end(in, place) : place;
        if (end > place) found.push_back({place, end});
        within = end > place ? in_word(in.before(end)) : word;
        place = end > place ? end : in.behind(place);
    }
    return found;
}

bool has_letters(std::string_view text) {
    bool letter = false;
    for (std::size_t place = 0; place < text.size();) {
        const Decoded one = decode(text, place);
        const bool now = is_letter(one.code);
        if (now && letter) return true;
        letter = now;
        place += one.length;
    }
    return false;
}

std::vector<std::int32_t> rows_at(std::span<const std::int32_t> documents, std::span<const std::int64_t> starts,
                                  std::span<const std::int32_t> document, std::span<const std::int64_t> at) {
    const std::size_t many = documents.empty() ? 0 : static_cast<std::size_t>(documents.back()) + 1;
    std::vector<std::size_t> first(many + 1, documents.size());  // row of each document
    for (std::size_t row = documents.size(); row-- > 0;) first[static_cast<std::size_t>(documents[row])] = row;
    for (std::size_t one = many; one-- > 0;) first[one] = std::min(first[one], first[one + 1]);
    std::vector<std::int32_t> rows(document.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t of = std::min(static_cast<std::size_t>(document[i]), many);
        const std::size_t low = first[of], high = of < many ? first[of + 1] : low;
        const auto behind = std::upper_bound(starts.begin() + static_cast<std::ptrdiff_t>(low),
                                             starts.begin() + static_cast<std::ptrdiff_t>(high), at[i]);
        const auto row = static_cast<std::int32_t>(behind - starts.begin()) - 1;
        rows[i] = low < high ? std::max(row, static_cast<std::int32_t>(low)) : row;
    }
    return rows;
}

}  // namespace tersely::text
