// What one call learnt and the next one may use: a cache that is kept between calls, by one of them at a time.
#pragma once

#include <atomic>
#include <memory>

namespace tersely {

template <typename T>
class Spare {
  public:
    Spare() = default;
    ~Spare() { delete kept_.load(); }
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;

    // The one that is kept, or a new one while another thread has it; given back at the end.
    class Lent {
      public:
        explicit Lent(const Spare& spare) : spare_(spare), own_(spare.kept_.exchange(nullptr)) {
            if (!own_) own_ = std::make_unique<T>();
        }
        ~Lent() { own_.reset(spare_.kept_.exchange(own_.release())); }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        T& get() { return *own_; }

      private:
        const Spare& spare_;
        std::unique_ptr<T> own_;
    };

  private:
    mutable std::atomic<T*> kept_{nullptr};
};

}  // namespace tersely
