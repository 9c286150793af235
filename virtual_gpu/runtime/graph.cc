// Graphs and what is launched of them.
#include "virtual_gpu/runtime/graph.h"

#include <map>

#include "virtual_gpu/runtime/missing.h"

namespace vgpu::runtime {

Graph* graph_of(Runtime& runtime, cudaGraph_t handle) {
    auto* graph = reinterpret_cast<Graph*>(handle);
    return runtime.graphs.contains(graph) ? graph : nullptr;
}

GraphExec* exec_of(Runtime& runtime, cudaGraphExec_t handle) {
    auto* exec = reinterpret_cast<GraphExec*>(handle);
    return runtime.graph_execs.contains(exec) ? exec : nullptr;
}

Node* node_of(Runtime& runtime, cudaGraphNode_t handle, Graph** its_graph) {
    const auto* wanted = reinterpret_cast<const Node*>(handle);
    for (Graph* graph : runtime.graphs) {
        for (const auto& node : graph->nodes) {
            if (node.get() == wanted) {
                if (its_graph != nullptr) {
                    *its_graph = graph;
                }
                return node.get();
            }
        }
    }
    return nullptr;
}

std::vector<const Node*> in_order(const Graph& graph) {
    std::vector<const Node*> order;
    std::map<const Node*, std::size_t> place;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (const auto& node : graph.nodes) {
            const bool is_ready = std::all_of(node->after.begin(), node->after.end(),
                                              [&](const Node* before) { return place.contains(before); });
            if (is_ready && place.emplace(node.get(), order.size()).second) {
                order.push_back(node.get());
                goes_on = true;
            }
        }
    }
    return order;
}

namespace {

template <class Body>
cudaError_t with_graph(const char* name, cudaGraph_t handle, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        Graph* graph = graph_of(runtime, handle);
        return graph == nullptr ? cudaErrorInvalidValue : body(runtime, *graph);
    });
}

// A node goes on in the chain of one that it comes after and that nothing follows yet, or else begins a chain.
void plan(GraphExec& exec, const std::vector<const Node*>& order) {
    std::map<const Node*, std::size_t> place;
    // A dependent stays in the chain of the kernel before: there is one, as it is captured in that kernel's stream.
    std::map<const Node*, const Node*> dependents;
    for (const Node* node : order) {
        if (node->is_dependent) {
            dependents.emplace(node->after[0], node);
        }
    }
    std::size_t chains = 0;
    exec.steps.resize(order.size());
    for (std::size_t n = 0; n < order.size(); ++n) {
        GraphExec::Step& step = exec.steps[n];
        step.node = order[n];
        step.type = order[n]->type;
        step.work = order[n]->work;
        step.host = order[n]->host;
        step.is_first = true;
        for (const Node* before : order[n]->after) {
            GraphExec::Step& other = exec.steps[place[before]];
            const auto dependent = dependents.find(before);
            const bool may_follow = dependent == dependents.end() || dependent->second == order[n];
            if (step.is_first && other.is_last && may_follow) {
                step.is_first = other.is_last = false;
                step.chain = other.chain;
            } else {
                step.after.push_back(place[before]);
                other.is_awaited = true;
            }
        }
        if (step.is_first) {
            step.chain = chains++;
        }
        place[order[n]] = n;
    }
    exec.streams.resize(chains > 1 ? chains - 1 : 0);
}

cudaError_t instantiate(const char* name, cudaGraphExec_t* out, cudaGraph_t handle) {
    return with_graph(name, handle, [&](Runtime& runtime, Graph& graph) {
        const std::vector<const Node*> order = in_order(graph);
        if (out == nullptr || order.size() != graph.nodes.size()) {
            return cudaErrorInvalidValue;
        }
        auto* exec = new GraphExec;
        plan(*exec, order);
        for (auto& stream : exec->streams) {
            stream = std::make_unique<Stream>();
            stream->id = runtime.session->make_stream(false);
            stream->flags = cudaStreamNonBlocking;
            runtime.pending.order().make_stream(stream->id, false);
        }
        for (Event* event : {&exec->begun, &exec->ended}) {
            event->id = runtime.session->make_event();
        }
        for (GraphExec::Step& step : exec->steps) {
            step.done.id = runtime.session->make_event();
        }
        runtime.graph_execs.insert(exec);
        *out = reinterpret_cast<cudaGraphExec_t>(exec);
        return cudaSuccess;
    });
}

