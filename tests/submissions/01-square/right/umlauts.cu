// Style: non-ASCII names, comments and strings; the file is called größe.cu when it is graded. Größe: wie viele
// Elemente?
#include "square.h"

constexpr int kBlockgröße = 256;

// 平方を計算する。Die Größe der Blöcke ist 256. π ≈ 3.14159, naïve façade.
__global__ void quadrat(const float* eingabe, float* ausgabe, int größe) {
    int номер = blockIdx.x * blockDim.x + threadIdx.x;
    if (номер < größe) ausgabe[номер] = eingabe[номер] * eingabe[номер];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;  // kein Block, kein Fehler ✓
    quadrat<<<ceil_div(n, kBlockgröße), kBlockgröße>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
