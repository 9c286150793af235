// The device that lives in the same process: parser, interpreter, memory and the modelled time behind Device.
#include "virtual_gpu/device.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <utility>

#include "virtual_gpu/check/stream_races.h"
#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/exec/launch/grids.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/ptx/linker.h"
#include "virtual_gpu/timing/least_time.h"
#include "virtual_gpu/timing/model.h"
#include "virtual_gpu/timing/registers.h"
#include "virtual_gpu/timing/timeline.h"
#include "virtual_gpu/undefined/origins.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {
namespace {

// How much of the device a grid of so many blocks fills.
double share_of(const DeviceProperties& profile, const BlockNeeds& needs, double blocks) {
    return std::min(1.0, blocks / (std::max(1.0, static_cast<double>(blocks_per_sm(profile, needs))) * profile.sms));
}

// A byte of device memory takes a little more than two of the host's (its shadow): never more than a third of them.
std::uint64_t host_can_hold() {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE)) / 3;
}

class InProcessDevice final : public Device {
  public:
    InProcessDevice() : executor_(memory_, {}) {}

    void set_host(HostSide* host) override { executor_.set_host(host); }

    Status configure(const Options& options) override {
        DeviceProperties found;
        std::string why;
        if (!find_profile(options.profile, found, why)) {
            return Status::invalid_value;
        }
        profile_ = found;
        device_launches_ = options.device_launches;
        memory_.set_limit(
            std::min(options.memory_limit != 0 ? options.memory_limit : profile_.memory_bytes, host_can_hold()));
        ExecOptions exec;
        exec.seed = options.seed;
        exec.check_memory = options.check_memory;
        exec.launch_depth = options.launch_depth;
        exec.count = options.count;
        exec.trace = options.trace;
        if (!what_if::parse(options.what_if, exec.what_if, why)) return Status::invalid_value;
        if (options.max_steps != 0) exec.max_steps = options.max_steps;
        exec.sm_count = profile_.sms;
        exec.max_shared_bytes = static_cast<std::uint32_t>(profile_.shared_per_block_optin);
        exec.default_shared_bytes = static_cast<std::uint32_t>(profile_.shared_per_block);
        exec.clock_khz = static_cast<int>(profile_.clock_hz / 1000);
        exec.latencies = latencies_of(profile_);
        executor_.configure(exec);
        // Code, parameters and page tables are in L2, too: what is as large as L2 does not fit.
        memory_.l2().set_sectors(profile_.l2_bytes / 32 / 16 * 15);
        return Status::ok;
    }

    Status load(std::span<const std::string> texts, const VariablePlaces& places, ModuleId& out,
                std::string& message) override {
        return guarded(message, [&] {
            ptx::Program linked;
            ptx::ParseError error;
            if (!ptx::load(texts, linked, error, {device_launches_, profile_.capability()})) {
                message = error.message;
                if (error.ptx_line != 0) {
                    message = "line " + std::to_string(error.ptx_line) + " of the PTX: " + message;
                }
                if (error.is_missing) {
                    message = error.message;
                    return Status::not_supported;
                }
                return Status::invalid_ptx;
            }
            return executor_.load(std::move(linked), out, message, places);
        });
    }

    Status function(ModuleId module, std::string_view name, FunctionInfo& out) override {
        std::string message;
        return guarded(message, [&] {
            const Status status = executor_.function(module, name, out);
            if (status == Status::ok) {
                const auto [known, is_new] = registers_[module].try_emplace(std::string(name), 0);
                if (is_new) known->second = estimate_registers(*executor_.program(module), name);
                out.registers = known->second;
            }
            return status;
        });
    }
    Status symbol(ModuleId module, std::string_view name, DevicePtr& out, std::size_t& bytes) override {
        return executor_.symbol(module, name, out, bytes);
    }

