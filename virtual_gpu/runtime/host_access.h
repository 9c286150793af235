// Device pointers are no host addresses: dereferencing one in host code faults. The handler names the pointer, what
// it belongs to and the host line, and ends the process with status 86.
#pragma once

namespace vgpu::runtime {

constexpr int kHostAccessExit = 86;
// Installs the handler unless it is the current one. Done when the library is loaded, and again at the first call of
// the API, in case the program has installed its own in between (which is then called for faults that are not ours).
void watch_host_accesses();

}  // namespace vgpu::runtime
