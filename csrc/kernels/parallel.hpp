// Independent units of work over threads that start with the call and end with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>

namespace tersely {

// Asked by the calling thread after each of its units, with the share done so far (0 to 1); false stops the work. It
// says itself how often it looks.
using Poll = std::function<bool(double)>;

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

// Names what a native call on this thread asks while it lives; calls may be nested, the innermost is asked.
class Interruptible {
  public:
    explicit Interruptible(Poll poll) : poll_(std::move(poll)), outer_(current_) { current_ = &poll_; }
    ~Interruptible() { current_ = outer_; }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

    static void check() {
        if (current_ != nullptr && !(*current_)(0)) throw Cancelled();
    }

  private:
    Poll poll_;
    const Poll* outer_;
    static thread_local const Poll* current_;
};

// Kernels call this once a line, segment, value or choice. Every 256th call of a thread asks; it throws Cancelled where
// the answer is to stop.
inline void check_cancelled() {
    static thread_local std::uint32_t calls = 0;
    if ((++calls & 255U) == 0) Interruptible::check();
}

// The same for loops so short that the thread's counter costs: counts by itself, and every kMost-th call asks.
template <std::uint32_t kMost>
class Rounds {
  public:
    void check_cancelled() {
        if (++calls_ % kMost == 0) Interruptible::check();
    }

  private:
    std::uint32_t calls_ = 0;
};

struct Workers {
    int threads = 1;  // the caller's among them
    Poll poll;        // may be empty

    void check(double share) const {
        if (poll && !poll(share)) throw Cancelled();
    }
    // The same, or fewer threads where each would have less than a tenth of a millisecond (4e6 multiply-adds) to do.
    Workers at_most(double multiply_adds) const;
};

// Calls work(unit, worker) once for each unit in [0, units), in any order, with worker in [0, threads). What a unit
// throws is thrown here after all threads have ended, Cancelled where the poll said stop. `begin` and `end` are the
// shares of the whole that this call starts and finishes at. Nothing is started where one thread does.
void run_units(const Workers& workers, std::size_t units, const std::function<void(std::size_t, int)>& work,
               double begin = 0, double end = 1);

}  // namespace tersely
