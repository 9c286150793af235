// CUDA graphs: work that is written down once and launched as a whole. A stream that is being captured takes the calls
// made into it as nodes of a graph; the functions that add a node by hand capture it, too.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {

using Work = std::function<cudaError_t(Runtime&, Stream&)>;

struct Node {
    cudaGraphNodeType type{};
    Work work;
    std::function<void()> host;  // of a host function: called after `work`, outside of the lock
    std::vector<Node*> after;
    bool is_dependent = false;       // a kernel that may begin before the one that it comes after is complete
    const Node* original = nullptr;  // of a node of a clone
};

struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;  // each behind those that it comes after, unless edges were added later
};

struct Capture {
    std::unique_ptr<Graph> graph = std::make_unique<Graph>();
    const Stream* begun_by = nullptr;
    bool is_valid = true;
    bool is_strict = true;  // no call that may wait for the device is allowed
};

// A graph that can be launched: its nodes in chains, each in a stream of its own. The first chain is in the stream that
// the graph is launched into.
struct GraphExec {
    struct Step {
        const Node* node = nullptr;  // of the graph, which may be destroyed before this
        cudaGraphNodeType type{};
        Work work;
        std::function<void()> host;
        std::size_t chain = 0;
        std::vector<std::size_t> after;  // steps of other chains
        bool is_first = false, is_last = true, is_awaited = false;
        bool is_enabled = true;
        Event done;
    };
    std::vector<Step> steps;
    std::vector<std::unique_ptr<Stream>> streams;  // of the chains but the first
    Event begun, ended;
    bool is_launched = false;
};

// `work` in a stream, while some stream is being captured.
cudaError_t work_or_capture(Runtime&, Stream&, cudaGraphNodeType, const Work&, const std::function<void()>& host);

template <class Body>
cudaError_t work_in(Runtime& runtime, Stream& stream, cudaGraphNodeType type, Body&& work,
                    const std::function<void()>& host = {}) {
    (stream.at.capture ? stream.at.ends_with_kernel : stream.ends_with_kernel) = type == cudaGraphNodeTypeKernel;
    const bool is_kernel = type == cudaGraphNodeTypeKernel;
    Background& background = runtime.background;
    if (background.is_running() && !background.is_me() && !stream.at.capture &&
        (is_kernel || background.is_ahead_of(stream))) {
        background.hold(stream, is_kernel, std::forward<Body>(work), host);
        return cudaSuccess;
    }
    return runtime.captures.empty() ? work(runtime, stream)
                                    : work_or_capture(runtime, stream, type, std::forward<Body>(work), host);
}

// A call that must not be made while a stream is captured (into that stream, or at all) ends the capture.
cudaError_t refuse_in(Stream&);
cudaError_t refuse_in_any(Runtime&);

Graph* graph_of(Runtime&, cudaGraph_t);  // nullptr: it is none; here and below
GraphExec* exec_of(Runtime&, cudaGraphExec_t);
Node* node_of(Runtime&, cudaGraphNode_t, Graph** its_graph = nullptr);
// All nodes, each behind those that it comes after; fewer: there is a cycle.
std::vector<const Node*> in_order(const Graph&);

// What cudaEventRecord and cudaStreamWaitEvent do.
cudaError_t record_in(Runtime&, Event&, Stream&);
cudaError_t wait_in(Runtime&, Stream&, Event&);

}  // namespace vgpu::runtime
