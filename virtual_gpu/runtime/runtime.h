// What the CUDA runtime of one process knows: modules and kernels, streams and events by their handles, pinned memory;
// and the session with the device, which decides the rest. One mutex guards all of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "virtual_gpu/runtime/background.h"
#include "virtual_gpu/runtime/cuda_api.h"
#include "virtual_gpu/runtime/last_error.h"
#include "virtual_gpu/runtime/managed.h"
#include "virtual_gpu/runtime/pending_copies.h"
#include "virtual_gpu/session/host_place.h"
#include "virtual_gpu/session/local_session.h"

namespace vgpu::runtime {

struct Module {
    const void* fat_binary = nullptr;
    bool tried = false;  // modules are loaded when first used
    Status status = Status::ok;
    ModuleId id = -1;
};

struct Kernel {
    Module* module = nullptr;
    std::string name;
    bool known = false;
    FunctionInfo info;
    std::size_t dynamic_limit = 0;  // raised by cudaFuncSetAttribute
};

struct Symbol {
    Module* module = nullptr;
    std::string name;
    bool managed = false;
};

struct Capture;
struct Graph;
struct GraphExec;
struct Node;

// Of a stream that is being captured, or of an event recorded there: into which graph, and after which nodes.
struct Captured {
    std::shared_ptr<Capture> capture;
    std::vector<Node*> after;
    bool ends_with_kernel = false;  // of a stream: what it captured last, and no event that it waits for
};

struct Stream {
    StreamId id = 0;
    unsigned flags = 0;
    int priority = 0;
    Captured at;
    bool ends_with_kernel = false;  // what was put into it last, not captured
};

// A __managed__ variable. Nothing is mapped at its address until the host first uses it.
struct ManagedVariable {
    const void* key = nullptr;  // in Runtime::symbols
    std::string name;
    std::size_t bytes = 0;
};

struct Event {
    EventId id = 0;
    unsigned flags = 0;
    StreamOrder::Mark mark;    // for the pending copies
    std::uint64_t number = 0;  // of its last record
    std::uint64_t held = 0;    // Background::hold() of that record; 0: none
    Captured at;
};

struct HostRange {
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool ours = false;  // allocated by cudaMallocHost, not registered
    HostPlace place;    // where; of ours
    bool leak_told = false;
    bool is_shared = false;  // kernels can use it, at the same address
};

class Runtime {
  public:
    static Runtime& get();  // never destroyed: calls arrive until the process ends

    std::recursive_mutex mutex;
    Options options;
    std::unique_ptr<Session> session;
    LocalSession* local = nullptr;  // the same, if the device is in this process

    std::set<Module*> modules;
    std::map<const void*, std::unique_ptr<Kernel>> kernels;  // by host function
    std::set<const Kernel*> handles;
    std::map<const void*, Symbol> symbols;                        // by host variable
    std::map<std::uintptr_t, ManagedVariable> managed_variables;  // by address
    std::map<std::uintptr_t, HostRange> host_ranges;
    PendingCopies pending;
    ManagedMemory managed;
    Background background{*this};
    std::set<Stream*> streams;
    std::map<std::thread::id, std::unique_ptr<Stream>> thread_streams;
    std::set<Event*> events;
    std::set<std::shared_ptr<Capture>> captures;  // under way
    std::set<Graph*> graphs;
    std::set<GraphExec*> graph_execs;
    Stream legacy;
    bool has_streams = false;               // or has had some, other than the default stream
    std::uint32_t pending_launches = 2048;  // cudaLimitDevRuntimePendingLaunchCount
    bool report_leaks = false;
    bool reports_at_exit = false;
    // Whether a call of what is missing ends the process: not of a runner, whose findings another process judges, and
    // not where another's program is served.
    bool ends_unsupported = false;
    // Read by stop() without the mutex.
    std::atomic<bool> launching = false;  // a kernel runs, or is about to
    std::atomic<int> calls = 0;           // of the API that are under way
    enum class Asked { no, wait, tell };
    std::atomic<Asked> asked_where = Asked::no;

