// Checks of functions that return whether all went well: the first that fails prints its line.
#pragma once

#include <cstdio>

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::printf("line %d (%s)\n", __LINE__, cudaGetErrorName(cudaGetLastError())); \
            return false;                                                                  \
        }                                                                                  \
    } while (false)
#define OK(call) CHECK((call) == cudaSuccess)
