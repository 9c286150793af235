// What the device process and a runner send each other over a socket: a JSON text, and the bytes of arrays in host
// memory after it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab {

struct Message {
    std::string text;
    std::vector<std::byte> bytes;
};

constexpr std::size_t kLongestText = 1 << 16;

// False: the other end is gone.
bool send_message(int socket, const Message&);
// Looks for what comes without sleeping, for a while: waking up would take longer than many a task on a GPU.
void await_message(int socket);
// Nothing: the other end is gone, or what it sends is longer than the text above and `most_bytes`.
std::optional<Message> receive_message(int socket, std::size_t most_bytes);

}  // namespace lab
