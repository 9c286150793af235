// Runs a launch: its grid, and those that are launched by it.
#pragma once

#include <atomic>
#include <string>

#include "virtual_gpu/exec/device_errors.h"
#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/exec/machine.h"

namespace vgpu {

struct LaunchContext {
    Memory& memory;
    const ExecOptions& options;
    const std::atomic<bool>& stop_requested;
    const Module& module;
    GlobalRaces& global_races;
};

void run_grids(const LaunchContext&, const Function& kernel, const Launch&, LaunchResult&, GridObserver*);

// Why a kernel cannot be launched so, whoever asks; Status::ok: it can.
struct Refusal {
    Status status = Status::ok;
    DeviceError error = DeviceError::none;  // as a kernel gets it
    std::string why;
};
Refusal refusal(const ExecOptions&, const Module&, const Function& kernel, const Launch&, std::uint32_t most_shared);

}  // namespace vgpu
