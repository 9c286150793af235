#include "virtual_gpu/session/remote_session.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "virtual_gpu/session/wire.h"

namespace vgpu {
namespace {

using wire::Op;

class RemoteSession final : public Session {
  public:
    explicit RemoteSession(int socket) : socket_(socket) {}

    bool hello(std::string& why) {
        std::string profile;
        if (ask(Op::hello, {}, profile) == Status::ok) return parse_profile(profile, profile_, why);
        why = "the process that has the device does not answer";
        return false;
    }

    const DeviceProperties& profile() const override { return profile_; }
    void begin(double host_seconds, bool does_work) override {
        host_seconds_ += host_seconds;
        does_work_ = does_work_ || does_work;
    }
    void forget_host_time() override { host_seconds_ = 0; }
    Status failed() const override { return failed_; }
    void reset() override { failed_ = Status::ok; }

    Status load(const ModuleImages& images, ModuleId& out) override {
        if (std::find(images.addresses.begin(), images.addresses.end(), 0) != images.addresses.end()) {
            std::fprintf(stderr, "virtual GPU: device code of a shared library cannot be graded\n");
            return Status::no_kernel_image;
        }
        return ask(Op::load, wire::pack(images.addresses), out);
    }
    Status function(ModuleId module, std::string_view name, FunctionInfo& out) override {
        return ask(Op::function, wire::pack(module, name), out);
    }
    Status symbol(ModuleId module, std::string_view name, DevicePtr& out, std::size_t& bytes) override {
        return ask(Op::symbol, wire::pack(module, name), out, bytes);
    }

    Status allocate(std::size_t bytes, bool async, StreamId stream, const HostPlace& place, DevicePtr& out) override {
        return ask(Op::allocate, wire::pack(bytes, async, stream, place), out);
    }
    Status release(DevicePtr base, const char* name, bool async, StreamId stream, const HostPlace& place) override {
        return ask(Op::release, wire::pack(base, std::string_view(name), async, stream, place));
    }
    void release_all() override { ask(Op::release_all, {}); }
    bool find(DevicePtr at, DevicePtr& base, std::size_t& bytes) override {
        return ask(Op::find, wire::pack(at), base, bytes) == Status::ok;
    }
    std::size_t bytes_free() override { return number(Op::bytes_free); }
    std::size_t bytes_total() override { return number(Op::bytes_total); }
    Status poison(DevicePtr at, std::size_t bytes) override { return ask(Op::poison, wire::pack(at, bytes)); }
    Status forget(DevicePtr, std::size_t) override { return Status::not_supported; }
    Status label(DevicePtr base, std::string_view name) override { return ask(Op::label, wire::pack(base, name)); }

    Status copy(const CopyCall& call, void* host_to, const void* host_from) override {
        if (!send(Op::copy, wire::pack(call))) return lost();
        const auto rows = [&](auto* data, std::size_t pitch, auto each) {
            for (std::size_t row = 0; row < call.height; ++row)
                if (!each(socket_, data + row * pitch, call.width)) return false;
            return true;
        };
        if (call.way == Way::host_to_device &&
            !rows(static_cast<const char*>(host_from), call.from_pitch, wire::send_all))
            return lost();
        const Status status = receive();
        if (call.way == Way::device_to_host && status == Status::ok &&
            !rows(static_cast<char*>(host_to), call.to_pitch, wire::receive_all))
            return lost();
        return status;
    }
    Status fill(const FillCall& call) override { return ask(Op::fill, wire::pack(call)); }
    Status launch(const Launch& launch, const HostPlace& place) override {
        return ask(Op::launch, wire::pack(launch, place), failed_);
    }

    StreamId make_stream(bool blocking) override { return number<StreamId>(Op::make_stream, blocking); }
    void destroy_stream(StreamId id) override { ask(Op::destroy_stream, wire::pack(id)); }
    void host_function(StreamId id) override { ask(Op::host_function, wire::pack(id)); }
    EventId make_event() override { return number<EventId>(Op::make_event); }
    void destroy_event(EventId id) override { ask(Op::destroy_event, wire::pack(id)); }
    Status record(EventId event, StreamId stream) override { return ask(Op::record, wire::pack(event, stream)); }
    Status wait_event(StreamId stream, EventId event) override {
        return ask(Op::wait_event, wire::pack(stream, event));
    }
    Status elapsed(EventId from, EventId to, double& seconds) override {
        return ask(Op::elapsed, wire::pack(from, to), seconds);
    }
    Status wait(const Wait& what) override { return ask(Op::wait, wire::pack(what)); }
    void returned() override {
        const auto host_time = std::exchange(host_seconds_, 0);  // for the next question: this one takes no time
        const auto did_work = std::exchange(does_work_, false);
        ask(Op::returned, {});
        host_seconds_ = host_time;
        does_work_ = did_work;
    }
    void spend(double seconds) override { ask(Op::spend, wire::pack(seconds)); }

    void call_failed(const std::string& name, int code, const HostPlace& place) override {
        ask(Op::call_failed, wire::pack(name, code, place));
    }
    void errors_seen() override { ask(Op::errors_seen, {}); }
    void add_finding(Kind kind, const std::string& what, const std::string& help, const HostPlace& place) override {
        ask(Op::add_finding, wire::pack(kind, what, help, place));
    }
    void host_access(DevicePtr address, const std::string& managed, const HostPlace& place) override {
        ask(Op::host_access, wire::pack(address, managed, place));
    }
    void stopped(const HostPlace& host_code, const HostPlace& launched_at) override {
        ask(Op::stopped, wire::pack(host_code, launched_at));
    }

  private:
    template <class T = std::size_t, class... In>
    T number(Op op, const In&... in) {
        T out{};
        ask(op, wire::pack(in...), out);
        return out;
    }

    template <class... Out>
    Status ask(Op op, const std::string& message, Out&... out) {
        if (!send(op, message)) return lost();
        const Status status = receive();
        return answer_.empty() || wire::unpack(answer_, out...) ? status : lost();
    }

    bool send(Op op, const std::string& message) {
        const wire::Question head{static_cast<std::uint32_t>(message.size()), op, std::exchange(does_work_, false), 0,
                                  std::exchange(host_seconds_, 0)};
        if (message.size() > wire::kMostBytes) return false;
        question_.assign(reinterpret_cast<const char*>(&head), sizeof head);
        question_ += message;
        return wire::send_all(socket_, question_.data(), question_.size());
    }

    Status receive() {
        wire::Answer head;
        if (!wire::receive_all(socket_, &head, sizeof head) || head.bytes > wire::kMostBytes) return lost();
        answer_.resize(head.bytes);
        return wire::receive_all(socket_, answer_.data(), answer_.size()) ? head.status : lost();
    }

    Status lost() {
        answer_.clear();
        return failed_ = Status::lost;
    }

    int socket_;
    DeviceProperties profile_;
    Status failed_ = Status::ok;
    double host_seconds_ = 0;
    bool does_work_ = false;
    std::string question_, answer_;
};

}  // namespace

std::unique_ptr<Session> connect_session(int socket, std::string& why) {
    auto session = std::make_unique<RemoteSession>(socket);
    return session->hello(why) ? std::move(session) : nullptr;
}

}  // namespace vgpu
