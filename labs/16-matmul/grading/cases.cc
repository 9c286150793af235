// Lab 16's tasks as data, and their inputs. Trusted; host C++; also in the runner, for --n without --input.
//
// n is the number of C's elements at most: rows * columns <= n.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "grading/format.h"
#include "grading/problem.h"
#include "grading/random.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::DType;
using lab::Half;
using lab::Instance;
using lab::Random;
using lab::root_of;

constexpr std::int64_t kTimedN = 1 << 16, kTimedTilesN = 1 << 18, kTimedDeepN = 1 << 14;  // sides of 256, 512 and 128
constexpr std::int64_t kMaxSide = 65'535, kMaxElements = 1 << 26;                         // as in matmul.h
constexpr std::int64_t kNoInnerN = 5;            // whatever the seed, inner is 0 here: C is zeros
constexpr std::int64_t kDeeper = 8;              // `occupancy` has an inner so many times the side
constexpr std::int64_t kLongest = 1'000;         // of any inner that the seed chooses: see oracle.cc
constexpr std::int64_t kMostProducts = 1 << 21;  // of a call that is not timed

bool is_deep(const Instance& call) { return call.task == "occupancy"; }

// ---- Which shape: at most n elements of C ----

std::int64_t between(std::int64_t least, std::int64_t most, Random& random) {  // evenly over orders of magnitude
    const double low = std::log(static_cast<double>(least)), high = std::log(static_cast<double>(most) + 1);
    return std::clamp(static_cast<std::int64_t>(std::exp(low + (high - low) * random.unit())), least, most);
}

// The usual matrix, and any that is timed, is as square as can be: its side is a power of 2 in sizes that are timed.
bool is_usual(const Instance& call) {
    const std::int64_t root = root_of(call.n);
    return call.seed == 0 || (call.n >= (is_deep(call) ? kTimedDeepN : kTimedN) && root * root == call.n &&
                              std::has_single_bit(static_cast<std::uint64_t>(root)));
}

std::int64_t some_columns(const Instance& call, Random& random) {
    const std::int64_t least = (call.n + kMaxSide - 1) / kMaxSide, most = std::min(call.n, kMaxSide);
    if (call.n >= kTimedN || random.one_in(3)) return root_of(call.n);
    if (random.one_in(8)) return random.one_in(2) ? least : most;
    return between(least, most, random);
}

// Of other calls. From kTimedN on, no seed changes it.
std::int64_t some_inner(const Instance& call, Random& random) {
    const std::int64_t most = std::clamp<std::int64_t>(kMostProducts / std::max<std::int64_t>(call.n, 1), 1, kLongest);
    if (call.n >= kTimedN) return most;
    if (call.n == kNoInnerN || random.one_in(32)) return 0;
    // Often a whole number of tiles, or one product more.
    const std::int64_t inner = between(1, most, random);
    return random.one_in(3) ? std::clamp<std::int64_t>(inner / 32 * 32 + (random.one_in(2) ? 1 : 0), 1, most) : inner;
}

void choose(Instance& call) {
    Random random(call.seed, "shape");
    if (call.n == 0) {  // one side at least is 0
        const std::int64_t columns = call.fill_in("columns", random.one_in(2) ? 0 : 5);
        call.fill_in("rows", columns > 0 || random.one_in(2) ? 0 : 5);
        call.fill_in("inner", random.one_in(2) ? 0 : 3);
        return;
    }
    const std::int64_t root = root_of(call.n);
    const std::int64_t columns = call.fill_in("columns", is_usual(call) ? root : some_columns(call, random));
    if (columns < 1 || call.n / columns > kMaxSide)
        throw std::invalid_argument("--columns " + std::to_string(columns) + ": " + lab::with_commas(call.n) +
                                    " elements would make more than " + lab::with_commas(kMaxSide) + " rows");
    const std::int64_t rows = call.scalars["rows"] = call.n / columns;
    const std::int64_t usual_inner =
        std::min(is_deep(call) ? kDeeper * root : root, kMaxElements / std::max(rows, columns));
    const std::int64_t inner = call.fill_in("inner", is_usual(call) ? usual_inner : some_inner(call, random));
    if (inner * std::max(rows, columns) > kMaxElements)
        throw std::invalid_argument("--inner " + std::to_string(inner) +
                                    ": a matrix would have more than 2^26 elements");
}

lab::Shape shape(const Instance& call) {
    const DType dtype = matmul::takes_halves(call) ? DType::f16 : DType::f32;
    const auto rows = static_cast<std::size_t>(call.scalar("rows"));
    const auto columns = static_cast<std::size_t>(call.scalar("columns"));
    const auto inner = static_cast<std::size_t>(call.scalar("inner"));
    lab::Shape shape;
    shape.inputs = {{"d_a", dtype, rows * inner}, {"d_b", dtype, inner * columns}};
    shape.outputs = {{"d_c", DType::f32, rows * columns}};
    const matmul::Orders& orders = matmul::orders_of(call);
    if (!orders.a_by_columns) shape.inputs[0].columns = inner;
    if (!orders.b_by_columns) shape.inputs[1].columns = columns;
    shape.outputs[0].columns = columns;
    shape.move_each_array_once();
    return shape;
}

