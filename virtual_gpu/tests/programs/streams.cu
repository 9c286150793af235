// Work in several streams: `streams NAME` makes the mistake NAME, `streams NAME good` is the same program in order.
#include "streams.h"

#include <cstdio>

int main(int argc, char** argv) {
    Programs programs = programs_of_order();
    programs.merge(programs_of_accesses());
    programs.merge(programs_of_host());
    const auto found = argc > 1 ? programs.find(argv[1]) : programs.end();
    if (found == programs.end()) {
        for (const auto& [name, program] : programs) std::printf("%s\n", name.c_str());
        return 0;
    }
    found->second(argc > 2);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
