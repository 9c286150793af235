#include "harness/serve.h"

#include <fcntl.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/arrays.h"
#include "harness/asked_workspace.h"
#include "harness/json.h"
#include "harness/message.h"
#include "harness/request.h"
#include "harness/student.h"

// Of a program with changes (autograder/cause/what_if.h): which one its next calls are made with.
extern "C" __attribute__((weak)) void what_if_choose(int change);

namespace lab {
namespace {

constexpr std::size_t kMostHostBytes = std::size_t{4} << 30;

// An array of the device process: a host array is a copy, with guards, of bytes that come with the call.
struct GivenArray {
    ArraySpec spec;
    bool is_output = false;
    void* data = nullptr;
    std::optional<PlacedArray> on_host;
};

std::string reply_of(const CallResult& result) {
    json::Writer reply;
    reply.add("status", name_of(result.status)).add("message", result.message.substr(0, 8000));
    reply.add("where", result.where.substr(0, 200)).add("todo", result.todo.substr(0, 200));
    reply.add("cuda_code", result.cuda_code).add("workspace", static_cast<std::uint64_t>(result.workspace));
    return reply.add("lost", result.is_lost).text();
}

class Server {
  public:
    Server(Bindings bindings, int socket, bool is_virtual) : student_(std::move(bindings)) {
        if (is_virtual) workspace_.emplace(socket);
    }

    Message answer(const Message& message) {
        const json::Value request = json::parse(message.text);
        const std::string& op = request["op"].string();
        CallResult result;
        Message reply;
        if (op == "prepare") {
            prepare(request, result);
        } else if (op == "call") {
            upload(message.bytes, arrays_);
            student_.call(result);
            download(arrays_, reply.bytes, result);
        } else if (op == "arrays" && workspace_) {
            upload(message.bytes, arrays_of(call_of(request)));
        } else if (op == "call_one" && workspace_) {
            workspace_->begin(request["workspace"], limit_);
            student_.call_alone(calls_[call_of(request)], *workspace_, result);
            result.workspace = workspace_->bytes();
        } else if (op == "collect" && workspace_) {
            Student::look_for_errors(result);
            download(arrays_of(call_of(request)), reply.bytes, result);
        } else if (op == "call_nothing") {
            student_.call_nothing(result);
        } else if (op == "release") {
            arrays_.clear();
            shared_.clear();
        } else if (op == "recover") {
            student_.recover(result);
        } else {
            fail(result, CallResult::Status::bad_request, "unknown op " + op);
        }
        reply.text = reply_of(result);
        return reply;
    }

  private:
    // What another process shares stays mapped until it asks for release.
    SharedArray& shared(const std::string& handle) {
        std::unique_ptr<SharedArray>& found = shared_[handle];
        if (found == nullptr) found = std::make_unique<SharedArray>(handle);
        return *found;
    }

    GivenArray given(const json::Value& json) {
        GivenArray a;
        a.spec.name = json["name"].string();
        a.spec.dtype = dtype_named(json["dtype"].string());
        a.spec.count = json["count"].unsigned_integer();
        a.spec.shift = or_else<std::size_t>(json, "shift", 0);
        a.spec.on_host = or_else(json, "on_host", false);
        a.is_output = json["out"].boolean();
        if (a.spec.on_host) {
            a.data = a.on_host.emplace(a.spec).data();
        } else if (json.find("handle") != nullptr) {
            a.data = shared(json["handle"].string()).at(json["offset"].unsigned_integer());
        } else {
            a.data = reinterpret_cast<void*>(json["address"].unsigned_integer());
        }
        return a;
    }

    void prepare(const json::Value& request, CallResult& result) {
        arrays_.clear();
        calls_.clear();
        for (const json::Value& text : request["calls"].array()) {
            CallArrays& call = calls_.emplace_back(CallArrays{instance_of(text), {}, {}, {}});
            for (const json::Value& array : text["arrays"].array()) {
                const GivenArray& a = arrays_.emplace_back(given(array));
                (a.is_output ? call.outputs : call.inputs).push_back({a.spec, a.data});
            }
        }
        if (calls_.empty()) throw json::Error("no call is to be prepared");
        if (what_if_choose != nullptr) what_if_choose(or_else(request, "change", 0));
        limit_ = or_else<std::size_t>(request, "device_limit", 0);
        if (!workspace_) student_.prepare(calls_, limit_, result);
    }

    std::size_t call_of(const json::Value& request) const {
        const std::size_t which = request["which"].unsigned_integer();
        if (which >= calls_.size()) throw json::Error("there is no such call");
        return which;
    }

    std::span<const GivenArray> arrays_of(std::size_t which) const {
        std::size_t first = 0;
        for (std::size_t i = 0; i < which; ++i) first += calls_[i].inputs.size() + calls_[i].outputs.size();
        return std::span(arrays_).subspan(first, calls_[which].inputs.size() + calls_[which].outputs.size());
    }

    static void upload(const std::vector<std::byte>& bytes, std::span<const GivenArray> arrays) {
        std::size_t at = 0;
        for (const GivenArray& a : arrays) {
            if (!a.on_host) continue;
            if (a.on_host->bytes() > bytes.size() - at)
                throw json::Error("the bytes of " + a.spec.name + " are missing");
            a.on_host->upload(bytes.data() + at);
            at += a.on_host->bytes();
        }
    }

    static void download(std::span<const GivenArray> arrays, std::vector<std::byte>& back, CallResult& result) {
        for (const GivenArray& a : arrays) {
            if (!a.on_host) continue;
            back.resize(back.size() + a.on_host->bytes());
            a.on_host->download(back.data() + back.size() - a.on_host->bytes());
            if (a.on_host->overrun())
                fail(result, CallResult::Status::exception, "wrote outside of the host array " + a.spec.name);
        }
    }

    Student student_;
    std::optional<AskedWorkspace> workspace_;  // on the virtual GPU
    std::size_t limit_ = 0;
    std::vector<CallArrays> calls_;
    std::vector<GivenArray> arrays_;  // of all calls
    std::map<std::string, std::unique_ptr<SharedArray>> shared_;
};

}  // namespace

int serve(Bindings bindings, int socket, bool is_virtual) {
    fcntl(socket, F_SETFD, FD_CLOEXEC);  // programs that a student's code executes must not inherit it
    Server server(std::move(bindings), socket, is_virtual);
    const auto next = [&] {
        if (!is_virtual) await_message(socket);
        return receive_message(socket, kMostHostBytes);
    };
    while (const std::optional<Message> message = next()) {
        Message reply;
        try {
            reply = server.answer(*message);
        } catch (const std::exception& e) {
            CallResult result;
            fail(result, CallResult::Status::bad_request, e.what());
            reply.text = reply_of(result);
        }
        std::fflush(stdout);
        if (!send_message(socket, reply)) return 1;
    }
    return 0;
}

}  // namespace lab
