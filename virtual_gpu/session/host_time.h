// The processor time of a program in another process, which its own word decides nothing about.
#pragma once

#include <cstddef>
#include <ctime>
#include <string>

namespace vgpu {

class HostTime {
  public:
    HostTime() = default;
    HostTime(const HostTime&) = delete;
    HostTime& operator=(const HostTime&) = delete;

    // How the process is seen from here: "pid:1234", if it has a number here; "files:7,8", descriptors of its
    // /proc/PID/schedstat and /proc/PID/stat, if it is in a cage of its own; "": not at all, and no time is counted.
    // False: it is none of these.
    bool watch(const std::string& process);

    // From now on; `bytes` of arrays reach the program or leave it besides, which is no work of its own.
    void begin(std::size_t bytes);
    // The same of a copy's data.
    void moved(std::size_t bytes);
    // Seconds since begin() or the last time. Of a process that is seen by its files, those of its first thread.
    double take();
    // The seconds of its other threads since begin(), as far as take() does not know them: to 20 ms.
    double take_of_threads();

  private:
    double of_first() const;  // or of the whole process, if that is known
    double of_whole() const;

    bool has_clock_ = false;
    clockid_t clock_{};
    int first_file_ = -1, whole_file_ = -1;
    double last_ = 0, threads_last_ = 0;
    double allowed_ = 0;  // not yet used up
};

}  // namespace vgpu
