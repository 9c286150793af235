// Barriers in branches and loops. `wrong_*`: some threads go past a barrier where others wait, and the kernel ends
// all the same, as threads that have left count as arrived. `right_*`: every thread that is still there comes.

extern "C" __global__ void wrong_branch_in_a_loop(int* data) {
    int t = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            data[t] += data[t + half];
            __syncthreads();  // wrong_branch_in_a_loop
        }
    }
    if (t == 0) data[1] = data[0];
}

extern "C" __global__ void wrong_branch_in_a_last_loop(int* data) {
    int t = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            data[t] += data[t + half];
            __syncthreads();  // wrong_branch_in_a_last_loop
        }
    }
}

extern "C" __global__ void wrong_if(int* data) {
    int t = threadIdx.x;
    if (t < 40) {
        data[t] += data[t + 10];
        __syncthreads();  // wrong_if
        data[t] *= 2;
    }
    data[t] += 1;
}

extern "C" __global__ void wrong_continue(int* data) {
    int t = threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        if (data[t] % 2 == 0 && t < 50) continue;
        data[t] += k;
        __syncthreads();  // wrong_continue
    }
    data[t] = 0;
}

extern "C" __global__ void wrong_uneven_rounds(int* data, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += data[i];
        __syncthreads();  // wrong_uneven_rounds
    }
    data[threadIdx.x] = sum;
}

// Every thread comes four times, but not in the same rounds.
extern "C" __global__ void wrong_other_round(int* data) {
    int first = threadIdx.x < 32 ? 1 : 3;
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < (round == 0 ? first : 4 - first); ++k) {
            data[threadIdx.x] += k;
            __syncthreads();  // wrong_other_round
        }
        data[threadIdx.x] *= 3;
    }
}

__device__ __noinline__ void add_and_wait(int* data, int half) {
    data[threadIdx.x] += data[threadIdx.x + half];
    __syncthreads();  // wrong_branch_round_a_call
}

extern "C" __global__ void wrong_branch_round_a_call(int* data) {
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) add_and_wait(data, half);
    }
    if (threadIdx.x == 0) data[1] = data[0];
}

extern "C" __global__ void right_return_in_a_loop(int* data) {
    int t = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t >= half) return;
        data[t] += data[t + half];
        __syncthreads();
    }
    data[1] = data[0];
}

extern "C" __global__ void right_store_and_return(int* data) {
    int t = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t >= half) {
            data[t] = half;
            return;
        }
        data[t] += 1;
        __syncthreads();
    }
    data[1] = data[0];
}

extern "C" __global__ void right_guard_round_all(int* data, int n) {
    int t = threadIdx.x;
    if (t < n) {
        data[t] += 1;
        __syncthreads();
        data[t] += 2;
    }
}

// Conditions that are the same for all threads of the block.
extern "C" __global__ void right_uniform(int* data, int n) {
    int t = threadIdx.x;
    if (n > 10) __syncthreads();
    for (int k = 0; k < n; ++k) {
        data[t] += k;
        if (k % 2 == 1) __syncthreads();
        if (k == 5) break;
        for (int j = k; j < 5; ++j) {
            data[t] += j;
            __syncthreads();
        }
        if (k == 3) continue;
        __syncthreads();
    }
    if (t >= 7) return;
    data[t] += n;
    __syncthreads();
}

extern "C" __global__ void right_work_in_a_branch(int* data) {
    int t = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) data[t] += data[t + half];
    }
    __syncthreads();
    for (int i = t; i < 100; i += 37) data[t] += i;
    __syncthreads();
    if (t == 0) data[1] = data[0];
}

extern "C" __global__ void right_call(int* data) {
    for (int round = 0; round < 3; ++round) {
        add_and_wait(data, 0);
        if (data[threadIdx.x] == 12345) return;
        add_and_wait(data, 0);
    }
}
