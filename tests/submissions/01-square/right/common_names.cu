// Style: everything global, with the names that everybody takes: check, run, error, Array, Timer, Report, Random, Case.
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "square.h"

using namespace std;

#define N 256
#define CHECK(x) check((x), __LINE__)

int verbose = 0, seed = 1, device = 0, counter = 0;
string name = "square", version = "1.0";

struct Timer {
    cudaEvent_t start, stop;
    Timer() {
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        cudaEventRecord(start);
    }
    ~Timer() {
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
    }
};

struct Array {
    float* data;
    size_t size;
    Array(size_t n) : data(nullptr), size(n) { cudaMalloc(&data, n * sizeof(float)); }
    ~Array() { cudaFree(data); }
};

struct Report {
    vector<string> lines;
    void add(const string& line) { lines.push_back(line); }
};

struct Random {
    unsigned state = 1;
    unsigned next() { return state = state * 1664525u + 1013904223u; }
};

class Case {
  public:
    virtual ~Case() = default;
    virtual int size() const { return 0; }
};

class Instance : public Case {};
class Task : public Case {};
class Lab : public Case {};

void error(const string& text) { cerr << text << endl; }
void usage() { error("usage: square"); }
void check(cudaError_t code, int line) {
    if (code != cudaSuccess) error("line " + to_string(line) + ": " + cudaGetErrorString(code));
}
void print(const float* values, int n) {
    for (int i = 0; verbose && i < n; ++i) cout << values[i] << ' ';
}

__global__ void kernel(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

__global__ void kernel(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

void run(Array& array, Report& report, Random& random) {
    kernel<<<1, N>>>(array.data, array.size);
    CHECK(cudaGetLastError());
    report.add(name + " " + to_string(random.next()));
    ++counter;
}

void one_block(const float* h_in, float* h_out, int n) {
    if (n < 0) usage();
    Timer timer;
    Array array(n);
    Report report;
    Random random;
    CHECK(cudaMemcpy(array.data, h_in, n * sizeof(float), cudaMemcpyHostToDevice));
    run(array, report, random);
    CHECK(cudaMemcpy(h_out, array.data, n * sizeof(float), cudaMemcpyDeviceToHost));
    print(h_out, n);
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    kernel<<<(n + N - 1) / N, N>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
}
