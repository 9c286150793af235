// Style: the image as a 2D texture with the border modes of the hardware, which wraps normalised coordinates only.
#include "convolution.h"

__global__ void convolve(cudaTextureObject_t image, float* out, int width, int height, const float* filter, int radius,
                         bool wraps) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        for (int i = -radius; i <= radius; ++i) {
            int column = x - i, row = y - j;
            if (wraps) column = (column % width + width) % width, row = (row % height + height) % height;
            sum += *filter++ * tex2D<float>(image, column, row);
        }
    }
    out[y * width + x] = sum;
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    if (width == 0 || height == 0) return;
    cudaArray_t array;
    auto channel = cudaCreateChannelDesc<float>();
    CUDA_CHECK(cudaMallocArray(&array, &channel, width, height));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, d_in, width * sizeof(float), width * sizeof(float), height,
                                   cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = border == Border::clamp ? cudaAddressModeClamp : cudaAddressModeBorder;
    cudaTextureObject_t image;
    CUDA_CHECK(cudaCreateTextureObject(&image, &resource, &how, nullptr));
    convolve<<<dim3(ceil_div(width, 16), ceil_div(height, 16)), dim3(16, 16)>>>(image, d_out, width, height, d_filter,
                                                                                radius, border == Border::wrap);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaDestroyTextureObject(image));
    CUDA_CHECK(cudaFreeArray(array));
}
