// Scans, sums and sorts of common/toolbox against plain loops, in several orders of warps and blocks.
#include "toolbox/primitives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "grading/error_bound.h"
#include "grading/random.h"
#include "harness/control.h"
#include "harness/json.h"
#include "harness/workspace.h"
#include "toolbox/primitives_sort.h"

namespace {

using lab::Random;

constexpr std::uint64_t kSchedules = 3;

// One and two levels of tiles (2048 elements for scans, 4096 for sorts), and the sizes around their edges.
const std::vector<int> kSizes = {0,    1,    2,    31,   32,   33,   255,  256,  257,   1023,
                                 1024, 2047, 2048, 2049, 4095, 4096, 4097, 8193, 65537, 100'003};

// Device memory of its own for every array, so that the virtual GPU sees a step past an end.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(count * sizeof(T), 1)));
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        CUDA_CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }
    T* data() { return data_; }
    std::vector<T> host() const {
        std::vector<T> values(count_);
        CUDA_CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

void expect_no_findings() {
    const std::string report = lab::control::take_report();
    if (report.empty()) return;
    const lab::json::Value json = lab::json::parse(report);
    for (const lab::json::Value& finding : json["findings"].array()) {
        if (finding["is_note"].boolean()) continue;
        ADD_FAILURE() << finding["kind"].string() << " at " << finding["place"]["file"].string() << ":"
                      << finding["place"]["line"].integer() << ": " << finding["what"].string();
    }
}

// Runs f(workspace) in an order of warps and blocks of its own.
template <class F>
void on_device(std::uint64_t schedule, F f) {
    lab::control::configure("seed", std::to_string(schedule));
    lab::control::configure("checks", "1");
    lab::control::take_report();
    lab::PooledWorkspace work;
    work.begin("test", 0);
    f(work);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    expect_no_findings();
}

std::vector<int> random_ints(int n, std::uint64_t seed, int least, int greatest) {
    Random random(seed);
    std::vector<int> values(n);
    for (int& value : values) value = static_cast<int>(random.between(least, greatest));
    return values;
}

// Multiples of 1/8 whose sums are all floats: the right answer is one number, whatever the order.
template <class T>
std::vector<T> random_eighths(int n, std::uint64_t seed) {
    std::vector<T> values(n);
    std::ranges::transform(random_ints(n, seed, -200, 200), values.begin(), [](int x) { return T(x) / 8; });
    return values;
}

class Primitives : public testing::TestWithParam<int> {
  protected:
    int n = GetParam();
};

TEST_P(Primitives, ExclusiveSumEndsWithTheTotal) {
    for (std::uint64_t seed = 1; seed <= kSchedules; ++seed) {
        const std::vector<int> in = random_ints(n, seed, -5, 1000);
        std::vector<int> right(n + 1, 0);
        std::partial_sum(in.begin(), in.end(), right.begin() + 1);
        DeviceArray<int> d_in(in), d_out(n + 1);
        on_device(seed, [&](Workspace& work) { primitives::exclusive_sum(d_in.data(), d_out.data(), n, work); });
        EXPECT_EQ(d_out.host(), right);
        EXPECT_EQ(d_in.host(), in);
    }
}

// A new array was there before the clock started; one of another size than before is made while it runs.
TEST(PooledWorkspace, TakesTimeForArraysOfOtherSizesOnly) {
    if (!lab::control::is_virtual()) GTEST_SKIP() << "a GPU has a true clock";
    lab::PooledWorkspace work;
    const auto seconds_of = [&](std::size_t count) {
        lab::control::take_report();
        work.begin("test", 0);
        static_cast<Workspace&>(work).get<int>(count);
        return lab::json::parse(lab::control::take_report())["seconds"].number();
    };
    const double no_time = seconds_of(1000);
    EXPECT_EQ(seconds_of(1000), no_time);
    EXPECT_GT(seconds_of(1001), no_time);
}

// 2049 tiles, whose sums are a tile and one element more.
TEST(PrimitivesLarge, ExclusiveSumOfThreeLevels) {
    const int n = 2048 * 2048 + 1;
    std::vector<int> right(n + 1, 0);
    const std::vector<int> in = random_ints(n, 1, 0, 9);
    std::partial_sum(in.begin(), in.end(), right.begin() + 1);
    DeviceArray<int> d_in(in), d_out(n + 1);
    on_device(1, [&](Workspace& work) { primitives::exclusive_sum(d_in.data(), d_out.data(), n, work); });
    EXPECT_TRUE(d_out.host() == right);
}

TEST_P(Primitives, ExclusiveSumInPlace) {
    std::vector<int> in = random_ints(n, 7, 0, 9), right(n + 1, 0);
    std::partial_sum(in.begin(), in.end(), right.begin() + 1);
    in.push_back(12345);  // room for the total
    DeviceArray<int> d_both(in);
    on_device(7, [&](Workspace& work) { primitives::exclusive_sum(d_both.data(), d_both.data(), n, work); });
    EXPECT_EQ(d_both.host(), right);
}

TEST_P(Primitives, InclusiveSumWrapsAround) {
    for (std::uint64_t seed = 1; seed <= kSchedules; ++seed) {
        const std::vector<int> in = random_ints(n, seed, INT32_MIN, INT32_MAX);
        std::vector<int> right(n);
        unsigned sum = 0;
        for (int i = 0; i < n; ++i) right[i] = static_cast<int>(sum += static_cast<unsigned>(in[i]));
        DeviceArray<int> d_in(in), d_out(n);
        on_device(seed, [&](Workspace& work) { primitives::inclusive_sum(d_in.data(), d_out.data(), n, work); });
        EXPECT_EQ(d_out.host(), right);
    }
}

TEST_P(Primitives, InclusiveSumOfFloats) {
    const auto in = random_eighths<float>(n, 3);
    std::vector<float> right(n);
    std::partial_sum(in.begin(), in.end(), right.begin());
    DeviceArray<float> d_in(in), d_out(n);
    on_device(3, [&](Workspace& work) { primitives::inclusive_sum(d_in.data(), d_out.data(), n, work); });
    EXPECT_EQ(d_out.host(), right);
}

template <class T>
void expect_segments(const std::vector<T>& in, const std::vector<int>& heads, std::uint64_t schedule) {
    std::vector<T> right(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) right[i] = i > 0 && heads[i] == 0 ? right[i - 1] + in[i] : in[i];
    DeviceArray<T> d_in(in), d_out(in.size());
    DeviceArray<int> d_heads(heads);
    on_device(schedule, [&](Workspace& work) {
        primitives::segmented_inclusive_sum(d_in.data(), d_heads.data(), d_out.data(), static_cast<int>(in.size()),
                                            work);
    });
    EXPECT_EQ(d_out.host(), right);
}

TEST_P(Primitives, SegmentedSumsStartAfresh) {
    for (const int every : {1, 2, 100, 3000, 1 << 30}) {
        std::vector<int> heads = random_ints(n, 11, 0, every - 1);
        for (int& head : heads) head = head == 0 ? 4 : 0;  // whatever is not 0 is a head
        expect_segments(random_ints(n, 5, -100, 100), heads, 1);
        expect_segments(random_eighths<float>(n, 6), heads, 2);
        expect_segments(random_eighths<double>(n, 6), heads, 3);
    }
}

template <class T>
T sum_on_device(const std::vector<T>& in, std::uint64_t schedule) {
    DeviceArray<T> d_in(in), d_out(1);
    on_device(schedule,
              [&](Workspace& work) { primitives::sum(d_in.data(), d_out.data(), static_cast<int>(in.size()), work); });
    return d_out.host()[0];
}

TEST_P(Primitives, SumOfAll) {
    const std::vector<int> ints = random_ints(n, 1, -1000, 1000);
    EXPECT_EQ(sum_on_device(ints, 1), std::accumulate(ints.begin(), ints.end(), 0));
    const auto doubles = random_eighths<double>(n, 2);
    EXPECT_EQ(sum_on_device(doubles, 2), std::accumulate(doubles.begin(), doubles.end(), 0.0));
}

TEST_P(Primitives, SumOfFloatsHasTheSameBitsInEveryOrder) {
    std::vector<float> in(n);
    Random random(9);
    double exact = 0, size = 0;
    for (float& x : in) {
        x = static_cast<float>(random.unit() - 0.25);
        exact += x;
        size += std::abs(x);
    }
    const float first = sum_on_device(in, 1);
    // 8 rows of 5 + 1 additions, 8 warps, at no more than 2 levels.
    EXPECT_LE(std::abs(first - exact), lab::sum_error_bound<float>(2 * (8 * 6 + 8), size));
    for (std::uint64_t schedule = 2; schedule <= 4; ++schedule) EXPECT_EQ(sum_on_device(in, schedule), first);
}

struct Sorting {
    int bits;
    unsigned least, greatest;  // of the keys
};

// All bits, few different keys, one key, keys that differ in ignored bits only, an odd number of passes.
constexpr Sorting kSortings[] = {{32, 0, UINT32_MAX}, {32, 5, 9}, {32, 7, 7}, {0, 0, 99}, {3, 0, 99}, {20, 0, 1 << 20}};

TEST_P(Primitives, SortsAreStable) {
    std::uint64_t seed = 0;
    for (const Sorting& sorting : kSortings) {
        const int bits = sorting.bits;
        Random random(++seed);
        std::vector<unsigned> keys(n);
        for (unsigned& key : keys) key = static_cast<unsigned>(random.between(sorting.least, sorting.greatest));
        std::vector<int> values(n);
        std::iota(values.begin(), values.end(), 0);

        const unsigned mask = bits == 32 ? ~0u : (1u << bits) - 1;
        std::vector<int> order = values;
        std::ranges::stable_sort(order, {}, [&](int i) { return keys[i] & mask; });
        std::vector<unsigned> sorted(n);
        for (int i = 0; i < n; ++i) sorted[i] = keys[order[i]];

        DeviceArray<unsigned> d_keys(keys), d_sorted_keys(n), d_sorted_alone(n);
        DeviceArray<int> d_values(values), d_sorted_values(n);
        on_device(seed, [&](Workspace& work) {
            primitives::sort_pairs(d_keys.data(), d_values.data(), d_sorted_keys.data(), d_sorted_values.data(), n,
                                   work, bits);
            primitives::sort_keys(d_keys.data(), d_sorted_alone.data(), n, work, bits);
        });
        EXPECT_EQ(d_sorted_keys.host(), sorted) << bits << " bits";
        EXPECT_EQ(d_sorted_values.host(), order) << bits << " bits";
        EXPECT_EQ(d_sorted_alone.host(), sorted) << bits << " bits";
        EXPECT_EQ(d_keys.host(), keys) << "the input was changed";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Primitives, testing::ValuesIn(kSizes),
                         [](const auto& info) { return "n" + std::to_string(info.param); });

}  // namespace
