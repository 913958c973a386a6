// Fuzzes segmentation, terms, guards and facts: any bytes, made valid UTF-8 as the border makes them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "kernels/text/facts.hpp"
#include "kernels/text/guards.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"
#include "valid_utf8.hpp"

namespace {

using namespace tersely::text;

bool on_character(std::string_view text, std::size_t at) { return at == text.size() || !is_continuation(text[at]); }

bool only_space(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); at += decode(text, at).length) {
        if (!is_space(decode(text, at).code)) return false;
    }
    return true;
}

void check_segments(std::string_view text, Level level, const Segments& rows) {
    std::size_t covered = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto start = static_cast<std::size_t>(rows.start[i]);
        const auto end = static_cast<std::size_t>(rows.end[i]);
        check(covered <= start && start < end && end <= text.size(), "spans are non-empty, sorted and disjoint");
        check(on_character(text, start) && on_character(text, end), "spans start and end on characters");
        check(only_space(text.substr(covered, start - covered)), "gaps hold white space only");
        const bool limited = level == Level::kSentence || level == Level::kClause || level == Level::kWord;
        check(!limited || end - start <= kLongestSegment, "sentences and words are at most kLongestSegment long");
        check(level != Level::kCharacter || start == covered, "character windows leave no gap");
        check(i == 0 || rows.block[i - 1] <= rows.block[i], "blocks ascend");
        const auto above = rows.heading[i];
        check(above >= -1 && above < static_cast<std::int32_t>(i), "headings stand above");
        if (above >= 0) {
            const auto over = static_cast<std::size_t>(above);
            const bool leads = rows.kind[i] == Kind::kListItem && rows.kind[over] == Kind::kProse &&
                               text[static_cast<std::size_t>(rows.end[over]) - 1] == ':';
            check(leads || rows.kind[over] == Kind::kHeading,
                  "units stand under headings, items under what leads to them");
        }
        covered = end;
    }
    check(only_space(text.substr(covered)), "nothing but white space is left over");
}

void check_characters(std::string_view text, const Segments& rows) {
    std::vector<std::int64_t> start = rows.start;
    std::vector<std::int64_t> end = rows.end;
    to_characters(text, start, end);
    std::size_t byte = 0;
    std::int64_t character = 0;
    const auto same = [&](std::int64_t offset, std::int64_t counted) {
        for (; byte < static_cast<std::size_t>(offset); byte += decode(text, byte).length) ++character;
        check(character == counted, "to_characters counts characters");
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        same(rows.start[i], start[i]);
        same(rows.end[i], end[i]);
    }
}

void check_term(std::string_view term) {
    check(!term.empty(), "terms are not empty");
    for (std::size_t at = 0; at < term.size(); at += decode(term, at).length) {
        check(valid_length(term, at) > 0, "terms are valid UTF-8");
        const char32_t code = decode(term, at).code;
        const bool inner = std::string_view("_.,:/-").find(static_cast<char>(code)) != std::string_view::npos;
        check(code >= 0x80 || is_word(code) || inner, "terms hold word characters and the separators of numbers");
    }
}

std::vector<std::int32_t> read_terms(std::string_view text, const Segments& rows, TermReader& reader) {
    std::vector<std::int32_t> ids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        reader.append(text, {static_cast<std::size_t>(rows.start[i]), static_cast<std::size_t>(rows.end[i])}, ids);
    }
    return ids;
}

// `warm` has read the text before, at other levels: what it remembers must not show.
void check_terms(std::string_view text, const Segments& rows, TermReader& warm) {
    TermReader fresh(text.size());
    const std::vector<std::int32_t> ids = read_terms(text, rows, fresh);
    const Vocabulary& words = fresh.vocabulary();
    std::size_t known = 0;
    for (const std::int32_t id : ids) {
        check(id >= 0 && static_cast<std::size_t>(id) <= known, "ids are numbered by first occurrence");
        known += static_cast<std::size_t>(id) == known ? 1 : 0;
    }
    check(known == words.size(), "every id of the vocabulary occurs");
    for (std::size_t id = 0; id < known; ++id) check_term(words[id]);

    const std::vector<std::int32_t> again = read_terms(text, rows, warm);
    check(ids.size() == again.size(), "a reader gives the same terms again");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto id = static_cast<std::size_t>(again[i]);
        check(again[i] >= 0 && id < warm.vocabulary().size(), "ids lie in the vocabulary");
        check(words[static_cast<std::size_t>(ids[i])] == warm.vocabulary()[id], "a reader gives the same terms again");
    }
}

