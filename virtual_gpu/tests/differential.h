// The differential test: generated kernels and inputs whose results a GPU and the interpreter must agree on to the bit.
// tools/measure_differential.cc runs them on a GPU and writes data/differential_h200.txt, which differential_test.cc
// replays; data/differential_h100.txt has those of tensor cores. Everything is made from seeds; a kernel's results
// depend on no order of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec_instruction_cases.h"

namespace vgpu::differential {

constexpr int kRows = 64;        // threads, at most
constexpr int kSlots = 24;       // results of a thread, at most, 64 bits each
constexpr int kMaxInputs = 10;   // words that a thread reads, at most
constexpr int kInputSets = 4;    // inputs that each kernel runs with
constexpr int kScratch = 16384;  // bytes of global memory that a kernel may use, in whatever state the inputs leave

// Its parameters: inputs (u64[kMaxInputs][kRows]), results (u64[kSlots][kRows], zeros at first), scratch.
struct Kernel {
    std::string name;
    std::string text;                // PTX without the module's header, or the source that nvcc got
    std::vector<std::string> types;  // of the inputs
    int slots = 0;
    int blocks = 1, threads = kRows;
    bool takes_struct = false;  // a fourth parameter: the first 64 bytes of its scratch memory
};

using Words = std::vector<std::uint64_t>;

// Kernels that are assembled together.
struct Module {
    std::string name, text;
    std::vector<Kernel> kernels;
};

// VGPU_DIFFERENTIAL_SEED: other kernels and inputs of the same names than those of the fixture; 0 if it is not set.
std::uint64_t other_seed();

std::vector<Kernel> straight_kernels();
std::vector<Kernel> control_kernels();
std::vector<Kernel> warp_kernels();
std::vector<Kernel> atomic_kernels();
std::vector<Kernel> memory_kernels();
std::vector<Kernel> matrix_kernels();
std::vector<Module> modules_of(const std::string& name, std::vector<Kernel>);
// PTX/NAME.ptx, which nvcc made of KERNELS/NAME.cu. Its kernels have one shape and ten inputs.
Module compiled(const std::string& ptx_folder, const std::string& kernel_folder, const std::string& name);
// All of them: "straight", "control", ... and each file of compiled ones.
std::vector<Module> all_modules(const std::string& ptx_folder, const std::string& kernel_folder);

Words inputs_of(const Kernel&, int set);
std::vector<std::uint8_t> scratch_of(const Kernel&, int set);

// What a fixture keeps of the results of a kernel with one input set: a hash, and check sums that tell where the first
// difference is.
struct Record {
    std::uint64_t hash = 0;
    std::vector<std::uint8_t> slots;  // 8 bits a slot
    std::vector<std::uint8_t> rows;   // 2 bits a row, four in a byte
    bool operator==(const Record&) const = default;
};
Record record_of(const Kernel&, const Words& results);
// "slot 3, thread 17": where the first slot differs, and the first row.
std::string first_difference(const Record& want, const Record& got, std::size_t& row);
std::string encode(const Record&);
bool decode(const std::string& text, int slots, Record& out);
std::string hash_of_text(const std::string&);

}  // namespace vgpu::differential
