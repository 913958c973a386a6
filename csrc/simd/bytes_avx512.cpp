#include "simd/bytes.hpp"
#include "simd/bytes_kernel.inl"

namespace tersely::simd {
extern const ByteKernels kBytes_avx512;
const ByteKernels kBytes_avx512 = {count_chars, find_mark, masks};
}  // namespace tersely::simd
