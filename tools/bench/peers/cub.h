// CUB's calls take their temporary memory as an argument: the first call only asks how much.
#pragma once

#include <cub/version.cuh>

#include "peers.h"

namespace peers {

// call(d_temporary, bytes), with the memory that it asks for, allocated once.
template <class Call>
std::function<void()> with_temporary(Call call) {
    std::size_t bytes = 0;
    CUDA_CHECK(call(nullptr, bytes));
    auto temporary = std::make_shared<Array<char>>(bytes);
    return [=]() mutable { CUDA_CHECK(call(temporary->data, bytes)); };
}

inline std::string cub_version() {
    return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
           std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace peers
