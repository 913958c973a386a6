// Independent units of work over threads that start with the call and end with it.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>

namespace tersely {

// Asked by the calling thread after each of its units, with the share done so far (0 to 1); false stops the work. It
// says itself how often it looks.
using Poll = std::function<bool(double)>;

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
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
