// Style: Kommentare und Namen auf Deutsch; a struct of arrays by value, the sums of tiles in shared memory, and what is
// left over at the tiles' borders added in the order of the tiles, so that every run gives the same bits.
#include "spmv.h"

constexpr int kFaeden = 256, kStueck = 4 * kFaeden;

// Was eine Kachel in ihre erste Zeile einbringt, wenn diese schon in einer früheren Kachel beginnt.
struct Reste {
    float* summe;
    int* zeile;  // -1: kein Rest
};

// Die erste Zeile, die hinter der Stelle `k` endet.
__device__ int zeile_von(const int* anfang, int zeilen, int k) {
    int unten = 0, oben = zeilen;
    while (unten < oben) {
        int mitte = unten + (oben - unten) / 2;
        if (anfang[mitte + 1] <= k)
            unten = mitte + 1;
        else
            oben = mitte;
    }
    return unten;
}

// Jede Zeile hat einen Faden; ihre Produkte liegen schon im gemeinsamen Speicher.
__global__ void rechne_kacheln(Csr a, const float* __restrict__ x, float* __restrict__ y, Reste reste) {
    __shared__ float produkt[kStueck];
    __shared__ int erste, letzte;
    int beginn = blockIdx.x * kStueck, ende = min(beginn + kStueck, a.nonzeros);
    if (threadIdx.x == 0) erste = zeile_von(a.d_row_ptr, a.rows, beginn);
    if (threadIdx.x == 32) letzte = zeile_von(a.d_row_ptr, a.rows, ende - 1);
    for (int k = beginn + threadIdx.x; k < ende; k += kFaeden) produkt[k - beginn] = a.d_values[k] * x[a.d_cols[k]];
    __syncthreads();
    // Kurze Zeilen: ein Faden. Lange Zeilen: ein Warp, denn sonst wartet der ganze Block.
    int warp = threadIdx.x / 32, spur = threadIdx.x % 32;
    bool lang = (letzte - erste + 1) * 16 < ende - beginn;
    for (int z = erste + (lang ? warp : threadIdx.x); z <= letzte; z += lang ? kFaeden / 32 : kFaeden) {
        int von = max(a.d_row_ptr[z], beginn), bis = min(a.d_row_ptr[z + 1], ende);
        float summe = 0;
        for (int k = von + (lang ? spur : 0); k < bis; k += lang ? 32 : 1) summe += produkt[k - beginn];
        if (lang) {
            for (int abstand = 16; abstand > 0; abstand /= 2) summe += __shfl_down_sync(kAllLanes, summe, abstand);
            if (spur > 0) continue;
        }
        if (a.d_row_ptr[z] >= beginn)
            y[z] = summe;
        else
            reste.summe[blockIdx.x] = summe;
    }
    if (threadIdx.x == 0) reste.zeile[blockIdx.x] = a.d_row_ptr[erste] < beginn ? erste : -1;
}

// Der erste Rest einer Zeile trägt alle ihre Reste nach, ein Warp für jede Folge von Resten.
__global__ void trage_nach(float* y, Reste reste, int kacheln) {
    int kachel = (blockIdx.x * blockDim.x + threadIdx.x) / 32, spur = threadIdx.x % 32;
    if (kachel >= kacheln) return;
    int zeile = reste.zeile[kachel];
    if (zeile < 0 || (kachel > 0 && reste.zeile[kachel - 1] == zeile)) return;
    float summe = 0;
    for (int k = kachel + spur; k < kacheln && reste.zeile[k] == zeile; k += 32) summe += reste.summe[k];
    for (int abstand = 16; abstand > 0; abstand /= 2) summe += __shfl_down_sync(kAllLanes, summe, abstand);
    if (spur == 0) y[zeile] += summe;
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    CUDA_CHECK(cudaMemsetAsync(d_y, 0, a.rows * sizeof(float)));  // für die leeren Zeilen
    if (a.nonzeros == 0) return;
    int kacheln = ceil_div(a.nonzeros, kStueck);
    Reste reste{work.get<float>(kacheln), work.get<int>(kacheln)};
    rechne_kacheln<<<kacheln, kFaeden>>>(a, d_x, d_y, reste);
    CUDA_CHECK(cudaGetLastError());
    trage_nach<<<ceil_div(32 * kacheln, 256), 256>>>(d_y, reste, kacheln);
    CUDA_CHECK(cudaGetLastError());
}
