// Matrices at the border, and work on their rows.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/release.hpp"
#include "kernels/parallel.hpp"
#include "kernels/similarity/similarity.hpp"

namespace tersely::bind {

// Views a matrix of float16, float32 or float64 in native byte order, of any strides. `name` is for messages.
inline similarity::Rows rows_of(const pybind11::array& matrix, const char* name) {
    const auto fail = [name](const std::string& message) { throw pybind11::value_error(name + message); };
    if (matrix.ndim() != 2) fail(" must be 2D, not " + std::to_string(matrix.ndim()) + "D");
    const auto size = matrix.itemsize();
    if (matrix.dtype().kind() != 'f' || (size != 2 && size != 4 && size != 8)) {
        fail(" must be float16, float32 or float64, not " + pybind11::str(matrix.dtype()).cast<std::string>());
    }
    if (matrix.shape(0) >= (pybind11::ssize_t{1} << 31)) fail(" must have less than 2^31 rows");
    if (matrix.shape(1) > (pybind11::ssize_t{1} << 20)) fail(" must have at most 2^20 columns");
    const auto format = size == 2   ? similarity::Format::kHalf
                        : size == 4 ? similarity::Format::kSingle
                                    : similarity::Format::kDouble;
    return {static_cast<const std::byte*>(matrix.data()),
            format,
            static_cast<std::size_t>(matrix.shape(0)),
            static_cast<std::size_t>(matrix.shape(1)),
            matrix.strides(0),
            matrix.strides(1)};
}

// Throws for the lowest row that is not finite; threads may have met another one first.
inline void find_bad_row(const similarity::Rows& rows, const char* name) {
    similarity::RowReader reader(rows);
    for (std::size_t row = 0; row < rows.count; ++row) {
        try {
            reader.read(row);
        } catch (const similarity::NotFinite& error) {
            throw pybind11::value_error(std::string(name) + ": " + error.what());
        }
    }
}

// Runs work(workers) without the GIL; a row that is not finite is named, and the matrix it stands in.
template <typename Work>
auto on_rows(const similarity::Rows& x, const similarity::Rows* y, int threads, pybind11::handle progress,
             const Work& work) {
    require(threads >= 1, "threads must be at least 1");
    try {
        Release release(kLong, progress);
        return work(release.workers(threads));
    } catch (const similarity::NotFinite&) {
        find_bad_row(x, "X");
        if (y != nullptr) find_bad_row(*y, "Y");
        throw;
    }
}

}  // namespace tersely::bind
