// The release of the GIL for native work that answers Ctrl-C and ends at the thread's deadline.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "kernels/parallel.hpp"

namespace tersely::bind {

using Clock = std::chrono::steady_clock;

// Takes the GIL back. An interpreter that ends stops the threads that ask for it by unwinding their stacks, which
// destructors do not allow: such a thread, a daemon, sleeps until the process is gone, as it does from Python 3.14 on.
inline void take_gil(PyThreadState* state) {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

// The GIL is released while it lives.
class WithoutGil {
  public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() { take_gil(state_); }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

  private:
    PyThreadState* state_;
};

// Inside of that, on the same thread: the GIL is held while it lives.
class WithGil {
  public:
    WithGil() { take_gil(PyGILState_GetThisThreadState()); }
    ~WithGil() { PyEval_SaveThread(); }
    WithGil(const WithGil&) = delete;
    WithGil& operator=(const WithGil&) = delete;
};

// The GIL is held while it lives, whether or not the thread has it already.
class Gil {
  public:
    Gil() {
        if (pybind11::detail::get_thread_state_unchecked() != PyGILState_GetThisThreadState()) taken_.emplace();
    }

  private:
    std::optional<WithGil> taken_;
};

// While it lives, the thread has the GIL from the first `take` on: work that seldom asks Python does not wait for it.
class GilWhenAsked {
  public:
    GilWhenAsked() : outer_(current_) { current_ = this; }
    ~GilWhenAsked() { current_ = outer_; }
    GilWhenAsked(const GilWhenAsked&) = delete;
    GilWhenAsked& operator=(const GilWhenAsked&) = delete;

    static void take() {
        if (current_ != nullptr && !current_->gil_) current_->gil_.emplace();
    }

  private:
    std::optional<Gil> gil_;
    GilWhenAsked* outer_;
    static inline thread_local GilWhenAsked* current_ = nullptr;
};

// When native calls end with TimeoutError. Any thread may bring it forward.
class Deadline {
  public:
    // seconds: from now on, no NaN; more than 30 years are as good as never.
    explicit Deadline(double seconds)
        : at_((Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::clamp(seconds, -1e9, 1e9))))
                  .time_since_epoch()
                  .count()) {}
    void end() { at_.store(Clock::now().time_since_epoch().count() - 1, std::memory_order_relaxed); }
    bool passed(Clock::time_point now) const {
        return now.time_since_epoch().count() > at_.load(std::memory_order_relaxed);
    }

  private:
    std::atomic<Clock::rep> at_;
};

// The deadline of this thread's native calls; empty: none.
inline std::shared_ptr<Deadline>& deadline() {
    static thread_local std::shared_ptr<Deadline> value;
    return value;
}

// Bytes of text, or of arrays, up to which a call keeps the GIL: it is done in some 30 us, and where other threads wait
// for the GIL, to give it away and to get it back takes longer than that.
inline constexpr std::size_t kShort = 4096;
inline constexpr std::size_t kLong = SIZE_MAX;

// While it lives the GIL is released, unless the work is short, and `check_cancelled` in kernels and the poll of
// workers look, every 20 ms, for signals and the deadline and tell `progress` the share done: a callable, None or
// nothing, which the caller of the binding holds. Cancelled leaves the Python exception set; `bind_release` has
// pybind11 pass it on.
class Release {
  public:
    // `bytes`: that are read, about.
    explicit Release(std::size_t bytes, pybind11::handle progress = {})
        : progress_(progress.is_none() ? pybind11::handle() : progress),
          asked_(Clock::now()),
          interruptible_([this](double share) { return go_on(share); }) {
        if (deadline() && deadline()->passed(asked_)) {
            late();
            throw Cancelled();
        }
        if (bytes > kShort) without_gil_.emplace();
    }
    // `threads` >= 1; the workers must not outlive this.
    Workers workers(int threads) {
        return {threads, [this](double share) { return go_on(share); }};
    }

  private:
    static void late() { PyErr_SetString(PyExc_TimeoutError, "the deadline of the call has passed"); }

    bool go_on(double share) {
        const Clock::time_point now = Clock::now();
        if (now - asked_ < std::chrono::milliseconds(20)) return true;
        const Gil gil;
        if (deadline() && deadline()->passed(now)) {
            late();
            return false;
        }
        if (PyErr_CheckSignals() != 0) return false;
        if (progress_) {
            try {
                progress_(share);
            } catch (pybind11::error_already_set& error) {
                error.restore();
                return false;
            }
        }
        asked_ = Clock::now();
        return true;
    }

    pybind11::handle progress_;
    Clock::time_point asked_;
    Interruptible interruptible_;
    std::optional<WithoutGil> without_gil_;
};

// What `work` returns, done without the GIL where it reads many bytes.
template <typename Work>
auto released(std::size_t bytes, const Work& work) {
    const Release release(bytes);
    return work();
}

}  // namespace tersely::bind
