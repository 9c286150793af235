// GoogleTest's main, on a GPU or the virtual GPU like a lab program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "harness/device_choice.h"

int main(int argc, char** argv) {
    const char* wanted = std::getenv("CUDA_LABS_DEVICE");
    if (const std::string reason = lab::choose_device(wanted == nullptr ? "" : wanted, argv); !reason.empty()) {
        std::cerr << reason << "\n";
        return 2;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
