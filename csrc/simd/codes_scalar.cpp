#include "simd/codes.hpp"
#include "simd/codes_kernel.inl"

namespace tersely::simd {
extern const CodeKernels kCodes_scalar;
const CodeKernels kCodes_scalar = {add_rows};
}  // namespace tersely::simd
