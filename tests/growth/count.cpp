// For a Python that runs under Valgrind (tests/support/growth.py): where a piece of work begins and ends.
#include <valgrind/callgrind.h>

extern "C" {
void begin() {
    CALLGRIND_START_INSTRUMENTATION;  // what was imported before is not counted, and takes less time
    CALLGRIND_ZERO_STATS;
}
void end() { CALLGRIND_DUMP_STATS; }
}
