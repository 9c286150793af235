// Style: the C of a workstation of 1995, clang-format off: tabs, K&R braces, #define for everything, goto, comma
// operators, one dynamic array of bytes carved into several arrays.
// clang-format off
#include "scan.h"

#define	THREADS		(kTile / 2)
#define	BYTES		(kTile * sizeof(int) + (kTile / 32) * sizeof(int) + sizeof(int))
#define	FOREVER		for (;;)
#define	LAUNCHED()	CUDA_CHECK(cudaGetLastError())

#define	CARVE(type, name, count)						\
	type *name = (type *)carve; carve += (count) * sizeof(type)

__global__ void
exclusive_tile(const int *in, int *out, int n)
{
	extern __shared__ char carve_me[];
	char *carve = carve_me;
	CARVE(int, item, kTile);
	CARVE(int, chunk, kTile / 32);
	CARVE(int, turns, 1);
	int t = threadIdx.x, base = blockIdx.x * kTile, i, k, sum, old;

	item[t] = base + t < n ? in[base + t] : 0, item[t + THREADS] = base + t + THREADS < n ? in[base + t + THREADS] : 0;
	if (t == 0)
		*turns = 0;
	__syncthreads();
	if (t >= kTile / 32)
		goto wait;
	/* Each of 32 threads runs through 32 items, each beginning at another bank. */
	for (sum = 0, k = 0; k < 32; k++)
		sum += item[t * 32 + ((k + t) & 31)];
	chunk[t] = sum;
wait:
	__syncthreads();
	k = 1;
	FOREVER {
		if (k >= kTile / 32)
			break;
		old = t >= k && t < kTile / 32 ? chunk[t - k] : 0;
		__syncthreads();
		if (t < kTile / 32)
			chunk[t] += old;
		if (t == 0)
			++*turns;
		__syncthreads();
		k <<= 1;
	}
	if (t >= kTile / 32)
		goto store;
	sum = t && *turns == 5 ? chunk[t - 1] : 0;
	for (k = 0; k < 32; k++) {
		i = t * 32 + k;
		old = item[i], item[i] = sum, sum += old;
	}
store:
	__syncthreads();
	for (i = t; i < kTile; i += THREADS)
		if (base + i < n)
			out[base + i] = item[i];
}

void
blelloch(const int *in, int *out, int n, Workspace &)
{
	if (!n)
		return;
	exclusive_tile<<<(n + kTile - 1) / kTile, THREADS, BYTES>>>(in, out, n), LAUNCHED();
}
