#include "device/peer.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "harness/control.h"
#include "harness/json.h"
#include "harness/request.h"

namespace lab {
namespace {

using Status = CallResult::Status;

constexpr std::int64_t kMostCudaCode = 100'000;
constexpr std::size_t kMostWorkspaceArrays = 500;  // that a message names; the runner asks for more

std::string text_of(const Array& array, bool is_output, const ArrayHandle& handle) {
    json::Writer text;
    text.add("name", array.spec.name).add("dtype", name_of(array.spec.dtype));
    text.add("count", static_cast<std::uint64_t>(array.spec.count));
    text.add("shift", static_cast<std::uint64_t>(array.spec.shift));
    text.add("on_host", array.spec.on_host).add("out", is_output);
    if (array.spec.on_host) return text.text();
    if (handle.handle.empty()) return text.add("address", handle.address).text();
    return text.add("handle", handle.handle).add("offset", handle.offset).text();
}

std::size_t bytes_of(const Array& array) { return array.spec.count * size_of(array.spec.dtype); }

// Host arrays, call by call in the order inputs, outputs.
std::vector<Array> host_arrays(std::span<const CallArrays> calls) {
    std::vector<Array> out;
    for (const CallArrays& call : calls)
        for (const auto* arrays : {&call.inputs, &call.outputs})
            std::copy_if(arrays->begin(), arrays->end(), std::back_inserter(out),
                         [](const Array& a) { return a.spec.on_host; });
    return out;
}

std::vector<std::byte> values_of(std::span<const Array> arrays) {
    std::vector<std::byte> values;
    for (const Array& array : arrays) {
        const auto* data = static_cast<const std::byte*>(array.data);
        values.insert(values.end(), data, data + bytes_of(array));
    }
    return values;
}

// Those that came with a reply.
void take_values(const Message& reply, std::span<const Array> arrays, const CallResult& result) {
    std::size_t expected = 0, at = 0;
    for (const Array& array : arrays) expected += bytes_of(array);
    if (reply.bytes.size() != expected) {
        if (result.ok()) throw PeerGone("the runner's answer differs in size from its arrays");
        return;
    }
    for (const Array& array : arrays) {
        std::memcpy(array.data, reply.bytes.data() + at, bytes_of(array));
        at += bytes_of(array);
    }
}

Status status_named(const std::string& name) {
    for (const Status status :
         {Status::ok, Status::skip, Status::cuda_error, Status::exception, Status::memory, Status::bad_request})
        if (name == name_of(status)) return status;
    throw json::Error("unknown status");
}

}  // namespace

void Peer::prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult& result) {
    calls_made_ = calls;
    limit_ = device_limit;
    if (is_virtual_) {
        work_.begin(purpose_of(calls.front().instance), device_limit);
        work_.poison();
    }
    std::vector<std::string> texts;
    for (const CallArrays& call : calls) {
        std::vector<std::string> arrays;
        for (const Array& array : call.inputs) arrays.push_back(text_of(array, false, call.handles[arrays.size()]));
        for (const Array& array : call.outputs) arrays.push_back(text_of(array, true, call.handles[arrays.size()]));
        json::Writer text;
        texts.push_back(add_instance(text, call.instance).raw("arrays", json::list(arrays)).text());
    }
    json::Writer request;
    request.add("op", "prepare").add("device_limit", static_cast<std::uint64_t>(device_limit)).add("change", change_);
    take(exchange({request.raw("calls", json::list(texts)).text(), {}}, 0, "preparing"), result);
}

void Peer::call_nothing(CallResult& result) {
    take(exchange({json::Writer().add("op", "call_nothing").text(), {}}, 0, "running"), result);
    control::returned();
}

void Peer::call(CallResult& result) {
    if (is_virtual_)
        for (std::size_t i = 0; i < calls_made_.size() && result.ok(); ++i) call_one(i, result);
    else
        call_all(result);
    warm_ = purpose_of(calls_made_.front().instance);
}

void Peer::call_all(CallResult& result) {
    const std::vector<Array> on_host = host_arrays(calls_made_);
    Message request{json::Writer().add("op", "call").text(), values_of(on_host)};
    const std::size_t expected = request.bytes.size();
    const Message reply = exchange(std::move(request), expected);
    take(reply, result);
    take_values(reply, on_host, result);
}

