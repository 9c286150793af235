// What the files of lab 7's cases share. Trusted; host C++; also in the runner, for --n without --input.
//     cases.cc          the table of tasks
//     choose.cc         which matrix a call gets: kind, rows, columns
//     inputs.cc         the arrays of a call, from the seed
//     matrix_files.cc   the arrays of a call, from files; results into files
//     matrices.cc       where generated matrices have their nonzeros
//     matrix_market.cc  the file format
//     plain_cpu.cc      plain CPU versions, for --cpu
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"
#include "grading/random.h"
#include "matrices.h"

namespace spmv {

using lab::Array;
using lab::Instance;

constexpr std::int64_t kMost = std::int64_t{1} << 28;  // rows, columns, nonzeros; as in spmv.h

// The grader repeats a call of this size under other schedules, and the results must have the same bits. So inputs of
// this size have long rows and values whose sums are rounded: then another order of additions changes the bits.
constexpr std::int64_t kRepeatedN = 65'537;
// At this size, column numbers need more than 16 bits, and so do row numbers unless all rows have equal lengths.
constexpr std::int64_t kWideN = 20'000;
// At this size there is one row, and its length needs more than 16 bits.
constexpr std::int64_t kOneRowN = 66'000;

// What a task does with its matrix; five tasks multiply it by a vector.
enum class Work { multiply, from_dense, from_coo, pagerank };

enum class Vector : std::int64_t { random, ones, index };
inline const std::vector<std::string> kVectorNames = {"random", "ones", "index"};

Work work_of(const Instance& call);

// Is the result a matrix, not a vector?
inline bool builds_matrix(const Instance& call) {
    return work_of(call) == Work::from_dense || work_of(call) == Work::from_coo;
}

inline Kind kind_of(const Instance& call) { return static_cast<Kind>(call.scalar("matrix")); }

// Is the input an ordinary one? It is if the user names no seed, and for sizes that are timed, so that times of
// different seeds can be compared.
bool is_usual(const Instance& call);

// Random numbers for sizes and row lengths. They are the same for all usual inputs: the seed decides their order, the
// columns and the values.
lab::Random structure_random(const Instance& call, const char* stream);

// choose.cc
void choose(Instance& call);
Pattern pattern_of(const Instance& call);  // of the matrix that the call's scalars describe

// inputs.cc
lab::Shape shape(const Instance& call);
void generate(const Instance& call, std::span<const Array> inputs);
void generate_vector(const Instance& call, std::span<float> x);

// matrix_files.cc
lab::Problem read_matrix(const Instance& asked, const std::string& path);
void write_result(const Instance& call, std::span<const Array> inputs, std::span<const Array> outputs,
                  const std::string& path);
void from_arrays(Instance& call, std::span<const Array> given);

}  // namespace spmv
