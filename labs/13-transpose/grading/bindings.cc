// Lab 13's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "transpose.h"
#include "variants.h"

namespace {

using lab::Call;

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

auto square(void (*task)(const float*, float*, int)) {
    return [=](Call& c) { task(c.in<float>(0), c.out<float>(0), scalar(c, "columns")); };
}

// A matrix of T, in arrays of Word.
template <class T, class Word>
void run_matrix(Call& c) {
    rectangular(reinterpret_cast<const T*>(c.in<Word>(0)), reinterpret_cast<T*>(c.out<Word>(0)), scalar(c, "rows"),
                scalar(c, "columns"));
}

// The output begins as a copy of the input, and is both input and output of the task.
template <class T, class Word>
void run_in_place(Call& c) {
    const int side = scalar(c, "columns");
    auto* data = reinterpret_cast<T*>(c.out<Word>(0));
    const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    CUDA_CHECK(cudaMemcpyAsync(data, c.in<Word>(0), bytes, cudaMemcpyDeviceToDevice));
    rectangular<T>(data, data, side, side);
}

auto layout(void (*task)(const unsigned*, unsigned*, int, bool), bool to_arrays) {
    return [=](Call& c) { task(c.in<unsigned>(0), c.out<unsigned>(0), static_cast<int>(c.n()), to_arrays); };
}

}  // namespace

lab::Bindings transpose_bindings() {
    const auto run_rectangular = lab::by_variant({
        {"uint8", run_matrix<unsigned char, std::uint8_t>},
        {"float32", run_matrix<float, float>},
        {"float64", run_matrix<double, double>},
        {"float32x4", run_matrix<float4, float>},
        {"in_place_uint8", run_in_place<unsigned char, std::uint8_t>},
        {"in_place_float32", run_in_place<float, float>},
        {"in_place_float32x4", run_in_place<float4, float>},
    });
    const auto run_layouts = lab::by_variant({
        {"structures_of_3", layout(layouts<3>, true)},
        {"structures_of_5", layout(layouts<5>, true)},
        {"structures_of_12", layout(layouts<12>, true)},
        {"arrays_of_3", layout(layouts<3>, false)},
        {"arrays_of_5", layout(layouts<5>, false)},
        {"arrays_of_12", layout(layouts<12>, false)},
    });
    return {
        {"naive", square(naive)},
        {"tile", square(tile)},
        {"padded", square(padded)},
        {"swizzled", square(swizzled)},
        {"rectangular", run_rectangular},
        {"layouts", run_layouts},
        {"summed_area",
         [](Call& c) {
             summed_area(c.in<std::uint8_t>(0), c.out<std::uint32_t>(0), scalar(c, "rows"), scalar(c, "columns"),
                         c.workspace());
         }},
    };
}
