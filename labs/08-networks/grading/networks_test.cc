// Lab 8's tests: every task, variant and public size, and what is particular to sorting networks.
#include "networks.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>

#include "grading/files.h"
#include "harness/json.h"
#include "harness/lab_test.h"

lab::Lab networks_lab();

namespace {

using lab::Array;
using lab::Instance;
using lab::testing::Case;

constexpr std::uint64_t kKinds = 8;  // of input, chosen by the seed: cases.cc
constexpr std::uint64_t kRandom = 0, kSorted = 1, kReversed = 2, kTwoValues = 4, kEnds = 7;

class Networks : public lab::testing::LabTest {};

TEST_P(Networks, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Networks, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// Every task and variant once.
std::vector<Instance> cases_of_size(std::int64_t n) {
    std::vector<Instance> cases;
    for (const lab::Task& task : networks_lab().tasks)
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, n, kRandom});
    return cases;
}

class NetworksOfAnyInput : public lab::testing::LabTest {};

// Several tiles, the last one not full.
TEST_P(NetworksOfAnyInput, IsRightInAnySchedule) {
    for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
        Instance call = GetParam();
        call.seed = kKinds * 3 + kind;
        run(call, kind);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, NetworksOfAnyInput, testing::ValuesIn(cases_of_size(8192 + 1111)),
                         lab::testing::name_of_case);

// ---- The 0-1 principle ----
// A network that sorts every input of zeros and ones sorts every input (Knuth, volume 3, section 5.3.4): if it left
// b < a in the wrong order, so it would a 0 for all that is at most b and a 1 for the rest.

TEST(NetworkOfFour, SortsEveryInputOfZerosAndOnes) {
    for (int input = 0; input < 16; ++input) {
        std::vector<int> wire = {input & 1, input >> 1 & 1, input >> 2 & 1, input >> 3 & 1};
        for (Comparator c : network_of_four()) {
            ASSERT_TRUE(0 <= c.low && c.low < c.high && c.high < 4) << c.low << ", " << c.high;
            if (wire[c.high] < wire[c.low]) std::swap(wire[c.low], wire[c.high]);
        }
        EXPECT_TRUE(std::is_sorted(wire.begin(), wire.end())) << "input " << input;
    }
}

TEST(NetworkOfFour, HasNoComparatorTooMany) { EXPECT_LE(network_of_four().size(), 5u); }

// ---- Oblivious: the same work for every input of a size ----

// What the virtual GPU has counted, summed over all kernels; empty on a GPU.
std::map<std::string, std::int64_t> counters_of(const std::string& report) {
    std::map<std::string, std::int64_t> counters;
    if (report.empty()) return counters;
    const lab::json::Value json = lab::json::parse(report);
    for (const lab::json::Value& kernel : json["kernels"].array()) {
        ++counters["launches"];
        for (const std::string& name : kernel["total"].keys()) counters[name] += kernel["total"][name].integer();
    }
    return counters;
}

class NetworksAreOblivious : public lab::testing::LabTest {
  protected:
    std::map<std::string, std::int64_t> count(std::uint64_t kind) {
        Instance call = GetParam();
        call.seed = kind;
        auto counters = counters_of(run(call).report);
        EXPECT_TRUE(counters.empty() || counters["instructions"] > 0);
        return counters;
    }
};

TEST_P(NetworksAreOblivious, AllCountersAreThoseOfAnyOtherInput) {
    auto random = count(kRandom);
    if (random.empty()) GTEST_SKIP() << "a GPU does not count";
    for (std::uint64_t kind : {kSorted, kReversed, kTwoValues}) EXPECT_EQ(count(kind), random) << "kind " << kind;
}

std::vector<Instance> networks() {
    auto cases = cases_of_size(5000);
    std::erase_if(cases, [](const Instance& call) { return call.variant == "early_exit_int32"; });
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, NetworksAreOblivious, testing::ValuesIn(networks()), lab::testing::name_of_case);

class EarlyExit : public NetworksAreOblivious {};

TEST_P(EarlyExit, IsNotOblivious) {
    auto sorted = count(kSorted), reversed = count(kReversed);
    if (sorted.empty()) GTEST_SKIP() << "a GPU does not count";
    EXPECT_LT(50 * sorted["barriers"], reversed["barriers"]);
}

