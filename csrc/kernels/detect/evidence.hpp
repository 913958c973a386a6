// What the lines of a text say together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/detect/languages.hpp"
#include "kernels/detect/line_marks.hpp"
#include "kernels/text/lines.hpp"

namespace tersely::detect {

inline constexpr std::size_t kSpeakers = 64;
inline constexpr std::uint32_t kSentences = 3;  // lines of a text that may be a sentence with a word of a language

// How comments open, a bit each.
enum Opener : std::uint8_t {
    kSlash = 1U << 0U,        // "//", "/*"
    kHash = 1U << 1U,         // "# "
    kDash = 1U << 2U,         // "-- "
    kSemicolon = 1U << 3U,    // ";"
    kPercent = 1U << 4U,      // "% ", "%%"
    kParenthesis = 1U << 5U,  // "(*"
    kBang = 1U << 6U,         // "! "
    kQuoted = 1U << 7U,       // "' ", "\" "
};
inline constexpr std::size_t kOpeners = 8;

struct Counts {
    std::array<std::uint32_t, kMarks> of{};
    std::uint32_t lines = 0;        // that are not blank
    std::uint32_t words = 0;        // lines of prose that are nothing else
    std::uint32_t sentences = 0;    // of these, those that end as a sentence does, or run on in the next line
    std::uint32_t hung = 0;         // lines of words behind an id, and lines on drawn branches
    std::uint32_t again = 0;        // lines of words that are the one before, but for digits
    std::uint32_t words_again = 0;  // those of them that are nothing else
    std::uint32_t wrapped = 0;      // lines that paragraphs count as, beside those that they are
    std::uint32_t long_lines = 0;
    std::uint32_t in_fence = 0;
    std::uint32_t spoken = 0;            // lines with evidence of a language
    std::uint32_t code = 0;              // code that is no log, frame, tag or anchor
    std::uint32_t strong = 0;            // of these, those that a language claims too
    std::uint32_t plain = 0;             // of code in the first kSentences, words and addresses alone
    std::uint32_t tool = 0;              // anchors, levels, builds: any of them
    std::uint32_t tool_in_trace = 0;     // the same where a line is a frame, or the head of a trace
    std::uint32_t below_frames = 0;      // lines of the source below their frame
    std::uint32_t at_margin = 0;         // not indented
    std::uint32_t events_at_margin = 0;  // of these, those with a stamp, an anchor, a level ...
    std::uint32_t stamped_at_margin = 0;
    std::uint32_t prefixed = 0;    // with the same sign of who writes as the line before
    std::uint32_t titles = 0;      // underlined
    std::uint32_t headings = 0;    // # x
    std::uint32_t items = 0;       // - x
    std::uint32_t remarks = 0;     // # x that is no heading
    std::uint32_t sections = 0;    // [x]
    std::uint32_t loose = 0;       // name = value without quotes, which ini has and TOML has not
    std::uint32_t plus_minus = 0;  // start with + - or a space after a hunk's head
    std::uint32_t escapes = 0;     // ANSI sequences, progress bars
    std::uint32_t borders = 0;     // +----+----+ of boxes
    std::uint32_t turns = 0;       // with a speaker that was met before
    std::uint32_t replies = 0;     // of these, those with another speaker before, or of a known role
    std::uint32_t cues = 0;        // times of subtitles
    std::uint32_t told = 0;        // "name: " and a sentence
    std::uint32_t said = 0;        // words behind "name: " in small letters that was met before
    std::uint32_t back = 0;        // of these, those with another name between
    std::uint32_t data = 0;        // key: value that is no turn of a talk
    std::uint32_t opens = 0;       // end with "{" or start with "}"
    std::uint32_t statements = 0;  // end with ";"
    std::uint32_t listed = 0;      // end with ","
    std::uint32_t quoted = 0;      // code behind a number: "12 | return x;", "%000003  end;"
    std::uint32_t jumbled = 0;  // of these, those whose number is not the next one, nor as far on as the last one was
    std::array<std::uint32_t, kOpeners> comments{};  // by how they open
    std::array<std::uint32_t, kSpeakers> speakers{};
    Language shebang = Language::none;

    std::uint32_t operator[](Mark mark) const {
        std::size_t bit = 0;
        for (auto rest = static_cast<std::uint32_t>(mark); rest > 1; rest >>= 1U) ++bit;
        return of[bit];
    }
};

// Reads pieces of a text line by line.
class Reader {
  public:
    // `whole_first_line`: whether the piece starts where a line does; else its first line is passed over.
    void open(std::string_view piece, bool whole_first_line);
    // Reads on, lines that start in the first `most` bytes of the piece. O(bytes).
    void read(std::size_t most = std::string_view::npos);
    const Counts& counts() const { return counts_; }
    const LanguageReader& languages() const { return languages_; }

  private:
    enum class Open : std::uint8_t { kNone, kWords, kSentence };
    bool starts_fenced(std::string_view piece) const;
    void add(std::string_view piece, const text::Line& line);
    bool take_escapes(const text::Line& line, std::string_view& head, char& last, char* buffer);
    bool in_comment(std::string_view& head);
    bool in_string(std::string_view head);
    void add_shape(std::string_view head, char last);
    void add_comment(std::string_view head);
    void add_interpreter(std::string_view head);
    void add_diff(char first, std::uint32_t marks);
    void add_heading(std::uint32_t marks);
    bool is_known(std::uint32_t hash);
    void add_turn(std::string_view head, std::uint32_t marks);
    void add_key(std::string_view head, std::uint32_t marks, bool indented);
    bool add_sentence(std::string_view head, char last, bool words, bool place);
    void add_votes(std::string_view head, const LineBytes& bytes, std::uint32_t marks, bool indented, char last);

    Counts counts_;
    LanguageReader languages_;
    std::string_view piece_;
    std::size_t at_ = 0;      // the next line of the piece
    bool rewritten_ = false;  // whether the piece has escapes or carriage returns
    bool quoted_ = false;     // whether it has three quotes
    bool marked_ = false;     // whether it has "…", as marks of an earlier compression do
    int named_fences_ = 0;    // fences that open with a name less those without
    bool fenced_ = false;
    bool hunk_ = false;
    bool commented_ = false;  // in a comment /* ... */
    char string_ = 0;         // the quote of a string in three quotes that is open
    bool pending_ = false;    // the line above is a heading, so far
    int below_frame_ = 0;     // lines that may still belong to the frame above
    bool was_blank_ = true;
    Open open_ = Open::kNone;              // whether the line above is words that may run on
    bool target_ = false;                  // whether the line above is at the margin and names a target: "clean: x"
    std::uint32_t key_ = 0;                // of the last line with a key
    std::uint32_t speaker_ = 0;            // of the last turn
    std::uint32_t sign_ = 0;               // of who writes, in the line above
    std::string prose_;                    // the last line of words
    std::uint64_t number_ = 0, step_ = 0;  // before the code that was quoted last, and from the one before
    std::size_t before_ = 0;               // bytes of the line above where it can be a title: behind a blank or a rule
    bool was_rule_ = false;
};

}  // namespace tersely::detect
