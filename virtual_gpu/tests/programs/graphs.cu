// CUDA graphs, captured and made by hand. Ends with the line of the first check that fails, or with 0.
#include <cstdio>
#include <vector>

#include "checks.h"

constexpr int kCount = 1000;
constexpr std::size_t kBytes = kCount * sizeof(int);

static __global__ void put(int* d, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCount) d[i] = value + i;
}
static __global__ void add(const int* a, const int* b, int* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCount) sum[i] = a[i] + b[i];
}

static int calls = 0;
static void count(void* by) { calls += *static_cast<int*>(by); }

struct Things {
    cudaStream_t s{}, t{};
    cudaEvent_t fork{}, join{};
    int *a{}, *b{}, *c{}, *host{};
    Things() {
        cudaStreamCreate(&s);
        cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
        cudaEventCreate(&fork);
        cudaEventCreate(&join);
        for (int** p : {&a, &b, &c}) cudaMalloc(p, kBytes);
        cudaMallocHost(&host, kBytes);
    }
    ~Things() {
        for (int* p : {a, b, c}) cudaFree(p);
        cudaFreeHost(host);
        cudaEventDestroy(fork);
        cudaEventDestroy(join);
        cudaStreamDestroy(s);
        cudaStreamDestroy(t);
    }
};

// put(a) and put(b) side by side, then their sum, a copy of it and a host function.
static bool two_branches(Things& x) {
    OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status{};
    OK(cudaStreamIsCapturing(x.s, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaEventRecord(x.fork, x.s));
    OK(cudaStreamWaitEvent(x.t, x.fork));
    put<<<4, 256, 0, x.s>>>(x.a, 1);
    put<<<4, 256, 0, x.t>>>(x.b, 5);
    OK(cudaEventRecord(x.join, x.t));
    OK(cudaStreamWaitEvent(x.s, x.join));
    add<<<4, 256, 0, x.s>>>(x.a, x.b, x.c);
    OK(cudaMemcpyAsync(x.host, x.c, kBytes, cudaMemcpyDeviceToHost, x.s));
    static int one = 1;
    OK(cudaLaunchHostFunc(x.s, count, &one));
    CHECK(calls == 0);
    cudaGraph_t graph{};
    OK(cudaStreamEndCapture(x.s, &graph));
    OK(cudaStreamIsCapturing(x.t, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    std::size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 5);
    cudaGraphExec_t exec{};
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    for (int k = 0; k < 3; ++k) OK(cudaGraphLaunch(exec, x.s));
    OK(cudaStreamSynchronize(x.s));
    CHECK(calls == 3);
    for (int i = 0; i < kCount; ++i) CHECK(x.host[i] == 6 + 2 * i);
    OK(cudaGraphExecDestroy(exec));
    return true;
}

static bool by_hand(Things& x) {
    cudaGraph_t graph{};
    OK(cudaGraphCreate(&graph, 0));
    const std::vector<int> three(kCount, 3);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<int*>(three.data()), kBytes, kCount, 1);
    copy.dstPtr = make_cudaPitchedPtr(x.a, kBytes, kCount, 1);
    copy.extent = make_cudaExtent(kBytes, 1, 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemsetParams fill{};
    fill.dst = x.b;
    fill.value = 0x01010101;
    fill.elementSize = 4;
    fill.width = kCount;
    fill.height = 1;
    cudaGraphNode_t first[2]{}, sum{}, back{}, told{};
    OK(cudaGraphAddMemcpyNode(&first[0], graph, nullptr, 0, &copy));
    OK(cudaGraphAddMemsetNode(&first[1], graph, nullptr, 0, &fill));
    void* arguments[] = {&x.a, &x.b, &x.c};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(add);
    kernel.gridDim = 4;
    kernel.blockDim = 256;
    kernel.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&sum, graph, first, 2, &kernel));
    OK(cudaGraphAddMemcpyNode1D(&back, graph, nullptr, 0, x.host, x.c, kBytes, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddDependencies(graph, &sum, &back, nullptr, 1));
    static int ten = 10;
    const cudaHostNodeParams host{count, &ten};
    OK(cudaGraphAddHostNode(&told, graph, &back, 1, &host));
    cudaGraphNodeType type{};
    OK(cudaGraphNodeGetType(first[1], &type));
    CHECK(type == cudaGraphNodeTypeMemset);
    cudaGraphExec_t exec{};
    OK(cudaGraphInstantiate(&exec, graph, 0));
    calls = 0;
    OK(cudaGraphLaunch(exec, x.t));
    OK(cudaStreamSynchronize(x.t));
    CHECK(calls == 10 && x.host[7] == 3 + 0x01010101);
    void* others[] = {&x.a, &x.a, &x.c};
    kernel.kernelParams = others;
    OK(cudaGraphExecKernelNodeSetParams(exec, sum, &kernel));
    OK(cudaGraphLaunch(exec, x.t));
    OK(cudaStreamSynchronize(x.t));
    CHECK(x.host[7] == 6);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    return true;
}

static bool updated(Things& x) {
    cudaGraph_t graphs[2]{};
    for (int k = 0; k < 2; ++k) {
        OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeRelaxed));
        put<<<4, 256, 0, x.s>>>(x.b, 9 + k);
        OK(cudaStreamEndCapture(x.s, &graphs[k]));
    }
    cudaGraphExec_t exec{};
    OK(cudaGraphInstantiateWithFlags(&exec, graphs[0], 0));
    cudaGraphExecUpdateResultInfo result{};
    OK(cudaGraphExecUpdate(exec, graphs[1], &result));
    OK(cudaGraphLaunch(exec, x.s));
    int value = 0;
    OK(cudaMemcpyAsync(&value, x.b, sizeof value, cudaMemcpyDeviceToHost, x.s));
    OK(cudaStreamSynchronize(x.s));
    CHECK(value == 10);
    cudaGraph_t empty{};
    OK(cudaGraphCreate(&empty, 0));
    CHECK(cudaGraphExecUpdate(exec, empty, &result) == cudaErrorGraphExecUpdateFailure);
    CHECK(result.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGetLastError();
    for (cudaGraph_t graph : {graphs[0], graphs[1], empty}) OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));
    return true;
}

