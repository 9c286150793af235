#include "virtual_gpu/exec/launch/run_grids.h"

#include <algorithm>
#include <map>

#include "virtual_gpu/exec/decode/layout.h"
#include "virtual_gpu/exec/launch/device_runtime.h"
#include "virtual_gpu/exec/launch/limits.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/what_if/experiment.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {
namespace {

constexpr std::uint64_t kMostBlocks = 1 << 27;  // each takes some of the host's memory

struct Sum {
    Counters total;
    std::vector<LineCounters> lines;
};

Sum sum_up(const Module& module, const Reporter& reporter, KernelCounters& counted) {
    Sum out;
    counted.settle(module);
    std::map<std::pair<int, int>, Counters> lines;
    std::map<std::pair<int, int>, Place> places;
    for (const auto& f : module.functions) {
        if (!f->is_defined) continue;
        for (std::uint32_t s = 0; s < f->source->body.size(); ++s) {
            const std::size_t pc = f->count_base + s;
            if (counted.hot[pc].instructions == 0) continue;
            Counters c = counted.counters[pc];
            c.instructions = counted.hot[pc].instructions;
            c.lanes = counted.hot[pc].lanes;
            const ptx::Instruction& i = f->source->body[s];
            if ((i.opcode == Opcode::bra && i.guard >= 0) || i.opcode == Opcode::brx) c.branches = c.instructions;
            const ptx::Location l = reporter.location({f.get(), s});
            lines[{l.file, l.line}].add(c);
            places.try_emplace({l.file, l.line}, Place{f.get(), s});
            out.total.add(c);
        }
    }
    for (const auto& [where, counters] : lines) out.lines.push_back({reporter.source(places[where]), counters});
    return out;
}

}  // namespace

void KernelCounters::settle(const Module& module) {
    for (const auto& f : module.functions) {
        const std::vector<Hot>& changes = runs[static_cast<std::size_t>(f->number)];
        Hot now;
        for (std::size_t n = 0; n < std::min(changes.size(), f->code.size()); ++n) {
            now.instructions += changes[n].instructions;
            now.lanes += changes[n].lanes;
            if (f->code[n].hidden) continue;
            Hot& all = hot[f->count_base + f->code[n].source];
            all.instructions += now.instructions;
            all.lanes += now.lanes;
        }
    }
    runs.clear();
}

namespace {

std::array<std::uint32_t, 7> latency_table(const Latencies& l) {
    const auto u = [](int x) { return static_cast<std::uint32_t>(std::max(x, 0)); };
    return {u(l.alu), u(l.integer_multiply), u(l.sfu), u(l.f64), u(l.divide), u(l.shuffle), u(l.constant)};
}

GridSetup setup_of(const LaunchContext& context, const Grid& grid, const Reach& reach) {
    const Function& f = *grid.kernel;
    const Index3& block = grid.launch.block;
    GridSetup setup;
    setup.launch_number = context.memory.next_launch_number();
    setup.threads_per_block = block[0] * block[1] * block[2];
    setup.warps_per_block = (setup.threads_per_block + kLanes - 1) / kLanes;
    setup.shared = lay_out(context.module, reach, grid.launch.shared_bytes);
    if (context.options.seed == 0 && context.options.count)
        for (const int n : reach.functions)
            setup.takes_turns |= context.module.functions[static_cast<std::size_t>(n)]->may_draw_tickets;
    setup.latency = latency_table(context.options.latencies);
    setup.params = grid.launch.params;
    const std::size_t needed = f.params.empty() ? 0 : f.params.back().offset + f.params.back().bytes;
    setup.params.resize(std::max(setup.params.size(), needed) + 16);
    if (grid.launch.cooperative) {
        context.memory.allocate(256, "workspace of the grid barrier", setup.grid_workspace, true);
        context.memory.fill(setup.grid_workspace, 0, 1, 256);
    }
    return setup;
}

void run_grid(const LaunchContext& context, Grids& grids, Grid& grid, Reporter& reporter, KernelCounters& counted,
              LaunchResult& result) {
    Run run(context, grids, grid, reporter, result);
    reporter.enter(run);
    run.checking = context.options.check_memory;
    what_if::Experiment experiment(context.options.what_if);
    if (!context.options.what_if.text.empty()) run.watch.what_if = &experiment;
    if (context.all_writes.is_on()) run.watch.writes = &context.all_writes;
    if (grid.copy) {
        GlobalRaceSink sink(run);
        return run_copy(run, sink);
    }
    const Reach reach = reach_of(context.module, *grid.kernel);
    run.setup = setup_of(context, grid, reach);
    run.counting = context.options.count;
    if (run.counting) {
        counted.hot.resize(context.module.instructions + 1);
        counted.counters.resize(context.module.instructions + 1);
        run.tally.hot = counted.hot.data();
        run.tally.counters = counted.counters.data();
        counted.runs.resize(context.module.functions.size());
        run.tally.runs = counted.runs.data();
        if (context.all_traces.is_wanted() && context.all_traces.enter(run)) run.watch.tracer = &context.all_traces;
        const Index3& blocks = grid.launch.grid;
        const std::uint64_t count = std::uint64_t{blocks[0]} * blocks[1] * blocks[2];
        run.setup.blocks_per_cost = (count + kMostCosts - 1) / kMostCosts;
        result.blocks.resize((count + run.setup.blocks_per_cost - 1) / run.setup.blocks_per_cost);
    }
    if (run.watch.writes) run.watch.writes->enter(&run);
    run.execute();
    if (run.watch.writes) run.watch.writes->enter(nullptr);
    if (run.setup.grid_workspace != 0) context.memory.release(run.setup.grid_workspace);
    report_ignored_launches(run);
    for (const auto& [address, count] : run.tally.atomics)
        result.most_atomics_on_one_line = std::max(result.most_atomics_on_one_line, count);
    result.atomics = std::move(run.tally.atomics);
    result.steps = run.progress.steps;
    result.warps_per_block = run.setup.warps_per_block;
    result.static_shared = run.setup.shared.static_bytes;
    result.dynamic_shared = grid.launch.shared_bytes;
    result.local_bytes = reach.local_bytes;
    result.registers = grid.kernel->live_registers;
}

}  // namespace

