#include "kernels/cluster/agreeing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "kernels/cluster/sets.hpp"
#include "kernels/parallel.hpp"

namespace tersely::cluster {
namespace {

using lexical::IdRows;

// The distinct terms of each text, as ranks: the rarest first.
struct Ranked {
    std::vector<std::int32_t> ranks;
    std::vector<std::size_t> begin = {0};
    std::size_t terms = 0;

    std::span<const std::int32_t> operator[](std::size_t row) const {
        return std::span(ranks).subspan(begin[row], begin[row + 1] - begin[row]);
    }
    std::size_t size(std::size_t row) const { return begin[row + 1] - begin[row]; }
};

Ranked ranked(const IdRows& terms, std::size_t rows) {
    Ranked made;
    std::vector<std::int32_t> own;
    std::vector<std::int32_t> texts_with;
    for (std::size_t row = 0; row < rows; ++row) {
        own.assign(terms[row].begin(), terms[row].end());
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        if (!own.empty() && static_cast<std::size_t>(own.back()) >= texts_with.size())
            texts_with.resize(static_cast<std::size_t>(own.back()) + 1);
        for (const std::int32_t id : own) ++texts_with[static_cast<std::size_t>(id)];
        made.ranks.insert(made.ranks.end(), own.begin(), own.end());
        made.begin.push_back(made.ranks.size());
    }
    std::vector<std::int32_t> ids(texts_with.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::stable_sort(ids.begin(), ids.end(), [&](std::int32_t a, std::int32_t b) {
        return texts_with[static_cast<std::size_t>(a)] < texts_with[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> rank(ids.size());
    for (std::size_t at = 0; at < ids.size(); ++at)
        rank[static_cast<std::size_t>(ids[at])] = static_cast<std::int32_t>(at);
    for (std::int32_t& term : made.ranks) term = rank[static_cast<std::size_t>(term)];
    for (std::size_t row = 0; row < rows; ++row)
        std::sort(made.ranks.begin() + static_cast<std::ptrdiff_t>(made.begin[row]),
                  made.ranks.begin() + static_cast<std::ptrdiff_t>(made.begin[row + 1]));
    made.terms = ids.size();
    return made;
}

// A text of `size` terms and one that shares `shared` or more of them have one of the first of either in common: of so
// many, where both are sorted in one way. Products are those of Agreement, so that rounding tells nothing else.
std::size_t prefix(std::size_t size, std::size_t shared) { return size + 1 - std::min(shared, size + 1); }

// The least that it shares with any text: more than `share` of both together, which are no fewer than its own.
std::size_t least_of_any(std::size_t size, double share) {
    return static_cast<std::size_t>(std::floor(share * static_cast<double>(size))) + 1;
}

// The least that it shares with a text of as many terms or more.
std::size_t least_of_larger(std::size_t size, double share) {
    std::size_t least = size + 1;
    while (least > 0 && static_cast<double>(least - 1) > share * static_cast<double>(2 * size - (least - 1))) --least;
    return least;
}

std::uint64_t digest_of(std::span<const std::int32_t> ids, std::uint64_t seed) {
    for (const std::int32_t id : ids) {
        seed = (seed ^ static_cast<std::uint32_t>(id)) * 0x9E3779B97F4A7C15ULL;
        seed ^= seed >> 29U;
    }
    return seed;
}

class Joining {
  public:
    Joining(std::span<const std::int32_t> guard, const IdRows& terms, const IdRows& names, double share, double order)
        : terms_(terms),
          names_(names),
          share_(share),
          agree_(guard, terms, names, share, order),
          ranked_(ranked(terms, guard.size())),
          component_(guard.size()),
          sets_(component_),
          newest_(ranked_.terms, -1),
          asked_(guard.size(), -1) {
        std::iota(component_.begin(), component_.end(), 0);
    }

    // The texts of one guard, from few terms to many.
    void join(std::span<const std::int32_t> rows) {
        for (const std::int32_t row : rows) {
            check_cancelled();
            if (ranked_.size(static_cast<std::size_t>(row)) == 0 || repeats(row)) continue;
            compare(row);
            remember(row);
        }
        for (const Posting& posting : postings_) newest_[static_cast<std::size_t>(posting.term)] = -1;
        postings_.clear();
        first_.clear();
    }

    std::vector<std::int32_t> components() {
        for (std::size_t row = 0; row < component_.size(); ++row)
            component_[row] = sets_.root(static_cast<std::int32_t>(row));
        return std::move(component_);
    }

    std::size_t size(std::int32_t row) const { return ranked_.size(static_cast<std::size_t>(row)); }

  private:
    struct Posting {
        std::int32_t row, term, next;  // next: an earlier one of the term; -1: none
    };

    // Whether a text with the same terms and names stands for it: what agrees with one agrees with the other.
    bool repeats(std::int32_t row) {
        const auto at = static_cast<std::size_t>(row);
        const std::uint64_t digest = digest_of(names_[at], digest_of(terms_[at], terms_[at].size()));
        const std::int32_t first = first_.try_emplace(digest, row).first->second;
        const auto other = static_cast<std::size_t>(first);
        const auto same = [](std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end());
        };
        if (first == row || !same(terms_[at], terms_[other]) || !same(names_[at], names_[other]) || !agree_(at, other))
            return false;
        sets_.join(row, first);
        return true;
    }

    void compare(std::int32_t row) {
        const auto at = static_cast<std::size_t>(row);
        const std::span<const std::int32_t> own = ranked_[at];
        for (const std::int32_t term : own.first(prefix(own.size(), least_of_any(own.size(), share_)))) {
            for (std::int32_t place = newest_[static_cast<std::size_t>(term)]; place >= 0;) {
                const Posting& posting = postings_[static_cast<std::size_t>(place)];
                place = posting.next;
                const auto other = static_cast<std::size_t>(posting.row);
                if (static_cast<double>(ranked_.size(other)) <= share_ * static_cast<double>(own.size()))
                    break;  // earlier ones have fewer terms yet
                if (asked_[other] == row || sets_.root(posting.row) == sets_.root(row)) continue;
                asked_[other] = row;
                if (agree_(at, other)) sets_.join(row, posting.row);
            }
        }
    }

    // Later texts have as many terms or more.
    void remember(std::int32_t row) {
        const std::span<const std::int32_t> own = ranked_[static_cast<std::size_t>(row)];
        for (const std::int32_t term : own.first(prefix(own.size(), least_of_larger(own.size(), share_)))) {
            std::int32_t& newest = newest_[static_cast<std::size_t>(term)];
            postings_.push_back({row, term, newest});
            newest = static_cast<std::int32_t>(postings_.size()) - 1;
        }
    }

    const IdRows &terms_, &names_;
    double share_;
    lexical::Agreement agree_;
    Ranked ranked_;
    std::vector<std::int32_t> component_;
    Sets sets_;
    std::vector<std::int32_t> newest_;  // of each term, in postings_
    std::vector<Posting> postings_;
    std::vector<std::int32_t> asked_;                        // of each text, by whom last
    std::unordered_map<std::uint64_t, std::int32_t> first_;  // digest of terms and names -> text
};

}  // namespace

std::vector<std::int32_t> agreeing(std::span<const std::int32_t> guard, const IdRows& terms, const IdRows& names,
                                   double share, double order) {
    Joining joining(guard, terms, names, share, order);
    std::vector<std::int32_t> rows(guard.size());
    std::iota(rows.begin(), rows.end(), 0);
    const auto guard_of = [&](std::int32_t row) { return guard[static_cast<std::size_t>(row)]; };
    std::sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
        return std::tuple(guard_of(a), joining.size(a), a) < std::tuple(guard_of(b), joining.size(b), b);
    });
    for (auto begin = rows.begin(), end = begin; begin != rows.end(); begin = end) {
        end = std::find_if(begin, rows.end(), [&](std::int32_t row) { return guard_of(row) != guard_of(*begin); });
        joining.join({begin, end});
    }
    return joining.components();
}

}  // namespace tersely::cluster