// A and B from files. Of the three sides two numbers of elements leave one open: it is rows, unless --rows... is given.
void from_arrays(Instance& call, std::span<const Array> given) {
    const auto count_a = static_cast<std::int64_t>(given[0].spec.count);
    const auto count_b = static_cast<std::int64_t>(given[1].spec.count);
    if (!call.scalars.contains("inner")) {  // as if C were square, where A and B have as many elements
        if (count_a != count_b)
            throw std::invalid_argument("A has " + lab::with_commas(count_a) + " elements and B " +
                                        lab::with_commas(count_b) + ": choose --inner");
        call.scalars["inner"] = root_of(count_a);
    }
    const std::int64_t inner = call.scalar("inner");
    if (inner == 0 || count_a % inner != 0 || count_b % inner != 0)
        throw std::invalid_argument(lab::with_commas(count_a) + " and " + lab::with_commas(count_b) +
                                    " elements do not make A and B with --inner " + std::to_string(inner));
    call.scalars["rows"] = count_a / inner;
    call.scalars["columns"] = count_b / inner;
    call.n = call.scalar("rows") * call.scalar("columns");
    if (std::max(call.scalar("rows"), call.scalar("columns")) > kMaxSide)
        throw std::invalid_argument("a side of more than " + lab::with_commas(kMaxSide));
}

// ---- Inputs ----

// Numbers that a half holds, too. Three kinds: any from -1 to 1; magnitudes from 1/2 to 1, so that no product is small
// beside the tolerance; and small whole numbers, whose sums have no rounding (oracle.cc).
enum class Kind : std::uint8_t { any, large, whole };

double value_of(Kind kind, Random& random) {
    const auto steps = static_cast<double>(random.between(-1024, 1023));  // of 2^-10
    if (kind == Kind::whole) return static_cast<double>(random.between(-8, 8));
    if (kind == Kind::large) return (steps < 0 ? -1 : 1) * (0.5 + std::floor(std::fabs(steps) / 2) * 0x1p-10);
    return steps * 0x1p-10;
}

void generate(const Instance& call, std::span<const Array> inputs) {
    Random random(call.seed, "values");
    const bool is_timed = call.seed == 0 || call.n >= kTimedN;
    const Kind kind = is_timed || random.one_in(4) ? Kind::any : random.one_in(2) ? Kind::large : Kind::whole;
    for (const Array& in : inputs) {
        if (in.spec.dtype == DType::f16)
            for (Half& one : in.as<Half>()) one = lab::to_half(value_of(kind, random));
        else
            for (float& one : in.as<float>()) one = static_cast<float>(value_of(kind, random));
    }
}

// ---- A plain CPU version, for --cpu ----

void cpu(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs) {
    const std::int64_t rows = call.scalar("rows"), columns = call.scalar("columns"), inner = call.scalar("inner");
    const matmul::Orders& orders = matmul::orders_of(call);
    const auto in_a = matmul::layout_of(orders.a_by_columns, rows, inner);
    const auto in_b = matmul::layout_of(orders.b_by_columns, inner, columns);
    const auto value = [&](std::size_t input, std::int64_t at) {
        const Array& in = inputs[input];
        return in.spec.dtype == DType::f16 ? static_cast<float>(lab::to_double(in.as<Half>()[at])) : in.as<float>()[at];
    };
    const auto c = outputs[0].as<float>();
    std::ranges::fill(c, 0.0f);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t k = 0; k < inner; ++k) {
            const float a = value(0, in_a.at(row, k));
            for (std::int64_t column = 0; column < columns; ++column)
                c[row * columns + column] += a * value(1, in_b.at(k, column));
        }
    }
}

std::string input_text(const Instance& call) {
    const auto sides = [&](const char* down, const char* across) {
        return lab::with_commas(call.scalar(down)) + " x " + lab::with_commas(call.scalar(across));
    };
    return sides("rows", "inner") + " times " + sides("inner", "columns") +
           (matmul::takes_halves(call) ? " float16" : " float32");
}

}  // namespace

lab::Lab matmul_lab() {
    // Sides of 1, 2, 31 to 33, 63 to 65, 128, 129, 256 and 511 for seed 0. With 5 elements, inner is 0.
    const std::vector<std::int64_t> sizes = {0,    1,    2,    4,    kNoInnerN, 26,     961,    1024,   1056,
                                             1089, 3969, 4096, 4225, 10'000,    16'384, 16'641, kTimedN};
    std::vector<std::int64_t> large = sizes;
    large.push_back(kTimedTilesN - 1);
    lab::Lab lab;
    lab.number = 16;
    lab.name = "matmul";
    lab.title = "Matrix multiplication";
    lab.tasks = {
        {"naive", "a thread for each element", {}, kMaxElements, sizes, kTimedN},
        {"tile", "a block takes tiles of A and B through shared memory", {}, kMaxElements, sizes, kTimedN},
        {"register_tile", "a thread has 8 x 8 elements in registers", {}, kMaxElements, large, kTimedTilesN},
        {"vectorized", "16 bytes a load, and the next tiles on their way", {}, kMaxElements, large, kTimedTilesN},
        {"occupancy", "a bound on registers, and blocks for all multiprocessors", {}, kMaxElements, sizes, kTimedDeepN},
        {"mixed", "halves in, in any order; sums of floats", lab::names_of(matmul::kOrders), kMaxElements, large,
         kTimedTilesN},
        {"tensor_cores", "a warp multiplies fragments of 16 x 16", lab::names_of(matmul::kOrders), kMaxElements, large,
         kTimedTilesN},
    };
    lab.choose = choose;
    lab.shape = shape;
    lab.generate = generate;
    lab.cpu = cpu;
    lab.settings = {
        {"columns", "of C and B; default: as many as rows", 1, kMaxSide},
        {"inner", "columns of A, rows of B; default: as many as C has columns", 0, kMaxSide},
    };
    lab.from_arrays = from_arrays;
    lab.input_text = input_text;
    return lab;
}
