// NumPy arrays at the border: vectors handed over, large ones without a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tersely::bind {

inline constexpr std::size_t kCopied = 4096;  // bytes, at most: a copy costs less than an owner of the vector

// `shape`: its product is the number of values.
template <typename T>
pybind11::array_t<T> to_array(std::vector<T>&& values, const std::vector<pybind11::ssize_t>& shape) {
    if (values.size() * sizeof(T) <= kCopied) {
        pybind11::array_t<T> copy(shape);
        std::copy(values.begin(), values.end(), copy.mutable_data());
        return copy;
    }
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owner->data();
    const pybind11::capsule release(owner.release(), [](void* held) { delete static_cast<std::vector<T>*>(held); });
    return pybind11::array_t<T>(shape, data, release);
}

template <typename T>
pybind11::array_t<T> to_array(std::vector<T>&& values) {
    const auto size = static_cast<pybind11::ssize_t>(values.size());
    return to_array(std::move(values), {size});
}

template <typename T>
using Input = pybind11::array_t<T, pybind11::array::c_style>;
using Ids = Input<std::int32_t>;
using Offsets = Input<std::int64_t>;

template <typename T>
std::span<const T> view(const Input<T>& array) {
    if (array.ndim() != 1) throw pybind11::value_error("arrays must be 1D, not " + std::to_string(array.ndim()) + "D");
    return {array.data(), static_cast<std::size_t>(array.size())};
}

inline void require(bool condition, const char* message) {
    if (!condition) throw pybind11::value_error(message);
}

}  // namespace tersely::bind
