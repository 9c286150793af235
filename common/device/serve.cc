#include "device/serve.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

#include "device/peer.h"
#include "harness/control.h"
#include "harness/json.h"
#include "harness/request.h"

namespace lab {
namespace {

// The grader's shared memory. Sealed against resizing by its owner, so that no access here can fault.
class SharedMemory {
  public:
    explicit SharedMemory(int fd) {
        struct stat info {};
        if (fstat(fd, &info) != 0) return;
        size_ = static_cast<std::size_t>(info.st_size);
        void* data = size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (data != MAP_FAILED) data_ = static_cast<std::byte*>(data);
    }
    ~SharedMemory() {
        if (pinned_ > 0) cudaHostUnregister(data_);
        if (data_ != nullptr) munmap(data_, size_);
    }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    bool ok() const { return data_ != nullptr; }
    std::byte* at(std::uint64_t offset, std::uint64_t bytes) {
        if (offset > size_ || bytes > size_ - offset) throw json::Error("an array lies outside of the shared memory");
        used_ = std::max<std::size_t>(used_, offset + bytes);
        return data_ + offset;
    }

    // A GPU copies several times faster from and to memory that stays where it is; where it may not, it still copies.
    // There is room for more calls than most tasks make at once, and each GB takes half a second: only what calls have
    // used is pinned, in one piece, because no copy may cross from one into another.
    void pin_what_is_used() {
        if (used_ <= pinned_ || !may_pin_) return;
        if (pinned_ > 0) cudaHostUnregister(data_);
        const std::size_t wanted = std::min(size_, std::max(2 * pinned_, used_));
        may_pin_ = cudaHostRegister(data_, wanted, cudaHostRegisterDefault) == cudaSuccess;
        cudaGetLastError();
        pinned_ = may_pin_ ? wanted : 0;
    }

  private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0, used_ = 0, pinned_ = 0;
    bool may_pin_ = !control::is_virtual();
};

// Lines from a pipe.
class LineReader {
  public:
    explicit LineReader(int fd) : fd_(fd) {}
    std::optional<std::string> next() {
        for (;;) {
            if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
                std::string line = pending_.substr(0, end);
                pending_.erase(0, end + 1);
                return line;
            }
            char buffer[4096];
            const ssize_t got = read(fd_, buffer, sizeof buffer);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return std::nullopt;
            pending_.append(buffer, static_cast<std::size_t>(got));
        }
    }

