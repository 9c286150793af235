#include "virtual_gpu/session/server.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "virtual_gpu/fatbin/fatbin.h"
#include "virtual_gpu/session/host_place.h"
#include "virtual_gpu/session/wire.h"

namespace vgpu {
namespace {

using wire::Op;

constexpr std::size_t kMostImages = 1000, kMostRows = 1 << 20, kMostHandles = 100'000;

// Texts of the program: what is kept of them.
constexpr std::size_t kMostText = 2000;

bool is_work(Op op) {
    return op == Op::allocate || op == Op::copy || op == Op::fill || op == Op::launch || op == Op::host_function;
}

class Server {
  public:
    Server(LocalSession& session, Guest& guest, int socket) : session_(session), guest_(guest), socket_(socket) {}

    Served serve() {
        wire::Question head;
        if (!wire::receive_all(socket_, &head, sizeof head)) return Served::gone;
        if (head.bytes > wire::kMostBytes) return refuse("a message of " + std::to_string(head.bytes) + " bytes");
        message_.resize(head.bytes);
        if (!wire::receive_all(socket_, message_.data(), message_.size())) return Served::gone;
        if (!may_ask(head.op, guest_.state)) {
            return refuse(deed_of(head.op, message_) + " " + outside(guest_.state),
                          place_of(clipped(place_in(head.op, message_)), head.op == Op::launch));
        }
        session_.begin(guest_.counts ? guest_.time.take() : 0, head.does_work != 0 || is_work(head.op));
        if (answer(head.op)) return Served::answered;
        if (is_gone_) return Served::gone;
        return refuse(why_.empty() ? deed_of(head.op, message_) + ", in a message that makes no sense" : why_);
    }

  private:
    static std::string clipped(std::string_view text) { return std::string(text.substr(0, kMostText)); }

    Served refuse(const std::string& why, const SourcePlace& place = {}) {
        guest_.refusal = why;
        guest_.refused_at = place;
        send(Status::lost, why);
        return Served::refused;
    }

    // Unpacks the question into its parts and gives them to body. False: that is no such question.
    template <class... In, class Body>
    bool take_whole(Body&& body) {
        std::tuple<In...> in;
        if (!std::apply([&](auto&... each) { return wire::unpack(message_, each...); }, in)) return false;
        return std::apply(body, in);
    }

    // The same with texts that are for people, and of which no more is kept than they read.
    template <class... In, class Body>
    bool take(Body&& body) {
        return take_whole<In...>([&](auto&... each) {
            (clip(each), ...);
            return body(each...);
        });
    }

    template <class T>
    static void clip(T& value) {
        if constexpr (std::is_same_v<T, std::string>) value.resize(std::min(value.size(), kMostText));
        if constexpr (std::is_same_v<T, CopyCall> || std::is_same_v<T, FillCall>) clip(value.name), clip(value.place);
    }

    bool no_more(const std::string& what) {
        why_ = "more " + what + " than the virtual GPU has room for";
        return false;
    }

    template <class... Out>
    bool reply(Status status, const Out&... out) {
        return send(status, wire::pack(out...));
    }

    bool send(Status status, const std::string& message) {
        const wire::Answer head{static_cast<std::uint32_t>(message.size()), status};
        const std::string bytes = std::string(reinterpret_cast<const char*>(&head), sizeof head) + message;
        is_gone_ = !wire::send_all(socket_, bytes.data(), bytes.size());
        return !is_gone_;
    }

