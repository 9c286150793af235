// What a session tells: findings of kernels and of the API, errors that were ignored, leaks, where it was stopped.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/known_errors.h"
#include "virtual_gpu/session/host_place.h"
#include "virtual_gpu/session/local_session.h"

namespace vgpu {
namespace {

int rank_of(Kind kind) {
    switch (kind) {
        case Kind::invalid_ptx:
        case Kind::internal_error:
        case Kind::unsupported:
            return 0;
        case Kind::leak:
        case Kind::ignored_error:
            return 2;
        default:
            return 1;
    }
}

// Of a refused launch: which limit it breaks.
std::string why_of(const Finding& refused) {
    const std::string_view said = " was refused: ";
    return refused.what.substr(refused.what.find(said) + said.size());
}

// Says where the launch is, and its shape. A refused one has no threads.
void tell_launch(Finding& f) {
    LaunchSite& launch = f.launch;
    if (launch.grid[0] == 0 || f.kind == Kind::failed_call || f.kind == Kind::ignored_error) {
        return;
    }
    if (!launch.token.empty()) {
        launch.place = place_of(launch.token, true);
    }
    const std::string shape = shape_text(launch.grid, launch.block, launch.shared_bytes);
    launch.what = launch.place.line != 0 ? "launched " + std::string(launch.by_kernel ? "by a kernel " : "") + "at " +
                                               text_of(launch.place) + ": " + shape
                                         : "the kernel " + short_name_of(f.kernel) + ", launched with " + shape;
}

constexpr std::size_t kMostFindings = 1000, kMostFailed = 64;
constexpr int kNotSupported = 801;  // cudaErrorNotSupported

}  // namespace

std::string LocalSession::hex_of(DevicePtr address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

void LocalSession::call_failed(const std::string& name, int code, const HostPlace& place) {
    ends_in_failure_ = true;
    if (failed_calls_.size() < kMostFailed) {
        failed_calls_.push_back({name, code, place, std::exchange(refused_launch_, {})});
    }
}

// Looking late, after more work, still finds the error: it was not ignored. Which limit a launch breaks, CUDA does not
// say: a note does.
void LocalSession::errors_seen() {
    for (FailedCall& call : std::exchange(failed_calls_, {})) {
        if (call.refused.has_value()) {
            add(std::move(*call.refused));
        }
    }
}

void LocalSession::refuse_launch(const Launch& launch, const Refusal& refusal, const HostPlace& place) {
    if (refusal.why.empty()) {
        return;
    }
    Finding f;
    f.kind = Kind::failed_call;
    f.is_note = true;
    f.count = 1;
    f.kernel = demangled(launch.kernel);
    f.place = place_of(place, true);
    f.launch.place = f.place;
    f.launch.grid = launch.grid;
    f.launch.block = launch.block;
    f.launch.shared_bytes = launch.shared_bytes;
    f.what = "the launch of " + short_name(launch.kernel) + " at " + text_of(f.place) + " was refused: " + refusal.why;
    if (told_refusals_.size() < kMostFailed && told_refusals_.insert(place).second) {
        std::fprintf(stderr, "virtual GPU: %s\n", f.what.c_str());
    }
    refused_launch_ = std::move(f);
}

void LocalSession::add_finding(Kind kind, const std::string& what, const std::string& help, const HostPlace& place) {
    Finding f;
    f.kind = kind;
    f.count = 1;
    f.place = place_of(place);
    f.what = what;
    f.help = help;
    add(std::move(f));
}

void LocalSession::note_too_large(const Launch& launch, std::uint64_t room, const HostPlace& place) {
    const std::uint64_t blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    Finding f;
    f.kind = Kind::failed_call;
    f.is_note = true;
    f.count = 1;
    f.place = place_of(place);
    f.what = "the cooperative launch at " + text_of(f.place) + " is one of " + counted(blocks, "block") + " of " +
             counted(threads, "thread") + ", and the device holds " + std::to_string(room) + " of them at once";
    f.help =
        "launch as many blocks as fit, cudaOccupancyMaxActiveBlocksPerMultiprocessor() for each multiprocessor, and "
        "let each loop over its part of the data";
    std::fprintf(stderr, "virtual GPU: %s\n", f.what.c_str());
    add(std::move(f));
}

void LocalSession::host_access(DevicePtr address, const std::string& managed, const HostPlace& place) {
    Finding f;
    f.kind = Kind::host_access;
    f.count = 1;
    f.space = "global";
    f.place = place_of(place);
    f.what = "host code at " + text_of(f.place);
    DevicePtr base = 0;
    std::size_t bytes = 0;
    if (!managed.empty()) {
        f.array = managed;
        f.what += " uses the __managed__ variable " + managed + ": managed memory is not supported";
    } else if (const HostPlace* freed = freed_near(address)) {
        f.kind = Kind::use_after_free;
        f.what += " uses memory that was freed at " + text_of(place_of(*freed)) + ": pointer " + hex_of(address);
    } else if (f.what += " uses device memory: "; device_->find(address, base, bytes)) {
        f.array = name_of(base, bytes);
        const auto at = static_cast<std::int64_t>(address - array_in(base));
        f.array_bytes = bytes - (array_in(base) - base);
        f.index = at / 4;
        f.what += "byte " + std::to_string(at) + " of " + f.array + ", device pointer " + hex_of(address);
    } else {
        f.what += "device pointer " + hex_of(address);
    }
    f.help = f.kind == Kind::use_after_free
                 ? "free memory only after its last use"
                 : "the host cannot reach it: copy it with cudaMemcpy first, or do this in a kernel";
    const char* how = std::getenv("VGPU_REPORT");
    if (how == nullptr || std::string_view(how) != "none") {
        std::fprintf(stderr, "%s\n", f.what.c_str());
        if (!f.place.text.empty()) {
            std::fprintf(stderr, "    %d: %s\n", f.place.line, f.place.text.c_str());
        }
        std::fprintf(stderr, "    %s\n", f.help.c_str());
    }
    add(std::move(f));
}

// For a process that is to be killed, and its report lost: where it was, and the first defects of the call.
void LocalSession::stopped(const HostPlace& host_code, const HostPlace& launched_at) {
    if (launched_at.empty()) {
        std::fprintf(stderr, "virtual GPU: stopped: host code at %s\n", text_of(place_of(host_code)).c_str());
        return;
    }
    // The first line says where it was. The others say more, and come before it: the grader reads up to it.
    const std::size_t end = std::min(stopped_in_.find('\n'), stopped_in_.size());
    for (std::size_t from = end; from < stopped_in_.size();) {
        const std::size_t to = std::min(stopped_in_.find('\n', from + 1), stopped_in_.size());
        const std::string line = stopped_in_.substr(from + 1, to - from - 1);
        std::fprintf(stderr, "virtual GPU: so far: %s\n", resolve_tokens(line).c_str());
        from = to;
    }
    std::fprintf(stderr, "virtual GPU: stopped: %s; launch %llu, made at %s\n", stopped_in_.substr(0, end).c_str(),
                 static_cast<unsigned long long>(launches_), text_of(place_of(launched_at, true)).c_str());
    print_seen();
}

void LocalSession::print_seen() {
    int left = 2;
    for (const Finding& f : report_.findings) {
        if (f.is_note || left-- <= 0) continue;
        std::fprintf(stderr, "virtual GPU: seen before: %s: %s: %s\n", vgpu::name_of(f.kind), text_of(f.place).c_str(),
                     resolve_tokens(f.what).c_str());
    }
}

void LocalSession::add(Finding&& finding) {
    // Calls of the API add one at a time: the same place twice is counted, not repeated.
    for (Finding& old : report_.findings) {
        if (old.kind == finding.kind && old.kernel == finding.kernel && old.place.file == finding.place.file &&
            old.place.line == finding.place.line && old.other_place.file == finding.other_place.file &&
            old.other_place.line == finding.other_place.line && old.array == finding.array &&
            (!old.kernel.empty() || old.what.substr(0, 8) == finding.what.substr(0, 8)) && old.space == finding.space &&
            old.access == finding.access) {
            old.count += finding.count;
            return;
        }
    }
    if (report_.findings.size() < kMostFindings) {
        report_.findings.push_back(std::move(finding));
    }
}

Report LocalSession::take_report(bool leaks, bool ended_well) {
    for (Finding& finding : device_->take_findings()) {
        add(std::move(finding));
    }
    if (refused_.has_value()) {
        add(Finding(*refused_));
    }
    for (const FailedCall& call : std::exchange(failed_calls_, {})) {
        // What a launch returns nobody gets to see; of another call, the program may have checked it, and ended.
        if (!call.went_on && !ended_well && call.name != kLaunchName) {
            continue;
        }
        Finding f;
        f.kind = Kind::ignored_error;
        f.count = 1;
        f.place = place_of(call.place, call.name == kLaunchName);
        const bool is_told = std::ranges::any_of(report_.findings, [&](const Finding& other) {
            return other.kernel.empty() && other.place.file == f.place.file && other.place.line == f.place.line;
        });
        if (is_told && (!call.went_on || call.code == kNotSupported)) {
            continue;  // why it failed is a finding
        }
        f.what = call.name + " failed with " + error_name(call.code) + " (" + error_text(call.code) + ") at " +
                 text_of(f.place) + (call.went_on ? ", and the program went on" : ", and the program did not look") +
                 (call.refused ? ": " + why_of(*call.refused) : "");
        if (call.refused) {
            f.kernel = call.refused->kernel;
            f.launch = call.refused->launch;
        }
        f.help = "check what every CUDA call returns, and cudaGetLastError() after every launch: CUDA_CHECK does both";
        add(std::move(f));
    }
    for (auto& [base, made] : allocations_) {
        // A named one belongs to whoever runs the program, and is freed later; the others are told once.
        if (!leaks || !made.name.empty() || std::exchange(made.leak_told, true)) {
            continue;
        }
        if (ended_in_failure()) {
            continue;  // the program ended at a call that failed, and what it had not freed by then is no mistake
        }
        Finding f;
        f.kind = Kind::leak;
        f.count = 1;
        f.place = place_of(made.place);
        f.array = "allocation of " + counted(made.bytes, "byte");
        f.array_bytes = made.bytes;
        f.what = name_of(base, made.bytes) + " was never freed";
        f.help = "free what was allocated: cudaFree for cudaMalloc, cudaFreeAsync for cudaMallocAsync";
        add(std::move(f));
    }
    // Those of kernels in order of launch, and within a launch a cause before what comes of it: Reporter::in_order().
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return rank_of(a.kind) < rank_of(b.kind); });
    told_races_.clear();
    const LeastTime least = least_time();
    Report out = std::exchange(report_, {});
    launches_ = 0;
    launched_with_.clear();
    for (Finding& f : out.findings) {
        tell_launch(f);
        f.what = resolve_tokens(f.what);
        f.help = resolve_tokens(f.help);
        f.array = resolve_tokens(f.array);
    }
    out.trace = device_->take_trace();
    if (out.trace) {
        for (TraceStep& step : out.trace->steps) {
            step.array = resolve_tokens(step.array);
        }
    }
    out.unread = device_->take_unread();
    for (Unread& unread : out.unread) unread.array = resolve_tokens(unread.array);
    out.watched = device_->take_watched();
    const auto resolve = [](Writer& writer) {
        if (writer.by == "host") writer.place = place_of(writer.place.file);
    };
    for (Watched& watched : out.watched) {
        for (Watched::Write& one : watched.writes) resolve(one.writer);
        for (ValueRead& read : watched.reads) {
            read.array = resolve_tokens(read.array);
            resolve(read.writer);
        }
    }
    if (rules_.watched.empty()) {
        launched_at_.clear();
    }
    for (std::size_t n = 0; n < out.kernels.size() && n < launched_at_.size(); ++n) {
        if (!launched_at_[n].empty()) out.kernels[n].place = place_of(launched_at_[n], true);
    }
    launched_at_.clear();
    out.least_seconds = least.seconds;
    out.least_by = least.by;
    const double now = std::max(clock_.all_ready(), reported_until_ + least.seconds);
    clock_.wait_for(now);
    out.seconds = now - reported_until_;
    reported_until_ = now;
    device_->begin_call();  // what comes next is timed for itself
    return out;
}

}  // namespace vgpu
