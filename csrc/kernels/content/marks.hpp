// What a line of a log or of a tool's output tells at a glance.
#pragma once

#include <cstdint>
#include <string_view>

namespace tersely::content {

// Bits; the numbers are part of the border's contract (python/tersely/content/lines.py).
enum Mark : std::uint32_t {
    kError = 1,         // something failed: error, fatal, failed, exception, panic, ... TypeError: ...
    kTrouble = 2,       // something may be wrong: warning, denied, refused, timeout, cannot, missing, ...
    kSummary = 4,       // counts of results ("3 failed", "0 errors"), exit codes, verdicts
    kAnchor = 8,        // names a place: path:12, path(12), "path", line 12
    kFrame = 16,        // a stack frame
    kOverwritten = 32,  // text follows its carriage return, written over it
    kContinued = 64,    // goes on after the piece before it, of a line longer than kLongestLine
    kPassed = 128,      // something went well: ok, passed, done, ...
    kNumber = 256,      // has a number
    kOwn = 512,         // an earlier compression wrote it: how much it left out (own_marks.hpp)
};

inline constexpr std::uint64_t kHashSeed = 0xCBF29CE484222325ULL;  // FNV-1a
inline constexpr std::uint64_t kHashPrime = 0x100000001B3ULL;

inline constexpr std::uint64_t hash_byte(std::uint64_t hash, unsigned char byte) { return (hash ^ byte) * kHashPrime; }

// Of a run of letters in lower case.
inline constexpr std::uint64_t hash_letters(std::string_view lower) {
    std::uint64_t hash = kHashSeed;
    for (const char byte : lower) hash = hash_byte(hash, static_cast<unsigned char>(byte));
    return hash;
}

// The marks of a run of ASCII letters, given its hash; 0 for a word that says nothing. O(1).
std::uint32_t word_marks(std::uint64_t hash);

// kError for names that end in "Error", "Exception", "Failure" or "Fault" after a letter, else 0. O(1).
std::uint32_t name_marks(std::string_view letters);

}  // namespace tersely::content
