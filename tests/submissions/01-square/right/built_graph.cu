// Style: CUDA graphs, built node by node.
#include "square.h"

__global__ void square(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    void* arguments[] = {&d_in, &d_out, &n};
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void*>(square);
    params.gridDim = dim3(64);
    params.blockDim = dim3(256);
    params.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}
