// Device pointers are no host addresses: dereferencing one in host code faults. The handler names the pointer, what
// it belongs to and the host line, and ends the process with status 86.
#pragma once

namespace vgpu::runtime {

constexpr int kHostAccessExit = 86;
void watch_host_accesses();  // installs the handler once

}  // namespace vgpu::runtime
