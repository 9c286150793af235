// Prints what the decoder makes of PTX files: compare before and after a change that should change nothing.
//   g++ -std=c++20 -O1 -I. virtual_gpu/tests/tools/print_code.cc $(find build/parts/virtual_gpu -name "*.a") ...
//   (the libraries twice, or between -Wl,--start-group and -Wl,--end-group)
#include <cstdio>
#include <fstream>
#include <sstream>

#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/ptx/linker.h"

int main(int argc, char** argv) {
    for (int n = 1; n < argc; ++n) {
        std::ifstream in(argv[n]);
        std::stringstream read;
        read << in.rdbuf();
        const std::string text = read.str();
        vgpu::Module module;
        vgpu::ptx::ParseError error;
        if (!vgpu::ptx::load({&text, 1}, module.program, error)) {
            std::printf("%s:%d: %s\n", argv[n], error.ptx_line, error.message.c_str());
            continue;
        }
        declare_functions(module);
        for (const auto& f : module.functions) {
            decode(module, *f);
            std::printf("%s\n", f->name.c_str());
            for (const vgpu::Instr& i : f->code) std::printf("  %s\n", to_string(module, *f, i).c_str());
        }
    }
}
