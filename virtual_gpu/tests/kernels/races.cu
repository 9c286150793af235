// Races in global memory. Right kernels (right_*) may not be reported in any order; of a wrong one, the marks are the
// lines that a finding has to name, in every order.
#include <cuda/atomic>

using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;

// ---- Right: the last block adds up ----
__device__ void add_up(const int* partial, int* out) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
    *out = sum;
}
extern "C" __global__ void right_last_block(int* partial, int* count, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        is_last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    add_up(partial, out);
    if (threadIdx.x == 33) *count = 0;
}
// All threads write and fence, one of another warp counts after the barrier.
extern "C" __global__ void right_last_block_all_fence(int* partial, int* count, int* out) {
    __shared__ bool is_last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 32) is_last = atomicInc((unsigned*)count, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b * blockDim.x + (threadIdx.x + 7) % blockDim.x];
    out[threadIdx.x] = sum;
}
extern "C" __global__ void right_last_block_acq_rel(int* partial, int* count, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
        is_last = Ref(*count).fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) add_up(partial, out);
}

// ---- Right: blocks wait for each other ----
// In place: a block reads the last element of the tile before its own, which that block may be writing back as it is.
template <bool kChanges>
__device__ void write_back(int* data, int* flags, int* out) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const int mine = data[at];
    int before = 0;
    if (threadIdx.x == 0 && blockIdx.x > 0) before = data[at - 1];  // write_back_reader
    __syncthreads();
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            while (Ref(flags[blockIdx.x - 1]).load(cuda::memory_order_acquire) == 0) {
            }
        }
        Ref(flags[blockIdx.x]).store(1, cuda::memory_order_release);
        out[blockIdx.x] = before;
    }
    __syncthreads();
    data[at] = mine + (kChanges ? 1 : 0);  // write_back_writer
}
extern "C" __global__ void right_write_back(int* data, int* flags, int* out) { write_back<false>(data, flags, out); }
extern "C" __global__ void write_back(int* data, int* flags, int* out) { write_back<true>(data, flags, out); }

extern "C" __global__ void right_chain_of_fences(int* data, int* flags, int* out) {
    if (threadIdx.x == 0 && blockIdx.x > 0) {
        while (*(volatile int*)&flags[blockIdx.x - 1] == 0) {
        }
    }
    __syncthreads();
    __threadfence();
    const int before = blockIdx.x == 0 ? 0 : data[(blockIdx.x - 1) * blockDim.x + threadIdx.x];
    data[blockIdx.x * blockDim.x + threadIdx.x] = before + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1);
    out[blockIdx.x] = 1;
}
extern "C" __global__ void right_chain_of_words(unsigned long long* words, int* unused, int* out) {
    if (threadIdx.x != 0) return;
    unsigned long long word = 1ull << 32;
    while (blockIdx.x > 0 && (word = *(volatile unsigned long long*)&words[blockIdx.x - 1]) == 0) {
    }
    *(volatile unsigned long long*)&words[blockIdx.x] = word + 1;
    out[blockIdx.x] = (int)word;
}
extern "C" __global__ void right_chain_of_release_and_acquire(int* data, int* flags, int* out) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    if (blockIdx.x > 0) {
        while (Ref(flags[blockIdx.x - 1]).load(cuda::memory_order_acquire) == 0) {
        }
        for (int b = 0; b < blockIdx.x; ++b) sum += data[b];  // all blocks before have handed on
    }
    data[blockIdx.x] = sum + 1;
    Ref(flags[blockIdx.x]).store(1, cuda::memory_order_release);
    out[blockIdx.x] = sum;
}
// Only a few blocks: all have to be resident.
extern "C" __global__ void right_grid_barrier_by_hand(int* data, int* count, int* out) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (*(volatile int*)count < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    const int next = (blockIdx.x + 1) % gridDim.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[next * blockDim.x + threadIdx.x];
}
extern "C" __global__ void right_lock(int* value, int* lock, int* out) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *value += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// ---- Right: no order is needed, or the block has it ----
extern "C" __global__ void right_same_value(int* data, int* unused, int* out) {
    data[0] = 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
extern "C" __global__ void right_neighbouring_bytes(unsigned char* data, int* count, int* out) {
    data[threadIdx.x * gridDim.x + blockIdx.x] = threadIdx.x;
    atomicAdd(&count[threadIdx.x % 4], 1);
}
extern "C" __global__ void right_tree_in_the_block(int* data, int* unused, int* out) {
    int* own = data + blockIdx.x * blockDim.x;
    own[threadIdx.x] = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) own[threadIdx.x] += own[threadIdx.x + half];
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = own[0];
}
extern "C" __global__ void right_exchange_in_the_warp(int* data, int* unused, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __syncwarp();
    out[i] = data[i ^ 1];
}

