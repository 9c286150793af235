// What orders the work of streams, and what does not.
#include <thread>

#include "streams.h"

static void two_streams(bool good) {
    Two s;
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    if (good) s.order();
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void write_after_read(bool good) {
    Two s;
    twice<<<4, 256, 0, s.a>>>(s.x, s.y);
    if (good) s.order();
    put<<<4, 256, 0, s.b>>>(s.x, 1);
}
static void two_readers(bool good) {  // the writer waits for the second reader only
    Two s;
    cudaStream_t c;
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    read<<<4, 256, 0, s.a>>>(s.x, s.y);
    read<<<4, 256, 0, s.b>>>(s.x, s.y);
    if (good) {
        cudaEventRecord(s.event, s.a);
        cudaStreamWaitEvent(c, s.event);
    }
    cudaEventRecord(s.event, s.b);
    cudaStreamWaitEvent(c, s.event);
    put<<<4, 256, 0, c>>>(s.x, 1);
    cudaDeviceSynchronize();
    cudaStreamDestroy(c);
}
static void peer_copy(bool good) {  // in order with all streams, which a copy on the device otherwise is not
    Two s;
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    if (good)
        cudaMemcpyPeer(s.y, 0, s.x, 0, 1024 * sizeof(int));
    else
        cudaMemcpy(s.y, s.x, 1024 * sizeof(int), cudaMemcpyDeviceToDevice);
    twice<<<4, 256, 0, s.b>>>(s.y, s.x);
}
static void event_before_the_work(bool good) {
    Two s;
    if (!good) cudaEventRecord(s.event, s.a);
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    if (good) cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void wait_before_the_record(bool good) {
    Two s;
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    if (good) cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event);
    if (!good) cudaEventRecord(s.event, s.a);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void event_of_the_other_stream(bool good) {
    Two s;
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    cudaEventRecord(s.event, good ? s.a : s.b);
    cudaStreamWaitEvent(s.b, s.event);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void event_waited_for_by_the_host(bool good) {
    Two s;
    if (!good) cudaEventRecord(s.event, s.a);
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    if (good) cudaEventRecord(s.event, s.a);
    cudaEventSynchronize(s.event);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void branches_of_a_graph(bool good) {
    Two s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
    s.order();
    put<<<4, 256, 0, s.b>>>(s.x, 1);
    cudaEventRecord(s.event, s.b);
    if (good) cudaStreamWaitEvent(s.a, s.event);
    twice<<<4, 256, 0, s.a>>>(s.x, s.y);
    if (!good) cudaStreamWaitEvent(s.a, s.event);
    cudaStreamEndCapture(s.a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s.a);
    cudaGraphLaunch(exec, s.b);  // after the first, as it is the same
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
static void default_stream_first(bool good) {
    Two s(good ? cudaStreamDefault : cudaStreamNonBlocking);
    put<<<4, 256>>>(s.x, 1);
    twice<<<4, 256, 0, s.a>>>(s.x, s.y);
}
static void default_stream_last(bool good) {
    Two s(good ? cudaStreamDefault : cudaStreamNonBlocking);
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    twice<<<4, 256>>>(s.x, s.y);
}
static void default_stream_between(bool good) {  // it orders two blocking streams, but not one that does not block
    Two s(good ? cudaStreamDefault : cudaStreamNonBlocking);
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    set_flag<<<1, 1>>>(s.y);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void per_thread_stream(bool good) {  // blocks, as far as the default stream goes, but not for another thread's
    Two s;
    put<<<4, 256, 0, cudaStreamPerThread>>>(s.x, 1);
    if (good) {
        twice<<<4, 256>>>(s.x, s.y);
        return;
    }
    std::thread([&] { twice<<<4, 256, 0, cudaStreamPerThread>>>(s.x, s.y); }).join();
}
static void wrong_stream_awaited(bool good) {
    Two s;
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    cudaStreamSynchronize(good ? s.a : s.b);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void asked_for(bool good) {
    Two s;
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    while (cudaStreamQuery(good ? s.a : s.b) == cudaErrorNotReady) {
    }
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void priorities(bool good) {
    Two s;
    cudaStream_t high;
    cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -5);
    put<<<4, 256, 0, high>>>(s.x, 1);
    if (good) cudaStreamSynchronize(high);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
    cudaDeviceSynchronize();
    cudaStreamDestroy(high);
}
static void destroyed(bool good) {  // to destroy a stream is not to wait for it
    Two s;
    cudaStream_t short_lived;
    cudaStreamCreateWithFlags(&short_lived, cudaStreamNonBlocking);
    put<<<4, 256, 0, short_lived>>>(s.x, 1);
    if (good) cudaStreamSynchronize(short_lived);
    cudaStreamDestroy(short_lived);
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}
static void chain(bool good) {  // a, b, a third one, and back to a
    Two s;
    cudaStream_t c;
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    put<<<4, 256, 0, s.a>>>(s.x, 1);
    s.order();
    cudaEventRecord(s.event, s.b);
    cudaStreamWaitEvent(c, s.event);
    twice<<<4, 256, 0, c>>>(s.x, s.y);
    if (good) {
        cudaEventRecord(s.event, c);
        cudaStreamWaitEvent(s.a, s.event);
    }
    put<<<4, 256, 0, s.a>>>(s.x, 2);
    cudaDeviceSynchronize();
    cudaStreamDestroy(c);
}
static void in_a_loop(bool good) {
    Two s;
    for (int step = 0; step < 20; ++step) {
        add<<<4, 256, 0, s.a>>>(s.x);
        s.order();
        add<<<4, 256, 0, s.b>>>(s.x);
        if (!good) continue;
        cudaEventRecord(s.event, s.b);
        cudaStreamWaitEvent(s.a, s.event);
    }
}
static void host_threads(bool good) {
    Two s;
    std::thread([&] {
        put<<<4, 256, 0, s.a>>>(s.x, 1);
        if (good) cudaStreamSynchronize(s.a);
    }).join();
    twice<<<4, 256, 0, s.b>>>(s.x, s.y);
}

Programs programs_of_order() {
    return {
        {"two_streams", two_streams},
        {"write_after_read", write_after_read},
        {"two_readers", two_readers},
        {"event_before_the_work", event_before_the_work},
        {"peer_copy", peer_copy},
        {"wait_before_the_record", wait_before_the_record},
        {"event_of_the_other_stream", event_of_the_other_stream},
        {"event_waited_for_by_the_host", event_waited_for_by_the_host},
        {"branches_of_a_graph", branches_of_a_graph},
        {"default_stream_first", default_stream_first},
        {"default_stream_last", default_stream_last},
        {"default_stream_between", default_stream_between},
        {"per_thread_stream", per_thread_stream},
        {"wrong_stream_awaited", wrong_stream_awaited},
        {"asked_for", asked_for},
        {"priorities", priorities},
        {"destroyed", destroyed},
        {"chain", chain},
        {"in_a_loop", in_a_loop},
        {"host_threads", host_threads},
    };
}
