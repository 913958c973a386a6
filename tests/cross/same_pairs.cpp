// Prints a digest of pairs and clusters of made-up rows: ci/neon.sh compares those of all instruction sets of a CPU.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kernels/cluster/clusters.hpp"
#include "kernels/similarity/similarity.hpp"

using tersely::similarity::Format;
using tersely::similarity::Rows;

namespace {

std::uint64_t digest = 14695981039346656037U;

template <typename T>
void add(const T& value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) digest = (digest ^ byte) * 1099511628211U;
}

// Noise, a fifth of the rows near another one; the kind says how the values of a row differ in size.
std::vector<float> made(std::size_t rows, std::size_t depth, int kind) {
    std::vector<float> x(rows * depth);
    std::uint32_t seed = 7;
    for (std::size_t i = 0; i < x.size(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        const float noise = static_cast<float>(static_cast<std::int32_t>(seed)) / 2147483648.0F;
        const bool copied = i / depth >= rows / 5 * 4;
        const float value = kind == 0 ? noise : kind == 1 ? std::copysign(1.0F, noise) : noise * noise * noise * noise;
        x[i] = copied ? x[i - depth * (rows / 5 * 4)] + 0.2F * noise : value;
    }
    return x;
}

void add_all(const std::vector<float>& x, std::size_t depth, double threshold) {
    const Rows rows{reinterpret_cast<const std::byte*>(x.data()),       Format::kSingle, x.size() / depth, depth,
                    static_cast<std::ptrdiff_t>(depth * sizeof(float)), sizeof(float)};
    for (const auto& pair : tersely::similarity::pairs_at_least(rows, threshold, 1U << 22U, {1, {}})) add(pair);
    for (const std::int32_t label : tersely::cluster::representative(rows, threshold, {}, {1, {}}).labels) add(label);
    for (const std::int32_t label : tersely::cluster::single(rows, threshold, {}, {1, {}}).labels) add(label);
}

}  // namespace

int main() {
    for (const int kind : {0, 1, 2}) {
        for (const std::size_t depth : {1U, 16U, 33U, 100U, 770U}) {
            for (const double threshold : {0.5, 0.98}) add_all(made(130, depth, kind), depth, threshold);
        }
        add_all(made(1100, 64, kind), 64, 0.85);  // enough for a sample to be asked, and for a second step of clusters
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(digest));
}
