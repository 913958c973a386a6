// Python strings as UTF-8 views that outlive the release of the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/text/utf8.hpp"

namespace tersely::bind {

// Units of a str that are looked at together: most are ASCII.
inline constexpr Py_ssize_t kTogether = 32;

template <typename Unit>
bool all_ascii(const Unit* units) {
    Unit bits = 0;
    for (Py_ssize_t i = 0; i < kTogether; ++i) bits = static_cast<Unit>(bits | units[i]);
    return bits < 0x80U;
}

// Bytes that are written one behind the other, into memory that has room for them.
struct Place {
    char* at;
    void push_back(char byte) { *at++ = byte; }
};

// The UTF-8 of characters as a str holds them, each in one unit: `to_utf8`. Python's own encoder takes one at a time.
template <typename Unit>
PyObject* encoded(const Unit* from, Py_ssize_t size) {
    Py_ssize_t bytes = size;
    for (Py_ssize_t at = 0; at < size;) {
        const Py_ssize_t stop = std::min(at + kTogether, size);
        if (stop - at < kTogether || !all_ascii(from + at)) {
            for (Py_ssize_t i = at; i < stop; ++i) {
                const std::uint32_t code = from[i];
                bytes += (code >= 0x80U ? 1 : 0) + (code >= 0x800U ? 1 : 0) + (code >= 0x10000U ? 1 : 0);
            }
        }
        at = stop;
    }
    PyObject* made = PyBytes_FromStringAndSize(nullptr, bytes);
    if (made == nullptr) return nullptr;
    Place to{PyBytes_AS_STRING(made)};
    for (Py_ssize_t at = 0; at < size;) {
        const Py_ssize_t stop = std::min(at + kTogether, size);
        if (stop - at == kTogether && all_ascii(from + at)) {
            for (Py_ssize_t i = 0; i < kTogether; ++i) to.at[i] = static_cast<char>(from[at + i]);
            to.at += kTogether;
            at = stop;
        }
        for (; at < stop; ++at) {
            const std::uint32_t code = from[at];
            text::append_utf8(to, (code & 0xFFFFF800U) == 0xD800U ? 0xFFFDU : code);
        }
    }
    return made;
}

// The UTF-8 of a str, as bytes; U+FFFD, which is as long, stands for each lone surrogate. Offsets in characters are
// those of the str.
inline PyObject* to_utf8(PyObject* text) {
    const Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND) return encoded(PyUnicode_1BYTE_DATA(text), size);
    if (PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND) return encoded(PyUnicode_2BYTE_DATA(text), size);
    return encoded(PyUnicode_4BYTE_DATA(text), size);
}

// Holds a reference to each string (ASCII: its own memory is viewed; else a UTF-8 copy that is
// freed with this object, not cached on the string). Raises TypeError for an item that is not a str.
// Construct and destroy it with the GIL held.
class Utf8List {
  public:
    explicit Utf8List(const pybind11::list& texts) {
        for (const pybind11::handle text : texts) {
            if (!PyUnicode_Check(text.ptr())) throw pybind11::type_error("texts must be str");
            if (PyUnicode_IS_ASCII(text.ptr())) {
                held_.push_back(pybind11::reinterpret_borrow<pybind11::object>(text));
                views_.emplace_back(static_cast<const char*>(PyUnicode_DATA(text.ptr())),
                                    static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr())));
                continue;
            }
            PyObject* bytes = to_utf8(text.ptr());
            if (bytes == nullptr) throw pybind11::error_already_set();
            held_.push_back(pybind11::reinterpret_steal<pybind11::object>(bytes));
            views_.emplace_back(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
        }
    }
    explicit Utf8List(const pybind11::str& text) : Utf8List(pybind11::list(pybind11::make_tuple(text))) {}
    const std::vector<std::string_view>& views() const { return views_; }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const std::string_view view : views_) sum += view.size();
        return sum;
    }

  private:
    std::vector<pybind11::object> held_;
    std::vector<std::string_view> views_;
};

// What a function is given as texts: a sequence of str, or Python's `Utf8` of one, which was made before and is shared;
// a sequence that keeps its own has it as `utf8`.
class GivenTexts {
  public:
    explicit GivenTexts(const pybind11::object& texts) : given_(texts) {
        const bool other = PyList_CheckExact(texts.ptr()) == 0 && PySequence_Check(texts.ptr()) != 0 &&
                           PyUnicode_Check(texts.ptr()) == 0 && PyBytes_Check(texts.ptr()) == 0;
        if (other && pybind11::hasattr(texts, "utf8")) {
            given_ = texts.attr("utf8");
        } else if (other) {
            given_ = pybind11::list(texts);
        }
        if (PyList_Check(given_.ptr())) {
            own_.emplace(pybind11::reinterpret_borrow<pybind11::list>(given_));
            list_ = &*own_;
        } else {
            pybind11::detail::make_caster<Utf8List> made;
            if (!made.load(given_, false)) throw pybind11::type_error("texts must be a list of str, or Utf8");
            list_ = pybind11::detail::cast_op<const Utf8List*>(made);
        }
    }
    GivenTexts(const GivenTexts&) = delete;
    GivenTexts& operator=(const GivenTexts&) = delete;
    const std::vector<std::string_view>& views() const { return list_->views(); }
    std::size_t bytes() const { return list_->bytes(); }
    const pybind11::object& given() const { return given_; }  // a list, or `Utf8`

  private:
    pybind11::object given_;
    std::optional<Utf8List> own_;
    const Utf8List* list_ = nullptr;
};

}  // namespace tersely::bind