#define FAILS(call, error)        \
    do {                          \
        CHECK((call) == (error)); \
        (void)cudaGetLastError(); \
    } while (false)

static bool refused(Things& x) {
    cudaGraph_t graph{};
    void* memory = nullptr;
    FAILS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaStreamEndCapture(x.s, &graph), cudaErrorIllegalState);
    OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeGlobal));
    FAILS(cudaStreamSynchronize(x.s), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaStreamEndCapture(x.s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeGlobal));
    FAILS(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaStreamEndCapture(x.s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeRelaxed));
    FAILS(cudaMemset(x.a, 0, 4), cudaErrorStreamCaptureImplicit);  // the default stream waits for x.s
    FAILS(cudaStreamEndCapture(x.s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(x.fork, x.s));
    FAILS(cudaEventSynchronize(x.fork), cudaErrorCapturedEvent);
    OK(cudaStreamWaitEvent(x.t, x.fork));
    put<<<4, 256, 0, x.t>>>(x.b, 5);
    FAILS(cudaStreamEndCapture(x.s, &graph), cudaErrorStreamCaptureUnjoined);
    OK(cudaStreamBeginCapture(x.s, cudaStreamCaptureModeGlobal));
    FAILS(cudaStreamWaitEvent(x.s, x.join), cudaErrorStreamCaptureIsolation);  // recorded outside of the capture
    FAILS(cudaStreamEndCapture(x.s, &graph), cudaErrorStreamCaptureInvalidated);
    return true;
}

// A clone is a graph of its own: put, then put again, then a copy; its nodes are found by those of the original.
static bool cloned(Things& x) {
    cudaGraph_t graph{}, clone{};
    OK(cudaGraphCreate(&graph, 0));
    int seven = 7, nine = 9;
    void *sevens[] = {&x.a, &seven}, *nines[] = {&x.a, &nine};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(put);
    kernel.gridDim = 4;
    kernel.blockDim = 256;
    kernel.kernelParams = sevens;
    cudaGraphNode_t first{}, second{}, back{}, node{}, list[4]{};
    OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.kernelParams = nines;
    OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    OK(cudaGraphAddMemcpyNode1D(&back, graph, &second, 1, x.host, x.a, kBytes, cudaMemcpyDeviceToHost));
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&node, second, clone));
    CHECK(node != second);
    std::size_t count = 4;
    OK(cudaGraphNodeGetDependencies(node, list, nullptr, &count));
    CHECK(count == 1 && list[0] != first);
    OK(cudaGraphGetRootNodes(clone, nullptr, &count));
    CHECK(count == 1);
    OK(cudaGraphGetEdges(clone, nullptr, nullptr, nullptr, &count));
    CHECK(count == 2);
    // Without its second kernel, in the clone alone.
    cudaGraphNode_t copy{}, before{};
    OK(cudaGraphNodeFindInClone(&copy, back, clone));
    OK(cudaGraphNodeFindInClone(&before, first, clone));
    OK(cudaGraphDestroyNode(node));
    OK(cudaGraphAddDependencies(clone, &before, &copy, nullptr, 1));
    cudaGraphExec_t exec{}, original{};
    OK(cudaGraphInstantiate(&exec, clone, 0));
    OK(cudaGraphInstantiate(&original, graph, 0));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphLaunch(exec, x.s));
    OK(cudaStreamSynchronize(x.s));
    CHECK(x.host[10] == 17);
    OK(cudaGraphLaunch(original, x.s));
    OK(cudaStreamSynchronize(x.s));
    CHECK(x.host[10] == 19);
    // A node that is disabled does nothing; a node of the graph with other parameters.
    OK(cudaGraphNodeSetEnabled(original, second, 0));
    OK(cudaGraphLaunch(original, x.s));
    OK(cudaStreamSynchronize(x.s));
    CHECK(x.host[10] == 17);
    kernel.kernelParams = sevens;
    seven = 70;
    OK(cudaGraphKernelNodeSetParams(second, &kernel));
    OK(cudaGraphExecDestroy(original));
    cudaGraphInstantiateParams params{};
    OK(cudaGraphInstantiateWithParams(&original, graph, &params));
    CHECK(params.result_out == cudaGraphInstantiateSuccess);
    OK(cudaGraphLaunch(original, x.s));
    OK(cudaStreamSynchronize(x.s));
    CHECK(x.host[10] == 80);
    for (cudaGraphExec_t one : {exec, original}) OK(cudaGraphExecDestroy(one));
    OK(cudaGraphDestroy(graph));
    CHECK(cudaGraphClone(&clone, graph) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    return true;
}

int main() {
    Things x;
    if (two_branches(x) && by_hand(x) && updated(x) && cloned(x) && refused(x)) std::printf("0\n");
    return 0;
}
