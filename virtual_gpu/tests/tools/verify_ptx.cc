// Says for each PTX file whether the virtual GPU accepts it: "ok FILE" or "FILE:LINE: RULE".
//   g++ -std=c++20 -O2 -I. virtual_gpu/tests/tools/verify_ptx.cc build/parts/virtual_gpu/ptx/libvgpu_ptx.a -o
//   verify_ptx
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "virtual_gpu/ptx/linker.h"

int main(int argc, char** argv) {
    int refused = 0;
    for (int n = 1; n < argc; ++n) {
        std::ifstream in(argv[n]);
        std::stringstream text;
        text << in.rdbuf();
        const std::string one = text.str();
        vgpu::ptx::Program program;
        vgpu::ptx::ParseError error;
        if (vgpu::ptx::load({&one, 1}, program, error)) {
            std::cout << "ok " << argv[n] << "\n";
            continue;
        }
        ++refused;
        std::cout << argv[n] << ":" << error.ptx_line << ": " << error.message << "\n";
    }
    return refused == 0 ? 0 : 1;
}
