// Lab 7's tasks against cusparseSpMV, the faster of its two algorithms for CSR. Its buffer and its preprocessing are
// not timed. Built and run by python -m bench.peers.
#include "spmv.h"

#include <cusparse.h>

#include "peers.h"
#include "spmv_matrices.h"

namespace {

void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

// Launch: a warp for each row. Two sums of k products, each as exact as spmv.h demands.
__global__ void count_wrong_rows(Csr a, const float* d_x, const float* d_y, const float* d_expected,
                                 unsigned long long* d_count) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= a.rows) return;
    double magnitude = 0;
    int begin = a.d_row_ptr[row], end = a.d_row_ptr[row + 1];
    for (int k = begin + lane; k < end; k += 32) magnitude += std::abs(double{a.d_values[k]} * d_x[a.d_cols[k]]);
    for (int distance = 16; distance > 0; distance /= 2) magnitude += __shfl_xor_sync(kAllLanes, magnitude, distance);
    double k = end - begin, gamma = k * 0x1p-24 / (1 - k * 0x1p-24), bound = gamma * magnitude + k * 0x1p-149;
    if (lane == 0 && !(std::abs(double{d_y[row]} - d_expected[row]) <= 2 * bound)) atomicAdd(d_count, 1ull);
}

class Sparse {
  public:
    Sparse(Csr a, float* d_x, float* d_y) {
        check(cusparseCreate(&handle_));
        constexpr auto kIndex = CUSPARSE_INDEX_32I;
        check(cusparseCreateConstCsr(&matrix_, a.rows, a.cols, a.nonzeros, a.d_row_ptr, a.d_cols, a.d_values, kIndex,
                                     kIndex, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        check(cusparseCreateDnVec(&x_, a.cols, d_x, CUDA_R_32F));
        check(cusparseCreateDnVec(&y_, a.rows, d_y, CUDA_R_32F));
    }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;
    ~Sparse() {
        cusparseDestroySpMat(matrix_);
        cusparseDestroyDnVec(x_);
        cusparseDestroyDnVec(y_);
        cusparseDestroy(handle_);
    }
    std::function<void()> product(cusparseSpMVAlg_t algorithm) {
        std::size_t bytes = 0;
        check(cusparseSpMV_bufferSize(handle_, kPlain, &one_, matrix_, x_, &zero_, y_, CUDA_R_32F, algorithm, &bytes));
        auto buffer = std::make_shared<peers::Array<char>>(bytes + 1);
        check(cusparseSpMV_preprocess(handle_, kPlain, &one_, matrix_, x_, &zero_, y_, CUDA_R_32F, algorithm,
                                      buffer->data));
        return [this, algorithm, buffer] {
            check(cusparseSpMV(handle_, kPlain, &one_, matrix_, x_, &zero_, y_, CUDA_R_32F, algorithm, buffer->data));
        };
    }

  private:
    static constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseHandle_t handle_{};
    cusparseConstSpMatDescr_t matrix_{};
    cusparseDnVecDescr_t x_{}, y_{};
    float one_ = 1, zero_ = 0;
};

void measure(peers::Clock& clock, peers::Room& room, const char* what, const peers::Matrix& matrix, int rounds) {
    Csr a = matrix.csr();
    peers::Array<float> x(a.cols), y(a.rows), expected(a.rows);
    peers::fill_values<<<1024, 256>>>(x.data, x.count);
    Sparse sparse(a, x.data, expected.data);
    auto first = sparse.product(CUSPARSE_SPMV_CSR_ALG1), second = sparse.product(CUSPARSE_SPMV_CSR_ALG2);
    bool is_first = rounds == 0 || clock.median_seconds(first, rounds) <= clock.median_seconds(second, rounds);

    peers::Array<unsigned long long> d_count(1);
    auto spoil = [&] { CUDA_CHECK(cudaMemset(y.data, 0xcd, y.count * sizeof(float))); };
    auto differences = [&] {
        unsigned long long count = 0;
        CUDA_CHECK(cudaMemset(d_count.data, 0, sizeof count));
        count_wrong_rows<<<ceil_div(a.rows, 8), 256>>>(a, x.data, y.data, expected.data, d_count.data);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(&count, d_count.data, sizeof count, cudaMemcpyDeviceToHost));
        return count;
    };
    auto task = [&](const char* name, auto function) {
        return peers::Task{name, [&, function] {
                               room.clear();
                               function(a, x.data, y.data, room);
                           }};
    };
    std::vector<peers::Task> tasks = {task("row_per_thread", row_per_thread), task("merge_path", merge_path)};
    double bytes = 8.0 * a.nonzeros + 4.0 * (a.rows + 1) + 4.0 * a.rows + 4.0 * a.cols;
    peers::Problem problem{what, matrix.values.count, bytes, is_first ? first : second, {spoil, differences}};
    peers::compare(clock, problem, tasks, rounds);
}

}  // namespace

int main(int count, char** arguments) {
    peers::Options options(count, arguments);
    peers::print_heading("cuSPARSE " + std::to_string(CUSPARSE_VERSION));
    peers::Clock clock;
    peers::Room room(std::size_t{64} << 20);
    for (int n : options.sizes) {
        if (n < 1024) continue;
        if (options.rounds == 0)
            measure(clock, room, "7-point stencil", *peers::stencil(static_cast<int>(std::cbrt(n / 7.0))), 0);
        if (n <= 1 << 26) measure(clock, room, "16 a row at random", *peers::random_columns(n), options.rounds);
        if (n <= 1 << 24) measure(clock, room, "power law", *peers::power_law(n), options.rounds);
    }
    if (options.rounds > 0) measure(clock, room, "7-point stencil", *peers::stencil(161), options.rounds);
}
