// Lab 9's tests: every task, variant and public size, and what is particular to merge.
#include <algorithm>
#include <map>
#include <set>

#include "harness/lab_test.h"

lab::Lab merge_lab();

namespace {

using lab::Array;
using lab::Instance;
using lab::testing::Case;

class Merge : public lab::testing::LabTest {};

TEST_P(Merge, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Merge, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// All kinds of keys, with lengths of all kinds: an empty side, one element, a tenth.
std::vector<Instance> middle_cases() {
    std::vector<Instance> cases;
    for (const lab::Task& task : merge_lab().tasks) {
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, 6007, 1});
    }
    return cases;
}

class MergeOfAnyInput : public lab::testing::LabTest {};

TEST_P(MergeOfAnyInput, IsRight) {
    for (std::uint64_t seed = 1; seed <= 28; ++seed) {
        Instance call = GetParam();
        call.seed = seed;
        run(call, seed);  // and another order of blocks and warps each time
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, MergeOfAnyInput, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

// Every split of a few elements, so that no seed can miss one.
class MergeOfTwoSides : public lab::testing::LabTest {};

TEST_P(MergeOfTwoSides, EveryLengthOfTheLeftOne) {
    for (std::int64_t left = 0; left <= GetParam().n; ++left) {
        for (std::uint64_t seed : {1, 2, 3}) {  // few different keys, all equal, all of a first
            Instance call = GetParam();
            call.seed = seed;
            call.scalars["left"] = left;
            run(call);
        }
    }
}

std::vector<Instance> small_pairs() {
    std::vector<Instance> cases;
    for (const char* task : {"rank_by_search", "splitters", "merge_path"})
        cases.push_back({task, "pairs_int32", 13, 0});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, MergeOfTwoSides, testing::ValuesIn(small_pairs()), lab::testing::name_of_case);

class MergeOfRuns : public lab::testing::LabTest {};

TEST_P(MergeOfRuns, OfEveryLength) {
    for (std::int64_t run_length : {1, 2, 7, 99, 100, 101, 199, 200, 1 << 26}) {
        Instance call = GetParam();
        call.scalars["run"] = run_length;
        run(call);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, MergeOfRuns,
                         testing::Values(Instance{"one_thread_per_merge", "ascending_int32", 200, 3},
                                         Instance{"one_thread_per_merge", "pairs_int32", 200, 1}),
                         lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class MergeData : public testing::TestWithParam<Instance> {};

TEST_P(MergeData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 28, {0, 1, 2, 1000});
}

INSTANTIATE_TEST_SUITE_P(Tasks, MergeData, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

TEST(MergeOracle, RejectsEqualKeysInAnotherOrder) {
    Case pairs({"merge_path", "pairs_int32", 100, 2});  // all keys are equal
    ASSERT_TRUE(pairs.is_right());
    auto out = pairs.outputs[0].as<std::int32_t>();
    EXPECT_EQ(out[0], out[2]) << "keys";
    std::swap(out[1], out[3]);
    EXPECT_FALSE(pairs.is_right());
}

TEST(MergeOracle, RejectsWhatIsSortedAndNotTheInput) {
    Case keys({"merge_sort", "ascending_int32", 100, 0});
    ASSERT_TRUE(keys.is_right());
    auto out = keys.outputs[0].as<std::int32_t>();
    out[50] = out[49];
    EXPECT_TRUE(std::ranges::is_sorted(out));
    EXPECT_FALSE(keys.is_right());
}

TEST(MergeData, SidesAndRunsAreSortedAndTheWholeIsNot) {
    for (std::uint64_t seed = 0; seed < 56; ++seed) {
        Case sides({"rank_by_search", "descending_int32", 1000, seed});
        for (const Array& side : sides.inputs)
            EXPECT_TRUE(std::ranges::is_sorted(side.as<std::int32_t>(), std::greater<>())) << "seed " << seed;
        Case runs({"one_thread_per_merge", "ascending_int32", 1000, seed});
        auto in = runs.inputs[0].as<std::int32_t>();
        for (std::int64_t i = 1; i < 1000; ++i)
            EXPECT_TRUE(i % runs.call.scalar("run") == 0 || in[i - 1] <= in[i]) << "seed " << seed << " place " << i;
    }
    Case usual({"merge_sort", "ascending_int32", 1000, 0});
    EXPECT_FALSE(std::ranges::is_sorted(usual.inputs[0].as<std::int32_t>()));
}

TEST(MergeData, SeedsReachEveryLength) {
    std::map<std::int64_t, int> left, run;
    for (std::uint64_t seed = 1; seed < 400; ++seed) {
        ++left[merge_lab().complete({"splitters", "pairs_int32", 1000, seed}).scalar("left")];
        ++run[merge_lab().complete({"one_thread_per_merge", "pairs_int32", 1000, seed}).scalar("run")];
    }
    for (std::int64_t length : {0, 1, 100, 500, 999, 1000}) EXPECT_GE(left[length], 10) << "left " << length;
    for (std::int64_t length : {1, 2, 3, 31, 32, 33, 500, 1000, 1 << 26}) EXPECT_GE(run[length], 5) << "run " << length;
}

TEST(MergeData, ValuesOfPairsArePlacesOnlyWithSeed0) {
    for (std::uint64_t seed : {0, 1}) {
        Case c({"merge_sort", "pairs_int32", 1000, seed});
        auto in = c.inputs[0].as<std::int32_t>();
        std::set<std::int32_t> values;
        for (std::int64_t i = 0; i < 1000; ++i) values.insert(in[2 * i + 1]);
        EXPECT_EQ(values.size(), 1000U);
        EXPECT_EQ(in[1] == 0 && in[1999] == 999, seed == 0);
    }
}

TEST(MergeData, KeysMeetTheEndsOfTheirRange) {
    Case longs({"merge_path", "ascending_int64", 1000, 0});
    auto out = longs.outputs[0].as<std::int64_t>();
    EXPECT_TRUE(std::ranges::any_of(out, [](std::int64_t key) { return key > INT32_MAX; })) << "wider than an int";
    for (std::uint64_t seed = 6; seed < 70; seed += 7) {
        Case ends({"merge_sort", "pairs_int32", 1000, seed});
        EXPECT_EQ(ends.outputs[0].as<std::int32_t>()[0], INT32_MIN);
        EXPECT_EQ(ends.outputs[0].as<std::int32_t>()[1998], INT32_MAX) << "what a tile is padded with";
    }
}

// Times compare only if the work is the same, whatever the seed.
TEST(MergeData, SizesThatAreTimedAreCutInHalf) {
    for (std::uint64_t seed = 0; seed < 7; ++seed) {
        EXPECT_EQ(merge_lab().complete({"merge_path", "pairs_int32", 1 << 20, seed}).scalar("left"), 1 << 19);
        EXPECT_EQ(merge_lab().complete({"one_thread_per_merge", "pairs_int32", 1 << 20, seed}).scalar("run"), 32);
    }
}

// ---- Arrays from files ----

template <class T>
Array given(const char* name, std::vector<T>& numbers) {
    return {{name, lab::dtype_of<T>(), numbers.size()}, numbers.data()};
}

std::string refusal(const Instance& call, std::vector<Array> arrays) {
    Instance copy = call;
    try {
        merge_lab().from_arrays(copy, arrays);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "";
}

TEST(MergeFiles, LengthsAreThoseOfTheFiles) {
    std::vector<std::int32_t> a = {1, 4, 4}, b = {2};
    Instance call{"merge_path", "ascending_int32"};
    merge_lab().from_arrays(call, std::vector<Array>{given("a.npy", a), given("b.npy", b)});
    EXPECT_EQ(call.n, 4);
    EXPECT_EQ(call.scalar("left"), 3);

    Instance pairs{"merge_sort", "pairs_int32"};
    std::vector<std::int32_t> two = {5, 0, 3, 1};
    merge_lab().from_arrays(pairs, std::vector<Array>{given("p.npy", two)});
    EXPECT_EQ(pairs.n, 2);
}

TEST(MergeFiles, WhatIsNotInOrderIsRefused) {
    std::vector<std::int32_t> sorted = {1, 4, 9, 9}, not_sorted = {1, 9, 4, 4}, three = {1, 2, 3};
    std::vector<float> nan = {1, __builtin_nanf("")};
    Array good = given("a.npy", sorted), bad = given("b.npy", not_sorted);
    const Instance path{"merge_path", "ascending_int32"};
    EXPECT_EQ(refusal(path, {good, good}), "");
    EXPECT_EQ(refusal(path, {good, bad}), "b.npy is not sorted: element 2 comes before the one in front of it");
    EXPECT_EQ(refusal(path, {good}), "task merge_path merges two files: --input A --input B");
    EXPECT_EQ(refusal({"merge_path", "ascending_int32", 0, 0, {{"left", 3}}}, {good, good}),
              "--left: a.npy has 4 elements");
    EXPECT_EQ(refusal({"merge_sort", "ascending_int32"}, {bad}), "");
    EXPECT_EQ(refusal({"one_thread_per_merge", "ascending_int32", 0, 0, {{"run", 2}}}, {bad}), "");
    EXPECT_NE(refusal({"one_thread_per_merge", "ascending_int32"}, {bad}), "") << "one run of 32";
    EXPECT_EQ(refusal({"merge_sort", "ascending_float32"}, {given("f.npy", nan)}),
              "f.npy has a NaN, which has no place in an order");
    EXPECT_EQ(refusal({"merge_sort", "pairs_int32"}, {given("p.npy", three)}),
              "p.npy has 3 numbers, which do not make pairs of key and value");
}

}  // namespace