    Status allocate(std::size_t bytes, std::string_view label, DevicePtr& out) override {
        return memory_.allocate(bytes, label, out);
    }
    Status release(DevicePtr base) override { return memory_.release(base); }
    Status allocate_on_host(std::size_t bytes, std::string_view label, DevicePtr& out, int& file) override {
        return bytes > host_can_hold() ? Status::out_of_memory : memory_.allocate_on_host(bytes, label, out, file);
    }
    Status share(DevicePtr base, bool keeps, int& file) override { return memory_.share(base, keeps, file); }
    Status adopt(std::uintptr_t host, std::size_t bytes, std::string_view label) override {
        return bytes > host_can_hold() ? Status::out_of_memory : memory_.adopt(host, bytes, label);
    }
    void abandon(std::uintptr_t host) override { memory_.abandon(host); }
    void host_has(DevicePtr at, std::size_t bytes) override { memory_.host_has(at, bytes); }
    bool has_undefined(DevicePtr at) override {
        const Allocation* a = memory_.find(at);
        return a != nullptr && a->undefined != nullptr;
    }
    Status write(DevicePtr to, std::span<const std::byte> from) override { return memory_.write(to, from); }
    Status read(DevicePtr from, std::span<std::byte> to) override {
        memory_.touch_in_call(from, to.size());
        return memory_.read(from, to);
    }
    Status copy(DevicePtr to, DevicePtr from, std::size_t bytes) override { return memory_.copy(to, from, bytes); }
    Status fill(DevicePtr to, std::uint32_t value, int width, std::size_t count) override {
        return memory_.fill(to, value, width, count);
    }
    Status poison(DevicePtr at, std::size_t bytes) override { return memory_.poison(at, bytes); }
    Status forget(DevicePtr at, std::size_t bytes) override { return memory_.forget(at, bytes); }
    Status reuse(DevicePtr freed) override { return memory_.reuse(freed); }
    bool take_undefined(DevicePtr at, std::size_t bytes, Finding& out) override {
        const std::optional<Memory::Undefined> found = memory_.take_undefined(at, bytes);
        if (!found) {
            return false;
        }
        const Origins& origins = memory_.origins();
        const Allocation& a = *memory_.find(at);
        out.kind = Kind::uninitialized;
        fill_origin(out, origins, found->origin);
        out.count = found->words;
        out.what = "byte " + std::to_string(static_cast<std::int64_t>(found->at - a.first)) + " of " + a.label +
                   " is not defined when the host gets it: it comes from " + origin_text(origins, found->origin);
        out.help = origin_help(origins, found->origin);
        return true;
    }
    Status label(DevicePtr base, std::string_view name) override {
        if (!memory_.label(base, name)) return Status::invalid_value;
        executor_.writes().labelled(*memory_.find(base));
        return Status::ok;
    }
    KernelUse use_of(DevicePtr at, std::size_t bytes) override {
        const Allocation* a = memory_.find(at);
        if (a == nullptr || !a->races || at < a->base) return {};
        return static_cast<RaceShadow*>(a->races.get())->use_of(at - a->base, bytes);
    }
    std::byte* view(DevicePtr at) override {
        const Allocation* a = memory_.find(at);
        const bool is_shared = a != nullptr && !a->freed && (a->mapped != 0 || a->is_foreign) && at >= a->base;
        return is_shared ? reinterpret_cast<std::byte*>(a->data) + (at - a->base) : nullptr;
    }
    bool find(DevicePtr at, DevicePtr& base, std::size_t& bytes) override {
        const Allocation* allocation = memory_.find(at);
        if (allocation == nullptr || allocation->freed) {
            return false;
        }
        base = allocation->base;
        bytes = allocation->bytes;
        return true;
    }

    Status launch(const Launch& launch, LaunchReport& out, std::string& message) override {
        return guarded(message, [&] { return run(launch, out, message); });
    }

    void begin_operation(const StreamOrder::Operation* operation, std::uint32_t era, ModuleId module) override {
        follows_ = operation != nullptr && executor_.options().check_memory;
        if (!follows_) return;
        operation_ = *operation;
        era_ = era;
        seen_.clear();
        stream_races_.begin(operation_, era_, module);
    }
    void set_beside(bool is_beside) override { stream_races_.set_beside(is_beside); }
    void follow_last_launch(ModuleId module) override {
        if (!follows_) return;
        stream_races_.begin(operation_, era_, module);
        follow_kernel({}, memory_.launch_number());
    }
    void accesses(DevicePtr at, std::size_t bytes, bool is_write) override {
        const Allocation* a = follows_ ? memory_.find(at) : nullptr;
        if (a != nullptr) stream_races_.access(a->number, a->bytes, at - a->base, bytes, is_write);
    }
    std::vector<StreamRace> take_stream_races(std::vector<StreamOrder::Operation>& seen) override {
        seen = std::exchange(seen_, {});
        std::vector<StreamRace> out;
        if (!follows_) return out;
        std::map<std::uint64_t, const Allocation*> arrays;
        for (const StreamConflict& conflict : stream_races_.take_conflicts()) {
            if (arrays.empty())
                for (const Allocation* a : memory_.living()) arrays[a->number] = a;
            const auto found = arrays.find(conflict.array);
            if (found == arrays.end()) continue;
            const Allocation& a = *found->second;
            out.push_back({side_of(conflict.mine), side_of(conflict.other), a.label, a.base, a.array_bytes(),
                           static_cast<std::int64_t>(conflict.offset - (a.first - a.base)), conflict.cells,
                           std::max(conflict.mine.bytes, conflict.other.bytes)});
        }
        return out;
    }

