// What a value of a record is and says, by itself and by the name it stands under.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tersely::content {

inline constexpr std::size_t kShortText = 80;  // bytes

namespace values {

enum Kind : std::uint8_t { kAbsent, kNumeric, kBool, kContainer, kText, kDigits };
enum Role : std::uint8_t { kPlain, kName, kStatus, kExit, kLevel, kSeverity, kTime };
enum Outcome : std::uint8_t { kNoOutcome, kFails, kTroubles, kSucceeds };

// What a column is for, by its name.
Role role_of(std::string_view name);

// What a value is; `number`: its value, where it is one. O(length).
Kind kind_of(std::string_view value, double& number);

// The marks (marks.hpp) of the words of a text's first 256 bytes; words of camel case are several. "no error" and
// "0 errors" say none.
std::uint32_t marks_of(std::string_view text);

// Whether a value is absent, or a container without values.
bool says_nothing(std::string_view value, Kind kind);

// Whether the first word of a value is one of the highest severity: critical, blocker, ...
bool is_severe(std::string_view value);

// `name_marks`: marks_of the name of the column. O(length, up to 256).
Outcome outcome_of(Role role, std::uint32_t name_marks, std::string_view value, Kind kind, double number);

}  // namespace values

// Whether a value under a name says that something failed: what `RecordColumns::fails` says of a column.
bool says_failure(std::string_view name, std::string_view value);

// Whether a value is absent ("", null, "-", n/a, ...) or an empty container.
bool says_nothing(std::string_view value);

// Whether a value says that something is wrong: by what its own name makes of it (an exit code that is not 0), by its
// first word, before a colon ("WARNING: no swap"), or by the name of the list that it stands in ("errors", "warnings").
bool complains(std::string_view list, std::string_view name, std::string_view text);

}  // namespace tersely::content
