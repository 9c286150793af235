// Style: a lane for each cell of a word: it reads bits one by one, and the warp's vote makes the new word
#include "life.h"

__global__ void vote(const unsigned* in, unsigned* out, int rows, int columns) {
    const int words = ceil_div(columns, 32), w = blockIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int x = w * 32 + threadIdx.x;
    if (y >= rows) return;  // the whole warp
    const auto alive = [&](int row, int column) {
        row = (row + rows) % rows, column = (column + columns) % columns;
        return in[row * words + column / 32] >> column % 32 & 1u;
    };
    unsigned count = 0, lives = 0;
    if (x < columns) {
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) count += dy || dx ? alive(y + dy, x + dx) : 0;
        lives = alive(y, x);
    }
    const unsigned word = __ballot_sync(kAllLanes, x < columns && (count == 3 || (count == 2 && lives)));
    if (threadIdx.x == 0) out[y * words + w] = word;
}

void bits(const unsigned* d_in, unsigned* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    const int words = ceil_div(columns, 32);
    unsigned* d_spare = work.get<unsigned>(static_cast<std::size_t>(rows) * words);
    if (generations == 0)
        CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, sizeof(unsigned) * rows * words, cudaMemcpyDeviceToDevice));
    for (int g = generations; g > 0; --g) {
        unsigned* to = g % 2 != 0 ? d_out : d_spare;
        vote<<<dim3(words, ceil_div(rows, 4)), dim3(32, 4)>>>(d_in, to, rows, columns);
        CUDA_CHECK(cudaGetLastError());
        d_in = to;
    }
}
