#include "harness/message.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>

namespace lab {
namespace {

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

}  // namespace

bool send_message(int socket, const Message& message) {
    const std::uint64_t sizes[2] = {message.text.size(), message.bytes.size()};
    return send_all(socket, sizes, sizeof sizes) && send_all(socket, message.text.data(), message.text.size()) &&
           send_all(socket, message.bytes.data(), message.bytes.size());
}

void await_message(int socket) {
    constexpr std::chrono::milliseconds kAwake(20);
    const auto end = std::chrono::steady_clock::now() + kAwake;
    char first = 0;
    while (recv(socket, &first, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && std::chrono::steady_clock::now() < end) {
    }
}

std::optional<Message> receive_message(int socket, std::size_t most_bytes) {
    std::uint64_t sizes[2];
    if (!receive_all(socket, sizes, sizeof sizes) || sizes[0] > kLongestText || sizes[1] > most_bytes) return {};
    Message message{std::string(sizes[0], '\0'), std::vector<std::byte>(sizes[1])};
    if (!receive_all(socket, message.text.data(), sizes[0]) || !receive_all(socket, message.bytes.data(), sizes[1]))
        return {};
    return message;
}

}  // namespace lab
