// What a line says of how something ended, in the forms that tools write; and which kind of finding it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tersely::content {

// A word of a line, line[at:end], as read_words met it.
struct Said {
    std::size_t at, end;
    std::uint32_t marks;     // of marks.hpp, with its class
    std::uint64_t only_run;  // hash of its letters where it is nothing else; 0: it is more
    std::size_t runs;        // of letters and of digits
    bool number, zero;       // has a digit; is "0"
    bool capitals;           // letters without a small one
    bool named;              // ends as names of errors do: TypeError
    bool first;              // of its line
    bool quoted;
    bool place;  // a path with a line number
};

// Reads the words of a line, in their order. kFailure stands for what a tool says, not for a word that prose has too:
//  - a word of errors in capitals (ERROR, FAILED), before a colon, in brackets, after stars ("***Failed"), with its
//    number at the start or behind a place ("Error #4: ..."), or the value of a key such as level, severity, status,
//    result; "not ok"; "error[E0308]", "TypeError: ..."; "panicked at";
//  - a count above zero beside a word of failures ("3 failed", "errors: 2", "Error 2") or after "exit code" or
//    "exited with"; with it comes kSummary. A count of zero, "no" and "without" take kError away and leave kSummary.
//    "failed=1" goes before the number in front of it, which is the value of another word;
//  - HTTP statuses of 500 and above, after a quoted request, after "HTTP/1.1" or as the value of a key;
//  - signs at the start of a line: crosses, pytest's "E   ", glog's E0825 and F0825, "-/+" and "+-" of plans, "! ";
//    " [E]" or " [F]" at its end; a word of trouble in capitals that opens it or stands before a colon (CONFLICT,
//    REGRESSION:), but no warning; ticks are kPassed;
//  - a word of errors behind a line's number alone ("  12:5  error"), or at the end behind a place ("x.cc:8: Failure").
// What a server answered with 4xx and a severity of high are kError.
// kCompared: one of the first two words is expected, actual, got, left, reason, ... before a colon or "=", or two
// such words stand in the line.
// A finding is what several lines of a linter or compiler share: E0308, CS1002, NULL_DEREFERENCE, a capital before a
// colon after a place ("x.rb:3:1: W: "), lower-case words with dashes in brackets where the line names a place.
// The first of a line counts. O(line), any bytes are safe.
class Outcomes {
  public:
    // `head`: bytes of the time stamp at the line's start, with what stands before it.
    Outcomes(std::string_view line, std::size_t head);
    std::uint32_t add(const Said& word);  // the marks that the word gives the line
    void add_break() { number_ = zero_ = false; }
    std::uint32_t marks() const { return marks_; }  // of the line's start and of what was said twice
    // Of a line that opens with one, names it ("[B602:shell]"), names a place or says that something is wrong; else 0.
    std::uint64_t finding() const { return opens_ || place_ || bad_ ? finding_ : 0; }

  private:
    std::uint32_t failed(const Said& word, std::uint32_t marks);
    bool is_value(const Said& word) const;
    std::uint64_t finding_of(const Said& word) const;

    std::string_view line_;
    std::uint32_t marks_ = 0;
    std::uint64_t finding_ = 0;
    std::size_t key_end_ = 0;   // where a word such as level or status ends; 0: it was not the last one
    std::uint64_t key_ = 0;     // its hash
    std::size_t words_ = 0;     // met
    std::size_t compares_ = 0;  // words of comparisons
    std::size_t exit_ = 0;      // the number of the word "exit", from 1
    bool number_ = false, zero_ = false, not_ = false, http_ = false;  // the word before
    bool place_ = false, bad_ = false, opens_ = false;                 // a place was named, an error or a trouble said
};

}  // namespace tersely::content
