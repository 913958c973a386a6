// One source for every instruction set: blocks of bytes, which the compiler turns into vector code
// for the flags of the including file. No STL, nothing inline that the linker could share between
// files built with different flags.
namespace {

using Size = decltype(sizeof(0));
constexpr Size kBlock = 64;

// A register: compilers take wider vectors apart byte by byte.
#if defined(__AVX512BW__)
constexpr Size kWide = 64;
#elif defined(__AVX2__)
constexpr Size kWide = 32;
#else
constexpr Size kWide = 16;
#endif
typedef unsigned char Wide __attribute__((vector_size(kWide)));

inline bool is_mark(unsigned char byte) {
    return byte == '.' || byte == '!' || byte == '?' || byte == '\n' || byte == '\r' || byte == 0xD6 || byte == 0xD8 ||
           byte == 0xDB || (byte & 0xFCU) == 0xE0 || byte == 0xEF;
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

// The flags of a register, read eight at a time. Vectors by name: compilers make a loop over `is_mark` a test of bits.
Size find_mark(const char* text, Size size) {
    Size at = 0;
    for (; at + kWide <= size; at += kWide) {
        Wide bytes;
        __builtin_memcpy(&bytes, text + at, kWide);
        const auto hits = (bytes == '.') | (bytes == '!') | (bytes == '?') | (bytes == '\n') | (bytes == '\r') |
                          (bytes == 0xD6) | (bytes == 0xD8) | (bytes == 0xDB) | ((bytes & 0xFC) == 0xE0) |
                          (bytes == 0xEF);
        unsigned long long eights[kWide / 8];
        __builtin_memcpy(eights, &hits, kWide);
        for (Size i = 0; i < kWide; i += 8) {
            const unsigned long long eight = eights[i / 8];
            if (eight != 0) return at + i + static_cast<Size>(__builtin_ctzll(eight)) / 8;  // little-endian
        }
    }
    while (at < size && !is_mark(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

}  // namespace
