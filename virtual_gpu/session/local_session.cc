#include "virtual_gpu/session/local_session.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "virtual_gpu/exec/launch/limits.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/session/host_place.h"
#include "virtual_gpu/timing/occupancy.h"

namespace vgpu {
namespace {

std::uint64_t volume(const Index3& n) { return std::uint64_t{n[0]} * n[1] * n[2]; }

// Registers count if the executable's machine code says how many: what is estimated from PTX may be too many.
BlockNeeds needs_of(const Launch& launch, const FunctionInfo& info) {
    return {static_cast<int>(std::min<std::uint64_t>(volume(launch.block), 1u << 30)), info.machine_registers,
            info.static_shared + launch.shared_bytes};
}

constexpr std::size_t kMostKernels = 10000;

// CUB's merge sort, a dependent, reads before it waits (CCCL's issue 5297). Compiled for less than 9.0, none of CUB's
// kernels waits, though they are launched in the same way. A program cannot mend that: they count as waiting.
bool waits_wrongly(const std::string& kernel) {
    const std::string name = demangled(kernel);
    return name.starts_with("void cub::") || name.starts_with("void thrust::");
}

}  // namespace

std::unique_ptr<LocalSession> LocalSession::make(const Options& options, std::string& why) {
    std::unique_ptr<Device> device = make_device(options);
    std::unique_ptr<LocalSession> session(device ? new LocalSession(std::move(device)) : nullptr);
    if (!session) {
        why = "the device could not be made";
        return nullptr;
    }
    session->options_ = options;
    if (!what_if::parse(options.what_if, session->rules_, why)) {
        return nullptr;
    }
    StreamClock& legacy = session->streams_[0];
    legacy.waits_for_all = true;
    return find_profile(options.profile, session->profile_, why) ? std::move(session) : nullptr;
}

Status LocalSession::configure(const Options& options) {
    std::string why;
    if (!find_profile(options.profile, profile_, why)) {
        return Status::invalid_value;
    }
    if (!what_if::parse(options.what_if, rules_, why)) {
        return Status::invalid_value;
    }
    options_ = options;
    return device_->configure(options);
}

bool LocalSession::stop() {
    if (!launching_) {
        return false;
    }
    device_->stop();
    return true;
}

void LocalSession::begin(double host_seconds, bool does_work) {
    const double counted = std::max(0.0, host_seconds - profile_.host_grace);
    clock_.call(counted + profile_.call_host);
    report_.host_seconds += counted;
    if (does_work) {
        ends_in_failure_ = false;
        for (FailedCall& call : failed_calls_) {
            call.went_on = true;
        }
    }
}

void LocalSession::host_worked(double seconds) {
    clock_.call(seconds);
    report_.host_seconds += seconds;
}

void LocalSession::hold_clock(bool holds) {
    if (holds) {
        held_ = {clock_.host, report_.host_seconds};
    } else {
        clock_.host = held_.host;
        report_.host_seconds = held_.host_seconds;
    }
}

void LocalSession::reset() {
    failed_ = Status::ok;
    ends_in_failure_ = false;
    failed_calls_.clear();
}

// ---- Modules ----

Status LocalSession::load(const ModuleImages& images, ModuleId& out) {
    const auto lacks = [&](const std::string& what, const char* help) {
        add_finding(Kind::unsupported, what, help, "");
        return failed_ = Status::not_supported;
    };
    if (images.ptx.empty()) {
        if (!images.is_too_new) {
            return lacks(images.why_no_ptx, "the virtual GPU executes PTX that is embedded uncompressed");
        }
        std::fprintf(stderr, "virtual GPU: %s\n", images.why_no_ptx.c_str());
        return Status::no_kernel_image;
    }
    std::string message;
    const Status status = device_->load(images.ptx, images.places, out, message);
    if (status == Status::not_supported) {
        return lacks(message + " are not supported by the virtual GPU", "run it on a GPU, or write it without them");
    }
    if (status != Status::ok) {
        std::fprintf(stderr, "virtual GPU: the PTX cannot be used: %s\n", message.c_str());
        if (status == Status::invalid_ptx) {
            refuse("the PTX compiler refuses this program: " + message);
        }
        for (Finding& finding : device_->take_findings()) {
            add(std::move(finding));
        }
        return Status::invalid_ptx;
    }
    modules_[out].registers = images.registers;
    modules_[out].ptx_version = images.ptx_version;
    return Status::ok;
}

Status LocalSession::function(ModuleId module, std::string_view name, FunctionInfo& out) {
    const auto loaded = modules_.find(module);
    if (loaded == modules_.end()) {
        return Status::invalid_function;
    }
    auto& functions = loaded->second.functions;
    if (const auto known = functions.find(name); known != functions.end()) {
        out = known->second;
        return Status::ok;
    }
    if (device_->function(module, name, out) != Status::ok) {
        return Status::invalid_function;
    }
    // Only dynamic shared memory can be raised above that. The PTX compiler, which nobody has run here, refuses more.
    constexpr std::size_t kMostStaticShared = 48 << 10;
    if (out.static_shared > kMostStaticShared) {
        const std::string message = std::string(name) + " declares " + counted(out.static_shared, "byte") +
                                    " of shared memory; " + std::to_string(kMostStaticShared) + " is the most";
        std::fprintf(stderr, "virtual GPU: %s\n", message.c_str());
        refuse("the PTX compiler refuses this program: " + message);
        return Status::invalid_ptx;
    }
    out.ptx_version = loaded->second.ptx_version;
    const auto registers = loaded->second.registers.find(std::string(name));
    out.machine_registers = registers != loaded->second.registers.end() ? registers->second : 0;
    if (out.machine_registers != 0) {
        out.registers = out.machine_registers;
    }
    functions.emplace(name, out);
    return Status::ok;
}

// What the PTX compiler refuses does not become a program. So each report says it, whatever else has happened since.
void LocalSession::refuse(const std::string& why) {
    if (refused_.has_value()) {
        return;
    }
    refused_.emplace();
    refused_->kind = Kind::invalid_ptx;
    refused_->count = 1;
    refused_->what = why;
    refused_->help = "nvcc alone never writes such PTX: it comes from asm() or from other generated code";
}

Status LocalSession::symbol(ModuleId module, std::string_view name, DevicePtr& out, std::size_t& bytes) {
    return device_->symbol(module, name, out, bytes) == Status::ok ? Status::ok : Status::invalid_symbol;
}

// ---- Launches ----

LocalSession::Refusal LocalSession::check_launch(const Launch& launch, const FunctionInfo& info) const {
    const auto most = static_cast<std::uint64_t>(profile_.threads_per_block);
    if (const std::string why = wrong_shape(launch.grid, launch.block, most); !why.empty()) {
        return {Status::invalid_configuration, why};
    }
    const std::uint64_t threads = volume(launch.block), fixed = info.static_shared;
    const std::uint64_t optin = std::min<std::uint64_t>(launch.dynamic_limit, profile_.shared_per_block_optin);
    const std::uint64_t shared = fixed + launch.shared_bytes;
    const std::uint64_t most_shared = std::max<std::uint64_t>(profile_.shared_per_block, optin + fixed);
    if (shared > most_shared) {
        const std::string parts = fixed != 0 ? " (" + with_commas(fixed) + " declared with a size and " +
                                                   with_commas(launch.shared_bytes) + " dynamic)"
                                             : "";
        const bool is_raised = launch.dynamic_limit != 0;
        const std::uint64_t device = profile_.shared_per_block_optin;
        return {Status::invalid_value,
                with_commas(shared) + " bytes of shared memory in a block" + parts + "; " + with_commas(most_shared) +
                    " is the most" +
                    (is_raised          ? " that cudaFuncSetAttribute() has allowed for this kernel"
                     : shared <= device ? " unless cudaFuncSetAttribute() allows more dynamic shared memory, up to " +
                                              with_commas(device) + " in all"
                                        : "")};
    }
    if (threads > static_cast<std::uint64_t>(info.max_threads)) {
        return {Status::invalid_value, with_commas(threads) +
                                           " threads in a block; the kernel's __launch_bounds__ allow " +
                                           with_commas(static_cast<std::uint64_t>(info.max_threads))};
    }
    const BlockNeeds needs = needs_of(launch, info);
    if (blocks_per_sm(profile_, needs) == 0) {
        const auto registers = static_cast<std::uint64_t>(needs.registers);
        return {Status::out_of_resources, with_commas(threads) + " threads with " + with_commas(registers) +
                                              " registers each in a block; a multiprocessor has " +
                                              with_commas(static_cast<std::uint64_t>(profile_.registers_per_sm)) +
                                              " registers"};
    }
    const bool fits = volume(launch.grid) <= room_for(launch, info);
    return {launch.cooperative && !fits ? Status::cooperative_too_large : Status::ok, ""};
}

std::uint64_t LocalSession::room_for(const Launch& launch, const FunctionInfo& info) const {
    return static_cast<std::uint64_t>(blocks_per_sm(profile_, needs_of(launch, info))) *
           static_cast<std::uint64_t>(profile_.sms);
}

Status LocalSession::may_launch(const Launch& wanted, const HostPlace& place) {
    FunctionInfo info;
    if (const Status status = function(wanted.module, wanted.kernel, info); status != Status::ok) {
        return status;
    }
    const Launch launch = changed(wanted);
    const Refusal refusal = check_launch(launch, info);
    refuse_launch(launch, refusal, place);
    return refusal.status;
}

void LocalSession::suspend() {
    suspended_.reset();
    if (order_.is_on() && operations_era_ == order_.era()) {
        suspended_ = {operation_, order_of_operation_, order_.era(), operation_module_};
    }
    device_->begin_operation(nullptr, 0);
    device_->set_beside(true);
}

void LocalSession::resume() {
    device_->set_beside(false);
    if (suspended_ && suspended_->era == order_.era()) {
        operation_ = suspended_->operation;
        order_of_operation_ = suspended_->order;
        device_->begin_operation(&order_of_operation_, order_.era(), suspended_->module);
    } else {
        device_->begin_operation(nullptr, 0);
    }
}

// As it would be under the rules.
Launch LocalSession::changed(Launch launch) const {
    for (const what_if::LaunchChange& change : rules_.launches) {
        if (change.kernel != launch.kernel && change.kernel != short_name(launch.kernel) &&
            change.kernel != demangled(launch.kernel)) {
            continue;
        }
        if (change.is_swapped) {
            std::swap(launch.grid, launch.block);
        }
        for (std::size_t d = 0; d < 3; ++d) {
            launch.grid[d] = change.grid[d].of(launch.grid[d]);
            launch.block[d] = change.block[d].of(launch.block[d]);
        }
        launch.shared_bytes = change.shared.of(launch.shared_bytes);
    }
    return launch;
}

void LocalSession::remember_arguments(const Launch& launch, const HostPlace& place) {
    DevicePtr value = 0, base = 0;
    std::size_t bytes = 0;
    for (std::size_t at = 0; at + sizeof value <= launch.params.size(); at += sizeof value) {
        std::memcpy(&value, &launch.params[at], sizeof value);
        if (device_->find(value, base, bytes)) {
            launched_with_[base] = place;
        }
    }
}

Status LocalSession::launch(const Launch& wanted, const HostPlace& place) {
    const Launch launch = changed(wanted);
    StreamClock* order = stream(launch.stream);
    if (order == nullptr) {
        return Status::invalid_handle;
    }
    FunctionInfo info;
    if (const Status status = function(launch.module, launch.kernel, info); status != Status::ok) {
        return status;
    }
    if (const Refusal refusal = check_launch(launch, info); refusal.status != Status::ok) {
        if (refusal.status == Status::cooperative_too_large) {
            note_too_large(launch, room_for(launch, info), place);
        }
        refuse_launch(launch, refusal, place);
        return refusal.status;
    }
    if (launch.params.size() != info.param_bytes) {
        return Status::invalid_value;
    }
    Launch todo = launch;
    todo.registers = info.machine_registers;
    todo.room = room_for(launch, info);
    if (options_.pending_launches != 0) {
        todo.pending_limit = std::min(todo.pending_limit, options_.pending_launches);
    }
    for (auto& [kernel, bytes] : todo.shared_limits) {
        bytes = std::min(bytes, static_cast<std::uint32_t>(profile_.shared_per_block_optin));
    }
    todo.dependent = todo.dependent && profile_.compute_major >= 9 && !waits_wrongly(launch.kernel);
    const bool may_begin_early = todo.dependent;
    todo.dependent = begin_launch(todo, place);
    LaunchReport report;
    std::string message;
    ++launches_;
    remember_arguments(launch, place);
    operation_module_ = launch.module;
    launching_ = true;
    const Status status = device_->launch(todo, report, message);
    launching_ = false;
    std::fputs(device_->take_assertions().c_str(), stderr);
    std::vector<Finding> findings = device_->take_findings();
    const bool told = !findings.empty();  // the report says it, with more detail
    for (Finding& finding : findings) {
        if (finding.launch.grid[0] != 0 && !finding.launch.by_kernel) {
            finding.launch.token = place;
        }
        add(std::move(finding));
    }
    end_launch(todo, report);
    clock_.run(*order, report.seconds, report.work, profile_.launch,
               may_begin_early ? profile_.launch_dependent : profile_.launch_busy);
    clock_.call(profile_.launch_host);
    if (report.seconds < profile_.launch) {
        report.kernels[0].limited_by = "launch";
    }
    for (KernelReport& one : report.kernels) {
        if (report_.kernels.size() < kMostKernels) {
            launched_at_.push_back(one.by_kernel ? "" : place);
            report_.kernels.push_back(std::move(one));
        }
    }
    if (status == Status::ok) {
        return status;
    }
    const bool refused = status == Status::invalid_value || status == Status::invalid_configuration ||
                         status == Status::out_of_resources || status == Status::not_found;
    if (!refused) {
        failed_ = status;  // as on a GPU: every later call fails too
        print_output();
    }
    if (status == Status::timed_out) {
        stopped_in_ = message;
    } else if (!message.empty() && !told) {
        std::fprintf(stderr, "virtual GPU: %s\n", resolve_tokens(message).c_str());
    }
    return status;
}

void LocalSession::print_output() {
    const std::string text = device_->take_printf();
    if (!text.empty()) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
}

}  // namespace vgpu
