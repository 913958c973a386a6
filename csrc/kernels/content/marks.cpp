#include "kernels/content/marks.hpp"

#include <array>

namespace tersely::content {
namespace {

struct Word {
    std::string_view text;
    std::uint32_t marks;
};

constexpr std::array kWords = {
    Word{"error", kError | kCounted},
    Word{"errors", kError | kCounted},
    Word{"err", kError | kCounted},
    Word{"fatal", kError | kCounted},
    Word{"erro", kError},  // as loggers cut it to four letters
    Word{"fata", kError},
    Word{"pani", kError},
    Word{"fail", kError | kCounted},
    Word{"failed", kError | kCounted},
    Word{"fails", kError | kCounted},
    Word{"failure", kError | kCounted},
    Word{"failures", kError | kCounted},
    Word{"failing", kError | kCounted},
    Word{"exception", kError},
    Word{"exceptions", kError},
    Word{"panic", kError},
    Word{"panicked", kError},
    Word{"critical", kError | kCounted},
    Word{"severe", kError},
    Word{"emerg", kError},
    Word{"alert", kError},
    Word{"abort", kError},
    Word{"aborted", kError | kCounted},
    Word{"aborting", kError},
    Word{"crash", kError},
    Word{"crashed", kError | kCounted},
    Word{"segfault", kError},
    Word{"segmentation", kError},
    Word{"traceback", kError},
    Word{"assertion", kError},
    Word{"undefined", kError},
    Word{"unhandled", kError},
    Word{"uncaught", kError},
    Word{"deadlock", kError},
    Word{"overflow", kError},
    Word{"leak", kError},
    Word{"warning", kTrouble | kWarns},
    Word{"warnings", kTrouble | kWarns},
    Word{"warn", kTrouble | kWarns},
    Word{"cannot", kTrouble},
    Word{"unable", kTrouble},
    Word{"denied", kTrouble},
    Word{"refused", kTrouble},
    Word{"rejected", kTrouble | kCounted},
    Word{"timeout", kTrouble},
    Word{"invalid", kTrouble},
    Word{"missing", kTrouble},
    Word{"lost", kTrouble | kCounted},
    Word{"corrupt", kTrouble},
    Word{"corrupted", kTrouble | kCounted},
    Word{"killed", kTrouble | kCounted},
    Word{"unexpected", kTrouble},
    Word{"unreachable", kTrouble | kCounted},
    Word{"unavailable", kTrouble},
    Word{"unresolved", kTrouble},
    Word{"deprecated", kTrouble | kWarns},
    Word{"violation", kTrouble},
    Word{"conflict", kTrouble},
    Word{"bad", kTrouble},
    Word{"broken", kTrouble},
    Word{"down", kTrouble},
    Word{"stopped", kTrouble},
    Word{"passed", kPassed},
    Word{"pass", kPassed},
    Word{"passing", kPassed},
    Word{"ok", kPassed},
    Word{"success", kPassed},
    Word{"successful", kPassed},
    Word{"successfully", kPassed},
    Word{"succeeded", kPassed},
    Word{"done", kPassed},
    Word{"finished", kPassed},
    Word{"completed", kPassed},
    Word{"skipped", kPassed},
    Word{"fault", kError},
    Word{"oops", kError},
    Word{"bug", kError},
    Word{"incorrect", kError},
    Word{"blocked", kTrouble},
    Word{"unhealthy", kError},
    Word{"degraded", kTrouble},
    Word{"destroyed", kTrouble},
    Word{"replaced", kTrouble},
    Word{"replacement", kTrouble},
    Word{"mismatch", kTrouble},
    Word{"regression", kTrouble},
    Word{"mismatched", kTrouble},
    Word{"no", kNegates},
    Word{"without", kNegates},
    Word{"not", kNot},
    Word{"exit", kExits},
    Word{"exited", kExits},
    Word{"returned", kExits},
    Word{"code", kCodeOf},
    Word{"with", kCodeOf},
    Word{"status", kCodeOf | kLevelKey},
    Word{"test", kTests},
    Word{"tests", kTests},
    Word{"level", kLevelKey},
    Word{"lvl", kLevelKey},
    Word{"severity", kLevelKey},
    Word{"levelname", kLevelKey},
    Word{"loglevel", kLevelKey},
    Word{"result", kLevelKey},
    Word{"outcome", kLevelKey},
    Word{"state", kLevelKey},
    Word{"conclusion", kLevelKey},
    Word{"verdict", kLevelKey},
    Word{"action", kLevelKey},
    Word{"info", kQuietWord},
    Word{"information", kQuietWord},
    Word{"debug", kQuietWord},
    Word{"trace", kQuietWord},
    Word{"notice", kQuietWord},
    Word{"verbose", kQuietWord},
    Word{"summary", kTotals},
    Word{"plan", kTotals},
    Word{"total", kTotals},
    Word{"totals", kTotals},
    Word{"found", kFound | kCompares},
    Word{"expected", kCompares},
    Word{"actual", kCompares},
    Word{"got", kCompares},
    Word{"want", kCompares},
    Word{"received", kCompares},
    Word{"was", kCompares},
    Word{"left", kCompares},
    Word{"right", kCompares},
    Word{"reason", kCompares},
    Word{"caused", kCompares},
    Word{"expansion", kCompares},
};

constexpr std::size_t kSlots = 512;  // several times the words: probes are short

struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t marks = 0;
};

constexpr std::size_t slot_of(std::uint64_t hash) { return static_cast<std::size_t>(hash ^ (hash >> 32U)) % kSlots; }

constexpr std::array<Slot, kSlots> make_table() {
    std::array<Slot, kSlots> table{};
    for (const Word& word : kWords) {
        const std::uint64_t hash = hash_letters(word.text);
        std::size_t at = slot_of(hash);
        while (table[at].hash != 0) at = (at + 1) % kSlots;
        table[at] = {hash, word.marks};
    }
    return table;
}

constexpr std::array<Slot, kSlots> kTable = make_table();

}  // namespace

std::uint32_t word_marks(std::uint64_t hash) {
    for (std::size_t at = slot_of(hash); kTable[at].hash != 0; at = (at + 1) % kSlots) {
        if (kTable[at].hash == hash) return kTable[at].marks;
    }
    return 0;
}

std::uint32_t name_marks(std::string_view letters) {
    for (const std::string_view ending : {"Error", "Exception", "Failure", "Failed", "Fault", "Killed", "BackOff"}) {
        if (letters.size() > ending.size() && letters.ends_with(ending)) return kError;
    }
    return 0;
}

}  // namespace tersely::content
