// The device process: holds the arrays, the clock and, without a GPU, the virtual GPU of one task; the grader trusts
// what it says. A runner, which holds the student's code, is at the other end of its sockets.
#include <exception>
#include <iostream>
#include <string>

#include "device/peer.h"
#include "device/serve.h"
#include "harness/control.h"
#include "harness/device_choice.h"

namespace {

constexpr const char* kUsage =
    "usage: device COMMANDS REPLIES MEMORY CALLS SESSION PROGRAM DEVICE PROCESS\n"
    "  three descriptors of the grader; two sockets of the runner (SESSION -1: on a GPU); its executable; a device as "
    "a "
    "lab's\n"
    "  --device takes it, or \"\"; on the virtual GPU how the runner's processor time is seen: pid:N, files:F,G or "
    "\"\"\n";

}  // namespace

int main(int argc, char** argv) {
    if (argc != 9) {
        std::cerr << kUsage;
        return 2;
    }
    try {
        const std::string program = argv[6], device = argv[7];
        const int session = std::stoi(argv[5]);
        if (const std::string reason = lab::choose_device(device, argv); !reason.empty()) {
            std::cerr << "device: " << reason << "\n";
            return 2;
        }
        if (lab::control::is_virtual() && !lab::control::serves(program, argv[8])) {
            std::cerr << "device: " << program << " cannot be read\n";
            return 2;
        }
        lab::Peer runner(std::stoi(argv[4]), session);
        return lab::serve(runner, {std::stoi(argv[1]), std::stoi(argv[2]), std::stoi(argv[3])});
    } catch (const std::exception& e) {
        std::cerr << "device: " << e.what() << "\n";
        return 1;
    }
}
