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
    kFailure = 512,     // says in a form that tools write that something failed (outcomes.hpp)
    kQuiet = 1024,      // is of a level below a warning: INFO, level=debug, [trace]
    kVerdict = 2048,    // opens with what all came to: SUMMARY: ..., Plan: ...
    kOwn = 4096,        // an earlier compression wrote it: how much it left out (own_marks.hpp)
    kCompared = 8192,   // opens with what was expected or found, or says both
    kNone = 16384,      // counts how often something went wrong: never ("0 errors", "lost: 0 bytes")
    kBitsOfLines = 0xFFFF,
};

// What words do to those beside them; bits above those of marks.
inline constexpr std::uint32_t kNegates = 1U << 16U;  // no, without
inline constexpr std::uint32_t kNot = 1U << 17U;      // not
inline constexpr std::uint32_t kExits = 1U << 18U;    // exit, exited, returned
inline constexpr std::uint32_t kCodeOf = 1U << 19U;   // code, status: a number follows
inline constexpr std::uint32_t kTests = 1U << 20U;    // what is counted: test, tests
inline constexpr std::uint32_t kLevelKey =
    1U << 21U;  // level, severity, status, result: what follows "=" or ":" is an outcome
inline constexpr std::uint32_t kQuietWord = 1U << 22U;
inline constexpr std::uint32_t kCounted = 1U << 23U;  // failures that tools count: 3 failed, errors: 2
inline constexpr std::uint32_t kTotals =
    1U << 24U;  // summary, plan: before a colon at the start of a line, what follows is a verdict
inline constexpr std::uint32_t kFound = 1U << 25U;     // found: not so is trouble
inline constexpr std::uint32_t kCompares = 1U << 26U;  // expected, actual, left, right, ...
inline constexpr std::uint32_t kWarns = 1U << 27U;     // warning, deprecated: trouble that stops nothing

inline constexpr std::uint64_t kHashSeed = 0xCBF29CE484222325ULL;  // FNV-1a
inline constexpr std::uint64_t kHashPrime = 0x100000001B3ULL;

inline constexpr std::uint64_t hash_byte(std::uint64_t hash, unsigned char byte) { return (hash ^ byte) * kHashPrime; }

// Of a run of letters in lower case.
inline constexpr std::uint64_t hash_letters(std::string_view lower) {
    std::uint64_t hash = kHashSeed;
    for (const char byte : lower) hash = hash_byte(hash, static_cast<unsigned char>(byte));
    return hash;
}

// The marks and the class of a run of ASCII letters, given its hash; 0 for a word that says nothing. O(1).
std::uint32_t word_marks(std::uint64_t hash);

// kError for names that end in "Error", "Exception", "Failure", "Failed", "Fault", "Killed" or "BackOff" after a
// letter, else 0. O(1).
std::uint32_t name_marks(std::string_view letters);

}  // namespace tersely::content
