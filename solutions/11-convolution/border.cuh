// What lies outside the image. Only this file knows the kinds of border.
#pragma once

#include "convolution.h"

// Which of `length` pixels stands for place i, which may be far outside; -1: none.
inline __device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;  // % keeps the sign of i
    return -1;
}

// in(x, y), inside the image or outside.
inline __device__ float pixel(const float* d_in, int x, int y, int width, int height, Border border) {
    x = source(x, width, border);
    y = source(y, height, border);
    return x < 0 || y < 0 ? 0.0f : d_in[y * width + x];
}
