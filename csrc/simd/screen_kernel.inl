// One source for every instruction set with products of bytes. The including file defines, in an unnamed namespace,
// what lanes_*.inl has, and: Bytes (of kLanes words, each four bytes of one row), kScreenRows and kScreenVectors (what
// is summed in registers), kLargest (of a code), kBias (what columns adds to one), kNarrow (sums of 16 bits), columns
// (a vector of rows, biased), spread_word (one word to all lanes), zero_words, add_products (four products a word, or
// two and two), add_words, widened (both sums of a word added; the words as they are where not kNarrow), to_floats. No
// STL, nothing inline that the linker could share between files built with different flags.
//
// Sums of 16 bits do not overflow: the bytes of a block that meet in one sum are at most kMostLength long, and a sum of
// products is at most the product of the lengths (Cauchy-Schwarz). While it is made it may wrap around, as its offset
// does, which takes back what the bias added.
namespace {

using Size = decltype(sizeof(0));
using tersely::simd::CodedRows;
using tersely::simd::kPanel;
using tersely::simd::kSums;

constexpr Size kBlock = kNarrow ? 32 : Size{1} << 20U;  // groups of four columns
constexpr float kMostLength = 177;  // before rounding, which adds at most 0.5 sqrt(64): 181^2 < 2^15
static_assert(kPanel % (kScreenVectors * kLanes) == 0 && tersely::simd::kTileRows % kScreenRows == 0);

constexpr Size kTogether = kScreenRows * kScreenVectors * kLanes;
using Sums = Bytes[kScreenRows][kScreenVectors];

// Adds the products of groups [begin, end), which starts block `block`.
inline __attribute__((always_inline)) void add_columns(Sums& total, const CodedRows& left, const CodedRows& right,
                                                       Size begin, Size end, Size block) {
    for (; begin < end; begin += kBlock, ++block) {
        Sums sum;
#pragma GCC unroll 8
        for (Size r = 0; r < kScreenRows; ++r) {
            const Bytes offset = spread_word(left.offsets[block * kPanel + r]);
#pragma GCC unroll 4
            for (Size v = 0; v < kScreenVectors; ++v) sum[r][v] = kNarrow ? offset : add_words(total[r][v], offset);
        }
        const Size last = end - begin < kBlock ? end : begin + kBlock;
        const signed char* rows = left.codes + begin * 4 * kPanel;
        const signed char* others = right.codes + begin * 4 * kPanel;
#pragma GCC unroll 2
        for (Size g = begin; g < last; ++g, rows += 4 * kPanel, others += 4 * kPanel) {
            Bytes four[kScreenVectors];
#pragma GCC unroll 4
            for (Size v = 0; v < kScreenVectors; ++v) four[v] = columns(others + v * kLanes * 4);
#pragma GCC unroll 8
            for (Size r = 0; r < kScreenRows; ++r) {
                std::int32_t word;
                __builtin_memcpy(&word, rows + r * 4, 4);
                const Bytes row = spread_word(word);
#pragma GCC unroll 4
                for (Size v = 0; v < kScreenVectors; ++v) add_products(sum[r][v], four[v], row);
            }
        }
#pragma GCC unroll 8
        for (Size r = 0; r < kScreenRows; ++r) {
#pragma GCC unroll 4
            for (Size v = 0; v < kScreenVectors; ++v) {
                total[r][v] = kNarrow ? add_words(total[r][v], widened(sum[r][v])) : sum[r][v];
            }
        }
    }
}

// The most that the products of row r with a vector of rows can be; `rest`: of row r, for columns not summed.
inline __attribute__((always_inline)) Vector bound(Bytes total, const CodedRows& left, const CodedRows& right, Size r,
                                                   Size column, float rest) {
    Vector sum = fused(spread(left.reach[r]), load(right.reach + column), spread(-1.0F));
    sum = fused(spread(rest), load(right.rest + column), sum);
    return fused(to_floats(total), times(spread(left.scale[r]), load(right.scale + column)), sum);
}

inline CodedRows from(const CodedRows& rows, Size row) {
    return {rows.codes + row * 4, rows.scale + row, rows.reach + row, rows.rest + row, rows.offsets + row};
}

// A part of a tile whose sums stay in registers: rows from `left` on, kScreenVectors vectors of `right`.
inline __attribute__((always_inline)) bool micro_screen(const CodedRows& left, const CodedRows& right, Size head,
                                                        Size groups, float threshold, std::uint64_t* hits,
                                                        Size column) {
    const Vector least = spread(threshold);
    Sums total;
#pragma GCC unroll 8
    for (Size r = 0; r < kScreenRows; ++r) {
#pragma GCC unroll 4
        for (Size v = 0; v < kScreenVectors; ++v) total[r][v] = zero_words();
    }
    if (head != 0) {
        add_columns(total, left, right, 0, head, 0);
        Vector best = bound(total[0][0], left, right, 0, 0, left.rest[0]);
#pragma GCC unroll 8
        for (Size r = 0; r < kScreenRows; ++r) {
#pragma GCC unroll 4
            for (Size v = 0; v < kScreenVectors; ++v) {
                best = larger(best, bound(total[r][v], left, right, r, v * kLanes, left.rest[r]));
            }
        }
        if (at_least(best, least) == 0) return false;
    }
    add_columns(total, left, right, head, groups, (head + kBlock - 1) / kBlock);
    std::uint64_t any = 0;
#pragma GCC unroll 8
    for (Size r = 0; r < kScreenRows; ++r) {
        std::uint64_t mine = 0;
#pragma GCC unroll 4
        for (Size v = 0; v < kScreenVectors; ++v) {
            const Vector most = bound(total[r][v], left, right, r, v * kLanes, 0);
            mine |= static_cast<std::uint64_t>(at_least(most, least)) << (v * kLanes);
        }
        hits[r] |= mine << column;
        any |= mine;
    }
    return any != 0;
}

bool screen(const CodedRows& left, const CodedRows& right, Size head, Size groups, float threshold,
            std::uint64_t* hits) {
    bool any = false;
    for (Size r = 0; r < tersely::simd::kTileRows; ++r) hits[r] = 0;
    for (Size r = 0; r < tersely::simd::kTileRows; r += kScreenRows) {
        for (Size c = 0; c < kPanel; c += kScreenVectors * kLanes) {
            any |= micro_screen(from(left, r), from(right, c), head, groups, threshold, hits + r, c);
        }
    }
    return any;
}

constexpr Size kVectors = kSums / kLanes;

// kSums values, folded to four: those of the columns that stand in the same place of their word.
struct Four {
    float each[kSums];

