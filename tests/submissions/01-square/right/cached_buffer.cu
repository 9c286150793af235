// Style: a device buffer in a static object, kept from call to call and freed when it has to grow.
#include "square.h"

class Cache {
  public:
    ~Cache() { cudaFree(data_); }
    float* get(int n) {
        if (n > size_) {
            CUDA_CHECK(cudaFree(data_));
            data_ = nullptr;
            CUDA_CHECK(cudaMalloc(&data_, n * sizeof(float)));
            size_ = n;
        }
        return data_;
    }

  private:
    float* data_ = nullptr;
    int size_ = 0;
};

__global__ void square(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    static Cache cache;
    float* d_x = cache.get(n);
    CUDA_CHECK(cudaMemcpy(d_x, h_in, n * sizeof(float), cudaMemcpyHostToDevice));
    square<<<1, 256>>>(d_x, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out, d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
}
