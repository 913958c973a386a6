// One source for every instruction set: plain loops over fixed blocks, which the compiler turns
// into vector code for the flags of the including file. No STL, nothing inline that the linker
// could share between files built with different flags.
namespace {

using Size = decltype(sizeof(0));
constexpr Size kBlock = 64;

inline unsigned char is_mark(unsigned char byte) {
    return static_cast<unsigned char>((byte == '.') | (byte == '!') | (byte == '?') | (byte == '\n') | (byte == '\r') |
                                      (byte == 0xD6) | (byte == 0xD8) | (byte == 0xDB) |
                                      ((byte >= 0xE0) & (byte <= 0xE3)) | (byte == 0xEF));
}

Size count_chars(const char* text, Size size) {
    Size total = 0;
    Size at = 0;
    for (; at + kBlock <= size; at += kBlock) {
        unsigned char starts = 0;  // at most 64: fits
        for (Size i = 0; i < kBlock; ++i) {
            starts = static_cast<unsigned char>(starts + (static_cast<signed char>(text[at + i]) > -65));
        }
        total += starts;
    }
    for (; at < size; ++at) total += static_cast<signed char>(text[at]) > -65;
    return total;
}

// The flags of a block are stored first, then read eight at a time: both loops become vector code.
Size find_mark(const char* text, Size size) {
    Size at = 0;
    for (; at + kBlock <= size; at += kBlock) {
        unsigned char hits[kBlock];
        for (Size i = 0; i < kBlock; ++i) hits[i] = is_mark(static_cast<unsigned char>(text[at + i]));
        for (Size i = 0; i < kBlock; i += 8) {
            unsigned long long eight;
            __builtin_memcpy(&eight, hits + i, 8);
            if (eight != 0) return at + i + static_cast<Size>(__builtin_ctzll(eight)) / 8;  // little-endian
        }
    }
    while (at < size && !is_mark(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

}  // namespace
