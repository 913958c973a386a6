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
typedef char Bytes16 __attribute__((vector_size(16)));
typedef char Bytes32 __attribute__((vector_size(32)));
typedef char Bytes64 __attribute__((vector_size(64)));

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

// The highest bits of the bytes of a register, the first one lowest.
template <typename Flags>
inline unsigned long long bits_of(const Flags& flags) {
#if defined(__AVX512BW__)
    return static_cast<unsigned long long>(__builtin_ia32_cvtb2mask512((Bytes64)flags));
#elif defined(__AVX2__)
    return static_cast<unsigned int>(__builtin_ia32_pmovmskb256((Bytes32)flags));
#elif defined(__SSE2__)
    return static_cast<unsigned int>(__builtin_ia32_pmovmskb128((Bytes16)flags));
#else
    unsigned long long eights[kWide / 8], bits = 0;
    __builtin_memcpy(eights, &flags, kWide);
    for (Size i = 0; i < kWide / 8; ++i)  // little-endian
        bits |= ((eights[i] & 0x8080808080808080ULL) * 0x0002040810204081ULL >> 56U) << (8 * i);
    return bits;
#endif
}

void masks(const char* text, Size size, tersely::simd::ByteMasks* masks) {
    *masks = {};
    const unsigned long long inside = size < kBlock ? (1ULL << size) - 1 : ~0ULL;
    for (Size at = 0; at < kBlock; at += kWide) {
        Wide bytes;
        __builtin_memcpy(&bytes, text + at, kWide);
        const auto among = [&](unsigned char first, unsigned char many) { return (bytes - first) < many; };
        const Wide folded = bytes | 0x20;
        const auto letters = (folded - 'a') < 26;
        const auto digits = among('0', 10);
        const auto underscores = bytes == '_';
        const auto signs = among('!', 94) & ~(letters | digits | underscores);
        const auto colons = bytes == ':';
        const auto plain =
            among('"', 2) | (bytes == '\'') | (bytes == ')') | among(',', 4) | colons | (bytes == '?') | (bytes == '`');
        const auto opens = bytes == '(';
        const auto put = [&](auto& mask, const auto& flags) { mask |= bits_of(flags) << at & inside; };
        put(masks->letters, letters);
        put(masks->wide, bytes >= 0x80);
        put(masks->digits, digits);
        put(masks->spaces, bytes == ' ');
        put(masks->underscores, underscores);
        put(masks->signs, signs);
        put(masks->coding, (signs | underscores) & ~plain);
        put(masks->openers, opens | colons | (bytes == '['));
        put(masks->colons, colons);
        put(masks->telling, opens | (bytes == '=') | (bytes == '*') | (bytes == '`'));
    }
    const auto count = [](unsigned long long bits) { return static_cast<unsigned char>(__builtin_popcountll(bits)); };
    masks->lettered = count(masks->letters | masks->wide);
    masks->spaced = count(masks->spaces);
    masks->counted = count(masks->digits);
    masks->coded = count(masks->coding);
}

}  // namespace
