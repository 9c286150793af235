// What textures.cu and surfaces.cu have in common.
#pragma once

#include <cstdio>
#include <vector>

#include "checks.h"

constexpr int kWidth = 13, kHeight = 7, kDepth = 5, kLooks = 400;

struct Look {
    float x, y, z;
};

template <class T>
static __global__ void look_2d(cudaTextureObject_t t, const Look* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, at[i].x, at[i].y);
}
template <class T>
static __global__ void look_3d(cudaTextureObject_t t, const Look* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<T>(t, at[i].x, at[i].y, at[i].z);
}
struct Setting {
    cudaTextureAddressMode mode;
    bool linear, normalized;
};

inline std::vector<Look> looks(bool normalized) {
    std::vector<Look> all(kLooks);
    unsigned r = 1;
    const auto next = [&](int size) {  // from two sizes before to two sizes behind, never at a border of texels
        r = r * 1664525 + 1013904223;
        const float x = (static_cast<int>(r >> 8) % (size * 160) - size * 64 + 0.37f) / 32;
        return normalized ? x / size : x;
    };
    for (Look& look : all) look = {next(kWidth), next(kHeight), next(kDepth)};
    return all;
}

inline float texel(int x, int y, int z) { return static_cast<float>((x * 37 + y * 11 + z * 5) % 64) - 20; }

template <class T>
static bool create(cudaTextureObject_t& out, cudaArray_t array, const Setting& s, T&& set) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture{};
    for (auto& mode : texture.addressMode) mode = s.mode;
    texture.filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    texture.normalizedCoords = s.normalized;
    texture.borderColor[0] = 3.5f;
    set(texture);
    OK(cudaCreateTextureObject(&out, &resource, &texture, nullptr));
    return true;
}

bool layered_and_gathered();
bool surfaces();
bool mistake(const char* what);
