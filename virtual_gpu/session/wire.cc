#include "virtual_gpu/session/wire.h"

#include <sys/socket.h>

#include <cerrno>

namespace vgpu::wire {

bool send_all(int socket, const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        bytes -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
    auto* at = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t got = recv(socket, at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace vgpu::wire
