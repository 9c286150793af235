// A long run of the session's fuzzer: fuzz_session MESSAGES [SEED]. Build it with -DVGPU_SANITIZE=ON, see
// CMakeLists.txt of virtual_gpu; vgpu_session_test has a short one.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "session_fuzz.h"

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s MESSAGES [SEED]\n", argv[0]);
        return 2;
    }
    const auto messages = std::strtoull(argv[1], nullptr, 10),
               seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const std::string wrong = vgpu::fuzz::run(messages, seed);
    std::printf("%llu messages, seed %llu: %s\n", messages, seed,
                wrong.empty() ? "all answered as they should be" : wrong.c_str());
    return wrong.empty() ? 0 : 1;
}