    void stop() override { executor_.stop(); }
    std::vector<Finding> take_findings() override { return std::exchange(findings_, {}); }
    std::optional<Trace> take_trace() override { return executor_.take_trace(); }
    void moved(DevicePtr to, DevicePtr from, std::size_t bytes, const std::string& name, const std::string& place,
               bool is_fill) override {
        if (executor_.writes().is_on()) executor_.writes().moved(memory_, {to, from, bytes, name, place, is_fill});
    }
    std::vector<Unread> take_unread() override { return executor_.writes().take_unread(memory_); }
    std::vector<Watched> take_watched() override { return executor_.writes().take(memory_); }
    void begin_call() override {
        executor_.begin_call();
        memory_.begin_call();
        least_ = {};
    }
    LeastTime least_time() override { return least_.time(profile_, memory_.call_sectors()); }
    std::string take_printf() override { return std::exchange(printed_, {}); }
    std::string take_assertions() override { return std::exchange(assertions_, {}); }
    std::size_t bytes_free() override { return memory_.bytes_free(); }
    std::size_t bytes_total() override { return memory_.limit(); }

  private:
    // No exception leaves the device. One that comes here is a bug of the virtual GPU, whatever the program did, and is
    // called that. Nothing is launched afterwards: a launch may have been left half done.
    template <class Body>
    Status guarded(std::string& message, Body body) {
        if (broken_.empty()) {
            try {
                return body();
            } catch (const std::bad_alloc&) {
                broken_ = "the virtual GPU has no more memory";
            } catch (const std::exception& e) {
                broken_ = std::string("internal error of the virtual GPU: ") + e.what();
            }
            Finding finding;
            finding.kind = Kind::internal_error;
            finding.what = broken_;
            finding.help = "this is a fault of the virtual GPU, whatever the program does: please report it";
            finding.count = 1;
            findings_.push_back(std::move(finding));
        }
        message = broken_;
        return Status::internal_error;
    }

    Status run(const Launch& launch, LaunchReport& out, std::string& message) {
        LaunchResult result;
        Observer observer(*this, launch, out);
        const std::map<std::uint64_t, std::vector<std::uint8_t>> before = bytes_before(launch);
        const std::uint16_t last_launch = memory_.launch_number();
        const Status status = executor_.launch(launch, result, &observer);
        if (follows_ && status == Status::ok) follow_kernel(before, last_launch);
        out.has_awaited_primary = executor_.order().has_awaited_primary();
        out.triggers_late = executor_.order().triggers_late();
        message = result.message;
        printed_ += result.printf_text;
        assertions_ += result.assertions;
        findings_.insert(findings_.end(), std::make_move_iterator(result.findings.begin()),
                         std::make_move_iterator(result.findings.end()));
        if (out.kernels.empty()) {  // refused
            out.kernels.emplace_back();
            out.kernels[0].name = demangled(launch.kernel);
        }
        out.seconds = observer.timeline.end();
        out.work = observer.timeline.work();
        least_.add(out.work);
        return status;
    }

    StreamRace::Side side_of(const StreamAccess& access) const {
        const bool is_kernel = access.pc != StreamAccess::kNoPc;
        return {access.operation,
                access.kind == AccessKind::read    ? "read"
                : access.kind == AccessKind::write ? "write"
                                                   : "atomic",
                is_kernel ? executor_.source(access.module, access.pc) : SourcePlace{}, access.is_early};
    }

    // By number of array: those that another operation may be writing, which then counts only if a value changes.
    std::map<std::uint64_t, std::vector<std::uint8_t>> bytes_before(const Launch& launch) {
        std::map<std::uint64_t, std::vector<std::uint8_t>> out;
        if (!follows_) return out;
        stream_races_.begin(operation_, era_, launch.module);
        for (const Allocation* a : memory_.living())
            if (a->read_only && !a->races) memory_.find(a->base)->races = std::make_shared<RaceShadow>(a->bytes);
        for (const Allocation* a : memory_.living())
            if (stream_races_.wants_bytes_before(a->number)) out[a->number].assign(a->data, a->data + a->bytes);
        return out;
    }

    void follow_kernel(const std::map<std::uint64_t, std::vector<std::uint8_t>>& before, std::uint16_t last_launch) {
        const std::vector<const Allocation*> arrays = memory_.living();
        // A kernel that launches others has several numbers, and copies by kernels have none.
        const std::uint16_t number = memory_.launch_number();
        const bool knows_touched = executor_.options().count && number == last_launch + 1;
        const auto records = [&](const Allocation* a) {
            return KernelRecords{*static_cast<RaceShadow*>(a->races.get()), executor_.order(),
                                 knows_touched && !a->read_only ? a->touched : nullptr, number};
        };
        for (const Allocation* a : arrays) {
            if (!a->races) continue;
            const auto seen = stream_races_.learn(a->number, records(a));
            seen_.insert(seen_.end(), seen.begin(), seen.end());
        }
        if (operation_.primary != 0) {
            for (const EarlyAccess& early : executor_.early_accesses())
                if (const Allocation* a = memory_.find(early.base); a != nullptr && a->base == early.base)
                    stream_races_.take_early(a->number, a->bytes, early, executor_.order());
            if (executor_.order().has_awaited_primary()) stream_races_.has_waited();
        }
        for (const Allocation* a : arrays) {
            if (!a->races) continue;
            const auto found = before.find(a->number);
            stream_races_.take(a->number, records(a), a->data, found != before.end() ? found->second.data() : nullptr);
        }
    }

