// The other end of a RemoteSession: a program that is not trusted asks, this process has the device.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "virtual_gpu/session/call_state.h"
#include "virtual_gpu/session/host_time.h"
#include "virtual_gpu/session/local_session.h"

namespace vgpu {

// The program's executable, from which device code is taken; what the running process has in memory does not count.
class ProgramFile {
  public:
    ProgramFile() = default;
    ProgramFile(const ProgramFile&) = delete;
    ProgramFile& operator=(const ProgramFile&) = delete;
    ~ProgramFile();
    bool open(const std::string& path);
    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::span<const std::byte> bytes_;
};

// The program that asks, and what is known of it. Whoever has the device moves the state; see CallState.
struct Guest {
    ProgramFile program;
    HostTime time;
    CallState state = CallState::starting;
    bool counts = false;  // its processor time
    std::string refusal;  // of its last question: a sentence, and where in the program it was asked, or ""
    SourcePlace refused_at;
};

enum class Served : std::uint8_t {
    answered,
    gone,    // the other end
    refused  // no question, or one that has no business in this state: it was told so, and nothing more is to be read
};

// Answers one question.
Served serve_one(LocalSession&, Guest&, int socket);
// The guest's call enters another state. Its processor time counts while it runs, and while `bytes` of its arrays
// travel to it or back.
void enter(LocalSession&, Guest&, CallState, std::size_t bytes);

}  // namespace vgpu
