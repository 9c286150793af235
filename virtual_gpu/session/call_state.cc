#include "virtual_gpu/session/call_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vgpu {
namespace {

using wire::Op;

constexpr std::array<std::pair<const char*, CallState>, 6> kNames = {{{"starting", CallState::starting},
                                                                      {"idle", CallState::idle},
                                                                      {"preparing", CallState::preparing},
                                                                      {"running", CallState::running},
                                                                      {"collecting", CallState::collecting},
                                                                      {"recovering", CallState::recovering}}};

// What neither asks for the device's work nor changes it.
bool is_harmless(Op op) { return op == Op::hello || op == Op::failed || op == Op::host_access || op == Op::stopped; }

// What the constructor of an object may do that is there before the first call: handles, and questions.
bool is_preparation(Op op) {
    constexpr Op kAllowed[] = {Op::load,       Op::function,      Op::symbol,      Op::find,
                               Op::bytes_free, Op::bytes_total,   Op::make_stream, Op::destroy_stream,
                               Op::make_event, Op::destroy_event, Op::record,      Op::wait_event,
                               Op::wait,       Op::call_failed,   Op::errors_seen, Op::add_finding};
    return std::ranges::find(kAllowed, op) != std::end(kAllowed);
}

const char* when(CallState state) {
    switch (state) {
        case CallState::starting:
            return "before the first one, as in the constructor of a global object";
        case CallState::idle:
            return "between two calls";
        case CallState::preparing:
            return "while the next one is prepared";
        default:
            return "after the task has returned";
    }
}

bool asks_for_errors(Op op) { return op == Op::wait || op == Op::call_failed || op == Op::errors_seen; }

// A name of CUDA's, as the program's library sends it; anything else is replaced.
std::string cuda_name(const std::string& sent, const char* instead) {
    const bool is_one =
        sent.starts_with("cuda") && sent.size() <= 60 && std::ranges::all_of(sent, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
    return is_one ? sent : instead;
}

struct Asked {  // as far as it can be told
    std::string name;
    HostPlace place;
};

Asked asked(Op op, std::string_view message) {
    std::string name, text;
    std::uint64_t number = 0;
    int id = 0;
    bool flag = false;
    switch (op) {
        case Op::allocate: {
            std::size_t bytes = 0;
            HostPlace place;
            const bool is_one = wire::unpack(message, bytes, flag, id, place);
            return {is_one && flag ? "cudaMallocAsync" : "cudaMalloc", place};
        }
        case Op::release: {
            HostPlace place;
            wire::unpack(message, number, name, flag, id, place);
            return {cuda_name(name, "cudaFree"), place};
        }
        case Op::copy: {
            CopyCall call;
            wire::unpack(message, call);
            return {cuda_name(call.name, "cudaMemcpy"), call.place};
        }
        case Op::fill: {
            FillCall call;
            wire::unpack(message, call);
            return {cuda_name(call.name, "cudaMemset"), call.place};
        }
        case Op::launch: {
            Launch launch;
            HostPlace place;
            wire::unpack(message, launch, place);
            return {"a kernel launch", place};
        }
        case Op::wait: {
            Wait what;
            if (!wire::unpack(message, what)) return {"cudaDeviceSynchronize", ""};
            if (what.what == Wait::For::device) return {"cudaDeviceSynchronize", ""};
            const bool of_stream = what.what == Wait::For::stream;
            if (what.only_ask) return {of_stream ? "cudaStreamQuery" : "cudaEventQuery", ""};
            return {of_stream ? "cudaStreamSynchronize" : "cudaEventSynchronize", ""};
        }
        case Op::call_failed: {
            HostPlace place;
            wire::unpack(message, name, id, place);
            return {cuda_name(name, "a CUDA call") + " that failed", place};
        }
        default:
            return {};
    }
}

const char* name_of(Op op) {
    switch (op) {
        case Op::hello:
            return "a greeting";
        case Op::load:
            return "the first use of device code";
        case Op::function:
            return "looking up a kernel";
        case Op::symbol:
            return "looking up a device variable";
        case Op::release_all:
            return "cudaDeviceReset";
        case Op::find:
            return "cudaPointerGetAttributes";
        case Op::bytes_free:
        case Op::bytes_total:
            return "cudaMemGetInfo";
        case Op::make_stream:
            return "cudaStreamCreate";
        case Op::destroy_stream:
            return "cudaStreamDestroy";
        case Op::host_function:
            return "cudaLaunchHostFunc";
        case Op::make_event:
            return "cudaEventCreate";
        case Op::destroy_event:
            return "cudaEventDestroy";
        case Op::record:
            return "cudaEventRecord";
        case Op::wait_event:
            return "cudaStreamWaitEvent";
        case Op::elapsed:
            return "cudaEventElapsedTime";
        case Op::spend:
            return "cudaMallocHost or a copy within host memory";
        case Op::errors_seen:
            return "cudaGetLastError";
        case Op::add_finding:
            return "a CUDA call that is not possible";
        default:
            return "";
    }
}

}  // namespace

std::optional<CallState> state_named(std::string_view name) {
    for (const auto& [known, state] : kNames)
        if (name == known) return state;
    return std::nullopt;
}

bool may_ask(Op op, CallState state) {
    if (is_harmless(op)) return true;
    switch (state) {
        case CallState::starting:
            return is_preparation(op);
        case CallState::idle:
        case CallState::preparing:
            return false;
        case CallState::running:
            return true;
        case CallState::collecting:
        case CallState::recovering:
            return asks_for_errors(op);
    }
    return false;
}

std::string deed_of(Op op, std::string_view message) {
    if (const std::string name = asked(op, message).name; !name.empty()) return name;
    const std::string name = name_of(op);
    return !name.empty() ? name : "a question of kind " + std::to_string(static_cast<int>(op));
}

HostPlace place_in(Op op, std::string_view message) { return asked(op, message).place; }

std::string outside(CallState state) {
    if (state == CallState::running) return "in a call";
    std::string text = "outside of a call: ";
    text += when(state);
    if (state != CallState::starting) text += "; threads that a task starts must end before it returns";
    return text;
}

}  // namespace vgpu
