// Lab 1's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
#include <bit>
#include <limits>

#include "grading/problem.h"
#include "grading/random.h"

namespace {

using lab::Array;
using lab::Instance;
using Limits = std::numeric_limits<float>;

constexpr std::int64_t kTimedN = 1 << 22;

lab::Shape shape(const Instance& call) {
    const auto n = static_cast<std::size_t>(call.n);
    const bool on_host = call.task == "one_block";
    // Equally far from a 16-byte boundary, as the contract says; the seed decides how far. But sizes that are timed,
    // and all with seed 0, come as cudaMalloc gives them, so that the tasks compare: misaligned, a warp's 512 bytes lie
    // in 17 sectors, not in 16.
    const bool is_timed = call.n >= kTimedN / 4 && call.n % (kTimedN / 4) == 0;
    const bool is_aligned = call.task != "vectorized" || is_timed || call.seed == 0;
    const std::size_t shift = is_aligned ? 0 : lab::Random(call.seed, "shift").below(4);
    lab::Shape shape;
    shape.inputs = {{on_host ? "h_in" : "d_in", lab::DType::f32, n, shift, on_host}};
    shape.outputs = {{on_host ? "h_out" : "d_out", lab::DType::f32, n, shift, on_host}};
    shape.bytes = 2.0 * static_cast<double>(n) * sizeof(float);
    return shape;
}

// What goes wrong where numbers are taken for granted: squares that overflow, vanish, or are denormal.
constexpr float kOddOnes[] = {Limits::quiet_NaN(),
                              Limits::infinity(),
                              -Limits::infinity(),
                              0.0F,
                              -0.0F,
                              Limits::denorm_min(),
                              -Limits::denorm_min(),
                              Limits::max(),
                              Limits::lowest(),
                              Limits::min(),
                              0x1.8p-70F,       // its square is denormal
                              0x1.fffffep+63F,  // its square is just finite
                              -0x1p+64F,        // its square is just infinite
                              0x1.000002p+0F};  // its square has to be rounded

void generate(const Instance& call, std::span<const Array> inputs) {
    lab::Random random(call.seed);
    for (float& x : inputs[0].as<float>()) {
        const std::uint64_t bits = random.bits();
        if (bits % 16 == 0) {
            x = kOddOnes[random.below(std::size(kOddOnes))];
        } else {
            // Of any sign, with 2^-40 to 2^40 and any digits: from its bits, as std::ldexp() would take longer.
            const auto exponent = static_cast<std::uint32_t>(((bits >> 4 & 0xffff) * 81 >> 16) + 127 - 40);
            const auto sign = static_cast<std::uint32_t>(bits >> 20 & 1),
                       digits = static_cast<std::uint32_t>(bits >> 41);
            x = std::bit_cast<float>(sign << 31 | exponent << 23 | digits);
        }
    }
}

void cpu(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::span<const float> in = inputs[0].as<float>();
    const std::span<float> out = outputs[0].as<float>();
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] * in[i];
}

}  // namespace

lab::Lab square_lab() {
    // The last but one takes 1025 blocks of 256 threads, and one element of the last.
    const std::vector<std::int64_t> sizes = {0,    1,    31,   32,    33,    255,   256,     257,
                                             1023, 1024, 1025, 65535, 65536, 65537, 262'145, 1'000'003};
    const std::int64_t max_n = std::int64_t{1} << 26;
    lab::Lab lab;
    lab.number = 1;
    lab.name = "square";
    lab.title = "Square";
    lab.tasks = {
        {"one_block", "one block for all: allocate, copy, launch, copy back", {}, max_n, sizes, 1 << 20},
        {"grid", "a thread for each element", {}, max_n, sizes, kTimedN},
        {"grid_stride", "as many threads as run at once, each with many elements", {}, max_n, sizes, kTimedN},
        {"vectorized", "four elements in one load and one store", {}, max_n, sizes, kTimedN},
    };
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    return lab;
}
