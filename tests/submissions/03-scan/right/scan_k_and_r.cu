// Style: C with macros, GNU formatting, two elements for each thread.
// clang-format off
#include "scan.h"
#define TILE_THREADS 512
#define SWAP(T, a, b) do { T tmp_ = (a); (a) = (b); (b) = tmp_; } while (0)
static __global__ void
hs (const int *in, int *out, int n)
{
  __shared__ int buf[2][kTile];
  int *src = buf[0], *dst = buf[1];
  int base = blockIdx.x * kTile, j, d;

  for (j = threadIdx.x; j < kTile; j += TILE_THREADS)
    src[j] = base + j < n ? in[base + j] : 0;
  __syncthreads ();
  for (d = 1; d < kTile; d <<= 1)
    {
      for (j = threadIdx.x; j < kTile; j += TILE_THREADS)
	dst[j] = j < d ? src[j] : (int) ((unsigned) src[j] + (unsigned) src[j - d]);
      __syncthreads ();
      SWAP (int *, src, dst);
    }
  for (j = threadIdx.x; j < kTile && base + j < n; j += TILE_THREADS)
    out[base + j] = src[j];
}
void
hillis_steele (const int *d_in, int *d_out, int n, Workspace &)
{
  if (!n)
    return;
  hs <<< (n + kTile - 1) / kTile, TILE_THREADS >>> (d_in, d_out, n);
  CUDA_CHECK (cudaGetLastError ());
}
