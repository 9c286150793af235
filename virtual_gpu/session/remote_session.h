// The session with a device that another process has, at the other end of a socket.
#pragma once

#include <memory>
#include <string>

#include "virtual_gpu/session/session.h"

namespace vgpu {

// nullptr: `why` says so.
std::unique_ptr<Session> connect_session(int socket, std::string& why);

}  // namespace vgpu
