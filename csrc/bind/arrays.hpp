// NumPy arrays at the border: vectors handed over, large ones without a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tersely::bind {

inline constexpr std::size_t kCopied = 4096;  // bytes, at most: a copy costs less than an owner of the vector

// NumPy's own object for a type, which lives as long as the process; threads that ask first at once get the same one.
template <typename T>
PyObject* dtype_of() {
    static std::atomic<PyObject*> dtype{nullptr};
    PyObject* known = dtype.load(std::memory_order_acquire);
    if (known == nullptr) {
        known = pybind11::dtype::of<T>().release().ptr();
        dtype.store(known, std::memory_order_release);
    }
    return known;
}

// A new array; its values are not set. `shape` >= 0.
template <typename T>
pybind11::array_t<T> new_array(std::initializer_list<pybind11::ssize_t> shape) {
    const auto& numpy = pybind11::detail::npy_api::get();
    PyObject* dtype = pybind11::handle(dtype_of<T>()).inc_ref().ptr();  // taken by the call
    PyObject* made = numpy.PyArray_NewFromDescr_(numpy.PyArray_Type_, dtype, static_cast<int>(shape.size()),
                                                 std::data(shape), nullptr, nullptr, 0, nullptr);
    if (made == nullptr) throw pybind11::error_already_set();
    return pybind11::reinterpret_steal<pybind11::array_t<T>>(made);
}

// `shape`: its product is the number of values.
template <typename T>
pybind11::array_t<T> to_array(std::vector<T>&& values, std::initializer_list<pybind11::ssize_t> shape) {
    if (values.size() * sizeof(T) <= kCopied) {
        auto copy = new_array<T>(shape);
        std::copy(values.begin(), values.end(), copy.mutable_data());
        return copy;
    }
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owner->data();
    const pybind11::capsule release(owner.release(), [](void* held) { delete static_cast<std::vector<T>*>(held); });
    return pybind11::array_t<T>(std::vector(shape), data, release);
}

template <typename T>
pybind11::array_t<T> to_array(std::vector<T>&& values) {
    const auto size = static_cast<pybind11::ssize_t>(values.size());
    return to_array(std::move(values), {size});
}

// What a binding returns of a value: an array of a vector, which is taken, of bytes for an enumeration; else the value.
template <typename T>
auto handed_over(std::vector<T>& values) {
    if constexpr (std::is_enum_v<T>) {
        std::vector<std::uint8_t> bytes(values.size());
        std::transform(values.begin(), values.end(), bytes.begin(),
                       [](T one) { return static_cast<std::uint8_t>(one); });
        return to_array(std::move(bytes));
    } else {
        return to_array(std::move(values));
    }
}
template <typename T>
const T& handed_over(const T& value) {
    return value;
}
template <typename... Values>
pybind11::tuple tuple_of(Values&&... values) {
    return pybind11::make_tuple(handed_over(values)...);
}

// An array that a call is given, in C order. One of this type and layout is taken as it is, where pybind11 makes an
// empty array for each argument and asks NumPy for another: that was a sixth of a call on a small text.
template <typename T>
class Input : public pybind11::array_t<T, pybind11::array::c_style> {
  public:
    using Base = pybind11::array_t<T, pybind11::array::c_style>;
    using Base::Base;
    Input() : Base(pybind11::handle(), typename Base::borrowed_t{}) {}  // none yet
};
using Ids = Input<std::int32_t>;
using Offsets = Input<std::int64_t>;
using Bytes = Input<std::uint8_t>;
using SegmentColumns = std::tuple<Ids, Offsets, Offsets, Bytes, Ids, Ids>;  // of a SegmentTable

template <typename T>
std::span<const T> view(const Input<T>& array) {
    if (array.ndim() != 1) throw pybind11::value_error("arrays must be 1D, not " + std::to_string(array.ndim()) + "D");
    return {array.data(), static_cast<std::size_t>(array.size())};
}

// The metaclass of our classes: pybind11's own is for static properties, and for subclasses that forget __init__.
inline pybind11::metaclass plain() { return pybind11::metaclass(reinterpret_cast<PyObject*>(&PyType_Type)); }

// A class without subclasses.
template <typename T, typename... Bases>
pybind11::class_<T, Bases...> final_class(pybind11::module_& m, const char* name, const char* what) {
    return pybind11::class_<T, Bases...>(m, name, what, pybind11::is_final(), plain());
}

inline void require(bool condition, const char* message) {
    if (!condition) throw pybind11::value_error(message);
}

}  // namespace tersely::bind

template <typename T>
struct pybind11::detail::pyobject_caster<tersely::bind::Input<T>> {
    using Type = tersely::bind::Input<T>;

    bool load(handle source, bool convert) {
        constexpr int kLayout = npy_api::NPY_ARRAY_C_CONTIGUOUS_ | npy_api::NPY_ARRAY_ALIGNED_;
        if (Py_IS_TYPE(source.ptr(), npy_api::get().PyArray_Type_)) {
            const auto* array = array_proxy(source.ptr());
            if (array->descr == tersely::bind::dtype_of<T>() && (array->flags & kLayout) == kLayout) {
                value = reinterpret_borrow<Type>(source);
                return true;
            }
        }
        if (!convert && !Type::check_(source)) return false;
        value = reinterpret_steal<Type>(Type::ensure(source).release());
        return static_cast<bool>(value);
    }

    static handle cast(const handle& source, return_value_policy /*policy*/, handle /*parent*/) {
        return source.inc_ref();
    }
    PYBIND11_TYPE_CASTER(Type, handle_type_name<typename Type::Base>::name);
};
