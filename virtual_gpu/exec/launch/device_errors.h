// Errors of the device runtime, with CUDA's numbers.
#pragma once

namespace vgpu {

enum class DeviceError : int {
    none = 0,
    invalid_value = 1,
    memory_allocation = 2,
    invalid_configuration = 9,
    launch_max_depth_exceeded = 65,
    launch_pending_count_exceeded = 69,
    invalid_device_function = 98,
    invalid_device = 101,
    invalid_resource_handle = 400,
    launch_out_of_resources = 701
};

}  // namespace vgpu
