// Modelled time of a kernel: the largest of what each part of the device needs for it, and of the chain of latencies
// that no part can shorten. Its use is to rank versions; coefficients are in the profile.
#pragma once

#include <string>
#include <vector>

#include "virtual_gpu/exec/launch_result.h"
#include "virtual_gpu/timing/occupancy.h"
#include "virtual_gpu/timing/profile.h"
#include "virtual_gpu/timing/work.h"

namespace vgpu {

struct Term {
    const char* name;  // "dram", "l2", "issue", "shared", "lsu", "f64", "sfu", "atomics", "latency"
    double seconds;
};

struct ModelledTime {
    double seconds = 0;
    std::string limited_by;
    std::vector<Term> terms;
    Demand work;  // of the whole device; never more than `seconds` of a part
};

Latencies latencies_of(const DeviceProperties&);
ModelledTime model(const DeviceProperties&, const BlockNeeds&, const LaunchResult&);

}  // namespace vgpu
