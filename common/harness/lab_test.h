// GoogleTest over the table of tasks. A NAME_test.cc needs no more than:
//
//     class Scan : public lab::testing::LabTest {};
//     TEST_P(Scan, GivesWhatTheOracleExpects) { run(GetParam()); }
//     INSTANTIATE_TEST_SUITE_P(Tasks, Scan, testing::ValuesIn(lab::testing::public_cases()),
//     lab::testing::name_of_case);
//
// and tests of what is special about the lab. The program runs on a GPU if there is one, else on the virtual GPU
// (CUDA_LABS_DEVICE=virtual asks for it), where every finding of its checks is a failure, too.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "grading/compare.h"
#include "grading/problem.h"

namespace lab::testing {

// Every task, every variant, every public size.
std::vector<Instance> public_cases();

// Every variant of one task at the sizes given.
std::vector<Instance> cases_of(const std::string& task, std::span<const std::int64_t> sizes);

// "block_sums_max_int32_1025", as GoogleTest wants names.
std::string name_of_case(const ::testing::TestParamInfo<Instance>&);

// The answers of this lab.
std::vector<Expected> expect(const Instance&, std::span<const Array> inputs);

// The results of a call, for tests that look closer.
struct Outcome {
    Shape shape;
    std::vector<std::vector<std::byte>> inputs, outputs;
    std::string report;  // the virtual GPU's findings and counters, JSON (virtual_gpu/README.md); "" on a GPU
    template <class T>
    std::span<const T> output(std::size_t i = 0) const {
        return {reinterpret_cast<const T*>(outputs[i].data()), shape.outputs[i].count};
    }
    template <class T>
    std::span<const T> input(std::size_t i = 0) const {
        return {reinterpret_cast<const T*>(inputs[i].data()), shape.inputs[i].count};
    }
};

// A call in host memory, without a device: its inputs, what the plain CPU version makes of them, and the right answers.
struct Case {
    explicit Case(const Instance& asked);
    Case(Case&&) = default;
    void answer();                              // anew, after the inputs were changed
    Comparison judge(std::size_t i = 0) const;  // output i, changed or not
    bool is_right() const;                      // all of them
    std::string wrong() const;                  // "", or what is wrong with the first that is not right

    Instance call;
    Shape shape;
    std::vector<std::vector<std::byte>> in_bytes, out_bytes;
    std::vector<Array> inputs, outputs;
    std::vector<Expected> expected;
};

// The plain CPU version gives what the oracle expects, at each of these sizes with the seeds below `seeds`.
void expect_cpu_is_right(Instance call, std::uint64_t seeds, const std::vector<std::int64_t>& sizes);

class LabTest : public ::testing::TestWithParam<Instance> {
  protected:
    // Completes the case's scalars, generates its inputs, calls the task, and adds a failure for everything that is
    // wrong: not started, CUDA error, wrong value, changed input, finding of the virtual GPU. `schedule`
    // seeds the virtual GPU's order of warps and blocks.
    Outcome run(const Instance&, std::uint64_t schedule = 0);
};

}  // namespace lab::testing

namespace lab {
void PrintTo(const Instance&, std::ostream*);  // for GoogleTest's messages
}
