#include "kernels/cluster/clusters.hpp"

#include <cmath>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "kernels/similarity/tiles.hpp"

namespace tersely::cluster {

std::vector<std::int32_t> by_score(std::size_t count, std::span<const double> scores) {
    std::vector<std::int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (scores.empty()) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    return order;
}

Clusters numbered(std::span<const std::int32_t> order, std::span<const std::int32_t> component) {
    Clusters made;
    made.labels.resize(component.size());
    std::vector<std::int32_t> number(component.size(), -1);
    for (const std::int32_t row : order) {
        std::int32_t& mine = number[static_cast<std::size_t>(component[static_cast<std::size_t>(row)])];
        if (mine < 0) {
            mine = static_cast<std::int32_t>(made.sizes.size());
            made.representatives.push_back(row);
            made.sizes.push_back(0);
        }
        made.labels[static_cast<std::size_t>(row)] = mine;
        ++made.sizes[static_cast<std::size_t>(mine)];
    }
    return made;
}

Clusters single(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                const Workers& workers) {
    constexpr std::size_t kBatch = 4096;  // pairs a worker holds before it takes the lock
    similarity::Panels packed(rows.count, rows.depth, similarity::screen_head(rows, threshold));
    similarity::pack(rows, {}, packed, workers);
    similarity::Threshold decide(rows, threshold, workers.threads);
    std::vector<std::int32_t> component(rows.count);
    std::iota(component.begin(), component.end(), 0);
    Sets sets(component);
    std::mutex lock;
    std::vector<std::vector<similarity::Pair>> held(static_cast<std::size_t>(workers.threads));
    const auto join_held = [&](int worker) {
        std::vector<similarity::Pair>& pairs = held[static_cast<std::size_t>(worker)];
        const std::lock_guard guard(lock);
        for (const auto& [i, j, product] : pairs) {
            if (sets.root(i) == sets.root(j)) continue;  // before deciding: among copies all are close calls
            if (decide.reached(static_cast<std::size_t>(i), static_cast<std::size_t>(j), product, worker))
                sets.join(i, j);
        }
        pairs.clear();
    };
    similarity::visit_pairs(packed, decide.least(), workers,
                            [&](std::size_t i, std::size_t j, float product, int worker) {
                                std::vector<similarity::Pair>& pairs = held[static_cast<std::size_t>(worker)];
                                pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
                                if (pairs.size() >= kBatch) join_held(worker);
                            });
    for (int worker = 0; worker < workers.threads; ++worker) join_held(worker);
    for (std::size_t i = 0; i < rows.count; ++i) component[i] = sets.root(static_cast<std::int32_t>(i));
    return numbered(by_score(rows.count, scores), component);
}

namespace {

using similarity::Panels;

constexpr std::size_t kStep = 16 * simd::kPanel;  // rows compared with all representatives before one of them joins

struct Best {
    float similarity = -2;
    std::int32_t cluster = -1;
    bool below(float other, std::int32_t of) const {
        return other > similarity || (other == similarity && of < cluster);
    }
    void offer(float other, std::int32_t of) {
        if (below(other, of)) *this = {other, of};
    }
};

class Clustering {
  public:
    // Of the rows in `order`, in that order; `may_join` may be empty.
    Clustering(const similarity::Rows& rows, double threshold, std::optional<std::size_t> head,
               std::span<const std::int32_t> order, const MayJoin& may_join, const Workers& workers)
        : rows_(rows),
          workers_(workers),
          head_(head),
          order_(order),
          may_join_(may_join),
          decide_(rows, threshold, workers.threads),
          representatives_(order.size() > kStep ? order.size() : 0, rows.depth, head),
          best_(static_cast<std::size_t>(workers.threads)),
          pairs_(static_cast<std::size_t>(workers.threads)),
          patience_(static_cast<std::size_t>(workers.threads)) {}

    // component[row] = the row that represents it, for the rows in `order`. `begin` and `end`: shares of the whole
    // work.
    void run(std::span<std::int32_t> component, double begin, double end) {
        const auto share = [&](std::size_t done) {
            const double part = static_cast<double>(done) / static_cast<double>(order_.size());
            return begin + part * part * (end - begin);
        };
        Panels packed(std::min(kStep, order_.size()), rows_.depth, head_);
        for (std::size_t first = 0; first < order_.size(); first += kStep) {
            const auto step = order_.subspan(first, std::min(kStep, order_.size() - first));
            if (step.size() < packed.rows()) packed = Panels(step.size(), rows_.depth, head_);
            compare(step, packed, share(first), share(first + step.size()));
            assign(step, packed, component, first + step.size() == order_.size());
        }
    }

