// The error state of the CUDA runtime, free of CUDA's own header: the last error of each host thread, the sticky
// error of the device, and the failed calls that nobody has looked at yet.
#pragma once

#include <string>
#include <vector>

namespace vgpu::runtime {

inline constexpr const char* kLaunchName = "a kernel launch";  // name of a call that came by <<<>>>

struct FailedCall {
    std::string name;          // "cudaMemcpy"
    int code = 0;              // cudaError_t
    std::vector<void*> stack;  // return addresses, innermost first
    bool went_on = false;      // the program made another call that does work, without looking
};

// Remembers a failed call; code 0 is ignored. Returns the code.
int set_last_error(const char* call, int code);
// The last error of this thread: `clear` as cudaGetLastError does. Both count as having looked.
int last_error(bool clear);
// The program does more work although the last failed call was never looked at.
void work_goes_on();
std::vector<FailedCall> take_ignored();
void forget_errors();  // of every thread

void set_sticky_error(int code);
int sticky_error();

const char* error_name(int code);
const char* error_text(int code);

}  // namespace vgpu::runtime
