// Tables of tokens, as Python holds them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "kernels/spare.hpp"
#include "kernels/tokens/count.hpp"

namespace tersely::bind {

// A table over a buffer of Python's, which it keeps alive, and what the last call learnt about spellings.
struct HeldTable {
    pybind11::buffer_info held;
    tokens::TokenTable table;
    Spare<tokens::Known> known;

    explicit HeldTable(pybind11::buffer_info&& info)
        : held(std::move(info)),
          table({static_cast<const char*>(held.ptr), static_cast<std::size_t>(held.size * held.itemsize)}) {}

    // Tokens of a text; needs no GIL.
    std::int64_t count(std::string_view text) const {
        Spare<tokens::Known>::Lent lent(known);
        return static_cast<std::int64_t>(tokens::Counter(table, lent.get()).count(text));
    }
};

}  // namespace tersely::bind
