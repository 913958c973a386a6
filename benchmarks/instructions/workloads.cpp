// Fixed work for counting instructions: `workloads NAME` runs one kernel on made-up input, on one thread.
// Callgrind collects inside the functions named work_*; everything else is set-up.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/cluster/clusters.hpp"
#include "kernels/embed/static_table.hpp"
#include "kernels/similarity/similarity.hpp"
#include "kernels/subset/subset.hpp"
#include "kernels/text/segment.hpp"
#include "kernels/text/terms.hpp"

using tersely::Workers;
using tersely::similarity::Format;
using tersely::similarity::Rows;

namespace {

constexpr std::size_t kRows = 600;
constexpr std::size_t kDepth = 128;

std::uint32_t state = 1;
std::uint32_t next() { return state = state * 1664525U + 1013904223U; }

std::vector<float> made_rows() {
    std::vector<float> values(kRows * kDepth);
    for (float& value : values) value = static_cast<float>(static_cast<std::int32_t>(next())) / 2147483648.0F;
    for (std::size_t i = kDepth * 200; i < kDepth * 260; ++i) values[i] = values[i - kDepth * 100] * 1.01F;  // copies
    return values;
}

std::string made_text() {
    std::string text;
    while (text.size() < 200'000) {
        const std::uint32_t kind = next() >> 24U;
        for (std::uint32_t letters = 1 + (next() >> 29U); letters > 0; --letters) {
            text.push_back(static_cast<char>('a' + (next() >> 28U)));
        }
        text += kind < 12 ? ". The " : kind < 16 ? ", 3.14 and " : kind < 18 ? "?\n\n" : kind < 19 ? " (e.g. " : " ";
    }
    return text;
}

// Every ASCII letter and digit, alone and going on, and a thousand made-up words.
tersely::embed::StaticTable made_table() {
    std::string words = "[UNK]\n.\n,\n?\n(\n)";
    for (const char letter : std::string("abcdefghijklmnopqrstuvwxyz0123456789")) {
        words += std::string("\n") + letter + "\n##" + letter;
    }
    for (int i = 0; i < 1000; ++i) {
        std::string word;
        for (int at = 0, code = i; at < 3; ++at, code /= 10) word.push_back(static_cast<char>('a' + code % 10));
        words += (i % 4 == 0 ? "\n##" : "\n") + word;
    }
    const auto count = static_cast<std::size_t>(std::count(words.begin(), words.end(), '\n')) + 1;
    std::vector<std::uint8_t> rows(count * kDepth);
    for (std::uint8_t& byte : rows) byte = static_cast<std::uint8_t>(next() >> 24U);
    return {words, rows, std::vector<float>(count, 0.25F)};
}

}  // namespace

extern "C" {
__attribute__((noinline)) std::size_t work_similarity(const Rows& rows, float* out) {
    tersely::similarity::all_similarities(rows, nullptr, out, rows.count, Workers());
    return 1;
}
__attribute__((noinline)) std::size_t work_pairs(const Rows& rows) {
    return tersely::similarity::pairs_at_least(rows, 0.9, 100'000, Workers()).size();
}
__attribute__((noinline)) std::size_t work_representative(const Rows& rows) {
    return tersely::cluster::representative(rows, 0.9, {}, Workers()).sizes.size();
}
__attribute__((noinline)) std::size_t work_facility(const Rows& rows) {
    tersely::subset::Facility problem;
    problem.budget = 30;
    return tersely::subset::facility_location(rows, problem, Workers()).items.size();
}
__attribute__((noinline)) std::size_t work_relevant(const Rows& rows, const std::vector<double>& relevance) {
    return tersely::subset::marginal_relevance(rows, relevance, 30, 0.5, {}, Workers()).items.size();
}
__attribute__((noinline)) std::size_t work_segment(const std::string& text) {
    return tersely::text::segment(text, tersely::text::Level::kSentence, 200).size();
}
__attribute__((noinline)) std::size_t work_terms(const std::string& text) {
    tersely::text::TermReader reader(text.size());
    std::vector<std::int32_t> ids;
    reader.append(text, {0, text.size()}, ids);
    return ids.size();
}
__attribute__((noinline)) std::size_t work_embed(const tersely::embed::StaticTable& table, std::string_view text) {
    std::vector<float> vector(table.dimensions());
    table.embed({&text, 1}, vector.data());
    return vector.size();
}
}

int main(int count, char** arguments) {
    const std::string name = count > 1 ? arguments[1] : "";
    const std::vector<float> values = made_rows();
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    const Rows rows{bytes, Format::kSingle, kRows, kDepth, kDepth * sizeof(float), sizeof(float)};
    const std::vector<double> relevance(values.begin(), values.begin() + kRows);
    const std::string text = made_text();
    std::vector<float> out(kRows * kRows);
    std::size_t answer = 0;
    if (name == "similarity") answer = work_similarity(rows, out.data());
    if (name == "pairs") answer = work_pairs(rows);
    if (name == "representative") answer = work_representative(rows);
    if (name == "facility") answer = work_facility(rows);
    if (name == "relevant") answer = work_relevant(rows, relevance);
    if (name == "segment") answer = work_segment(text);
    if (name == "terms") answer = work_terms(text);
    if (name == "embed") answer = work_embed(made_table(), text);
    std::printf("%zu\n", answer);
    return answer > 0 ? 0 : 2;
}
