// The other end of a RemoteSession: a program that is not trusted asks, this process has the device.
#pragma once

#include <cstddef>
#include <span>
#include <string>

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

// Answers one question. False: the other end is gone, or what it sends is no question; nothing more is to be read.
bool serve_one(LocalSession&, const ProgramFile&, int socket);

}  // namespace vgpu
