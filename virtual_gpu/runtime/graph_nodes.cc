// Graphs as data: copies of them, their nodes and edges, and other parameters for a node.
#include <algorithm>
#include <cstdio>
#include <map>

#include "virtual_gpu/runtime/graph.h"
#include "virtual_gpu/runtime/missing.h"

namespace {

using namespace vgpu::runtime;

cudaGraphNode_t handle_of(const Node* node) { return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node)); }

// As CUDA gives a list: its length if there is no room for it, else as much as there is room for, and how much that is.
cudaError_t give(const std::vector<const Node*>& list, cudaGraphNode_t* out, std::size_t* count) {
    if (count == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (out == nullptr) {
        *count = list.size();
        return cudaSuccess;
    }
    for (std::size_t n = 0; n < *count; ++n) {
        out[n] = n < list.size() ? handle_of(list[n]) : nullptr;
    }
    *count = std::min(*count, list.size());
    return cudaSuccess;
}

template <class Body>
cudaError_t with_node(const char* name, cudaGraphNode_t handle, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        Graph* graph = nullptr;
        Node* node = node_of(runtime, handle, &graph);
        return node == nullptr ? cudaErrorInvalidValue : body(*graph, *node);
    });
}

template <class Body>
cudaError_t with_step(const char* name, cudaGraphExec_t handle, cudaGraphNode_t node, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        GraphExec* exec = exec_of(runtime, handle);
        for (std::size_t n = 0; exec != nullptr && n < exec->steps.size(); ++n) {
            if (exec->steps[n].node == reinterpret_cast<const Node*>(node)) {
                return body(exec->steps[n]);
            }
        }
        return cudaErrorInvalidValue;
    });
}

// `add` makes a node with the new parameters, in a graph for this purpose; `take` gets it.
template <class Add, class Take>
cudaError_t remade(Add&& add, Take&& take) {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t made = nullptr;
    cudaError_t error = cudaGraphCreate(&graph, 0);
    if (error != cudaSuccess) {
        return error;
    }
    error = add(&made, graph);
    if (error == cudaSuccess) {
        error = take(*reinterpret_cast<Node*>(made));
    }
    cudaGraphDestroy(graph);
    return error;
}

template <class Add>
cudaError_t set_node(const char* name, cudaGraphNode_t handle, Add&& add) {
    return remade(add, [&](Node& made) {
        return with_node(name, handle, [&](Graph&, Node& node) {
            if (node.type != made.type) {
                return cudaErrorInvalidValue;
            }
            node.work = made.work;
            node.host = made.host;
            return cudaSuccess;
        });
    });
}

template <class Add>
cudaError_t set_step(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node, Add&& add) {
    return remade(add, [&](Node& made) {
        return with_step(name, exec, node, [&](GraphExec::Step& step) {
            if (step.type != made.type) {
                return cudaErrorInvalidValue;
            }
            step.work = made.work;
            step.host = made.host;
            return cudaSuccess;
        });
    });
}

auto kernel(const cudaKernelNodeParams* p) {
    return [p](cudaGraphNode_t* out, cudaGraph_t graph) { return cudaGraphAddKernelNode(out, graph, nullptr, 0, p); };
}
auto copy(const cudaMemcpy3DParms* p) {
    return [p](cudaGraphNode_t* out, cudaGraph_t graph) { return cudaGraphAddMemcpyNode(out, graph, nullptr, 0, p); };
}
auto copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return [=](cudaGraphNode_t* out, cudaGraph_t graph) {
        return cudaGraphAddMemcpyNode1D(out, graph, nullptr, 0, to, from, bytes, kind);
    };
}
auto copy_to(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    return [=](cudaGraphNode_t* out, cudaGraph_t graph) {
        return cudaGraphAddMemcpyNodeToSymbol(out, graph, nullptr, 0, symbol, from, bytes, offset, kind);
    };
}
auto copy_from(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    return [=](cudaGraphNode_t* out, cudaGraph_t graph) {
        return cudaGraphAddMemcpyNodeFromSymbol(out, graph, nullptr, 0, to, symbol, bytes, offset, kind);
    };
}
auto fill(const cudaMemsetParams* p) {
    return [p](cudaGraphNode_t* out, cudaGraph_t graph) { return cudaGraphAddMemsetNode(out, graph, nullptr, 0, p); };
}
auto call(const cudaHostNodeParams* p) {
    return [p](cudaGraphNode_t* out, cudaGraph_t graph) { return cudaGraphAddHostNode(out, graph, nullptr, 0, p); };
}

