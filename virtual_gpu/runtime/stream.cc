// Streams, events, synchronisation, host callbacks.
#include "virtual_gpu/runtime/graph.h"

namespace {

using namespace vgpu::runtime;

cudaError_t make_stream(cudaStream_t* out, unsigned flags, int priority, const char* name) {
    return api(name, kPlain, [&](Runtime& runtime) {
        if (out == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
            return cudaErrorInvalidValue;
        }
        auto* stream = new Stream;
        stream->id = runtime.session->make_stream((flags & cudaStreamNonBlocking) == 0);
        runtime.pending.order().make_stream(stream->id, (flags & cudaStreamNonBlocking) == 0);
        stream->flags = flags;
        stream->priority = priority;
        runtime.streams.insert(stream);
        runtime.has_streams = true;
        *out = reinterpret_cast<cudaStream_t>(stream);
        return cudaSuccess;
    });
}

// Runs body with the stream that the handle stands for.
template <class Body>
cudaError_t with_stream(const char* name, cudaStream_t handle, bool per_thread, unsigned entry, Body&& body) {
    return api(name, entry, [&](Runtime& runtime) {
        Stream* stream = runtime.stream_of(handle, per_thread);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : body(runtime, *stream);
    });
}

template <class Body>
cudaError_t with_event(const char* name, cudaEvent_t handle, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        auto* event = reinterpret_cast<Event*>(handle);
        return runtime.events.contains(event) ? body(runtime, *event) : cudaErrorInvalidResourceHandle;
    });
}

using For = vgpu::Wait::For;

void waited_for(Runtime& runtime, const Stream& stream) {
    runtime.waited();
    runtime.pending.order().host_waits_for_stream(stream.id);
    runtime.pending.settle();
}
void waited_for(Runtime& runtime, const Event& event) {
    runtime.waited_for(event);
    runtime.pending.order().host_waits_for(event.mark);
    runtime.pending.settle();
}

cudaError_t wait(const char* name, cudaStream_t handle, bool per_thread, bool only_ask) {
    return with_stream(name, handle, per_thread, kPlain, [&](Runtime& runtime, Stream& stream) {
        if (const cudaError_t error = refuse_in(stream); error != cudaSuccess) {
            return error;
        }
        if (only_ask && runtime.background.is_ahead_of(stream)) {
            runtime.background.let_work();
            if (runtime.background.is_ahead_of(stream)) {
                return cudaErrorNotReady;
            }
        }
        if (const cudaError_t error = runtime.background.finish(stream); error != cudaSuccess) {
            return error;
        }
        waited_for(runtime, stream);
        return to_cuda(runtime.session->wait({For::stream, stream.id, only_ask}));
    });
}

cudaError_t wait(const char* name, cudaEvent_t handle, bool only_ask) {
    return with_event(name, handle, [&](Runtime& runtime, Event& event) {
        if (event.at.capture) {
            return cudaErrorCapturedEvent;
        }
        if (only_ask && runtime.background.holds(event.held)) {
            runtime.background.let_work();
            if (runtime.background.holds(event.held)) {
                return cudaErrorNotReady;
            }
        }
        if (const cudaError_t error = runtime.background.finish(event.held); error != cudaSuccess) {
            return error;
        }
        waited_for(runtime, event);
        return to_cuda(runtime.session->wait({For::event, event.id, only_ask}));
    });
}

cudaError_t synchronize(cudaStream_t handle, bool per_thread) {
    return wait("cudaStreamSynchronize", handle, per_thread, false);
}
cudaError_t query(cudaStream_t handle, bool per_thread) { return wait("cudaStreamQuery", handle, per_thread, true); }

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle, bool per_thread) {
    return with_event("cudaEventRecord", handle, [&](Runtime& runtime, Event& event) {
        Stream* stream = runtime.stream_of(stream_handle, per_thread);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : record_in(runtime, event, *stream);
    });
}

