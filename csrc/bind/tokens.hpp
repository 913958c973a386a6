// Tables of tokens, as Python holds them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include "kernels/spare.hpp"
#include "kernels/tokens/count.hpp"
#include "kernels/tokens/line_counts.hpp"

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

// Counts texts by a table, which it keeps alive: each line once where they have many in common (line_counts.hpp).
// Threads that share one take turns.
class TextCounter {
  public:
    TextCounter(pybind11::object table, bool by_lines)
        : table_(std::move(table)), held_(table_.cast<const HeldTable&>()), by_lines_(by_lines) {}
    std::int64_t count(const pybind11::str& text);

  private:
    pybind11::object table_;
    const HeldTable& held_;
    const bool by_lines_;
    tokens::LineCounts lines_;
    std::mutex turn_;
};

}  // namespace tersely::bind
