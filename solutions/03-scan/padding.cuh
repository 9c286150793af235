// Shared by tasks 3 and 4.
#pragma once

// Where element i of a tile lies in shared memory: one word is left out after every 32, so that elements a power of
// two apart fall into different banks.
__host__ __device__ constexpr int padded(int i) { return i + i / 32; }
