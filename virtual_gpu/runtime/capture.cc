// Streams that are being captured.
#include <algorithm>
#include <set>

#include "virtual_gpu/runtime/graph.h"

namespace vgpu::runtime {
namespace {

// Those that come before one of `last`, and `last` itself.
std::set<const Node*> all_before(const std::vector<Node*>& last) {
    std::set<const Node*> found;
    std::vector<const Node*> open(last.begin(), last.end());
    while (!open.empty()) {
        const Node* node = open.back();
        open.pop_back();
        if (found.insert(node).second) {
            open.insert(open.end(), node->after.begin(), node->after.end());
        }
    }
    return found;
}

void leave(Runtime& runtime, const std::shared_ptr<Capture>& capture) {
    const auto forget = [&](Captured& at) {
        if (at.capture == capture) {
            at = {};
        }
    };
    std::for_each(runtime.streams.begin(), runtime.streams.end(), [&](Stream* s) { forget(s->at); });
    std::for_each(runtime.events.begin(), runtime.events.end(), [&](Event* e) { forget(e->at); });
    for (auto& [thread, stream] : runtime.thread_streams) {
        forget(stream->at);
    }
    runtime.captures.erase(capture);
}

cudaError_t begin(Runtime& runtime, Stream& stream, cudaStreamCaptureMode mode) {
    if (&stream == &runtime.legacy) {
        return cudaErrorStreamCaptureUnsupported;
    }
    if (stream.at.capture) {
        return cudaErrorIllegalState;
    }
    stream.at.capture = std::make_shared<Capture>();
    stream.at.capture->begun_by = &stream;
    stream.at.capture->is_strict = mode != cudaStreamCaptureModeRelaxed;
    runtime.captures.insert(stream.at.capture);
    return cudaSuccess;
}

cudaError_t end(Runtime& runtime, Stream& stream, cudaGraph_t* out) {
    const std::shared_ptr<Capture> capture = stream.at.capture;
    if (!capture) {
        return cudaErrorIllegalState;
    }
    if (capture->begun_by != &stream) {
        return cudaErrorStreamCaptureUnmatched;
    }
    const bool is_joined = all_before(stream.at.after).size() == capture->graph->nodes.size();
    leave(runtime, capture);
    *out = nullptr;
    if (!capture->is_valid) {
        return cudaErrorStreamCaptureInvalidated;
    }
    if (!is_joined) {
        return cudaErrorStreamCaptureUnjoined;
    }
    Graph* graph = capture->graph.release();
    runtime.graphs.insert(graph);
    *out = reinterpret_cast<cudaGraph_t>(graph);
    return cudaSuccess;
}

template <class Body>
cudaError_t with(const char* name, cudaStream_t handle, bool per_thread, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        Stream* stream = runtime.stream_of(handle, per_thread);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : body(runtime, *stream);
    });
}

cudaError_t begin_capture(cudaStream_t handle, cudaStreamCaptureMode mode, bool per_thread) {
    return with("cudaStreamBeginCapture", handle, per_thread,
                [&](Runtime& runtime, Stream& stream) { return begin(runtime, stream, mode); });
}

cudaError_t end_capture(cudaStream_t handle, cudaGraph_t* out, bool per_thread) {
    return with("cudaStreamEndCapture", handle, per_thread, [&](Runtime& runtime, Stream& stream) {
        return out == nullptr ? cudaErrorInvalidValue : end(runtime, stream, out);
    });
}

cudaError_t is_capturing(cudaStream_t handle, cudaStreamCaptureStatus* out, bool per_thread) {
    return with("cudaStreamIsCapturing", handle, per_thread, [&](Runtime&, Stream& stream) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        const Capture* capture = stream.at.capture.get();
        *out = capture == nullptr  ? cudaStreamCaptureStatusNone
               : capture->is_valid ? cudaStreamCaptureStatusActive
                                   : cudaStreamCaptureStatusInvalidated;
        return cudaSuccess;
    });
}

