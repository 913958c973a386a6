// Gives each file that is named to a fuzz target, where there is no libFuzzer (ci/cross.sh). The target aborts at what
// is wrong.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** names) {
    constexpr std::size_t kMost = 8192;  // bytes, as ci/fuzz.sh
    for (int i = 1; i < count; ++i) {
        std::ifstream file(names[i], std::ios::binary);
        std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (!file) {
            std::printf("cannot read %s\n", names[i]);
            return 1;
        }
        if (bytes.size() > kMost) bytes.resize(kMost);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%d inputs: as the checks want it\n", count - 1);
    return 0;
}
