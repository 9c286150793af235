// What programs of many cases have in common: each case prints "done" if it went right, and the program takes the name
// of one. Without a name it lists them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#define CHECK(call)                                                         \
    do {                                                                    \
        const cudaError_t code = (call);                                    \
        if (code != cudaSuccess) {                                          \
            std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(code)); \
            std::exit(1);                                                   \
        }                                                                   \
    } while (0)
#define EXPECT(...)                             \
    do {                                        \
        if (!(__VA_ARGS__)) {                   \
            std::printf("line %d\n", __LINE__); \
            std::exit(1);                       \
        }                                       \
    } while (0)

struct Case {
    const char* name;
    void (*body)();
};
#define CASE(name) \
    { #name, name }

inline int run_case(std::span<const Case> cases, int argc, char** argv) {
    for (const Case& one : cases) {
        if (argc < 2) std::puts(one.name);
        if (argc < 2 || std::strcmp(argv[1], one.name) != 0) continue;
        one.body();
        std::puts("done");
    }
    return 0;
}