template <class Body>
cudaError_t with(const char* name, cudaGraph_t handle, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        Graph* graph = graph_of(runtime, handle);
        return graph == nullptr ? cudaErrorInvalidValue : body(runtime, *graph);
    });
}

}  // namespace

cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t handle) {
    return with("cudaGraphClone", handle, [&](Runtime& runtime, Graph& graph) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        auto* clone = new Graph;
        std::map<const Node*, Node*> copies;
        for (const auto& node : graph.nodes) {
            auto copied = std::make_unique<Node>(*node);
            copied->original = node.get();
            copies[node.get()] = copied.get();
            clone->nodes.push_back(std::move(copied));
        }
        for (const auto& node : clone->nodes) {
            for (Node*& before : node->after) {
                before = copies[before];
            }
        }
        runtime.graphs.insert(clone);
        *out = reinterpret_cast<cudaGraph_t>(clone);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* out, cudaGraphNode_t original, cudaGraph_t handle) {
    return with("cudaGraphNodeFindInClone", handle, [&](Runtime&, Graph& graph) {
        for (const auto& node : graph.nodes) {
            if (out != nullptr && original != nullptr && node->original == reinterpret_cast<const Node*>(original)) {
                *out = handle_of(node.get());
                return cudaSuccess;
            }
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* out, std::size_t* count) {
    return with("cudaGraphGetRootNodes", handle, [&](Runtime&, Graph& graph) {
        std::vector<const Node*> roots;
        for (const auto& node : graph.nodes) {
            if (node->after.empty()) {
                roots.push_back(node.get());
            }
        }
        return give(roots, out, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                              std::size_t* count) {
    return with("cudaGraphGetEdges", handle, [&](Runtime&, Graph& graph) {
        std::vector<const Node*> firsts, seconds;
        for (const auto& node : graph.nodes) {
            for (const Node* before : node->after) {
                firsts.push_back(before);
                seconds.push_back(node.get());
            }
        }
        if (count == nullptr || (from == nullptr) != (to == nullptr)) {
            return cudaErrorInvalidValue;
        }
        std::size_t same = *count;
        const cudaError_t error = give(firsts, from, &same);
        give(seconds, to, count);
        if (data != nullptr && from != nullptr) {
            std::fill_n(data, *count, cudaGraphEdgeData{});
        }
        return error;
    });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                         std::size_t* count) {
    return with_node("cudaGraphNodeGetDependencies", handle, [&](Graph&, Node& node) {
        const cudaError_t error = give({node.after.begin(), node.after.end()}, out, count);
        if (error == cudaSuccess && data != nullptr && out != nullptr) {
            std::fill_n(data, *count, cudaGraphEdgeData{});
        }
        return error;
    });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                           std::size_t* count) {
    return with_node("cudaGraphNodeGetDependentNodes", handle, [&](Graph& graph, Node& node) {
        std::vector<const Node*> dependents;
        for (const auto& other : graph.nodes) {
            if (std::find(other->after.begin(), other->after.end(), &node) != other->after.end()) {
                dependents.push_back(other.get());
            }
        }
        const cudaError_t error = give(dependents, out, count);
        if (error == cudaSuccess && data != nullptr && out != nullptr) {
            std::fill_n(data, *count, cudaGraphEdgeData{});
        }
        return error;
    });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, std::size_t count) {
    return with("cudaGraphRemoveDependencies", handle, [&](Runtime& runtime, Graph& graph) {
        if (count != 0 && (from == nullptr || to == nullptr)) {
            return cudaErrorInvalidValue;
        }
        for (std::size_t n = 0; n < count; ++n) {
            Graph* its_graph = nullptr;
            Node* node = node_of(runtime, to[n], &its_graph);
            if (node == nullptr || its_graph != &graph) {
                return cudaErrorInvalidValue;
            }
            const auto found = std::find(node->after.begin(), node->after.end(), reinterpret_cast<Node*>(from[n]));
            if (found == node->after.end()) {
                return cudaErrorInvalidValue;
            }
            node->after.erase(found);
            node->is_dependent = node->is_dependent && !node->after.empty();
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return with_node("cudaGraphDestroyNode", handle, [](Graph& graph, Node& node) {
        for (const auto& other : graph.nodes) {
            std::erase(other->after, &node);
            other->is_dependent = other->is_dependent && !other->after.empty();
        }
        std::erase_if(graph.nodes, [&](const auto& one) { return one.get() == &node; });
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
    return api("cudaGraphExecGetFlags", kPlain, [&](Runtime& runtime) {
        if (exec_of(runtime, handle) == nullptr || flags == nullptr) {
            return cudaErrorInvalidValue;
        }
        *flags = 0;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled) {
    return with_step("cudaGraphNodeSetEnabled", exec, node, [&](GraphExec::Step& step) {
        const bool may_be = step.type == cudaGraphNodeTypeKernel || step.type == cudaGraphNodeTypeMemset ||
                            step.type == cudaGraphNodeTypeMemcpy;
        step.is_enabled = may_be ? is_enabled != 0 : step.is_enabled;
        return may_be ? cudaSuccess : cudaErrorInvalidValue;
    });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* is_enabled) {
    return with_step("cudaGraphNodeGetEnabled", exec, node, [&](GraphExec::Step& step) {
        if (is_enabled == nullptr) {
            return cudaErrorInvalidValue;
        }
        *is_enabled = step.is_enabled ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    return set_node("cudaGraphKernelNodeSetParams", node, kernel(p));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
    return set_node("cudaGraphMemcpyNodeSetParams", node, copy(p));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, std::size_t bytes,
                                           cudaMemcpyKind kind) {
    return set_node("cudaGraphMemcpyNodeSetParams1D", node, copy(to, from, bytes, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    return set_node("cudaGraphMemcpyNodeSetParamsToSymbol", node, copy_to(symbol, from, bytes, offset, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    return set_node("cudaGraphMemcpyNodeSetParamsFromSymbol", node, copy_from(to, symbol, bytes, offset, kind));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
    return set_node("cudaGraphMemsetNodeSetParams", node, fill(p));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
    return set_node("cudaGraphHostNodeSetParams", node, call(p));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
    return set_step("cudaGraphExecKernelNodeSetParams", exec, node, kernel(p));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
    return set_step("cudaGraphExecMemcpyNodeSetParams", exec, node, copy(p));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from,
                                               std::size_t bytes, cudaMemcpyKind kind) {
    return set_step("cudaGraphExecMemcpyNodeSetParams1D", exec, node, copy(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void* symbol,
                                                     const void* from, std::size_t bytes, std::size_t offset,
                                                     cudaMemcpyKind kind) {
    return set_step("cudaGraphExecMemcpyNodeSetParamsToSymbol", exec, node, copy_to(symbol, from, bytes, offset, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                       const void* symbol, std::size_t bytes, std::size_t offset,
                                                       cudaMemcpyKind kind) {
    return set_step("cudaGraphExecMemcpyNodeSetParamsFromSymbol", exec, node,
                    copy_from(to, symbol, bytes, offset, kind));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* p) {
    return set_step("cudaGraphExecMemsetNodeSetParams", exec, node, fill(p));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* p) {
    return set_step("cudaGraphExecHostNodeSetParams", exec, node, call(p));
}
