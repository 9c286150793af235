// What the tasks on a torus share: the wrap, the rule, and the order of boards.
#pragma once

#include "life.h"

// i modulo size for any i, also a negative one, of which % would give a negative remainder.
__device__ inline int wrapped(int i, int size) {
    int rest = i % size;
    return rest < 0 ? rest + size : rest;
}

__device__ inline unsigned char next_state(int neighbours, unsigned char cell) {
    return neighbours == 3 || (neighbours == 2 && cell == 1);
}

// Calls step(d_from, d_to) for each generation. Boards alternate between d_out and one of the workspace, so that the
// last is in d_out: with an odd number of generations left to do, the next goes there.
template <class T, class Step>
void each_generation(const T* d_in, T* d_out, int count, int generations, Workspace& work, Step step) {
    T* d_other = work.get<T>(count);
    const T* d_from = d_in;
    for (int left = generations; left > 0; --left) {
        T* d_to = left % 2 == 1 ? d_out : d_other;
        step(d_from, d_to);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
    }
    if (generations == 0) CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, count * sizeof(T), cudaMemcpyDeviceToDevice));
}