// On the virtual GPU. The call ends here, with the runner's answer: work in streams that nobody has waited for by then
// is a race. Only then is the runner asked for errors, which waits for all of it.
void Peer::call_one(std::size_t which, CallResult& result) {
    const auto request = [&](const char* op) {
        json::Writer text;
        text.add("op", op).add("which", static_cast<std::uint64_t>(which));
        return text;
    };
    if (which > 0) work_.begin(purpose_of(calls_made_[which].instance), limit_);
    std::vector<std::string> given;
    for (const auto& [address, bytes] : work_.arrays()) {
        if (given.size() == kMostWorkspaceArrays) break;
        json::Writer one;
        one.add("address", static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)));
        given.push_back(one.add("bytes", static_cast<std::uint64_t>(bytes)).text());
    }
    const std::vector<Array> on_host = host_arrays(calls_made_.subspan(which, 1));
    std::vector<std::byte> values = values_of(on_host);
    const std::size_t bytes = values.size();
    if (bytes > 0) take(exchange({request("arrays").text(), std::move(values)}, 0, "preparing", bytes), result);
    if (!result.ok()) return;
    take(exchange({request("call_one").raw("workspace", json::list(given)).text(), {}}, 0, "running"), result);
    control::returned();
    CallResult errors;
    const Message reply = exchange({request("collect").text(), {}}, bytes, "collecting", bytes);
    take(reply, errors);
    take_values(reply, on_host, errors);
    if (result.ok() && !errors.ok()) {
        result.status = errors.status;
        result.message = errors.message;
        result.where = errors.where;
        result.cuda_code = errors.cuda_code;
    }
}

void Peer::release() {
    if (is_virtual_) return;  // an address there holds nothing
    try {
        exchange({json::Writer().add("op", "release").text(), {}}, 0);
    } catch (const PeerGone&) {  // then it holds nothing either
    }
}

void Peer::recover(CallResult& result) {
    CallResult now;
    if (is_virtual_) control::reset();  // the failure has been told
    const char* state = is_awake_ ? "recovering" : "starting";
    take(exchange({json::Writer().add("op", "recover").text(), {}}, 0, state), now);
    is_awake_ = true;
    result.is_lost = now.is_lost || !now.ok();
}

// Sends, and answers the runner's CUDA calls until it replies. What it has asked before, or asks when it has replied,
// is work outside of a call.
Message Peer::exchange(Message request, std::size_t most_bytes, const char* state, std::size_t host_bytes) {
    if (is_virtual_) {
        answer_questions();
        control::enter(state, host_bytes);
    }
    if (!send_message(calls_, request)) throw PeerGone("the runner is gone");
    if (!is_virtual_) await_message(calls_);
    for (;;) {
        pollfd ready[2] = {{calls_, POLLIN, 0}, {session_, POLLIN, 0}};  // a negative one is passed over
        if (poll(ready, 2, -1) < 0) {
            if (errno == EINTR) continue;
            throw PeerGone("the runner cannot be waited for");
        }
        if (ready[0].revents == 0) {
            if (ready[1].revents != 0) answer_question();
            continue;
        }
        std::optional<Message> reply = receive_message(calls_, most_bytes);
        if (!reply) throw PeerGone("the runner is gone");
        if (!is_virtual_) return std::move(*reply);
        const bool runs = std::string_view(state) == "running";
        if (runs && answer(*reply)) continue;
        control::enter(runs ? "collecting" : "idle");  // until it is asked for errors
        answer_questions();
        return std::move(*reply);
    }
}

// Those that wait already.
void Peer::answer_questions() {
    for (;;) {
        pollfd ready = {session_, POLLIN, 0};
        if (session_ < 0 || poll(&ready, 1, 0) <= 0) return;
        answer_question();
    }
}

void Peer::answer_question() {
    switch (control::serve(session_)) {
        case control::Served::answered:
            return;
        case control::Served::gone:
            session_ = -1;
            return;
        case control::Served::refused: {
            const auto [what, where] = control::refusal();
            throw PeerRefused(what, where);
        }
    }
}

// A question for an array of the Workspace. False: it is none.
bool Peer::answer(const Message& message) {
    json::Value question;
    try {
        question = json::parse(message.text);
        if (question.find("op") == nullptr || question["op"].string() != "workspace") return false;
    } catch (const json::Error&) {
        return false;  // take() says what is wrong with it
    }
    std::uint64_t address = 0;
    std::string why;
    cudaError_t code = cudaSuccess;
    try {
        void* array = work_.at(question["index"].unsigned_integer(), question["bytes"].unsigned_integer());
        address = reinterpret_cast<std::uintptr_t>(array);
    } catch (const MemoryLimit& e) {
        why = e.what();
    } catch (const CudaError& e) {
        code = e.code;
        cudaGetLastError();
    } catch (const std::exception& e) {
        throw PeerGone(std::string("the runner's question cannot be read: ") + e.what());
    }
    json::Writer text;
    text.add("address", address).add("message", why).add("cuda_code", static_cast<int>(code));
    if (!send_message(calls_, {text.text(), {}})) throw PeerGone("the runner is gone");
    return true;
}

void Peer::take(const Message& message, CallResult& result) const {
    try {
        const json::Value reply = json::parse(message.text);
        if (!result.ok()) return;
        result.status = status_named(reply["status"].string());
        result.message = reply["message"].string();
        result.where = reply["where"].string();
        result.todo = reply["todo"].string();
        const std::int64_t code = reply["cuda_code"].integer();
        if (code < 0 || code > kMostCudaCode) throw json::Error("unknown error code");
        result.cuda_code = static_cast<int>(code);
        result.workspace = reply["workspace"].unsigned_integer();
        result.is_lost = reply["lost"].boolean();
    } catch (const json::Error&) {
        throw PeerGone("the runner's answer cannot be read");
    }
}

}  // namespace lab
