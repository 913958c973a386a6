#include "simd/codes.hpp"
#include "simd/codes_kernel.inl"

namespace tersely::simd {
extern const CodeKernels kCodes_avx2;
const CodeKernels kCodes_avx2 = {add_rows};
}  // namespace tersely::simd
