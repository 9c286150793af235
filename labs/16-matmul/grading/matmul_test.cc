// Lab 16's tests: every task at every public size, and the oracle on its own.
#include "harness/lab_test.h"

namespace {

class EveryTask : public lab::testing::LabTest {};

TEST_P(EveryTask, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// FILL IN: what the public sizes do not show, such as values at the edges.
TEST(Oracle, DoublesNegativeNumbersToo) {
    int values[] = {-3, 0, 5};
    lab::Array in{{"d_in", lab::DType::i32, 3}, values};
    const std::vector<lab::Expected> right = lab::testing::expect({"naive", "", 3, 0}, {&in, 1});
    ASSERT_EQ(right.size(), 1U);
    EXPECT_EQ(right[0].exact, (std::vector<std::uint64_t>{static_cast<std::uint64_t>(-6), 0, 10}));
}

}  // namespace
