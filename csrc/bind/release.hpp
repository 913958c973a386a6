// The release of the GIL for native work that answers Ctrl-C and ends at the thread's deadline.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>

#include "kernels/parallel.hpp"

namespace tersely::bind {

using Clock = std::chrono::steady_clock;

// When native calls of this thread end with TimeoutError; empty: never.
inline std::optional<Clock::time_point>& deadline() {
    static thread_local std::optional<Clock::time_point> value;
    return value;
}

// While it lives the GIL is released, and `check_cancelled` in kernels looks, every 20 ms, for signals and the
// deadline. Cancelled leaves the Python exception set; `bind_release` has pybind11 pass it on.
class Release {
  public:
    Release() : asked_(Clock::now()), interruptible_([this](double) { return go_on(); }) {
        if (deadline() && asked_ > *deadline()) {
            const pybind11::gil_scoped_acquire gil;
            late();
            throw Cancelled();
        }
    }

  private:
    static void late() { PyErr_SetString(PyExc_TimeoutError, "the deadline of the call has passed"); }

    bool go_on() {
        const Clock::time_point now = Clock::now();
        if (now - asked_ < std::chrono::milliseconds(20)) return true;
        asked_ = now;
        const pybind11::gil_scoped_acquire gil;
        if (deadline() && now > *deadline()) {
            late();
            return false;
        }
        return PyErr_CheckSignals() == 0;
    }

    pybind11::gil_scoped_release release_;
    Clock::time_point asked_;
    Interruptible interruptible_;
};

}  // namespace tersely::bind
