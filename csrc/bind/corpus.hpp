// Segments as rows of term ids, checked at the border.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "bind/arrays.hpp"
#include "kernels/lexical/corpus.hpp"

namespace tersely::bind {

// The work of a pass over its terms, for `Release`.
inline std::size_t work_of(const lexical::Corpus& corpus) { return corpus.ids.size_bytes() + 16 * corpus.size(); }

// term_ids, term_offsets, term_class; document, block and heading of each segment.
using Terms = std::tuple<Ids, Offsets, Bytes, Ids, Ids, Ids>;

inline lexical::Corpus corpus_of(const Terms& terms) {
    const auto& [ids, offsets, classes, document, block, heading] = terms;
    const std::size_t vocabulary = view(classes).size();
    const lexical::Corpus corpus{view(ids), view(offsets), vocabulary, view(document), view(block), view(heading)};
    const std::size_t n = corpus.size();
    require(corpus.block.size() == n && corpus.heading.size() == n, "document, block and heading must have one length");
    require(corpus.offsets.size() > n && corpus.offsets[0] == 0,
            "term_offsets must start with 0 and have a row a segment");
    for (std::size_t i = 1; i < corpus.offsets.size(); ++i) {
        require(corpus.offsets[i - 1] <= corpus.offsets[i], "term_offsets must ascend");
    }
    require(corpus.offsets.back() == static_cast<std::int64_t>(corpus.ids.size()),
            "term_offsets must end at len(term_ids)");
    for (const std::int32_t id : corpus.ids) {
        require(id >= 0 && static_cast<std::size_t>(id) < vocabulary, "term_ids must lie in [0, vocabulary)");
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t above = corpus.heading[i];
        require(above >= -1 && above < static_cast<std::int32_t>(i), "heading must point upwards");
        require(above < 0 || corpus.document[static_cast<std::size_t>(above)] == corpus.document[i],
                "heading must lie in the same document");
        require(i == 0 || (corpus.document[i - 1] <= corpus.document[i] && corpus.block[i - 1] <= corpus.block[i]),
                "document and block must ascend");
    }
    return corpus;
}

}  // namespace tersely::bind
