// A light suffix stemmer for English words.
#pragma once

#include <string>

namespace tersely::text {

// Takes plural, past, progressive and adverb endings off a lower-case ASCII word of four letters or
// more, in place ("parties" -> "party", "running" -> "run", "quickly" -> "quick"). Never leaves fewer than
// three letters; other words stay as they are. O(1).
void stem(std::string& word);

}  // namespace tersely::text
