// Lab 17's tests: every task at every public size, and what is particular to maps.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "grading/files.h"
#include "harness/lab_test.h"

lab::Lab pairs_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Pairs : public lab::testing::LabTest {};

TEST_P(Pairs, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Pairs, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

class PairsInAnyOrder : public lab::testing::LabTest {};

TEST_P(PairsInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

std::vector<Instance> cases_of(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : pairs_lab().tasks) cases.push_back({task.name, "", n, seed});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, PairsInAnyOrder, testing::ValuesIn(cases_of(700, 1)), lab::testing::name_of_case);

TEST_F(Pairs, IsRightOnEveryKindOfMap) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        for (const Instance& one : cases_of(300, seed)) run(one);
}

// ---- Inputs and answers, without a device ----

TEST(PairsData, PlainCpuVersionAgreesWithTheOracle) {
    for (const std::int64_t n : {0, 1, 2, 31, 1'000, 3'000})
        for (std::uint64_t seed = 0; seed < 13; ++seed)
            for (const Instance& one : cases_of(n, seed))
                EXPECT_EQ(Case(one).wrong(), "") << testing::PrintToString(one);
}

}  // namespace
