// Mail with the older mail that it answers below: what is new, and what stands around that.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tersely::text {

enum class MailPart : std::uint8_t {
    kNew,
    kAround,  // lines of its head but who wrote it and on what; what stands below its closing, or below "-- "
    kOlder  // quoted behind ">", or below a line that says so: "... wrote:", "-----Original Message-----", a head that
            // says when it was sent
};

struct MailRange {
    std::size_t begin;  // byte; it goes on to the next one
    MailPart part;
};

// The parts of a text, in order, the first at 0; empty for one that is no mail: without a line that introduces older
// mail, and without a head at its start. Words for that are known in English, German, Dutch, French, Spanish, Italian,
// Portuguese, Polish, Russian, Chinese, Japanese and Korean. O(bytes).
std::vector<MailRange> mail_parts(std::string_view text);

}  // namespace tersely::text
