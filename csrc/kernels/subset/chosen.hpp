// What a selection of items gives back.
#pragma once

#include <cstdint>
#include <vector>

namespace tersely::subset {

struct Chosen {
    std::vector<std::int32_t> items;  // in the order of choice, pinned ones first
    std::vector<double> gains;        // what each added to the value when it was chosen
    double value = 0;                 // of all
    double cost = 0;
    double upper_bound = 0;  // no selection within the budget that has the pinned items is worth more
};

}  // namespace tersely::subset
