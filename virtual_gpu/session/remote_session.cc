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
    void begin(double, bool does_work) override { does_work_ = does_work_ || does_work; }
    // The other process may have forgiven the failure since: it does so when a new call begins.
    Status failed() const override {
        if (failed_ != Status::ok && failed_ != Status::lost) {
            auto& self = const_cast<RemoteSession&>(*this);
            Status now = failed_;
            self.ask(Op::failed, {}, now);
            self.failed_ = failed_ == Status::lost ? failed_ : now;
        }
        return failed_;
    }
    void reset() override {}

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

    Status copy(const CopyCall& call, void* host_to, const void* host_from) override {
        if (!send(Op::copy, wire::pack(call))) return lost();
        if (call.way == Way::host_to_device && !send_rows(call, static_cast<const char*>(host_from))) return lost();
        const Status status = receive();
        if (call.way == Way::device_to_host && status == Status::ok && !receive_rows(call, static_cast<char*>(host_to)))
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
    // Short rows travel together: a message for each would cost more than they do.
    static std::size_t rows_together(const CopyCall& call) {
        return std::max<std::size_t>(1, wire::kDataBytes / call.width);
    }
    bool send_rows(const CopyCall& call, const char* from) {
        const std::size_t together = rows_together(call);
        if (together == 1 || call.height == 1) {
            for (std::size_t row = 0; row < call.height; ++row)
                if (!wire::send_all(socket_, from + row * call.from_pitch, call.width)) return false;
            return true;
        }
        std::string rows;
        for (std::size_t row = 0; row < call.height; row += together) {
            rows.clear();
            for (std::size_t i = row; i < std::min(row + together, call.height); ++i)
                rows.append(from + i * call.from_pitch, call.width);
            if (!wire::send_all(socket_, rows.data(), rows.size())) return false;
        }
        return true;
    }
    bool receive_rows(const CopyCall& call, char* to) {
        const std::size_t together = rows_together(call);
        if (together == 1 || call.height == 1) {
            for (std::size_t row = 0; row < call.height; ++row)
                if (!wire::receive_all(socket_, to + row * call.to_pitch, call.width)) return false;
            return true;
        }
        std::string rows;
        for (std::size_t row = 0; row < call.height; row += together) {
            const std::size_t count = std::min(together, call.height - row);
            rows.resize(count * call.width);
            if (!wire::receive_all(socket_, rows.data(), rows.size())) return false;
            for (std::size_t i = 0; i < count; ++i)
                rows.copy(to + (row + i) * call.to_pitch, call.width, i * call.width);
        }
        return true;
    }

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
        const wire::Question head{static_cast<std::uint32_t>(message.size()), op, std::exchange(does_work_, false)};
        if (message.size() > wire::kMostBytes) return false;
        question_.assign(reinterpret_cast<const char*>(&head), sizeof head);
        question_ += message;
        return wire::send_all(socket_, question_.data(), question_.size());
    }

    Status receive() {
        wire::Answer head;
        if (!wire::receive_all(socket_, &head, sizeof head) || head.bytes > wire::kMostBytes) return lost();
        answer_.resize(head.bytes);
        if (!wire::receive_all(socket_, answer_.data(), answer_.size())) return lost();
        if (head.status == Status::lost) {
            std::fprintf(stderr, "virtual GPU: %s\n", answer_.c_str());
            return lost();
        }
        return head.status;
    }

    Status lost() {
        answer_.clear();
        return failed_ = Status::lost;
    }

    int socket_;
    DeviceProperties profile_;
    Status failed_ = Status::ok;
    bool does_work_ = false;
    std::string question_, answer_;
};

}  // namespace

std::unique_ptr<Session> connect_session(int socket, std::string& why) {
    auto session = std::make_unique<RemoteSession>(socket);
    return session->hello(why) ? std::move(session) : nullptr;
}

}  // namespace vgpu