    bool answer(Op op) {
        using Text = std::string;
        if (session_.failed() != Status::ok && is_work(op) && op != Op::copy) return reply(session_.failed());
        switch (op) {
            case Op::hello:
                return take<>([&] { return hello(); });
            case Op::failed:
                return take<>([&] { return reply(Status::ok, session_.failed()); });
            case Op::load:
                return take<std::vector<std::uint64_t>>([&](auto& at) { return load(at); });
            case Op::function:
                return take_whole<ModuleId, Text>([&](auto module, auto& name) {
                    FunctionInfo info;
                    const Status status = session_.function(module, name, info);
                    return reply(status, info);
                });
            case Op::symbol:
                return take_whole<ModuleId, Text>([&](auto module, auto& name) {
                    DevicePtr at = 0;
                    std::size_t bytes = 0;
                    const Status status = session_.symbol(module, name, at, bytes);
                    return reply(status, at, bytes);
                });
            case Op::allocate:
                return take<std::size_t, bool, StreamId, Text>([&](auto bytes, bool async, auto stream, auto& place) {
                    DevicePtr at = 0;
                    const Status status = session_.allocate(bytes, async, stream, place, at);
                    return reply(status, at);
                });
            case Op::release:
                return take<DevicePtr, Text, bool, StreamId, Text>(
                    [&](auto at, auto& name, bool async, auto stream, auto& place) {
                        return reply(session_.release(at, name.c_str(), async, stream, place));
                    });
            case Op::release_all:
                return take<>([&] { return session_.release_all(), reply(Status::ok); });
            case Op::find:
                return take<DevicePtr>([&](auto at) {
                    DevicePtr base = 0;
                    std::size_t bytes = 0;
                    const bool found = session_.find(at, base, bytes);
                    return reply(found ? Status::ok : Status::not_found, base, bytes);
                });
            case Op::bytes_free:
                return take<>([&] { return reply(Status::ok, session_.bytes_free()); });
            case Op::bytes_total:
                return take<>([&] { return reply(Status::ok, session_.bytes_total()); });
            case Op::copy:
                return take<CopyCall>([&](auto& call) { return copy(call); });
            case Op::fill:
                return take<FillCall>(
                    [&](auto& call) { return call.height > kMostRows ? false : reply(session_.fill(call)); });
            case Op::launch:
                return take<Launch, Text>([&](auto& launch, auto& place) {
                    const Status status = session_.launch(launch, place);
                    return reply(status, session_.failed());
                });
            case Op::make_stream:
                return take<bool>([&](bool blocking) {
                    const StreamId id = session_.make_stream(blocking);
                    if (static_cast<std::size_t>(id) >= kMostHandles) return no_more("streams");
                    return reply(Status::ok, id);
                });
            case Op::destroy_stream:
                return take<StreamId>([&](auto id) { return session_.destroy_stream(id), reply(Status::ok); });
            case Op::host_function:
                return take<StreamId>([&](auto id) { return session_.host_function(id), reply(Status::ok); });
            case Op::make_event:
                return take<>([&] {
                    const EventId id = session_.make_event();
                    if (static_cast<std::size_t>(id) >= 100 * kMostHandles) return no_more("events");
                    return reply(Status::ok, id);
                });
            case Op::destroy_event:
                return take<EventId>([&](auto id) { return session_.destroy_event(id), reply(Status::ok); });
            case Op::record:
                return take<EventId, StreamId>(
                    [&](auto event, auto stream) { return reply(session_.record(event, stream)); });
            case Op::wait_event:
                return take<StreamId, EventId>(
                    [&](auto stream, auto event) { return reply(session_.wait_event(stream, event)); });
            case Op::elapsed:
                return take<EventId, EventId>([&](auto from, auto to) {
                    double seconds = 0;
                    const Status status = session_.elapsed(from, to, seconds);
                    return reply(status, seconds);
                });
            case Op::wait:
                return take<Wait>([&](auto& what) { return reply(session_.wait(what)); });
            case Op::spend:
                return take<double>([&](double seconds) {
                    if (seconds > 0 && seconds < 1e6) session_.spend(seconds);
                    return reply(Status::ok);
                });
            case Op::call_failed:
                return take<Text, int, Text>([&](auto& name, int code, auto& place) {
                    return session_.call_failed(name, code, place), reply(Status::ok);
                });
            case Op::errors_seen:
                return take<>([&] { return session_.errors_seen(), reply(Status::ok); });
            case Op::add_finding:
                return take<Kind, Text, Text, Text>([&](auto kind, auto& what, auto& help, auto& place) {
                    // What the program's own side of the API finds; all else is found here.
                    if (kind != Kind::invalid_access && kind != Kind::unsupported) return false;
                    return session_.add_finding(kind, what, help, place), reply(Status::ok);
                });
            case Op::host_access:
                return take<DevicePtr, Text, Text>([&](auto at, auto& managed, auto& place) {
                    return session_.host_access(at, managed, place), reply(Status::ok);
                });
            case Op::stopped:
                return take<Text, Text>([&](auto& host_code, auto& launched_at) {
                    return session_.stopped(host_code, launched_at), reply(Status::ok);
                });
        }
        return false;
    }