  private:
    std::size_t known() const { return chosen_.size(); }
    std::size_t row_of(std::size_t cluster) const { return static_cast<std::size_t>(chosen_[cluster]); }
    bool joins(std::size_t row, std::size_t other, float product, int worker) {
        return decide_.reached(row, other, product, worker) && (!may_join_ || may_join_(row, other));
    }

    // The step's rows against the representatives so far, and against each other.
    void compare(std::span<const std::int32_t> step, Panels& packed, double begin, double end) {
        const double work = static_cast<double>(step.size()) * static_cast<double>(rows_.depth);
        const Workers workers = workers_.at_most(work * static_cast<double>(known() + step.size() / 2));
        similarity::pack(rows_, step, packed, {workers.threads, {}});
        for (std::vector<Best>& best : best_) best.assign(step.size(), Best());
        for (std::vector<similarity::Pair>& pairs : pairs_) pairs.clear();
        const std::size_t panels = (known() + simd::kPanel - 1) / simd::kPanel;
        const std::size_t size = similarity::block_panels(rows_.depth, panels, workers.threads);
        const std::size_t blocks = (panels + size - 1) / size;
        const std::size_t within = similarity::triangle_units(packed.count());
        run_units(
            workers, blocks + within,
            [&](std::size_t unit, int worker) {
                if (unit >= blocks) return compare_within(packed, unit - blocks, worker);
                for (std::size_t right = 0; right < packed.count(); ++right) {
                    for (std::size_t left = unit * size; left < std::min((unit + 1) * size, panels); ++left) {
                        compare_known(step, packed, left, right, worker);
                    }
                }
            },
            begin, end);
    }

    void compare_known(std::span<const std::int32_t> step, const Panels& packed, std::size_t left, std::size_t right,
                       int worker) {
        std::vector<Best>& best = best_[static_cast<std::size_t>(worker)];
        similarity::visit_panels(representatives_, left, packed, right, decide_.least(), false,
                                 patience_[static_cast<std::size_t>(worker)],
                                 [&](std::size_t cluster, std::size_t j, float product) {
                                     if (cluster >= known() || product < best[j].similarity) return;
                                     const auto row = static_cast<std::size_t>(step[j]);
                                     if (joins(row, row_of(cluster), product, worker))
                                         best[j].offer(product, static_cast<std::int32_t>(cluster));
                                 });
    }

    void compare_within(const Panels& packed, std::size_t unit, int worker) {
        const auto [left, right] = similarity::triangle(unit);
        std::vector<similarity::Pair>& pairs = pairs_[static_cast<std::size_t>(worker)];
        similarity::visit_panels(
            packed, left, packed, right, decide_.least(), true, patience_[static_cast<std::size_t>(worker)],
            [&](std::size_t i, std::size_t j, float product) {
                pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), product});
            });
    }

    // In order: a row's choice is final before the next one's is made. Of the pairs only those with a representative
    // are decided: among copies all are close calls.
    void assign(std::span<const std::int32_t> step, const Panels& packed, std::span<std::int32_t> component,
                bool last) {
        const std::vector<similarity::Pair> pairs = similarity::grouped(pairs_, step.size(), &similarity::Pair::j);
        std::vector<std::int32_t> cluster_of(step.size(), -1);  // of the rows that became representatives
        std::vector<std::int32_t> fresh;                        // those rows
        auto pair = pairs.begin();
        for (std::size_t j = 0; j < step.size(); ++j) {
            Best best;
            for (const std::vector<Best>& found : best_) {
                if (found[j].cluster >= 0) best.offer(found[j].similarity, found[j].cluster);
            }
            for (; pair != pairs.end() && static_cast<std::size_t>(pair->j) == j; ++pair) {
                const std::int32_t cluster = cluster_of[static_cast<std::size_t>(pair->i)];
                if (cluster < 0 || !best.below(pair->similarity, cluster)) continue;
                const auto row = static_cast<std::size_t>(step[static_cast<std::size_t>(pair->i)]);
                if (joins(static_cast<std::size_t>(step[j]), row, pair->similarity, 0))
                    best = {pair->similarity, cluster};
            }
            if (best.cluster < 0) {
                best.cluster = cluster_of[j] = static_cast<std::int32_t>(known());
                fresh.push_back(static_cast<std::int32_t>(j));
                chosen_.push_back(step[j]);
            }
            component[static_cast<std::size_t>(step[j])] = chosen_[static_cast<std::size_t>(best.cluster)];
        }
        if (!last) representatives_.append(packed, fresh, known() - fresh.size(), {workers_.threads, {}});
    }

    const similarity::Rows& rows_;
    const Workers& workers_;
    std::optional<std::size_t> head_;  // of the screen
    std::span<const std::int32_t> order_;
    const MayJoin& may_join_;
    similarity::Threshold decide_;
    Panels representatives_;
    // What each worker found about the rows of a step.
    std::vector<std::vector<Best>> best_;               // of each row, among the representatives of earlier steps
    std::vector<std::vector<similarity::Pair>> pairs_;  // i < j in the step, not decided yet
    std::vector<similarity::Patience> patience_;
    std::vector<std::int32_t> chosen_;  // the representative of each cluster: a row
};

}  // namespace

Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        const Workers& workers) {
    const std::vector<std::int32_t> order = by_score(rows.count, scores);
    std::vector<std::int32_t> component(rows.count);
    const MayJoin all;
    Clustering(rows, threshold, similarity::screen_head(rows, threshold), order, all, workers).run(component, 0, 1);
    return numbered(order, component);
}