// Makes a node behind what the stream has captured.
cudaError_t capture(Stream& stream, cudaGraphNodeType type, Work work, std::function<void()> host) {
    if (!stream.at.capture->is_valid) {
        return cudaErrorStreamCaptureInvalidated;
    }
    auto node = std::make_unique<Node>();
    node->type = type;
    node->work = std::move(work);
    node->host = std::move(host);
    node->after = std::move(stream.at.after);
    stream.at.after = {node.get()};
    stream.at.capture->graph->nodes.push_back(std::move(node));
    return cudaSuccess;
}

}  // namespace

cudaError_t work_or_capture(Runtime& runtime, Stream& stream, cudaGraphNodeType type, const Work& work,
                            const std::function<void()>& host) {
    if (stream.at.capture) {
        return capture(stream, type, work, host);
    }
    if (&stream == &runtime.legacy) {  // would wait for the blocking streams, whose work is not there
        for (Stream* other : runtime.streams) {
            if (other->at.capture && (other->flags & cudaStreamNonBlocking) == 0) {
                other->at.capture->is_valid = false;
                return cudaErrorStreamCaptureImplicit;
            }
        }
    }
    return work(runtime, stream);
}

cudaError_t refuse_in(Stream& stream) {
    if (!stream.at.capture) {
        return cudaSuccess;
    }
    stream.at.capture->is_valid = false;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuse_in_any(Runtime& runtime) {
    cudaError_t error = cudaSuccess;
    for (const std::shared_ptr<Capture>& capture : runtime.captures) {
        if (capture->is_strict) {
            capture->is_valid = false;
            error = cudaErrorStreamCaptureUnsupported;
        }
    }
    return error;
}

cudaError_t record_in(Runtime& runtime, Event& event, Stream& stream) {
    event.at = stream.at;
    if (stream.at.capture) {
        return cudaSuccess;
    }
    if (runtime.background.is_ahead_of(stream)) {
        const bool is_listed = runtime.events.contains(&event);  // else it is a graph's
        event.held = runtime.background.hold(stream, false, [its = &event, is_listed](Runtime& device, Stream& in) {
            return !is_listed || device.events.contains(its) ? record_in(device, *its, in) : cudaSuccess;
        });
        return cudaSuccess;
    }
    runtime.recorded(event);
    runtime.pending.order().record(event.mark, stream.id);
    return to_cuda(runtime.session->record(event.id, stream.id));
}

cudaError_t wait_in(Runtime& runtime, Stream& stream, Event& event) {
    if (event.at.capture) {
        if (stream.at.capture && stream.at.capture != event.at.capture) {
            return cudaErrorStreamCaptureMerge;
        }
        stream.at.capture = event.at.capture;
        for (Node* node : event.at.after) {
            if (std::find(stream.at.after.begin(), stream.at.after.end(), node) == stream.at.after.end()) {
                stream.at.after.push_back(node);
                stream.at.ends_with_kernel = false;
            }
        }
        return cudaSuccess;
    }
    if (stream.at.capture) {
        stream.at.capture->is_valid = false;
        return cudaErrorStreamCaptureIsolation;
    }
    if (runtime.background.is_ahead_of(stream) ||
        (!runtime.background.is_me() && runtime.background.holds(event.held))) {
        const bool is_listed = runtime.events.contains(&event);
        runtime.background.hold(stream, false, [its = &event, is_listed](Runtime& device, Stream& in) {
            return !is_listed || device.events.contains(its) ? wait_in(device, in, *its) : cudaSuccess;
        });
        return cudaSuccess;
    }
    runtime.pending.order().wait(stream.id, event.mark);
    return to_cuda(runtime.session->wait_event(stream.id, event.id));
}

}  // namespace vgpu::runtime

using namespace vgpu::runtime;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return begin_capture(stream, mode, false);
}
VGPU_EXPORT cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return begin_capture(stream, mode, true);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* out) { return end_capture(stream, out, false); }
VGPU_EXPORT cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* out) {
    return end_capture(stream, out, true);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* out) {
    return is_capturing(stream, out, false);
}
VGPU_EXPORT cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* out) {
    return is_capturing(stream, out, true);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    return api("cudaThreadExchangeStreamCaptureMode", kPlain, [&](Runtime&) {
        if (mode == nullptr) {
            return cudaErrorInvalidValue;
        }
        std::swap(current, *mode);
        return cudaSuccess;
    });
}
