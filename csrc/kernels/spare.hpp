// What one call learnt and the next one may use: caches that are kept between calls, each for one of them at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace tersely {

template <typename T>
class Spare {
  public:
    Spare() = default;
    ~Spare() {
        for (std::atomic<T*>& place : kept_) delete place.load();
    }
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;

    // The one that the thread had before, else any that is kept, else a new one; given back at the end. What a thread
    // has learnt is near its core, and stays when others call at the same time.
    class Lent {
      public:
        explicit Lent(const Spare& spare) : spare_(spare) {
            for (std::size_t i = 0; i < kMost && !own_; ++i) own_.reset(spare.place(i).exchange(nullptr));
            if (!own_) own_ = std::make_unique<T>();
        }
        ~Lent() {
            for (std::size_t i = 0; i < kMost; ++i) {
                T* none = nullptr;
                if (spare_.place(i).compare_exchange_strong(none, own_.get())) {
                    static_cast<void>(own_.release());
                    return;
                }
            }
        }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        T& get() { return *own_; }

      private:
        const Spare& spare_;
        std::unique_ptr<T> own_;
    };

  private:
    static constexpr std::size_t kMost = 8;  // that are kept

    // The thread's own place, then those of others.
    std::atomic<T*>& place(std::size_t i) const {
        static std::atomic<std::size_t> threads{0};
        static thread_local const std::size_t mine = threads++;
        return kept_[(mine + i) % kMost];
    }

    mutable std::array<std::atomic<T*>, kMost> kept_{};
};

}  // namespace tersely
