#include "simd/dot.hpp"

namespace {

using Vector = float;
constexpr decltype(sizeof(0)) kLanes = 1, kMicroRows = 2, kMicroVectors = 4;

inline Vector load(const float* at) { return *at; }
inline void store(float* at, Vector value) { *at = value; }
inline Vector spread(float value) { return value; }
inline Vector fused(Vector a, Vector b, Vector c) { return __builtin_fmaf(a, b, c); }  // one rounding, also in software
inline unsigned at_least(Vector value, Vector least) { return value >= least ? 1U : 0U; }

}  // namespace

#include "simd/dot_kernel.inl"

namespace tersely::simd {
extern const DotKernels kDot_scalar;
const DotKernels kDot_scalar = {tile, line, nullptr, dot, widen, scale_row, interleave, excess};
}  // namespace tersely::simd
