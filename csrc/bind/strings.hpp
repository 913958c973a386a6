// Python strings as UTF-8 views that outlive the release of the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace tersely::bind {

// The UTF-8 of a str, as bytes; U+FFFD, which is as long, stands for each lone surrogate. Offsets in characters are
// those of the str.
inline PyObject* to_utf8(PyObject* text) {
    PyObject* bytes = PyUnicode_AsUTF8String(text);
    if (bytes != nullptr || PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) return bytes;
    PyErr_Clear();
    bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    if (bytes == nullptr) return nullptr;
    char* at = PyBytes_AS_STRING(bytes);  // nobody else has these bytes yet
    char* const end = at + PyBytes_GET_SIZE(bytes);
    for (; (at = std::find(at, end, '\xED')) != end; at += 3) {
        if (static_cast<unsigned char>(at[1]) >= 0xA0) std::copy_n("\xEF\xBF\xBD", 3, at);
    }
    return bytes;
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