Clusters representative(const similarity::Rows& rows, double threshold, std::span<const double> scores,
                        std::span<const std::int32_t> group, const MayJoin& may_join, const Workers& workers) {
    const std::vector<std::int32_t> order = by_score(rows.count, scores);
    std::vector<std::size_t> end(rows.count + 1, 0);  // of each group in `sorted`
    for (const std::int32_t of : group) ++end[static_cast<std::size_t>(of) + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<std::int32_t> sorted(rows.count);  // by group; within one, by score
    std::vector<std::size_t> place(end.begin(), end.end());
    for (const std::int32_t row : order) {
        sorted[place[static_cast<std::size_t>(group[static_cast<std::size_t>(row)])]++] = row;
    }
    std::vector<std::int32_t> component(rows.count);
    const std::optional<std::size_t> head = similarity::screen_head(rows, threshold);
    const auto share = [&](std::size_t done) { return static_cast<double>(done) / static_cast<double>(rows.count); };
    for (std::size_t of = 0; of < rows.count; ++of) {
        const auto members = std::span<const std::int32_t>(sorted).subspan(end[of], end[of + 1] - end[of]);
        if (members.size() == 1) component[static_cast<std::size_t>(members[0])] = members[0];
        if (members.size() < 2) continue;
        Clustering(rows, threshold, head, members, may_join, workers)
            .run(component, share(end[of]), share(end[of + 1]));
    }
    return numbered(order, component);
}

void check_pairs(const similarity::Rows& rows, std::span<const std::int32_t> i, std::span<const std::int32_t> j,
                 double threshold, std::span<float> similarity, const Workers& workers) {
    constexpr std::size_t kPairs = 4096;  // of a unit
    const double work = static_cast<double>(i.size()) * static_cast<double>(rows.depth) * 8;
    const auto check = [&](std::size_t unit, int) {
        similarity::Cosine cosine(rows);
        for (std::size_t k = unit * kPairs; k < std::min((unit + 1) * kPairs, i.size()); ++k) {
            const double exact = cosine(static_cast<std::size_t>(i[k]), static_cast<std::size_t>(j[k]));
            similarity[k] = exact >= threshold - 1e-9 ? static_cast<float>(exact) : -2.0F;
        }
    };
    run_units(workers.at_most(work), (i.size() + kPairs - 1) / kPairs, check);
}

std::int32_t join_found(std::span<const std::int32_t> rows, std::span<const std::int64_t> limits,
                        std::span<const std::int32_t> found, std::span<const float> similarity,
                        std::span<std::int32_t> labels, std::span<std::int32_t> representatives,
                        std::int32_t clusters) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::int32_t best = -1;
        float most = -2;
        for (auto k = static_cast<std::size_t>(limits[r]); k < static_cast<std::size_t>(limits[r + 1]); ++k) {
            const std::int32_t cluster = labels[static_cast<std::size_t>(found[k])];
            if (cluster < 0 || representatives[static_cast<std::size_t>(cluster)] != found[k]) continue;
            if (similarity[k] > most || (similarity[k] == most && cluster < best)) {
                most = similarity[k];
                best = cluster;
            }
        }
        if (best < 0) {
            best = clusters++;
            representatives[static_cast<std::size_t>(best)] = rows[r];
        }
        labels[static_cast<std::size_t>(rows[r])] = best;
    }
    return clusters;
}

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