cudaError_t wait_event(cudaStream_t stream_handle, cudaEvent_t handle, bool per_thread) {
    return with_event("cudaStreamWaitEvent", handle, [&](Runtime& runtime, Event& event) {
        Stream* stream = runtime.stream_of(stream_handle, per_thread);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : wait_in(runtime, *stream, event);
    });
}

cudaError_t host_function(cudaStream_t handle, cudaHostFn_t function, void* data, bool per_thread) {
    const auto wait_for_it = [](Runtime& runtime, Stream& stream) {
        waited_for(runtime, stream);  // its memory is there for the function, and for whoever that tells
        runtime.session->host_function(stream.id);
        return cudaSuccess;
    };
    bool is_captured = false;  // or held
    const cudaError_t error =
        with_stream("cudaLaunchHostFunc", handle, per_thread, kWork, [&](Runtime& runtime, Stream& stream) {
            if (function == nullptr) {
                return cudaErrorInvalidValue;
            }
            is_captured = stream.at.capture != nullptr || runtime.background.is_ahead_of(stream);
            return work_in(runtime, stream, cudaGraphNodeTypeHost, wait_for_it, [=] { function(data); });
        });
    if (error == cudaSuccess && !is_captured) {
        function(data);  // outside the lock: it may wait for another thread that calls CUDA
    }
    return error;
}

cudaError_t add_callback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned flags,
                         bool per_thread) {
    bool is_held = false;
    const cudaError_t error =
        with_stream("cudaStreamAddCallback", handle, per_thread, kWork, [&](Runtime& runtime, Stream& stream) {
            if (const cudaError_t refused = refuse_in(stream); refused != cudaSuccess) {
                return refused;
            }
            if (callback == nullptr || flags != 0) {
                return cudaErrorInvalidValue;
            }
            is_held = runtime.background.is_ahead_of(stream);
            const auto wait_for_it = [](Runtime& device, Stream& in) {
                waited_for(device, in);
                return cudaSuccess;
            };
            return work_in(runtime, stream, cudaGraphNodeTypeHost, wait_for_it,
                           [=] { callback(handle, cudaSuccess, data); });
        });
    if (error == cudaSuccess && !is_held) {
        callback(handle, cudaSuccess, data);
    }
    return error;
}

template <class Value, class Get>
cudaError_t get(const char* name, cudaStream_t handle, bool per_thread, Value* out, Get&& from) {
    return with_stream(name, handle, per_thread, kPlain, [&](Runtime& runtime, Stream& stream) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = from(runtime, stream);
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* out) { return make_stream(out, 0, 0, "cudaStreamCreate"); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
    return make_stream(out, flags, 0, "cudaStreamCreateWithFlags");
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
    return make_stream(out, flags, std::clamp(priority, -5, 0), "cudaStreamCreateWithPriority");
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return api("cudaStreamDestroy", kAlways, [&](Runtime& runtime) {
        auto* stream = reinterpret_cast<Stream*>(handle);
        if (runtime.streams.erase(stream) == 0) {
            return cudaErrorInvalidResourceHandle;
        }
        const auto destroy = [](Runtime& device, Stream& its) {
            device.session->destroy_stream(its.id);
            device.pending.order().destroy_stream(its.id);
            delete &its;
            return cudaSuccess;
        };
        if (runtime.background.is_ahead_of(*stream)) {
            runtime.background.hold(*stream, false, destroy);
            return cudaSuccess;
        }
        return destroy(runtime, *stream);
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return synchronize(stream, false); }
VGPU_EXPORT cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) { return synchronize(stream, true); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return query(stream, false); }
VGPU_EXPORT cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) { return query(stream, true); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return wait_event(stream, event, false);
}
VGPU_EXPORT cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return wait_event(stream, event, true);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return host_function(stream, function, data, false);
}
VGPU_EXPORT cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return host_function(stream, function, data, true);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
    return add_callback(stream, callback, data, flags, false);
}
VGPU_EXPORT cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                                   unsigned flags) {
    return add_callback(stream, callback, data, flags, true);
}

