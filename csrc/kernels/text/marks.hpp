// Reading what stands around a possible sentence end. `text` ends where the block ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernels/text/segment.hpp"

namespace tersely::text {

enum class Ender { kNone, kStop, kStrong, kEllipsis, kTight };  // kTight: needs no space behind it

Ender ender(char32_t code);

// Past white space.
std::size_t skip_space(std::string_view text, std::size_t at);

// `span` without the white space at its ends.
Span trim(std::string_view text, Span span);

// Past closing quotes and brackets, emphasis marks and footnote marks ("[12]").
std::size_t skip_closing(std::string_view text, std::size_t at);

// Past " :)" and the like, when they stand alone.
std::size_t skip_emoticon(std::string_view text, std::size_t end);

// The first letter or digit of what follows, past quotes, brackets and dashes (at most 8 marks).
std::size_t first_word(std::string_view text, std::size_t at);

// The word at `at`, ASCII in lower case, at most 24 bytes.
std::string word_at(std::string_view text, std::size_t at);

// Whether ". ", ".." or "." before a closing mark stands at `at`: one more stop of a spaced ellipsis.
bool spaced_stop(std::string_view text, std::size_t at);

}  // namespace tersely::text
