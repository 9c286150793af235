// The session with the device of this process.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "virtual_gpu/check/stream_order.h"
#include "virtual_gpu/session/clock.h"
#include "virtual_gpu/session/session.h"
#include "virtual_gpu/what_if/rules.h"

namespace vgpu {

class LocalSession final : public Session {
  public:
    // nullptr: `why` says what is wrong with the options.
    static std::unique_ptr<LocalSession> make(const Options&, std::string& why);

    // ---- for whoever runs the program ----
    Status configure(const Options&);
    const Options& options() const { return options_; }
    bool ended_in_failure() const { return failed_ != Status::ok || ends_in_failure_; }
    // `ended_well`: the program has ended, and says that nothing went wrong.
    Report take_report(bool leaks, bool ended_well = false);
    // Ends the running kernel; false: none runs. From any thread and from a signal handler.
    bool stop();
    // Ends the running kernel and every later one.
    void stop_all() { device_->stop(); }
    // Between enter and leave, calls come from a program in another process: it cannot free what was allocated outside
    // of it.
    void enter() { guest_ = serves_ = true; }
    void leave() { guest_ = false; }
    // See Device. A named allocation is no leak.
    Status poison(DevicePtr, std::size_t bytes);
    Status forget(DevicePtr, std::size_t bytes);
    Status reuse(DevicePtr freed);  // by the next allocation
    Status label(DevicePtr, std::string_view name);
    // The function that the program was called for has returned: it must have waited for all its streams.
    void returned();
    // What this process does from hold_clock(true) to hold_clock(false) takes no time of the program's.
    void hold_clock(bool holds);
    // CPU time of the program that counts; begin() charges less, as a little is no work of its own.
    void host_worked(double seconds);
    // Launches have the host beside them: between two turns of a kernel's warps, from suspend() to resume(), it may
    // make other calls, but no launch. Not for the guest of another process.
    void set_host(HostSide* host) { device_->set_host(host); }
    void suspend();
    void resume();
    Status may_launch(const Launch&, const HostPlace&);  // what launch() would refuse at once

    // ---- Session ----
    const DeviceProperties& profile() const override { return profile_; }
    void begin(double host_seconds, bool does_work) override;
    Status failed() const override { return failed_; }
    void reset() override;
    Status load(const ModuleImages&, ModuleId& out) override;
    Status function(ModuleId, std::string_view name, FunctionInfo& out) override;
    Status symbol(ModuleId, std::string_view name, DevicePtr& out, std::size_t& bytes) override;
    Status allocate(std::size_t bytes, bool async, StreamId, const HostPlace&, DevicePtr& out) override;
    Status release(DevicePtr, const char* name, bool async, StreamId, const HostPlace&) override;
    void release_all() override;
    bool find(DevicePtr, DevicePtr& base, std::size_t& bytes) override;
    std::size_t bytes_free() override { return device_->bytes_free(); }
    std::size_t bytes_total() override { return device_->bytes_total(); }
    Status copy(const CopyCall&, void* host_to, const void* host_from) override;
    Status fill(const FillCall&) override;
    Status launch(const Launch&, const HostPlace&) override;
    StreamId make_stream(bool blocking) override;
    void destroy_stream(StreamId) override;
    void host_function(StreamId) override;
    EventId make_event() override;
    void destroy_event(EventId) override;
    Status record(EventId, StreamId) override;
    Status wait_event(StreamId, EventId) override;
    Status elapsed(EventId from, EventId to, double& seconds) override;
    Status wait(const Wait&) override;
    void spend(double host_seconds) override { clock_.call(host_seconds); }
    void call_failed(const std::string& name, int code, const HostPlace&) override;
    void errors_seen() override;
    void add_finding(Kind, const std::string& what, const std::string& help, const HostPlace&) override;
    void host_access(DevicePtr, const std::string& managed, const HostPlace&) override;
    void stopped(const HostPlace& host_code, const HostPlace& launched_at) override;

    // Whether a copy's ranges lie inside their allocations; a finding says what is wrong. For a server, which asks
    // before it takes the data.
    Status check(const CopyCall&);
    // After check(): moves a part of a row to or from the device; then the time of all of it.
    bool move(const CopyCall&, std::size_t row, std::size_t offset, std::span<std::byte> part);
    void charge(const CopyCall&);
    bool checks_memory() const { return options_.check_memory; }
    // Memory that host and device share, see Device; in no order with other work. Pinned memory is none of the
    // allocations above.
    Status allocate_on_host(std::size_t bytes, const HostPlace&, DevicePtr& out, int& file);
    Status release_on_host(DevicePtr, const HostPlace&);
    Status share(DevicePtr at, bool keeps, int& file) { return device_->share(at, keeps, file); }
    Status adopt(std::uintptr_t host, std::size_t bytes, const HostPlace&);
    void abandon(std::uintptr_t host) { device_->abandon(host); }
    std::byte* view(DevicePtr at) { return device_->view(at); }
    KernelUse use_of(DevicePtr at, std::size_t bytes) { return device_->use_of(at, bytes); }
    // The host may have written to it; it is about to use it, and undefined values are a finding.
    void host_has(DevicePtr at, std::size_t bytes) { device_->host_has(at, bytes); }
    bool has_undefined(DevicePtr at) { return device_->has_undefined(at); }
    void host_gets(DevicePtr at, std::size_t bytes, const HostPlace& place) { find_undefined(at, bytes, place); }
    // The range will go to the host: a finding if it holds undefined values that were stored there.
    Status expect_defined(DevicePtr, std::size_t bytes);