INSTANTIATE_TEST_SUITE_P(Tasks, EarlyExit,
                         testing::Values(Instance{.task = "odd_even", .variant = "early_exit_int32", .n = 5000}),
                         lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class NetworksData : public testing::TestWithParam<Instance> {};

TEST_P(NetworksData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 2 * kKinds, {0, 1, 3, 3333});
}

INSTANTIATE_TEST_SUITE_P(Tasks, NetworksData, testing::ValuesIn(cases_of_size(0)), lab::testing::name_of_case);

TEST(NetworksOracle, LetsValuesOfEqualKeysChangePlaces) {
    Case c({"bitonic_global", "pairs_int32", 1000, kTwoValues});
    auto out = c.outputs[0].as<std::int32_t>();
    ASSERT_EQ(out[0], out[4]) << "equal keys";
    std::swap(out[1], out[5]);
    EXPECT_TRUE(c.judge().ok());
    std::swap(out[1], out[1999]);
    EXPECT_EQ(c.judge().wrong, 2u) << "a value of the other key";
}

TEST(NetworksOracle, SeesALostValue) {
    Case c({"bitonic_global", "pairs_int32", 1000, kTwoValues});
    c.outputs[0].as<std::int32_t>()[1] = c.outputs[0].as<std::int32_t>()[3];
    EXPECT_EQ(c.judge().wrong, 1u);
}

TEST(NetworksOracle, SeesALostNan) {
    Case c({"bitonic_global", "ascending_float32", 1000, kEnds});
    auto out = c.outputs[0].as<float>();
    ASSERT_TRUE(std::isnan(out[0]) && std::isnan(out[999])) << "NaN at both ends";
    out[999] = INFINITY;
    EXPECT_EQ(c.judge().first, 999);
}

TEST(NetworksOracle, SeesTilesThatAreSortedTogether) {
    Case c({"bitonic_block", "ascending_int32", 2000, kRandom});
    auto out = c.outputs[0].as<std::int32_t>();
    std::sort(out.begin(), out.end());
    EXPECT_FALSE(c.judge().ok());
}

TEST(NetworksData, OrderOfFloatsIsTotal) {
    constexpr float nan = NAN;
    const std::vector<float> sorted = {-nan, -INFINITY, -1, -1e-40f, -0.0f, 0.0f, 1e-40f, 1, INFINITY, nan};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        for (std::size_t j = 0; j < sorted.size(); ++j)
            EXPECT_EQ(Ascending<float>().before(sorted[i], sorted[j]), i < j) << sorted[i] << " " << sorted[j];
        EXPECT_FALSE(Ascending<float>().before(Ascending<float>::last(), sorted[i]));
    }
}

TEST(NetworksData, PaddingIsAmongTheElements) {
    Case ints({"bitonic_global", "descending_int32", 1000, kEnds});
    for (int value : {INT32_MIN, INT32_MAX})
        EXPECT_GT(std::ranges::count(ints.inputs[0].as<std::int32_t>(), value), 100);
    Case longs({"bitonic_registers", "ascending_int64", 1000, kEnds});
    EXPECT_GT(std::ranges::count(longs.inputs[0].as<std::int64_t>(), INT64_MAX), 100);
    Case pairs({"bitonic_global", "pairs_int32", 1000, kEnds});
    EXPECT_GT(std::ranges::count(pairs.inputs[0].as<std::int32_t>(), INT32_MAX), 100);
}

TEST(NetworksData, KeysOf64BitsNeedMoreThan32) {
    for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
        Case c({"bitonic_registers", "ascending_int64", 1000, kind});
        EXPECT_TRUE(std::ranges::any_of(c.inputs[0].as<std::int64_t>(),
                                        [](std::int64_t x) { return x != static_cast<std::int32_t>(x); }))
            << "kind of input " << kind;
    }
}