Refusal refusal(const ExecOptions& options, const Module& m, const Function& f, const Launch& launch,
                std::uint32_t most_shared) {
    const std::string name = "the launch of " + short_name(f.name) + " was refused";
    const Index3 &g = launch.grid, &b = launch.block;
    const auto threads = std::uint64_t{b[0]} * b[1] * b[2];
    const auto bad_configuration = [&](const std::string& why) {
        return Refusal{Status::invalid_configuration, DeviceError::invalid_configuration, name + ": " + why};
    };
    if (const std::string why = wrong_shape(g, b, 1024); !why.empty()) return bad_configuration(why);
    if (std::uint64_t{g[0]} * g[1] * g[2] > kMostBlocks)
        return {
            Status::not_supported, DeviceError::invalid_configuration,
            name + ": the virtual GPU does not support a grid of more than " + with_commas(kMostBlocks) + " blocks"};
    if (f.source->max_threads > 0 && threads > static_cast<std::uint64_t>(f.source->max_threads))
        return bad_configuration(with_commas(threads) + " threads in a block; the kernel's __launch_bounds__ allow " +
                                 std::to_string(f.source->max_threads));
    const std::uint32_t shared = lay_out(m, reach_of(m, f), launch.shared_bytes).bytes;
    most_shared = std::min(most_shared, options.max_shared_bytes);
    if (shared > most_shared)
        return {Status::invalid_configuration, DeviceError::launch_out_of_resources,
                name + ": " + with_commas(shared) + " bytes of shared memory in a block; " + with_commas(most_shared) +
                    " is the most"};
    return {};
}

void run_grids(const LaunchContext& context, const Function& kernel, const Launch& launch, LaunchResult& result,
               GridObserver* observer) {
    const Refusal no = refusal(context.options, context.module, kernel, launch, context.options.max_shared_bytes);
    if (no.status != Status::ok) {
        result.status = no.status;
        result.message = no.why;
        return;
    }
    Grids grids(context.options.what_if.by_index ? 0 : context.options.seed, launch.pending_limit);
    grids.add_root(kernel, launch);
    if (context.options.check_memory) context.global_races.begin(launch.dependent);
    Reporter reporter(context.module);
    std::map<std::pair<bool, const Function*>, KernelCounters> counted;  // the host's grid apart from the others
    Random random;
    random.state = context.options.seed * 0x9E6C'63D0'876A'3F35u + 1;
    while (Grid* grid = grids.next(random)) {
        LaunchResult of_child;
        LaunchResult& own = grid->number == 0 ? result : of_child;
        const bool by_kernel = grid->parent >= 0;
        run_grid(context, grids, *grid, reporter, counted[{by_kernel || grid->copy, grid->kernel}], own);
        if (&own != &result) {
            result.printf_text += own.printf_text;
            result.assertions += own.assertions;
            result.status = own.status;
            result.message = own.message;
        }
        if (observer) observer->ran(*grid, own);
        if (result.status != Status::ok) break;
        grids.ran(*grid, context.options.check_memory ? context.global_races.order().end_grid() : VectorClock());
    }
    for (auto& [whose, counters] : counted) {
        if (counters.hot.empty()) continue;
        Sum sum = sum_up(context.module, reporter, counters);
        if (observer) observer->counted(*whose.second, whose.first, sum.total, sum.lines);
        if (whose.first) continue;
        result.total = sum.total;
        result.lines = std::move(sum.lines);
    }
    grids.forget_texts(context.memory);
    reporter.take(result.findings, context.memory.origins());
    if (result.status != Status::ok && result.message.empty())
        for (const Finding& finding : result.findings)
            if (finding.kind == Kind::out_of_bounds || finding.kind == Kind::misaligned ||
                finding.kind == Kind::use_after_free || finding.kind == Kind::invalid_access) {
                result.message = short_name_of(finding.kernel) + ": " + finding.what;
                break;
            }
    // An access at an address that is not defined has no finding of its own.
    if (result.status != Status::ok && result.message.empty() && !result.findings.empty())
        result.message = short_name_of(result.findings.front().kernel) + ": " + result.findings.front().what;
}

}  // namespace vgpu