// Behind what is in the background, the host function, too.
cudaError_t work_now(Runtime& runtime, Stream& stream, const GraphExec::Step& step, std::function<void()>& host) {
    const bool is_kernel = step.type == cudaGraphNodeTypeKernel, works = step.work && step.is_enabled;
    Background& background = runtime.background;
    if (background.is_running() && (is_kernel || background.is_ahead_of(stream))) {
        const auto nothing = [](Runtime&, Stream&) { return cudaSuccess; };
        background.hold(stream, is_kernel, works ? step.work : nothing, std::exchange(host, {}));
        return cudaSuccess;
    }
    return works ? step.work(runtime, stream) : cudaSuccess;
}

// One after the other, so that a host function can be called outside of the lock.
cudaError_t launch(cudaGraphExec_t handle, cudaStream_t stream_handle, bool per_thread) {
    const auto part = [&](auto&& body) {
        return api("cudaGraphLaunch", kWork, [&](Runtime& runtime) {
            GraphExec* exec = exec_of(runtime, handle);
            Stream* stream = runtime.stream_of(stream_handle, per_thread);
            if (exec == nullptr || stream == nullptr) {
                return exec == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
            }
            return body(runtime, *exec, *stream);
        });
    };
    const auto in_turn = [](std::initializer_list<std::function<cudaError_t()>> todo) {
        cudaError_t error = cudaSuccess;
        for (const auto& one : todo) {
            error = error == cudaSuccess ? one() : error;
        }
        return error;
    };
    std::size_t count = 0;
    cudaError_t error = part([&](Runtime& runtime, GraphExec& exec, Stream& stream) {
        count = exec.steps.size();
        if (const cudaError_t failed = runtime.background.finish(); failed != cudaSuccess) {
            return failed;
        }
        if (const cudaError_t refused = refuse_in(stream); refused != cudaSuccess) {
            return static_cast<cudaError_t>(lacks("a graph that is launched into a captured stream"));
        }
        return work_in(runtime, stream, cudaGraphNodeTypeGraph, [&](Runtime&, Stream&) {
            return in_turn({[&] { return exec.is_launched ? wait_in(runtime, stream, exec.ended) : cudaSuccess; },
                            [&] { return record_in(runtime, exec.begun, stream); }});
        });
    });
    for (std::size_t n = 0; n < count && error == cudaSuccess; ++n) {
        std::function<void()> host;
        Runtime::get().launching = true;
        error = part([&](Runtime& runtime, GraphExec& exec, Stream& launched_into) {
            GraphExec::Step& step = exec.steps[n];
            Stream& stream = step.chain == 0 ? launched_into : *exec.streams[step.chain - 1];
            host = step.is_enabled ? step.host : nullptr;
            cudaError_t failed = cudaSuccess;
            if (step.is_first && step.chain != 0) {
                failed = wait_in(runtime, stream, exec.begun);
            }
            for (const std::size_t before : step.after) {
                failed = failed == cudaSuccess ? wait_in(runtime, stream, exec.steps[before].done) : failed;
            }
            return in_turn({[&] { return failed; }, [&] { return work_now(runtime, stream, step, host); },
                            [&] {
                                const bool is_awaited = step.is_awaited || (step.is_last && step.chain != 0);
                                return is_awaited ? record_in(runtime, step.done, stream) : cudaSuccess;
                            }});
        });
        Runtime::get().launching = false;
        if (error == cudaSuccess && host) {
            host();
        }
    }
    return error != cudaSuccess ? error : part([&](Runtime& runtime, GraphExec& exec, Stream& stream) {
        cudaError_t failed = cudaSuccess;
        for (GraphExec::Step& step : exec.steps) {
            if (step.is_last && step.chain != 0 && failed == cudaSuccess) {
                failed = wait_in(runtime, stream, step.done);
            }
        }
        exec.is_launched = true;
        return failed != cudaSuccess ? failed : record_in(runtime, exec.ended, stream);
    });
}

