// Refuses PTX that the PTX compiler would refuse, for reasons that matter to whoever executes it: PTX is a submission's
// own text, and nobody has compiled it. Everything that nvcc writes passes. After this, the decoder relies on what is
// checked here; what it does not implement is still an error only where it is reached.
//
// calls       of functions, not of kernels, with the parameters that they declare; through pointers, with a prototype
// spaces      a variable is accessed in its own space; parameters are not written; no file-scope local memory
// sizes       parameters of a kernel, constant memory; vectors; operands and registers of an instruction's type
// alignment   a power of two; at most 128 of a parameter; of arguments that of the parameter
// versions    what .version and .target do not have yet
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

struct VerifyOptions {
    bool device_launches = true;  // kernels may launch kernels: the program is linked with CUDA's device runtime
    int capability = 0;           // of the device, 75 for 7.5; 0: any
};

// What is wrong, and where. Internal to this folder and its caller.
struct Refused : std::runtime_error {
    Refused(const std::string& rule, int at) : std::runtime_error(rule), line(at) {}
    int line;
};

// One text, as it was parsed. Throws Refused.
void verify(const Program&, const VerifyOptions&);
// The texts of a module, linked: what calls and variables in one of them mean in another. Throws Refused.
void verify_linked(const Program&, const VerifyOptions&);

// In operands.cc, features.cc.
void verify_operands(const Function&, const Instruction&);
void verify_features(const Program&, const Instruction&);
int capability_of(std::string_view target);  // 90 for "sm_90a"; 0: no target that this knows

}  // namespace vgpu::ptx