    bool checks_memory() const { return local != nullptr && local->options().check_memory; }
    bool ready();               // makes the session when first needed; false: it said why on stderr
    cudaError_t find(Kernel&);  // fills info
    Kernel* kernel_of(const void* function_or_handle);
    Stream* stream_of(cudaStream_t, bool per_thread);
    cudaError_t symbol_of(const void* variable, DevicePtr& address, std::size_t& bytes);
    // The pinned or registered memory that this is in; nullptr: none.
    const std::pair<const std::uintptr_t, HostRange>* host_range(const void*) const;
    // An address of the device, and not of pinned memory, which the host has too.
    bool is_device(const void* pointer) const;
    const ManagedVariable* variable_at(const void*) const;
    bool is_managed(const void*);
    bool shares_memory() { return !host_ranges.empty() || !managed_variables.empty() || !managed.is_empty(); }
    cudaError_t allocate_shared(void*& out, std::size_t bytes);  // pinned memory that kernels can use
    const DeviceProperties& profile() const { return session->profile(); }

    void begin_call(bool does_work);
    void end_call();
    void tell_pinned_leaks();
    // The host has `deed` ("read", "wrote", "freed") memory of a copy that it has not waited for.
    void tell_pending(const PendingCopies::Copy&, const std::string& deed, const HostPlace&);
    // The host has waited for all that was recorded up to now, or up to this event; or for a stream, which may be more
    // than it had to: an event then counts as awaited.
    void waited() {
        awaited_ = records_;
        managed.awaited(local);
    }
    void waited_for(const Event& event) {
        awaited_ = std::max(awaited_, event.number);
        managed.awaited(local);
    }
    void to_device() {  // before anything that runs there
        if (local != nullptr) managed.to_device(*local);
    }
    void load_variables();  // the device code of all managed variables
    // The variable at this address becomes memory that the host can use.
    bool open_managed(const void*);
    void recorded(Event& event) { event.number = ++records_; }
    bool has_waited_for(const Event& event) const { return event.number <= awaited_; }
    void returned();  // see Session::returned; takes no time of the host

  private:
    Runtime();
    cudaError_t load(Module&);
    std::uint64_t records_ = 0, awaited_ = 0;  // by cudaEventRecord
    std::size_t loaded_variables_ = 0;
};

cudaError_t to_cuda(Status);
bool is_device_address(const void*);

// While it lives, a signal handler keeps its hands off the session; what it wanted is done at the end.
class CallUnderWay {
  public:
    explicit CallUnderWay(Runtime& runtime) : runtime_(runtime) { ++runtime.calls; }
    ~CallUnderWay() {
        if (--runtime_.calls == 0 && runtime_.asked_where == Runtime::Asked::tell) {
            runtime_.asked_where = Runtime::Asked::no;
            runtime_.session->stopped(host_place(), "");
        }
    }
    CallUnderWay(const CallUnderWay&) = delete;
    CallUnderWay& operator=(const CallUnderWay&) = delete;

  private:
    Runtime& runtime_;
};

// The lock of the runtime, which a kernel in the background lets go when somebody asks for it.
class HostLock {
  public:
    explicit HostLock(Runtime& runtime) : runtime_(runtime) {
        const Background::Wanted wanted(runtime.background);
        runtime.mutex.lock();
    }
    ~HostLock() { runtime_.mutex.unlock(); }
    HostLock(const HostLock&) = delete;
    HostLock& operator=(const HostLock&) = delete;

  private:
    Runtime& runtime_;
};

// Every entry of the API runs through this: the lock, host time, the sticky error, the last error.
enum Entry : unsigned { kPlain = 0, kWork = 1, kAlways = 2 };  // kAlways: also after a sticky error
template <class Body>
cudaError_t api(const char* name, unsigned entry, Body&& body) {
    Runtime& runtime = Runtime::get();
    const HostLock lock(runtime);
    if (!runtime.ready()) {
        return static_cast<cudaError_t>(set_last_error(name, cudaErrorInitializationError));
    }
    const CallUnderWay under_way(runtime);
    runtime.begin_call((entry & kWork) != 0);
    cudaError_t error = cudaSuccess;
    if ((entry & kAlways) == 0 && runtime.session->failed() != Status::ok) {
        error = to_cuda(runtime.session->failed());
    } else {
        error = body(runtime);
    }
    runtime.end_call();
    return static_cast<cudaError_t>(set_last_error(name, error));
}

}  // namespace vgpu::runtime