  private:
    struct Made {  // an allocation of the program
        std::size_t bytes = 0;
        HostPlace place;
        std::string name;
        bool leak_told = false, by_guest = false, in_stream = false;  // in_stream: by cudaMallocAsync
        std::size_t before_array = 0;                                 // bytes of it, before the array that has the name
    };
    struct Refusal {
        Status status = Status::ok;
        std::string why;  // "2,048 threads in a block; 1,024 is the most"
    };
    struct FailedCall {
        std::string name;
        int code = 0;
        HostPlace place;
        std::optional<Finding> refused;  // a launch: which limit it breaks, as a note
        bool went_on = false;            // the program made another call that does work, without looking
    };
    struct Event {
        bool by_guest = false, recorded = false;
        double time = 0;
        StreamOrder::Mark mark;
    };
    struct Operation {     // as the program asked for it
        std::string name;  // "cudaMemcpyAsync", or a kernel's mangled name
        StreamId stream = 0;
        HostPlace place;
        bool is_kernel = false;
        std::string deed;        // what it did to an array, if that is more than an access: "freed"
        bool has_waited = true;  // a kernel, for the one before it, if it could begin earlier
    };
    struct LastLaunch {  // while there is only the default stream
        Operation operation;
        ModuleId module = 0;
        std::uint32_t era = 0;
    };
    struct LoadedModule {
        int ptx_version = 0;
        std::map<std::string, int> registers;
        std::map<std::string, FunctionInfo, std::less<>> functions;
    };

    explicit LocalSession(std::unique_ptr<Device> device) : device_(std::move(device)) {}

    void refuse(const std::string& why);
    void remember_arguments(const Launch&, const HostPlace&);
    Launch changed(Launch) const;
    Refusal check_launch(const Launch&, const FunctionInfo&) const;
    // Says why, once for each place; call_failed() takes it.
    void refuse_launch(const Launch&, const Refusal&, const HostPlace&);
    std::uint64_t room_for(const Launch&, const FunctionInfo&) const;  // blocks that the device holds at once
    void note_too_large(const Launch&, std::uint64_t room, const HostPlace&);
    bool inside(const std::string& name, const HostPlace&, DevicePtr at, std::size_t bytes, const char* access);
    std::string name_of(DevicePtr base, std::size_t bytes);
    const HostPlace* freed_near(DevicePtr) const;  // where it was freed; nullptr: nothing there was
    DevicePtr array_in(DevicePtr base) const;      // where the array in this allocation begins
    static std::string hex_of(DevicePtr);
    void find_undefined(DevicePtr, std::size_t bytes, const HostPlace&);
    bool is_own(DevicePtr base) const;
    Status wrong_release(DevicePtr, const char* name, const HostPlace&);
    void add(Finding&&);
    void print_output();
    void print_seen();
    StreamClock* stream(StreamId);
    // Nothing of this as long as there is only the default stream. end_operation() reports the races.
    void begin_operation(Operation&&, bool is_dependent = false);
    bool begin_launch(const Launch&, const HostPlace&);  // false: no dependent, but ordered after all in its stream
    void end_launch(const Launch&, const LaunchReport&);
    void begin_awaited(Operation&&, const StreamOrder::Operation&);
    void end_operation();
    void run_on_device(StreamClock&, double bytes);
    void follow_copy(const CopyCall&);
    void follow_release(DevicePtr, const Made&, Operation&&, bool async);
    Finding finding_of(const StreamRace&, const Operation& here, const Operation& other) const;
    Finding not_awaited(const StreamRace&, const Operation& other) const;
    LeastTime least_time();  // of all since the last report
    Event* event(EventId);   // nullptr: there is none, or it is not the caller's

    Options options_;
    what_if::Rules rules_;  // of options_.what_if
    DeviceProperties profile_;
    std::unique_ptr<Device> device_;
    std::map<ModuleId, LoadedModule> modules_;
    std::map<DevicePtr, Made> allocations_;
    std::map<DevicePtr, HostPlace> freed_;  // where; addresses are used again late or never
    std::map<StreamId, StreamClock> streams_;
    std::map<EventId, Event> events_;
    StreamId next_stream_ = 1;
    EventId next_event_ = 1;
    Clock clock_;
    struct Held {
        double host = 0, host_seconds = 0;
    } held_;
    StreamOrder order_;
    std::vector<Operation> operations_;  // of this era of order_, by number
    std::uint32_t operations_era_ = 0;
    Operation operation_;  // under way
    ModuleId operation_module_ = 0;
    struct Suspended {
        Operation operation;
        StreamOrder::Operation order;
        std::uint32_t era = 0;
        ModuleId module = 0;
    };
    std::optional<Suspended> suspended_;
    StreamOrder::Operation order_of_operation_;
    LastLaunch last_launch_;
    std::set<std::string> told_races_;
    Status failed_ = Status::ok;
    std::optional<Finding> refused_;         // PTX that no compiler takes
    std::optional<Finding> refused_launch_;  // the last, until call_failed() is told of it
    std::set<HostPlace> told_refusals_;
    std::vector<FailedCall> failed_calls_;
    bool ends_in_failure_ = false;  // no call after the last that failed has done any work
    Report report_;
    std::vector<HostPlace> launched_at_;  // of report_.kernels
    double reported_until_ = 0;
    std::uint64_t launches_ = 0;                    // since the last report
    std::map<DevicePtr, HostPlace> launched_with_;  // since then: by allocation, of a kernel that had it as an argument
    std::string stopped_in_;                        // the kernel that stop() has ended
    std::atomic<bool> launching_ = false;           // read by stop() without a lock
    bool guest_ = false, serves_ = false;  // a question of another process is answered; there is such a process
};

}  // namespace vgpu