    bool hello() {
        std::string text, why;
        const bool found = read_profile(session_.options().profile, text, why);
        return reply(found ? Status::ok : Status::invalid_value, text);
    }

    bool load(const std::vector<std::uint64_t>& addresses) {
        ModuleImages images;
        if (addresses.size() > kMostImages) return false;
        fatbin::Images found;
        const int capability = session_.profile().capability();
        for (const std::uint64_t at : addresses)
            fatbin::read_from_file(guest_.program.bytes(), at, capability, found, images.why_no_ptx);
        if (!found.skipped.empty()) images.why_no_ptx = found.skipped.front();
        images.is_too_new = found.is_too_new;
        images.registers = fatbin::kernel_registers(found.cubins);
        images.ptx = std::move(found.ptx);
        images.ptx_version = found.ptx_version;
        ModuleId id = -1;
        const Status status = session_.load(images, id);
        return reply(status, id);
    }

    // The data of a copy to the device comes after its question, the data of one from it goes after its answer.
    bool copy(const CopyCall& call) {
        const bool to_device = call.way == Way::host_to_device, to_host = call.way == Way::device_to_host;
        const bool makes_sense = call.width != 0 && call.height != 0 && call.height <= kMostRows &&
                                 (call.from == 0) == to_device && (call.to == 0) == to_host &&
                                 call.way != Way::host_to_host;
        if (!makes_sense) return false;
        if (!to_device && !to_host)
            return reply(session_.failed() != Status::ok ? session_.failed() : session_.copy(call, nullptr, nullptr));
        const Status status = session_.failed() != Status::ok ? session_.failed() : session_.check(call);
        if (status != Status::ok) return (to_host || skip(call.width, call.height)) && reply(status);
        guest_.time.moved(call.width * call.height);
        if (to_host && !reply(Status::ok)) return false;
        // Short rows travel together: a message for each would cost more than they do.
        const std::size_t together = std::max<std::size_t>(1, wire::kDataBytes / call.width);
        const std::size_t at_once = std::min(call.width, wire::kDataBytes);
        std::vector<std::byte> part;
        for (std::size_t row = 0; row < call.height; row += together)
            for (std::size_t done = 0; done < call.width; done += at_once) {
                const std::size_t width = std::min(call.width - done, at_once);
                const std::size_t rows = std::min(together, call.height - row);
                part.resize(rows * width);
                if (to_device && !receive(part)) return false;
                for (std::size_t i = 0; i < rows; ++i)
                    if (!session_.move(call, row + i, done, std::span(part).subspan(i * width, width))) return false;
                is_gone_ = to_host && !wire::send_all(socket_, part.data(), part.size());
                if (is_gone_) return false;
            }
        session_.charge(call);
        return to_host || reply(Status::ok);
    }

    bool skip(std::size_t width, std::size_t height) {
        std::vector<std::byte> part(std::min(width, wire::kDataBytes));
        for (std::size_t row = 0; row < height; ++row)
            for (std::size_t left = width; left > 0; left -= std::min(left, part.size()))
                if (!receive(std::span(part).first(std::min(left, part.size())))) return false;
        return true;
    }

    bool receive(std::span<std::byte> part) {
        is_gone_ = !wire::receive_all(socket_, part.data(), part.size());
        return !is_gone_;
    }

    LocalSession& session_;
    Guest& guest_;
    int socket_;
    bool is_gone_ = false;
    std::string message_, why_;
};

}  // namespace

bool ProgramFile::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (file < 0 || fstat(file, &info) != 0 || info.st_size <= 0) return false;
    const auto size = static_cast<std::size_t>(info.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    if (data == MAP_FAILED) return false;
    bytes_ = {static_cast<const std::byte*>(data), size};
    return true;
}

ProgramFile::~ProgramFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Served serve_one(LocalSession& session, Guest& guest, int socket) {
    session.enter();
    const Served served = Server(session, guest, socket).serve();
    session.leave();
    return served;
}

void enter(LocalSession& session, Guest& guest, CallState state, std::size_t bytes) {
    if (guest.counts) {
        const double grace = session.profile().host_grace;
        session.host_worked(std::max(0.0, guest.time.take() - grace) + guest.time.take_of_threads());
    }
    guest.state = state;
    guest.counts = state == CallState::running || bytes > 0;
    if (guest.counts) guest.time.begin(bytes);
}

}  // namespace vgpu
