// Lab 14's tests: every task at every public size, and the oracle on its own.
#include "harness/lab_test.h"

namespace {

class EveryTask : public lab::testing::LabTest {};

TEST_P(EveryTask, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

}  // namespace
