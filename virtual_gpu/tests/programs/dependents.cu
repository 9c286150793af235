// Programmatic dependent launch: what a kernel may do before the kernel in front of it has ended. The argument says
// which case runs; its result is printed.
#include "dependents.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

template <class... P, class... A>
void launch(bool dependent, cudaStream_t stream, void (*kernel)(P...), A... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = kCount / kBlock;
    config.blockDim = kBlock;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = dependent ? 1 : 0;
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...);
    if (error != cudaSuccess) std::printf("launch: %s\n", cudaGetErrorName(error));
}

struct Arrays {
    int *a = nullptr, *b = nullptr, *c = nullptr, *table = nullptr;
};

// A second stream, behind what is in `from` from begin() on; `from` goes on behind both.
struct Fork {
    cudaStream_t from, stream = nullptr;
    cudaEvent_t event = nullptr;
    explicit Fork(cudaStream_t stream_from) : from(stream_from) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    }
    void begin() const {
        cudaEventRecord(event, from);
        cudaStreamWaitEvent(stream, event, 0);
    }
    ~Fork() {
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(from, event, 0);
        cudaEventDestroy(event);
        cudaStreamDestroy(stream);
    }
};

struct Case {
    const char* name;
    void (*run)(const Arrays& d, int n, cudaStream_t s);
};

const Case kCases[] = {
    {"good",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, waits, d.a, d.table, d.b, n);
         launch(true, s, waits, d.b, d.table, d.c, n);
     }},
    {"one_waits",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, one_waits, d.a, d.c, n);
     }},
    {"one_waits_alone",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, one_waits_alone, d.a, d.c, n);
     }},
    {"never_waits",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, never_waits, d.a, d.c, n);
     }},
    {"plain_launch",  // the same kernel without the attribute
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(false, s, never_waits, d.a, d.c, n);
     }},
    {"waits_late",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, waits_late, d.a, d.c, n);
     }},
    {"clears_early",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(false, s, never_waits, d.a, d.b, n);
         launch(true, s, clears_early, d.a, d.c, n);
     }},
    {"shown",  // a fence before the trigger makes visible
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, shows, d.a, n);
         launch(true, s, never_waits, d.a, d.c, n);
     }},
    {"transitive",  // apart() never waits: to wait for it says nothing of primary()
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, apart, d.b, n);
         launch(true, s, waits, d.a, d.table, d.c, n);
     }},
    {"ordinary_third",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, apart, d.b, n);
         launch(false, s, never_waits, d.a, d.c, n);
     }},
    {"early_trigger",  // the third may begin while the first runs
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, triggers_before_it_waits, d.a, d.b, n);
         launch(true, s, waits_late, d.a, d.c, n);
     }},
    {"late_trigger",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         launch(true, s, waits, d.a, d.table, d.b, n);
         launch(true, s, waits_late, d.a, d.c, n);
     }},
    {"host_waits",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         cudaStreamSynchronize(s);
         launch(true, s, never_waits, d.a, d.c, n);
     }},
    {"flag",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, sets_flag, d.a, d.table + 5, n);
         launch(true, s, polls_flag, d.a, d.table + 5, d.c, n);
     }},
    {"fill_between",
     [](const Arrays& d, int n, cudaStream_t s) {
         launch(false, s, primary, d.a, n);
         cudaMemsetAsync(d.b, 0, 4, s);
         launch(true, s, never_waits, d.a, d.c, n);
     }},
    {"forked",  // by an event, which waits for the end
     [](const Arrays& d, int n, cudaStream_t s) {
         const Fork other(s);
         launch(false, s, primary, d.a, n);
         other.begin();
         launch(true, other.stream, never_waits, d.a, d.c, n);
     }},
    {"ordinary_fork",
     [](const Arrays& d, int n, cudaStream_t s) {
         const Fork other(s);
         launch(false, s, primary, d.a, n);
         other.begin();
         launch(false, other.stream, apart, d.b, n);
         launch(true, s, never_waits, d.a, d.c, n);
     }},
    {"behind_a_capture",  // what was captured is not in the stream
     [](const Arrays& d, int n, cudaStream_t s) {
         cudaMemsetAsync(d.a, 0, kCount * sizeof(int), s);
         cudaGraph_t graph;
         cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
         launch(false, s, apart, d.b, n);
         cudaStreamEndCapture(s, &graph);
         cudaGraphDestroy(graph);
         launch(true, s, never_waits, d.a, d.c, n);
     }},
};

void run(const std::string& what, const Arrays& d, cudaStream_t s) {
    for (const Case& one : kCases)
        if (what == one.name) one.run(d, kCount, s);
}

int sum_of(const int* d_array) {
    std::vector<int> h(kCount);
    cudaMemcpy(h.data(), d_array, kCount * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (const int x : h) sum += x;
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "good", how = argc > 2 ? argv[2] : "default";
    Arrays d;
    for (int** one : {&d.a, &d.b, &d.c, &d.table}) {
        cudaMalloc(one, kCount * sizeof(int));
        cudaMemset(*one, 0, kCount * sizeof(int));
    }
    const std::vector<int> ones(4, 1);
    cudaMemcpy(d.table, ones.data(), 4 * sizeof(int), cudaMemcpyHostToDevice);
    if (what == "time") {
        cudaEvent_t begin, end;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        float ms = 0;
        launch(false, nullptr, takes_long, d.a, kCount);
        cudaEventRecord(begin);
        for (int k = 0; k < 20; ++k) launch(how == "dependent", nullptr, takes_long, d.a, kCount);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        std::printf("%.9f\n", static_cast<double>(ms) * 1e-3);
        return 0;
    }
    cudaStream_t stream = nullptr;
    if (how != "default") cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    if (how == "graph") {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        run(what, d, stream);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, stream);
        cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
    } else {
        run(what, d, stream);
        cudaStreamSynchronize(stream);
    }
    std::printf("sum %d, %s\n", sum_of(d.c), cudaGetErrorName(cudaGetLastError()));
    return 0;
}
