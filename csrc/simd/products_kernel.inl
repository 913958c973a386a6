// One source for every instruction set, as in codes_kernel.inl. Sums of products of integers are exact.
namespace {

void dot_rows(const std::int8_t* rows, std::size_t count, std::size_t width, const std::int16_t* query,
              std::int32_t* out) {
    for (std::size_t r = 0; r < count; ++r) {
        const std::int8_t* row = rows + r * width;
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += static_cast<std::int16_t>(row[i]) * query[i];
        out[r] = sum;
    }
}

}  // namespace
