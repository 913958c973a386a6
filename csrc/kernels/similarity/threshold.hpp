// Whether a cosine reaches a threshold, decided as in double.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/similarity/rows.hpp"

namespace tersely::similarity {

// The float product of two packed rows decides where it is further from the threshold than margin() (panels.hpp);
// the rest is computed again in double from the rows themselves. So the answer does not depend on float: a pair is in
// where its cosine, in double, is at least threshold - 1e-9 (identical rows reach 1).
class Threshold {
  public:
    Threshold(const Rows& rows, double threshold, int workers);

    float least() const { return least_; }  // products below it are out
    bool reached(std::size_t i, std::size_t j, float product, int worker) {
        return product >= certain_ || (product >= least_ && exactly(i, j, worker));
    }

  private:
    bool exactly(std::size_t i, std::size_t j, int worker);
    double exact_;
    float least_, certain_;
    std::vector<Cosine> cosines_;  // one a worker
};

}  // namespace tersely::similarity