  private:
    int fd_;
    std::string pending_;
};

bool write_line(int fd, std::string line) {
    line += '\n';
    for (std::size_t at = 0; at < line.size();) {
        const ssize_t written = write(fd, line.data() + at, line.size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += static_cast<std::size_t>(written);
    }
    return true;
}

Argument argument_of(const json::Value& json, SharedMemory& memory) {
    Argument a;
    a.spec.name = json["name"].string();
    a.spec.dtype = dtype_named(json["dtype"].string());
    a.spec.count = json["count"].unsigned_integer();
    a.spec.shift = or_else<std::uint64_t>(json, "shift", 0);
    a.spec.on_host = or_else(json, "on_host", false);
    a.is_output = json["role"].string() == "out";
    if (a.spec.count > (std::uint64_t{1} << 40) || a.spec.shift > 4096) throw json::Error("an array is too large");
    const std::size_t bytes = a.spec.count * size_of(a.spec.dtype);
    std::byte* data = memory.at(json["at"].unsigned_integer(), bytes);
    a.from = data;
    if (a.is_output)
        a.to = data;
    else if (json.find("back") != nullptr)
        a.to = memory.at(json["back"].unsigned_integer(), bytes);
    return a;
}

CallResult handle_call(Runner& runner, const json::Value& request, SharedMemory& memory) {
    const auto further = request.find("further");
    std::vector<const json::Value*> texts{&request};
    if (further != nullptr)
        for (const json::Value& one : further->array()) texts.push_back(&one);
    std::vector<std::vector<Argument>> arguments(texts.size());
    std::vector<WantedCall> calls;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (const bool outputs : {false, true})  // inputs first
            for (const json::Value& array : (*texts[i])["arrays"].array()) {
                Argument a = argument_of(array, memory);
                if (a.is_output == outputs) arguments[i].push_back(a);
            }
        calls.push_back({instance_of(*texts[i]), arguments[i]});
    }
    memory.pin_what_is_used();
    CallOptions options;
    options.schedule = or_else<std::uint64_t>(request, "schedule", 0);
    options.checks = or_else(request, "checks", true);
    options.counters = or_else(request, "counters", true);
    options.timed = or_else(request, "timed", false);
    options.nothing = or_else(request, "nothing", false);
    options.trace = or_else<std::string>(request, "trace", "");
    options.what_if = or_else<std::string>(request, "what_if", "");
    options.max_steps = or_else<std::uint64_t>(request, "max_steps", 0);
    options.change = or_else(request, "change", 0);
    options.device_limit = or_else<std::uint64_t>(request, "device_limit", 0);
    if (options.device_limit != 0) control::configure("memory_limit", std::to_string(options.device_limit));
    return runner.call(calls, options);
}

std::string reply_text(const CallResult& result, const std::string& device) {
    json::Writer reply;
    reply.add("status", name_of(result.status)).add("message", result.message).add("where", result.where);
    reply.add("todo", result.todo).add("cuda_code", result.cuda_code).add("seconds", result.seconds);
    reply.add("wall_seconds", result.wall_seconds).add("virtual", control::is_virtual());
    reply.add("device", device).add("lost", result.is_lost);
    // A message is one line, so the report must not contain line ends.
    std::string report = result.report.empty() ? "null" : result.report;
    for (char& c : report)
        if (c == '\n' || c == '\r') c = ' ';
    return reply.raw("report", report).text();
}

std::string bad_request(const std::string& message) {
    return json::Writer().add("status", "bad_request").add("message", message).text();
}

}  // namespace

int serve(Callee& callee, const ServeFds& fds) {
    control::end_kernel_on(SIGUSR1);
    Runner runner(callee);
    SharedMemory memory(fds.memory);
    const std::string device = Runner::device_name();
    LineReader lines(fds.commands);
    while (const std::optional<std::string> line = lines.next()) {
        std::string reply, id;
        bool is_over = false;
        try {
            const json::Value request = json::parse(*line);
            if (request.find("id") != nullptr) id = request["id"].string();
            const std::string& op = request["op"].string();
            if (op == "quit") break;
            if (op == "hello") {
                CallResult awake;
                callee.recover(awake);  // the runner has started, and has woken its device
                reply = json::Writer()
                            .add("status", "ok")
                            .add("device", device)
                            .add("virtual", control::is_virtual())
                            .text();
            } else if (op == "bandwidth") {
                reply = json::Writer().add("status", "ok").add("copy_bandwidth", Runner::copy_bandwidth()).text();
            } else if (op != "call") {
                reply = bad_request("unknown op " + op);
            } else if (!memory.ok()) {
                reply = bad_request("the shared memory cannot be mapped");
            } else {
                const CallResult result = handle_call(runner, request, memory);
                is_over = result.is_lost;
                reply = reply_text(result, device);
            }
        } catch (const PeerGone& e) {
            reply = json::Writer().add("status", "gone").add("message", e.what()).text();
            is_over = true;
        } catch (const PeerRefused& e) {
            CallResult refused;
            fail(refused, CallResult::Status::exception, e.what());
            refused.where = e.where;
            refused.is_lost = is_over = true;
            reply = reply_text(refused, device);
        } catch (const std::exception& e) {
            reply = bad_request(e.what());
        }
        if (!id.empty()) reply.insert(1, "\"id\":" + json::quote(id) + ",");
        std::fflush(stdout);
        if (!write_line(fds.replies, reply)) return 1;
        if (is_over) break;  // the grader starts fresh processes
    }
    return 0;
}

}  // namespace lab
