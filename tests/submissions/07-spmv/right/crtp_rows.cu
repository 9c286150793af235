// Style: static polymorphism, CRTP and mixins: a kernel is a class with operator(), one launcher runs them all over a
// grid-stride range of 64-bit indices with begin() and end(); operators on small structs.
#include "spmv.h"

struct Step {
    long long at, stride;
    __device__ long long operator*() const { return at; }
    __device__ Step& operator++() { return at += stride, *this; }
    __device__ bool operator!=(const Step& end) const { return at < end.at; }
};

struct GridStride {
    long long size;
    __device__ Step begin() const {
        long long threads = static_cast<long long>(blockDim.x) * gridDim.x;
        return {static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, threads};
    }
    __device__ Step end() const { return {size, 0}; }
};

template <class Body>
__global__ void run(Body body, long long size) {
    for (long long i : GridStride{size}) body(i);
}

template <class Derived>
struct Elementwise {
    void over(int size) const {
        if (size == 0) return;
        run<<<min(ceil_div(size, 256), 2048), 256>>>(static_cast<const Derived&>(*this), size);
        CUDA_CHECK(cudaGetLastError());
    }
};

struct Gather : Elementwise<Gather> {
    const int* from;
    const float* x;
    float* to;
    Gather(const int* from, const float* x, float* to) : from(from), x(x), to(to) {}
    __device__ void operator()(long long i) const { to[i] = x[from[i]]; }
};

struct Multiply : Elementwise<Multiply> {
    const float* by;
    float* x;
    Multiply(const float* by, float* x) : by(by), x(x) {}
    __device__ void operator()(long long i) const { x[i] *= by[i]; }
};

template <class Item>
struct SumOfRow : Elementwise<SumOfRow<Item>> {
    const int* row_ptr;
    Item item;
    float* y;
    SumOfRow(const int* row_ptr, Item item, float* y) : row_ptr(row_ptr), item(item), y(y) {}
    __device__ void operator()(long long row) const {
        float sum = 0;
        for (int k = row_ptr[row], end = row_ptr[row + 1]; k != end; ++k) sum += item[k];
        y[row] = sum;
    }
};

struct Product {
    const int* cols;
    const float *values, *x;
    __device__ float operator[](int k) const { return values[k] * x[cols[k]]; }
};

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    float* d_products = work.get<float>(a.nonzeros);
    Gather(a.d_cols, d_x, d_products).over(a.nonzeros);
    Multiply(a.d_values, d_products).over(a.nonzeros);
    SumOfRow(a.d_row_ptr, static_cast<const float*>(d_products), d_y).over(a.rows);
}

void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace&) {
    SumOfRow(a.d_row_ptr, Product{a.d_cols, a.d_values, d_x}, d_y).over(a.rows);
}
