// The error state of the CUDA runtime, free of CUDA's own header: the last error of each host thread. The session keeps
// the failed calls that nobody has looked at yet, and the failure of a kernel.
#pragma once

namespace vgpu::runtime {

// Remembers a failed call; code 0 is ignored. Returns the code.
int set_last_error(const char* call, int code);
// The last error of this thread: `clear` as cudaGetLastError does. Both count as having looked.
int last_error(bool clear);
void forget_errors();  // of every thread

}  // namespace vgpu::runtime
