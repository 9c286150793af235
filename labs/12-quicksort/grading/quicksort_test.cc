// Lab 12's tests: every task, variant and public size, and what is particular to a quicksort.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "grading/files.h"
#include "harness/control.h"
#include "harness/lab_test.h"

lab::Lab quicksort_lab();

namespace {

using lab::Array;
using lab::Instance;
using lab::testing::Case;

class Quicksort : public lab::testing::LabTest {};

TEST_P(Quicksort, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Quicksort, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

std::vector<Instance> cases_of_size(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : quicksort_lab().tasks)
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, n, seed});
    return cases;
}

constexpr std::int64_t kKindsOfKeys = 8;

// Sorted, reversed, all equal, two values, an organ pipe, ...; and in another order of blocks and warps each time.
class QuicksortOfAnyKeys : public lab::testing::LabTest {};

TEST_P(QuicksortOfAnyKeys, IsRight) {
    for (std::int64_t keys = 0; keys < kKindsOfKeys; ++keys) {
        Instance call = GetParam();
        call.scalars["keys"] = keys;
        run(call, static_cast<std::uint64_t>(keys));
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, QuicksortOfAnyKeys, testing::ValuesIn(cases_of_size(9001, 1)),
                         lab::testing::name_of_case);

// 2^20 keys on a GPU, where a quadratic time would show. On the virtual GPU there are fewer keys.
class QuicksortOfManyKeys : public lab::testing::LabTest {};

TEST_P(QuicksortOfManyKeys, IsNotQuadratic) {
    Instance call = GetParam();
    if (lab::control::is_virtual())
        call.n = call.task == "one_thread" || call.task == "segmented_scan" ? 20'000 : 1 << 17;
    for (std::int64_t keys = 1; keys <= 5; ++keys) {
        call.scalars["keys"] = keys;
        run(call);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, QuicksortOfManyKeys, testing::ValuesIn(cases_of_size(1 << 20, 1)),
                         lab::testing::name_of_case);

// Buckets that are too large for shared memory are partitioned once more.
class QuicksortInTwoRounds : public lab::testing::LabTest {};

TEST_P(QuicksortInTwoRounds, IsRight) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, QuicksortInTwoRounds,
                         testing::Values(Instance{"sample_partition", "int32", 600'000, 0},
                                         Instance{"sample_partition", "pairs_int32", 400'003, 0}),
                         lab::testing::name_of_case);

// Ranges whose launch is not allowed, or fails, are sorted all the same.
class QuicksortWithLimits : public lab::testing::LabTest {};

TEST_P(QuicksortWithLimits, LosesNothing) {
    for (std::int64_t depth : {0, 1, 2, 3, 7, 20}) {
        for (std::int64_t pending : {1, 2, 5, 2048}) {
            Instance call = GetParam();
            call.scalars = {{"depth", depth}, {"pending", pending}};
            run(call, static_cast<std::uint64_t>(10 * depth + pending));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, QuicksortWithLimits,
                         testing::Values(Instance{"one_thread", "int32", 2000, 0},
                                         Instance{"block_partition", "int32", 20'000, 0}),
                         lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class QuicksortData : public testing::TestWithParam<Instance> {};

TEST_P(QuicksortData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 16, {0, 1, 2, 1000, 2001, 20'001});
}

INSTANTIATE_TEST_SUITE_P(Tasks, QuicksortData, testing::ValuesIn(cases_of_size(0, 0)), lab::testing::name_of_case);

TEST(QuicksortOracle, WantsAPermutationInOrder) {
    Case keys({"one_thread", "int32", 1000, 0});
    ASSERT_TRUE(keys.is_right());
    auto out = keys.outputs[0].as<std::int32_t>();
    const std::int32_t tenth = out[10];
    out[10] = out[11];
    EXPECT_TRUE(std::ranges::is_sorted(out));
    EXPECT_FALSE(keys.is_right()) << "in order, but one key twice and one not at all";
    out[11] = tenth;
    EXPECT_FALSE(keys.is_right()) << "a permutation out of order";
}

TEST(QuicksortOracle, ValuesStayWithTheirKeysInAnyOrder) {
    Case pairs({"sample_partition", "pairs_int32", 1000, 0, {{"keys", 3}}});  // two different keys
    ASSERT_TRUE(pairs.is_right());
    auto out = pairs.outputs[0].as<std::int32_t>();
    ASSERT_EQ(out[0], out[20]);
    std::swap(out[1], out[21]);
    EXPECT_TRUE(pairs.is_right()) << "values of equal keys";
    ASSERT_NE(out[0], out[1998]);
    std::swap(out[1], out[1999]);
    EXPECT_FALSE(pairs.is_right()) << "values of other keys";
    std::swap(out[1], out[1999]);
    out[1] = out[21];
    EXPECT_FALSE(pairs.is_right()) << "a value twice";
}

TEST(QuicksortData, KeysAreOfTheirKind) {
    auto keys = [](std::int64_t kind, std::int64_t n) {
        Case c({"segmented_scan", "int32", n, 3, {{"keys", kind}}});
        auto in = c.inputs[0].as<std::int32_t>();
        return std::vector<std::int32_t>(in.begin(), in.end());
    };
    EXPECT_EQ(keys(1, 7), (std::vector<std::int32_t>{0, 1, 2, 3, 2, 1, 0}));
    EXPECT_EQ(keys(1, 6), (std::vector<std::int32_t>{0, 1, 2, 2, 1, 0}));
    EXPECT_EQ(keys(4, 5), (std::vector<std::int32_t>{-2, -1, 0, 1, 2}));
    EXPECT_EQ(keys(5, 5), (std::vector<std::int32_t>{2, 1, 0, -1, -2}));
    const std::map<std::int64_t, std::size_t> different = {{2, 1}, {3, 2}, {6, 9}, {7, 6}};
    for (const auto& [kind, count] : different) {
        const auto some = keys(kind, 1000);
        EXPECT_EQ(std::set<std::int32_t>(some.begin(), some.end()).size(), count) << "kind " << kind;
    }
    EXPECT_EQ(std::ranges::max(keys(7, 1000)), INT32_MAX);
    EXPECT_EQ(std::ranges::min(keys(7, 1000)), INT32_MIN);
}

TEST(QuicksortData, PublicSizesHaveAllKindsAndSeedsAllLimits) {
    std::set<std::int64_t> kinds, depths, pending;
    for (const std::int64_t n : quicksort_lab().tasks[0].sizes) {
        if (n >= 2000) kinds.insert(quicksort_lab().complete({"one_thread", "int32", n, 5}).scalar("keys"));
    }
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kKindsOfKeys));
    for (std::uint64_t seed = 1; seed < 100; ++seed) {
        const auto n = static_cast<std::int64_t>(20'000 + seed);
        const Instance call = quicksort_lab().complete({"block_partition", "int32", n, seed});
        depths.insert(call.scalar("depth"));
        pending.insert(call.scalar("pending"));
        EXPECT_GE(quicksort_lab().complete({"one_thread", "int32", 65'537, seed}).scalar("depth"), 3);
    }
    EXPECT_EQ(depths, (std::set<std::int64_t>{0, 1, 2, 5, 16, 20}));
    EXPECT_EQ(pending, (std::set<std::int64_t>{1, 2, 8, 2048}));
}

// Times compare only if the work is the same, whatever the seed.
TEST(QuicksortData, SizesThatAreTimedAreRandomKeysAndUsualLimits) {
    for (const lab::Task& task : quicksort_lab().tasks) {
        for (std::uint64_t seed = 1; seed < 8; ++seed) {
            const Instance call = quicksort_lab().complete({task.name, task.variants[0], task.timed_n, seed});
            EXPECT_EQ(call.scalar("keys"), 0);
            if (!call.scalars.contains("depth")) continue;
            EXPECT_EQ(call.scalar("depth"), 16);
            EXPECT_EQ(call.scalar("pending"), 2048);
        }
    }
}

// ---- Numbers from files ----

class QuicksortFiles : public testing::Test {
  protected:
    lab::Problem read(const std::string& text, const char* variant = "int32") {
        lab::write_file(path, text);
        return quicksort_lab().files.read({"sample_partition", variant}, path);
    }
    std::string refusal(const std::string& text, const char* variant = "int32") {
        try {
            read(text, variant);
        } catch (const lab::FileError& error) {
            return std::string(error.what()).substr(path.size() + 2);
        }
        return "";
    }
    void TearDown() override { std::filesystem::remove(path); }
    std::string path = (std::filesystem::temp_directory_path() / "quicksort_test.txt").string();
};

TEST_F(QuicksortFiles, WholeNumbersWithAnythingBetweenThem) {
    const lab::Problem problem = read("3, -1\n\n+7;\t2147483647\r\n-2147483648");
    EXPECT_EQ(problem.instance.n, 5);
    const std::vector<std::int32_t> numbers = {3, -1, 7, INT32_MAX, INT32_MIN};
    EXPECT_EQ(problem.inputs[0], lab::bytes_of(numbers));
    EXPECT_EQ(read("").instance.n, 0);
    EXPECT_EQ(read("5 1 3 0\n", "pairs_int32").instance.n, 2);
    EXPECT_EQ(read("-9223372036854775808", "int64").inputs[0], lab::bytes_of(std::vector<std::int64_t>{INT64_MIN}));
}

TEST_F(QuicksortFiles, WhatIsNoNumberIsRefusedWithItsLine) {
    EXPECT_EQ(refusal("1\n2\nthree\n"), "line 3: 'three' is not a whole number");
    EXPECT_EQ(refusal("1.5"), "line 1: '1.5' is not a whole number");
    EXPECT_EQ(refusal("+-5"), "line 1: '+-5' is not a whole number");
    EXPECT_EQ(refusal("7\n2147483648"),
              "line 2: '2147483648' is too large for int32; --task sample_partition --variant int64 has room");
    EXPECT_EQ(refusal("9223372036854775808", "int64"), "line 1: '9223372036854775808' is too large for int64");
    EXPECT_EQ(refusal("1 2 3", "pairs_int32"), "3 numbers, which do not make pairs of key and value");
}

TEST_F(QuicksortFiles, WrittenOneOnALine) {
    Case keys({"one_thread", "int32", 3, 0, {{"keys", 5}}});
    quicksort_lab().files.write(keys.call, keys.inputs, keys.outputs, path);
    EXPECT_EQ(lab::read_file(path), "-1\n0\n1\n");
    Case pairs({"sample_partition", "pairs_int32", 2, 0, {{"keys", 5}}});
    quicksort_lab().files.write(pairs.call, pairs.inputs, pairs.outputs, path);
    EXPECT_EQ(lab::read_file(path), "0 1\n1 0\n");
}

TEST(QuicksortArrays, PairsAreTwoNumbersEach) {
    std::vector<std::int32_t> three = {1, 2, 3};
    const std::vector<Array> given = {{{"p.npy", lab::DType::i32, 3}, three.data()}};
    Instance call{"sample_partition", "pairs_int32"};
    EXPECT_THROW(quicksort_lab().from_arrays(call, given), std::invalid_argument);
    call.variant = "int32";
    quicksort_lab().from_arrays(call, given);
    EXPECT_EQ(call.n, 3);
}

}  // namespace
