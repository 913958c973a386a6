#include "simd/bytes.hpp"
#include "simd/bytes_kernel.inl"

namespace tersely::simd {
extern const ByteKernels kBytes_scalar;
const ByteKernels kBytes_scalar = {count_chars, find_mark, masks};
}  // namespace tersely::simd