// The same guards from a reader that has read the text before; names are terms; one mark and one line end a guard.
void check_guards(std::string_view text) {
    GuardReader reader(0);
    std::vector<std::int32_t> terms;
    std::vector<std::int32_t> names;
    const std::int32_t id = reader.append(text, terms, names);
    for (const std::int32_t name : names) {
        check(std::find(terms.begin(), terms.end(), name) != terms.end(), "names are terms");
    }
    const std::vector<std::int32_t> first = names;
    names.clear();
    check(reader.append("x 1", terms, names) >= 0 && reader.append(text, terms, names) == id, "equal texts, equal ids");
    check(names == first, "a reader gives the same names again");
    bool starts = true;
    for (const char byte : reader.signatures()[static_cast<std::size_t>(id)]) {
        check(!starts || byte == '=' || byte == '~' || byte == '\n', "a guard has its mark");
        starts = byte == '\n';
    }
    check(starts, "a guard ends its line");
}

// Rows are in order and on characters, in a segment of their document; tokens do not overlap; keys are numbered; the
// same text twice has the same facts twice.
void check_facts(std::string_view text) {
    const Segments rows = segment(text, Level::kSentence, 1);
    FactReader reader;
    reader.append(text, rows);
    reader.append(text, rows);
    std::int32_t keys = 0;
    const std::vector<FactRow> facts = reader.finish(keys);
    check(facts.size() % 2 == 0, "equal documents have as many facts");
    std::int32_t known = 0;
    std::size_t tokens_end = 0;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const FactRow& fact = facts[i];
        const bool second = i >= facts.size() / 2;
        check(fact.document == (second ? 1 : 0), "documents are in order");
        check(fact.span.begin < fact.span.end && fact.span.end <= text.size(), "facts lie in their text");
        check(on_character(text, fact.span.begin) && on_character(text, fact.span.end), "facts are whole characters");
        const auto row = static_cast<std::size_t>(fact.segment) - (second ? rows.size() : 0);
        check(row < rows.size() && static_cast<std::size_t>(rows.start[row]) <= fact.span.begin &&
                  fact.span.begin < static_cast<std::size_t>(rows.end[row]),
              "a fact starts in its segment");
        check(fact.key >= 0 && fact.key <= known && known <= keys, "keys are numbered by first occurrence");
        known += fact.key == known ? 1 : 0;
        if (second) {
            const FactRow& first = facts[i - facts.size() / 2];
            check(first.kind == fact.kind && first.key == fact.key && first.span.begin == fact.span.begin &&
                      first.span.end == fact.span.end,
                  "equal documents have equal facts");
        }
        if (i == facts.size() / 2) tokens_end = 0;
        const bool token =
            fact.kind <= FactKind::kName || (fact.kind >= FactKind::kFencedCode && fact.kind <= FactKind::kIdentifier);
        if (!token) continue;
        check(fact.span.begin >= tokens_end, "numbers to identifiers, and code, do not overlap");
        tokens_end = fact.span.end;
    }
    check(known == keys, "every key occurs");
    std::int32_t hard_keys = 0;
    FactReader runs(FactScope::kRuns);
    runs.append(text, rows);
    const std::vector<FactRow> hard = runs.finish(hard_keys);
    for (const FactRow& fact : hard) {
        check(fact.span.begin < fact.span.end && fact.span.end <= text.size(), "facts of runs lie in their text");
        check(fact.kind != FactKind::kQuote && fact.kind < FactKind::kError, "runs tell no quotes, errors and clauses");
    }
    for (const float weight : weights_of_segments({text}, hard, hard_keys, rows.size())) {
        check(weight >= 0 && weight < 1e6F, "weights are finite and not negative");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t window = size > 0 ? data[0] : 0;
    const std::string text = replace_invalid({reinterpret_cast<const char*>(data), size});
    TermReader warm(0);
    for (const Level level :
         {Level::kCharacter, Level::kWord, Level::kClause, Level::kSentence, Level::kParagraph, Level::kSection}) {
        const Segments rows = segment(text, level, window);
        check_segments(text, level, rows);
        check_characters(text, rows);
        check_terms(text, rows, warm);
    }
    check_guards(text);
    check_facts(text);
    return 0;
}
