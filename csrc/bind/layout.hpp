// Layouts, as Python holds them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "kernels/write/layout.hpp"

namespace tersely::bind {

// write::Layout over texts of Python, which it keeps alive.
class Layout {
  public:
    Layout(const pybind11::list& texts, const SegmentColumns& table, const pybind11::tuple& regions,
           const std::string& separator, const std::optional<std::string>& within, bool clauses, bool pieces);
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    // `kept`: rows, or the code of each row.
    pybind11::tuple write(const pybind11::array& kept, int wording) const;
    // The text, the part of each document, where what is no source's begins and ends.
    pybind11::tuple told(const write::Written& made) const;
    const write::Layout& kernel() const { return layout_; }
    std::size_t size() const { return document_.size(); }
    bool has_regions() const { return has_regions_; }

  private:
    std::vector<std::int64_t> rows_of(const pybind11::array& kept) const;

    std::vector<pybind11::object> texts_;
    std::vector<std::int32_t> document_, block_, heading_;
    std::vector<std::int64_t> start_, end_;
    std::vector<std::uint8_t> kind_;
    bool has_regions_;
    write::Layout layout_;
};

}  // namespace tersely::bind
