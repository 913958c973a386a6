#include "kernels/lexical/agreement.hpp"

#include <algorithm>

namespace tersely::lexical {
namespace {

// Length of the longest increasing subsequence of distinct numbers; overwrites them.
std::size_t longest_increasing(std::span<std::int32_t> numbers) {
    std::size_t length = 0;  // numbers[k]: the least end of a subsequence of k + 1
    for (const std::int32_t number : numbers) {
        const auto tails = numbers.first(length);
        const auto at = static_cast<std::size_t>(std::lower_bound(tails.begin(), tails.end(), number) - tails.begin());
        numbers[at] = number;
        length = std::max(length, at + 1);
    }
    return length;
}

}  // namespace

Agreement::Agreement(std::span<const std::int32_t> guard, const IdRows& terms, const IdRows& names, double share,
                     double order)
    : guard_(guard), share_(share), order_(order) {
    std::vector<Term> row_terms;
    std::vector<std::int32_t> row_names;
    for (std::size_t row = 0; row < guard.size(); ++row) {
        row_terms.clear();
        for (const std::int32_t id : terms[row]) row_terms.push_back({id, static_cast<std::int32_t>(row_terms.size())});
        std::sort(row_terms.begin(), row_terms.end(),
                  [](const Term& a, const Term& b) { return a.id != b.id ? a.id < b.id : a.place < b.place; });
        for (const Term& term : row_terms) {
            if (terms_.size() > term_begin_.back() && terms_.back().id == term.id) {
                terms_.back().place = -1;
            } else {
                terms_.push_back(term);
            }
        }
        term_begin_.push_back(terms_.size());
        row_names.assign(names[row].begin(), names[row].end());
        std::sort(row_names.begin(), row_names.end());
        row_names.erase(std::unique(row_names.begin(), row_names.end()), row_names.end());
        names_.insert(names_.end(), row_names.begin(), row_names.end());
        name_begin_.push_back(names_.size());
    }
}

bool Agreement::names_among(std::size_t of, std::span<const Term> terms) const {
    auto term = terms.begin();
    for (std::size_t name = name_begin_[of]; name < name_begin_[of + 1]; ++name) {
        while (term != terms.end() && term->id < names_[name]) ++term;
        if (term == terms.end() || term->id != names_[name]) return false;
    }
    return true;
}

bool Agreement::operator()(std::size_t a, std::size_t b) const {
    if (guard_[a] != guard_[b]) return false;
    const std::span<const Term> left = terms(a);
    const std::span<const Term> right = terms(b);
    const auto [fewer, more] = std::minmax({left.size(), right.size()});  // by value
    if (static_cast<double>(fewer) <= share_ * static_cast<double>(more)) return false;
    if (!names_among(a, right) || !names_among(b, left)) return false;
    std::size_t shared = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> places;
    for (auto l = left.begin(), r = right.begin(); l != left.end() && r != right.end();) {
        if (l->id != r->id) {
            ++(l->id < r->id ? l : r);
            continue;
        }
        ++shared;
        if (l->place >= 0 && r->place >= 0) places.emplace_back(l->place, r->place);
        ++l;
        ++r;
    }
    const std::size_t all = left.size() + right.size() - shared;
    if (static_cast<double>(shared) <= share_ * static_cast<double>(all)) return false;
    std::sort(places.begin(), places.end());
    std::vector<std::int32_t> numbers(places.size());
    std::transform(places.begin(), places.end(), numbers.begin(), [](const auto& place) { return place.second; });
    return static_cast<double>(longest_increasing(numbers)) >= order_ * static_cast<double>(places.size());
}

}  // namespace tersely::lexical