// `add` makes calls into a stream that is captured behind the nodes `after`; what it leaves there is the new node.
template <class Add>
cudaError_t add_node(cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* after, std::size_t count,
                     Add&& add) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(runtime.mutex);
    Graph* graph = graph_of(runtime, handle);
    if (graph == nullptr || out == nullptr || (count != 0 && after == nullptr)) {
        return static_cast<cudaError_t>(set_last_error("cudaGraphAddNode", cudaErrorInvalidValue));
    }
    Stream stream;
    stream.at.capture = std::make_shared<Capture>();
    stream.at.capture->graph.reset(graph);
    for (std::size_t i = 0; i < count; ++i) {
        Graph* its_graph = nullptr;
        Node* node = node_of(runtime, after[i], &its_graph);
        if (node == nullptr || its_graph != graph) {
            return static_cast<cudaError_t>(set_last_error("cudaGraphAddNode", cudaErrorInvalidValue));
        }
        stream.at.after.push_back(node);
    }
    runtime.streams.insert(&stream);
    runtime.has_streams = true;  // the graph's own; calls are worth their place from now on
    runtime.captures.insert(stream.at.capture);
    const cudaError_t error = add(reinterpret_cast<cudaStream_t>(&stream));
    runtime.captures.erase(stream.at.capture);
    runtime.streams.erase(&stream);
    static_cast<void>(stream.at.capture->graph.release());
    if (error == cudaSuccess) {
        *out = reinterpret_cast<cudaGraphNode_t>(graph->nodes.back().get());
    }
    return error;
}

cudaError_t fill(const cudaMemsetParams& p, cudaStream_t stream) {
    const unsigned byte = p.value & 0xFF;
    const unsigned all = byte * 0x0101'0101U, mask = p.elementSize >= 4 ? ~0U : (1U << (8 * p.elementSize)) - 1;
    if (((p.value ^ all) & mask) != 0) {
        return static_cast<cudaError_t>(
            set_last_error("cudaGraphAddMemsetNode", lacks("a fill with elements of unequal bytes")));
    }
    const std::size_t width = p.width * p.elementSize, pitch = p.height > 1 ? p.pitch : width;
    return cudaMemset2DAsync(p.dst, pitch, static_cast<int>(byte), width, p.height, stream);
}

cudaError_t launch_kernel(const cudaKernelNodeParams& p, cudaStream_t stream) {
    return cudaLaunchKernel(p.func, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes, stream);
}

// The steps do what the nodes of `graph` say, which must be of the same shape.
bool update(GraphExec& exec, const std::vector<const Node*>& order) {
    GraphExec planned;
    plan(planned, order);
    const auto same = [](const GraphExec::Step& a, const GraphExec::Step& b) {
        return a.type == b.type && a.chain == b.chain && a.after == b.after;
    };
    if (!std::equal(exec.steps.begin(), exec.steps.end(), planned.steps.begin(), planned.steps.end(), same)) {
        return false;
    }
    for (std::size_t n = 0; n < order.size(); ++n) {
        exec.steps[n].work = order[n]->work;
        exec.steps[n].host = order[n]->host;
    }
    return true;
}

}  // namespace
}  // namespace vgpu::runtime

