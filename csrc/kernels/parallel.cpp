#include "kernels/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tersely {

thread_local const Poll* Interruptible::current_ = nullptr;

void run_units(const Workers& workers, std::size_t units, const std::function<void(std::size_t, int)>& work,
               double begin, double end) {
    std::atomic<std::size_t> next{0};
    std::mutex lock;
    std::exception_ptr thrown;
    const auto fail = [&](std::exception_ptr error) {
        next.store(units);  // nothing more is begun
        const std::lock_guard guard(lock);
        if (!thrown) thrown = std::move(error);
    };
    const auto loop = [&](int worker) {
        try {
            for (std::size_t unit = next++; unit < units; unit = next++) {
                work(unit, worker);
                if (worker != 0) continue;
                const double share = static_cast<double>(std::min(next.load(), units)) / static_cast<double>(units);
                workers.check(begin + (end - begin) * share);
            }
        } catch (...) {
            fail(std::current_exception());
        }
    };
    std::vector<std::thread> others;
    const auto wanted = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(workers.threads), units));
    try {
        for (int worker = 1; worker < wanted; ++worker) others.emplace_back(loop, worker);
    } catch (const std::exception&) {
        // The system gives no more threads: fewer do the same work.
    }
    loop(0);
    for (std::thread& other : others) other.join();
    if (thrown) std::rethrow_exception(thrown);
}

Workers Workers::at_most(double multiply_adds) const {
    constexpr double kWorth = 4e6;
    return {static_cast<int>(std::clamp(multiply_adds / kWorth, 1.0, static_cast<double>(threads))), poll};
}

}  // namespace tersely