    // Makes the report of a launch while its grids run.
    struct Observer final : GridObserver {
        Observer(InProcessDevice& its_device, const Launch& by_host, LaunchReport& its_report)
            : device(its_device), launch(by_host), report(its_report), timeline(its_device.profile_) {}

        void ran(const Grid& grid, const LaunchResult& result) override {
            const Launch& its = grid.launch;
            if (grid.copy) {
                const double moved = (grid.copy->from != 0 ? 2.0 : 1.0) * static_cast<double>(grid.copy->bytes);
                Demand work;
                work[Part::slots] = work[Part::dram] = moved / device.profile_.dram_bandwidth;
                timeline.add({grid.number, grid.parent, grid.is_tail, grid.after,
                              static_cast<double>(grid.cycles) / device.profile_.clock_hz, work[Part::dram], work});
                return;
            }
            const auto [entry, is_new] = infos.try_emplace(its.kernel);
            FunctionInfo& info = entry->second;
            if (is_new) device.function(launch.module, its.kernel, info);
            const bool is_root = grid.parent < 0;
            const int registers = is_root && launch.registers != 0 ? launch.registers : info.registers;
            const BlockNeeds needs{static_cast<int>(its.block[0] * its.block[1] * its.block[2]), registers,
                                   info.static_shared + its.shared_bytes};
            ModelledTime time = model(device.profile_, needs, result);
            const double share = share_of(device.profile_, needs, static_cast<double>(volume(its.grid)));
            time.work[Part::slots] = share * time.seconds;
            timeline.add({grid.number, grid.parent, grid.is_tail, grid.after,
                          static_cast<double>(grid.cycles) / device.profile_.clock_hz, time.seconds, time.work});
            device.least_.add_atomics(result.atomics);
            KernelReport& kernel = kernel_report(is_root, its);
            if (volume(its.grid) * volume(its.block) > volume(kernel.grid) * volume(kernel.block)) {
                kernel.grid = its.grid;
                kernel.block = its.block;
                kernel.shared_bytes = its.shared_bytes;
                kernel.registers = registers;
                kernel.limited_by = time.limited_by;
            }
            kernel.order_free = result.is_order_free;
            ++kernel.launches;
            kernel.seconds += time.seconds;
        }

        void counted(const Function& function, bool by_kernel, const Counters& total,
                     const std::vector<LineCounters>& lines) override {
            const auto found = places.find({!by_kernel, function.name});
            if (found == places.end()) return;
            report.kernels[found->second].total = total;
            report.kernels[found->second].lines = lines;
        }

        KernelReport& kernel_report(bool is_root, const Launch& its) {
            const auto [entry, is_new] = places.try_emplace({is_root, its.kernel}, report.kernels.size());
            if (is_new) {
                KernelReport kernel;
                kernel.name = demangled(its.kernel);
                kernel.by_kernel = !is_root;
                kernel.launches = 0;
                report.kernels.push_back(std::move(kernel));
            }
            return report.kernels[entry->second];
        }

        static std::uint64_t volume(const Index3& n) { return std::uint64_t{n[0]} * n[1] * n[2]; }

        InProcessDevice& device;
        const Launch& launch;
        LaunchReport& report;
        Timeline timeline;
        std::map<std::string, FunctionInfo> infos;
        std::map<std::pair<bool, std::string>, std::size_t> places;  // is it the host's grid; kernel
    };

    DeviceProperties profile_;
    bool device_launches_ = true;
    Memory memory_;
    Executor executor_;
    std::map<ModuleId, std::map<std::string, int>> registers_;  // of kernels, estimated
    std::vector<Finding> findings_;
    std::string printed_, assertions_;
    LeastWork least_;     // since begin_call()
    std::string broken_;  // why nothing more is launched; "": nothing is wrong
    StreamRaces stream_races_;
    bool follows_ = false;  // an operation in a stream, this one:
    StreamOrder::Operation operation_;
    std::uint32_t era_ = 0;
    std::vector<StreamOrder::Operation> seen_;
};

}  // namespace

std::unique_ptr<Device> make_device(const Options& options) {
    auto device = std::make_unique<InProcessDevice>();
    return device->configure(options) == Status::ok ? std::move(device) : nullptr;
}

}  // namespace vgpu