// ---- Wrong ----
extern "C" __global__ void two_writers(int* data, int* unused, int* out) {
    if (threadIdx.x == 0) data[0] = blockIdx.x;  // two_writers
}
extern "C" __global__ void in_place(int* data, int* unused, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int before = i >= blockDim.x ? data[i - blockDim.x] : 0;  // in_place_reader
    data[i] += before;                                              // in_place_writer
}
extern "C" __global__ void plain_histogram(int* data, int* unused, int* out) {
    data[threadIdx.x % 4]++;  // plain_histogram
}
extern "C" __global__ void chain_without_fences(int* data, int* flags, int* out) {
    if (threadIdx.x != 0) return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (*(volatile int*)&flags[blockIdx.x - 1] == 0) {
        }
        before = data[blockIdx.x - 1];  // chain_without_fences_reader
    }
    data[blockIdx.x] = before + 1;  // chain_without_fences_writer
    *(volatile int*)&flags[blockIdx.x] = 1;
}
extern "C" __global__ void fence_too_early(int* data, int* flags, int* out) {
    if (threadIdx.x != 0) return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (*(volatile int*)&flags[blockIdx.x - 1] == 0) {
        }
        __threadfence();
        before = data[blockIdx.x - 1];  // fence_too_early_reader
    }
    __threadfence();
    data[blockIdx.x] = before + 1;  // fence_too_early_writer
    *(volatile int*)&flags[blockIdx.x] = 1;
}
extern "C" __global__ void plain_flag(int* data, int* flags, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 1;
        __threadfence();
        Ref(flags[0]).store(1, cuda::memory_order_relaxed);  // plain_flag_setter
    } else if (flags[0] == 1) {                              // plain_flag_reader
        out[blockIdx.x] = 1;
    }
}
extern "C" __global__ void last_block_without_fence(int* partial, int* count, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;  // last_block_without_fence_writer
        is_last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) *out = partial[threadIdx.x % gridDim.x];  // last_block_without_fence_reader
}
extern "C" __global__ void last_block_with_fence_of_block(int* partial, int* count, int* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;  // last_block_with_fence_of_block_writer
        __threadfence_block();
        is_last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0)
        *out = partial[0] + partial[gridDim.x - 1];  // last_block_with_fence_of_block_reader
}
extern "C" __global__ void lock_without_fence(int* value, int* lock, int* out) {
    if (threadIdx.x % 32 != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *value += 1;  // lock_without_fence
    atomicExch(lock, 0);
}
extern "C" __global__ void torn_word(unsigned long long* words, int* unused, int* out) {
    const auto* halves = (volatile unsigned*)words;
    if (blockIdx.x == 0)
        atomicExch(&words[threadIdx.x], 1ull << 32 | threadIdx.x);  // torn_word_writer
    else
        out[threadIdx.x] = halves[2 * threadIdx.x + 1];  // torn_word_reader
}
extern "C" __global__ void missing_barrier(int* data, int* unused, int* out) {
    int* own = data + blockIdx.x * blockDim.x;
    own[threadIdx.x] = threadIdx.x;  // missing_barrier_writer
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        own[(threadIdx.x + blockDim.x / 2) % blockDim.x];  // missing_barrier_reader
}
extern "C" __global__ void missing_warp_sync(int* data, int* unused, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;           // missing_warp_sync_writer
    out[i] = data[i ^ 1];  // missing_warp_sync_reader
}
extern "C" __global__ void two_places(int* data, int* unused, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;       // two_places_writer
    data[i ^ 1] = -i;  // two_places_reader
}
extern "C" __global__ void same_store(int* data, int* unused, int* out) {
    data[blockIdx.x] = threadIdx.x;  // same_store
}
extern "C" __global__ void read_only_load(int* data, int* unused, int* out) {
    int* own = data + blockIdx.x * blockDim.x;
    own[threadIdx.x] = threadIdx.x;  // read_only_load_writer
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = __ldg(own + blockDim.x - 1 - threadIdx.x);  // read_only_load_reader
}
extern "C" __global__ void right_read_only_load(int* data, int* unused, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldg(data + i) + __ldg(data + i / 2);
    if (threadIdx.x % 2 == 0) data[gridDim.x * blockDim.x + i] = i;
}
