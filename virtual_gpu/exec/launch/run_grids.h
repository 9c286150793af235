// Runs a launch: its grid, and those that are launched by it.
#pragma once

#include <string>

#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/exec/launch/device_errors.h"
#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

void run_grids(const LaunchContext&, const Function& kernel, const Launch&, LaunchResult&, GridObserver*);

void run_copy(Run&, GlobalConflictSink&);  // of run.grid

// Why this launch is refused, whether the host or a kernel asks for it. Status::ok: it is not refused.
struct Refusal {
    Status status = Status::ok;
    DeviceError error = DeviceError::none;  // as a kernel gets it
    std::string why;
};
Refusal refusal(const ExecOptions&, const Module&, const Function& kernel, const Launch&, std::uint32_t most_shared);

}  // namespace vgpu