TEST(NetworksData, KindsOfInputAreWhatTheyAreCalled) {
    auto input = [](std::uint64_t kind) {
        Case c({"bitonic_global", "ascending_int32", 1000, kind});
        auto in = c.inputs[0].as<std::int32_t>();
        return std::vector<std::int32_t>(in.begin(), in.end());
    };
    auto distinct = [&](std::uint64_t kind) {
        auto values = input(kind);
        return std::set<std::int32_t>(values.begin(), values.end()).size();
    };
    EXPECT_TRUE(std::ranges::is_sorted(input(kSorted)));
    EXPECT_TRUE(std::ranges::is_sorted(input(kReversed), std::greater<>()));
    EXPECT_GT(distinct(kRandom), 990u);
    EXPECT_EQ(distinct(3), 1u);
    EXPECT_EQ(distinct(kTwoValues), 2u);
    EXPECT_EQ(distinct(5), 500u) << "organ pipe: up and down";
    EXPECT_EQ(input(5).front(), input(5).back());
    EXPECT_EQ(distinct(6), 9u);
}

// ---- Text files ----

class NetworksFile : public testing::Test {
  protected:
    void put(const std::string& text) const { lab::write_file(path, text); }
    lab::Problem read(const std::string& variant) const {
        return networks_lab().files.read({.task = "bitonic_global", .variant = variant}, path);
    }
    std::string path = testing::TempDir() + "networks_" + std::to_string(getpid()) + ".txt";
    ~NetworksFile() override { std::remove(path.c_str()); }
};

TEST_F(NetworksFile, ComeBackAsTheyWere) {
    for (const auto& [variant, text] : std::map<std::string, std::string>{{"ascending_int32", "3\n-2147483648\n7\n"},
                                                                          {"pairs_int32", "3 1\n2 5\n"},
                                                                          {"ascending_float32", "nan\n0.5\n-inf\n"},
                                                                          {"descending_int32", ""}}) {
        put(text);
        lab::Problem problem = read(variant);
        lab::Shape shape = networks_lab().shape(problem.instance);
        ASSERT_EQ(problem.inputs[0].size(), shape.inputs[0].count * lab::size_of(shape.inputs[0].dtype));
        Array numbers{shape.outputs[0], problem.inputs[0].data()};
        put("something else");
        networks_lab().files.write(problem.instance, {}, {&numbers, 1}, path);
        EXPECT_EQ(lab::read_file(path), text);
    }
}

TEST_F(NetworksFile, MayHaveBlanksAndEmptyLines) {
    put("\n 4\t\r\n\n5 6");
    EXPECT_EQ(read("ascending_int32").instance.n, 3);
    put("4,+5; 6 # and no more");
    EXPECT_EQ(read("ascending_int32").inputs[0], lab::bytes_of(std::vector<std::int32_t>{4, 5, 6}));
    put("1e-99");
    EXPECT_EQ(read("ascending_float32").inputs[0], lab::bytes_of(std::vector<float>{0}));
}

TEST_F(NetworksFile, IsRefusedWithItsLine) {
    auto complaint = [&](const std::string& text, const std::string& variant) -> std::string {
        put(text);
        try {
            read(variant);
        } catch (const lab::FileError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint("1\n\n2.5\n", "ascending_int32").find("line 3"), std::string::npos);
    EXPECT_NE(complaint("1\n2147483648\n", "ascending_int32").find("line 2"), std::string::npos);
    EXPECT_NE(complaint("1 x", "ascending_int32").find("line 1: 'x' is not a whole number"), std::string::npos);
    EXPECT_NE(complaint("1e99", "ascending_float32").find("line 1: '1e99' is too large"), std::string::npos);
    EXPECT_NE(complaint("1 2\n3\n", "pairs_int32").find("key"), std::string::npos);
    EXPECT_EQ(complaint("1\n2147483647\n", "ascending_int32"), "");
}

// Times compare only if the input does not matter.
TEST(NetworksData, SizesThatAreTimedAreRandom) {
    for (std::uint64_t seed = 0; seed < kKinds; ++seed) {
        Case c({"bitonic_block", "ascending_int32", 1 << 18, seed});
        EXPECT_FALSE(std::ranges::is_sorted(c.inputs[0].as<std::int32_t>())) << "seed " << seed;
        EXPECT_EQ(c.shape.bytes, 2.0 * 4 * (1 << 18));
    }
}

}  // namespace