    template <typename Fold>
    Four(const Vector (&of)[kVectors], Fold fold) {
        for (Size v = 0; v < kVectors; ++v) store(each + v * kLanes, of[v]);
        for (Size half = kSums / 2; half >= 4; half /= 2) {
            for (Size i = 0; i < half; ++i) each[i] = fold(each[i], each[i + half]);
        }
    }
};

inline float sum(float a, float b) { return a + b; }
inline float most(float a, float b) { return a > b ? a : b; }
inline float length(const Vector (&squares)[kVectors]) {
    const Four four(squares, sum);
    return __builtin_sqrtf(four.each[0] + four.each[1] + (four.each[2] + four.each[3]));
}

// The end of the block of columns that starts at `begin`.
inline Size block_end(Size begin, Size size, Size head) {
    const Size limit = begin < 4 * head ? 4 * head : size;
    return limit - begin < 4 * kBlock ? limit : begin + 4 * kBlock;
}

// The largest of the values, and of the lengths of those that meet in one sum, each over what it may be at most.
float step_of(const float* x, Size size, Size head) {
    Vector sizes[kVectors];
    for (Vector& each : sizes) each = spread(0.0F);
    float square = 0;
    for (Size begin = 0, end = 0; begin < size; begin = end) {
        end = block_end(begin, size, head);
        Vector squares[kVectors];
        for (Vector& each : squares) each = spread(0.0F);
        for (Size at = begin; at < end; at += kSums) {
            for (Size v = 0; v < kVectors; ++v) {
                const Vector value = load(x + at + v * kLanes);
                sizes[v] = larger(sizes[v], larger(value, times(value, spread(-1.0F))));
                squares[v] = fused(value, value, squares[v]);
            }
        }
        if (!kNarrow) continue;
        const Four four(squares, sum);
        square = most(square, most(four.each[0] + four.each[1], four.each[2] + four.each[3]));
    }
    const Four four(sizes, most);
    const float largest = most(most(four.each[0], four.each[1]), most(four.each[2], four.each[3]));
    return most(largest / kLargest, kNarrow ? __builtin_sqrtf(square) * 1.001F / kMostLength : 0);
}

tersely::simd::RowCode code(const float* x, Size size, Size head, signed char* out, std::int32_t* offsets) {
    constexpr float kRound = 0x1.8p23F;  // added: the nearest whole number, in the lowest bits
    const float step = step_of(x, size, head);
    const Vector inverse = spread(step > 0 ? 1 / step : 0), minus_step = spread(-step);
    Vector residual[kVectors], rest[kVectors];
    for (Size v = 0; v < kVectors; ++v) residual[v] = rest[v] = spread(0.0F);
    for (Size begin = 0, end = 0; begin < size; begin = end, offsets += kPanel) {
        end = block_end(begin, size, head);
        const Vector counts = spread(begin < 4 * head ? 0.0F : 1.0F);
        Vector sums[kVectors];
        for (Vector& each : sums) each = spread(0.0F);
        for (Size at = begin; at < end; at += kSums) {
            for (Size v = 0; v < kVectors; ++v) {
                const Vector value = load(x + at + v * kLanes);
                const Vector shifted = fused(value, inverse, spread(kRound));
                const Vector whole = fused(shifted, spread(1.0F), spread(-kRound));
                const Vector left = fused(whole, minus_step, value);
                residual[v] = fused(left, left, residual[v]);
                rest[v] = fused(times(value, counts), value, rest[v]);
                sums[v] = fused(whole, spread(1.0F), sums[v]);
                store_low_bytes(out + at + v * kLanes, shifted);
            }
        }
        const Four four(sums, sum);  // exact: below 2^24
        const auto low = static_cast<std::int32_t>(four.each[0] + four.each[1]);
        const auto high = static_cast<std::int32_t>(four.each[2] + four.each[3]);
        *offsets = kNarrow ? static_cast<std::int32_t>((static_cast<std::uint32_t>(-kBias * low) & 0xFFFFU) |
                                                       static_cast<std::uint32_t>(-kBias * high) << 16U)
                           : -kBias * (low + high);
    }
    return {step, 1 + (length(residual) * 1.001F + 2e-7F), length(rest) * 1.001F + 2e-7F};
}

}  // namespace