#define STREAM_GETTER(function, Type, value)                                                          \
    cudaError_t function(cudaStream_t stream, Type* out) {                                            \
        return get(#function, stream, false, out, [](Runtime&, Stream& s) -> Type { return value; }); \
    }                                                                                                 \
    VGPU_EXPORT cudaError_t function##_ptsz(cudaStream_t stream, Type* out) {                         \
        return get(#function, stream, true, out, [](Runtime&, Stream& s) -> Type { return value; });  \
    }
STREAM_GETTER(cudaStreamGetFlags, unsigned, s.flags)
STREAM_GETTER(cudaStreamGetPriority, int, s.priority)
STREAM_GETTER(cudaStreamGetId, unsigned long long, static_cast<unsigned long long>(s.id))
STREAM_GETTER(cudaStreamGetDevice, int, (static_cast<void>(s), 0))
#undef STREAM_GETTER

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
    return api("cudaEventCreate", kPlain, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        auto* event = new Event;
        event->id = runtime.session->make_event();
        event->flags = flags;
        runtime.events.insert(event);
        *out = reinterpret_cast<cudaEvent_t>(event);
        return cudaSuccess;
    });
}
cudaError_t cudaEventCreate(cudaEvent_t* out) { return cudaEventCreateWithFlags(out, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return api("cudaEventDestroy", kAlways, [&](Runtime& runtime) {
        auto* event = reinterpret_cast<Event*>(handle);
        if (runtime.events.erase(event) == 0) {
            return cudaErrorInvalidResourceHandle;
        }
        runtime.session->destroy_event(event->id);
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return record(event, stream, false); }
VGPU_EXPORT cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
    return record(event, stream, true);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return record(event, stream, false);
}
VGPU_EXPORT cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return record(event, stream, true);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait("cudaEventSynchronize", event, false); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return wait("cudaEventQuery", event, true); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return with_event("cudaEventElapsedTime", start, [&](Runtime& runtime, Event& first) {
        auto* last = reinterpret_cast<Event*>(end);
        if (milliseconds == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (!runtime.events.contains(last) || ((first.flags | last->flags) & cudaEventDisableTiming) != 0) {
            return cudaErrorInvalidResourceHandle;
        }
        if (runtime.background.holds(first.held) || runtime.background.holds(last->held)) {
            return cudaErrorNotReady;
        }
        double seconds = 0;
        const vgpu::Status status = runtime.session->elapsed(first.id, last->id, seconds);
        if (status == vgpu::Status::ok && !runtime.has_waited_for(*last)) {
            runtime.session->add_finding(vgpu::Kind::race,
                                         "cudaEventElapsedTime asks for the time of an event that the host has not "
                                         "waited for: on a GPU it may not "
                                         "have happened yet, and the call fails with cudaErrorNotReady",
                                         "cudaEventSynchronize with the last event comes before cudaEventElapsedTime",
                                         vgpu::host_place());
        }
        if (status == vgpu::Status::ok) {  // there is a time only once both have happened
            waited_for(runtime, first);
            waited_for(runtime, *last);
        }
        *milliseconds = static_cast<float>(seconds * 1e3);
        return to_cuda(status);
    });
}

cudaError_t cudaDeviceSynchronize() {
    return api("cudaDeviceSynchronize", kPlain, [](Runtime& runtime) {
        if (const cudaError_t error = refuse_in_any(runtime); error != cudaSuccess) {
            return error;
        }
        if (const cudaError_t error = runtime.background.finish(); error != cudaSuccess) {
            return error;
        }
        runtime.waited();
        runtime.pending.order().host_waits_for_all();
        runtime.pending.settle();
        return to_cuda(runtime.session->wait({}));
    });
}