using namespace vgpu::runtime;

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned) {
    return api("cudaGraphCreate", kPlain, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = reinterpret_cast<cudaGraph_t>(*runtime.graphs.insert(new Graph).first);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return with_graph("cudaGraphDestroy", handle, [](Runtime& runtime, Graph& graph) {
        runtime.graphs.erase(&graph);
        delete &graph;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* p) {
    return add_node(out, graph, after, count, [&](cudaStream_t stream) { return launch_kernel(*p, stream); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
    return add_node(out, graph, after, count, [&](cudaStream_t stream) { return cudaMemcpy3DAsync(p, stream); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
    return add_node(out, graph, after, count,
                    [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           std::size_t count, const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
    return add_node(out, graph, after, count, [&](cudaStream_t stream) {
        return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, stream);
    });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                             std::size_t count, void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
    return add_node(out, graph, after, count, [&](cudaStream_t stream) {
        return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, stream);
    });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* p) {
    return add_node(out, graph, after, count, [&](cudaStream_t stream) { return fill(*p, stream); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* p) {
    return add_node(out, graph, after, count,
                    [&](cudaStream_t stream) { return cudaLaunchHostFunc(stream, p->fn, p->userData); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
    return add_node(out, graph, after, count, [&](cudaStream_t stream) {
        return work_in(Runtime::get(), *reinterpret_cast<Stream*>(stream), cudaGraphNodeTypeEmpty, Work());
    });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edges, std::size_t count) {
    return with_graph("cudaGraphAddDependencies", handle, [&](Runtime&, Graph&) {
        const bool all_full = edges == nullptr || std::all_of(edges, edges + count, [](const cudaGraphEdgeData& edge) {
                                  return edge.type == cudaGraphDependencyTypeDefault && edge.from_port == 0;
                              });
        if (!all_full) {
            return static_cast<cudaError_t>(lacks("programmatic edges that no captured stream has made"));
        }
        for (std::size_t i = 0; i < count; ++i) {
            reinterpret_cast<Node*>(to[i])->after.push_back(reinterpret_cast<Node*>(from[i]));
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
    return with_graph("cudaGraphGetNodes", handle, [&](Runtime&, Graph& graph) {
        if (count == nullptr) {
            return cudaErrorInvalidValue;
        }
        const std::size_t room = nodes == nullptr ? 0 : std::min(*count, graph.nodes.size());
        for (std::size_t i = 0; i < room; ++i) {
            nodes[i] = reinterpret_cast<cudaGraphNode_t>(graph.nodes[i].get());
        }
        *count = nodes == nullptr ? graph.nodes.size() : room;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
    return api("cudaGraphNodeGetType", kPlain, [&](Runtime& runtime) {
        const Node* node = node_of(runtime, handle);
        if (node == nullptr || type == nullptr) {
            return cudaErrorInvalidValue;
        }
        *type = node->type;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
    return instantiate("cudaGraphInstantiate", out, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
    return instantiate("cudaGraphInstantiateWithFlags", out, graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    return api("cudaGraphExecDestroy", kAlways, [&](Runtime& runtime) {
        runtime.background.finish();
        GraphExec* exec = exec_of(runtime, handle);
        if (exec == nullptr) {
            return cudaErrorInvalidValue;
        }
        for (const auto& stream : exec->streams) {
            runtime.session->destroy_stream(stream->id);
            runtime.pending.order().destroy_stream(stream->id);
        }
        for (const GraphExec::Step& step : exec->steps) {
            runtime.session->destroy_event(step.done.id);
        }
        runtime.session->destroy_event(exec->begun.id);
        runtime.session->destroy_event(exec->ended.id);
        runtime.graph_execs.erase(exec);
        delete exec;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph_handle, cudaGraphExecUpdateResultInfo* out) {
    return with_graph("cudaGraphExecUpdate", graph_handle, [&](Runtime& runtime, Graph& graph) {
        GraphExec* exec = exec_of(runtime, handle);
        if (exec == nullptr || out == nullptr) {
            return cudaErrorInvalidValue;
        }
        const bool is_same = update(*exec, in_order(graph));
        *out = {};
        out->result = is_same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
        return is_same ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) { return launch(exec, stream, false); }
VGPU_EXPORT cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
    return launch(exec, stream, true);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* out, cudaGraph_t graph, cudaGraphInstantiateParams* p) {
    if (p == nullptr || (p->flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
        return api("cudaGraphInstantiateWithParams", kPlain, [&](Runtime&) {
            return p == nullptr ? cudaErrorInvalidValue : static_cast<cudaError_t>(lacks("graphs that kernels launch"));
        });
    }
    const cudaError_t error = instantiate("cudaGraphInstantiateWithParams", out, graph);
    p->errNode_out = nullptr;
    p->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    return error;
}
VGPU_EXPORT cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* out, cudaGraph_t graph,
                                                            cudaGraphInstantiateParams* p) {
    return cudaGraphInstantiateWithParams(out, graph, p);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t) {
    return api("cudaGraphUpload", kPlain,
               [&](Runtime& runtime) { return exec_of(runtime, handle) ? cudaSuccess : cudaErrorInvalidValue; });
}
VGPU_EXPORT cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
    return cudaGraphUpload(exec, stream);
}
