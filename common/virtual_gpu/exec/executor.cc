#include "virtual_gpu/exec/executor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>

#include "virtual_gpu/exec/machine.h"

namespace vgpu {

struct Executor::State {
    Memory& memory;
    ExecOptions options;
    std::vector<std::unique_ptr<Module>> modules;
    std::atomic<bool> stop_requested = false;
    GlobalRaces global_races;

    Module* module(ModuleId id) const {
        const auto n = static_cast<std::size_t>(id);
        return id >= 0 && n < modules.size() ? modules[n].get() : nullptr;
    }
};

namespace {

Function* find_function(const Module& m, std::string_view name) {
    const auto found = m.function_numbers.find(std::string(name));
    return found == m.function_numbers.end() ? nullptr : m.functions[static_cast<std::size_t>(found->second)].get();
}

std::uint32_t padded(std::uint32_t n, std::uint32_t align) { return align > 1 ? (n + align - 1) / align * align : n; }

void add_shared(Module& m, const ptx::Variable& v, const std::string& key) {
    m.shared_numbers.emplace(key, static_cast<int>(m.shared.size()));
    SharedVariable s;
    s.name = v.name;
    s.bytes = static_cast<std::uint32_t>(v.bytes());
    s.align = static_cast<std::uint32_t>(std::max({v.align, size_of(v.type), 1}));
    s.dynamic = v.is_extern || v.count == 0;
    m.shared.push_back(std::move(s));
}

// Functions that a kernel may reach, and so the shared variables and the local memory that it needs.
struct Reach {
    std::set<int> functions, shared;
    std::uint32_t local_bytes = 0;
};

Reach reach_of(const Module& m, const Function& kernel) {
    Reach r;
    std::vector<int> todo{kernel.number};
    bool indirect = false;
    while (!todo.empty()) {
        const int n = todo.back();
        todo.pop_back();
        if (!r.functions.insert(n).second) continue;
        const Function& f = *m.functions[static_cast<std::size_t>(n)];
        r.local_bytes += f.local_bytes;
        r.shared.insert(f.shared_used.begin(), f.shared_used.end());
        todo.insert(todo.end(), f.callees.begin(), f.callees.end());
        if (f.calls_indirectly && !indirect) {
            indirect = true;  // through a table of pointers, perhaps
            for (const auto& v : m.program.variables)
                for (const auto& reloc : v.relocations)
                    if (const auto g = m.function_numbers.find(reloc.symbol); g != m.function_numbers.end())
                        todo.push_back(g->second);
        }
    }
    return r;
}

// Places in the block's shared memory: static variables in the order of their declaration, the dynamic one behind.
std::uint32_t lay_out(const Module& m, const Reach& reach, std::uint32_t dynamic, std::vector<std::uint32_t>* place,
                      std::vector<std::uint32_t>* size, std::uint32_t& static_bytes) {
    std::uint32_t at = 0, dynamic_align = 1;
    for (int n : reach.shared) {
        const SharedVariable& v = m.shared[static_cast<std::size_t>(n)];
        if (v.dynamic) {
            dynamic_align = std::max(dynamic_align, v.align);
            continue;
        }
        at = padded(at, v.align);
        if (place) {
            (*place)[static_cast<std::size_t>(n)] = at;
            (*size)[static_cast<std::size_t>(n)] = v.bytes;
        }
        at += v.bytes;
    }
    static_bytes = at;
    if (dynamic == 0) dynamic_align = 1;
    at = padded(at, dynamic_align);
    if (place)
        for (int n : reach.shared)
            if (m.shared[static_cast<std::size_t>(n)].dynamic) {
                (*place)[static_cast<std::size_t>(n)] = at;
                (*size)[static_cast<std::size_t>(n)] = dynamic;
            }
    return at + dynamic;
}

void sum_up(Run& run) {
    LaunchResult& out = run.result;
    std::map<std::pair<int, int>, Counters> lines;
    std::map<std::pair<int, int>, Place> places;
    for (const auto& f : run.module.functions) {
        if (!f->is_defined) continue;
        for (std::uint32_t s = 0; s < f->source->body.size(); ++s) {
            const std::size_t pc = f->count_base + s;
            if (run.hot[pc].instructions == 0) continue;
            Counters c = run.counters[pc];
            c.instructions = run.hot[pc].instructions;
            c.lanes = run.hot[pc].lanes;
            const ptx::Instruction& i = f->source->body[s];
            if ((i.opcode == "bra" && i.guard >= 0) || i.opcode == "brx") c.branches = c.instructions;
            const ptx::Location l = run.reporter.location({f.get(), s});
            lines[{l.file, l.line}].add(c);
            places.try_emplace({l.file, l.line}, Place{f.get(), s});
            out.total.add(c);
        }
    }
    for (const auto& [where, counters] : lines) out.lines.push_back({run.reporter.source(places[where]), counters});
    out.load_sectors = out.total.load_sectors;
    out.store_sectors = out.total.store_sectors;
    for (const auto& [address, count] : run.atomics)
        out.most_atomics_on_one_address = std::max(out.most_atomics_on_one_address, count);
}

std::array<std::uint32_t, 7> latency_table(const Latencies& l) {
    const auto u = [](int x) { return static_cast<std::uint32_t>(std::max(x, 0)); };
    return {u(l.alu), u(l.integer_multiply), u(l.sfu), u(l.f64), u(l.divide), u(l.shuffle), u(l.constant)};
}

}  // namespace

Executor::Executor(Memory& memory, const ExecOptions& options) : state_(new State{memory, options, {}, false, {}}) {}
Executor::~Executor() = default;
void Executor::configure(const ExecOptions& options) { state_->options = options; }
const ExecOptions& Executor::options() const { return state_->options; }
void Executor::stop() { state_->stop_requested = true; }

Status Executor::load(const ptx::Program& program, ModuleId& out, std::string& message) {
    auto m = std::make_unique<Module>();
    m->program = program;
    Memory& memory = state_->memory;
    const auto give_up = [&](Status status, const std::string& why) {
        for (const auto& [name, symbol] : m->symbols) memory.release(symbol.address);
        message = why;
        return status;
    };
    for (const ptx::Variable& v : m->program.variables) {
        if (v.space == ptx::Space::shared) {
            add_shared(*m, v, v.name);
            continue;
        }
        if (v.is_extern && v.initial.empty()) continue;
        DevicePtr at = 0;
        if (const Status s = memory.allocate(v.bytes(), demangled(v.name), at, true); s != Status::ok)
            return give_up(s, "no memory for the variable " + demangled(v.name));
        m->symbols.emplace(v.name, Module::Symbol{at, v.bytes()});
        memory.fill(at, 0, 1, v.bytes());
        const auto initial = std::as_bytes(std::span(v.initial));
        memory.write(at, initial.first(std::min<std::size_t>(initial.size(), v.bytes())));
        memory.find(at)->read_only = v.space == ptx::Space::constant;
    }
    for (const ptx::Function& f : m->program.functions)
        for (const ptx::Variable& v : f.shared) add_shared(*m, v, f.name + "::" + v.name);
    if (m->shared.size() > 4000)
        return give_up(Status::not_supported, "more than 4000 __shared__ variables in one module");
    try {
        decode(*m);
    } catch (const std::exception& e) {
        return give_up(Status::not_supported, e.what());
    }
    for (const ptx::Variable& v : m->program.variables)
        for (const auto& reloc : v.relocations) {
            std::uint64_t value = 0;
            if (const auto s = m->symbols.find(reloc.symbol); s != m->symbols.end())
                value = s->second.address;
            else if (const auto n = m->shared_numbers.find(reloc.symbol); n != m->shared_numbers.end())
                value = shared_address(n->second) + (reloc.generic ? kSharedWindow : 0);
            else if (const auto f = m->function_numbers.find(reloc.symbol); f != m->function_numbers.end())
                value = kFunctionWindow + static_cast<std::uint64_t>(f->second) * 16;
            else
                return give_up(Status::not_supported, "the symbol " + demangled(reloc.symbol) + " is not defined");
            value += static_cast<std::uint64_t>(reloc.addend);
            const auto bytes = std::as_bytes(std::span(&value, 1));
            const auto own = m->symbols.find(v.name);
            if (own != m->symbols.end()) memory.write(own->second.address + reloc.at, bytes);
        }
    out = static_cast<ModuleId>(state_->modules.size());
    state_->modules.push_back(std::move(m));
    return Status::ok;
}

Status Executor::unload(ModuleId id) {
    Module* m = state_->module(id);
    if (!m) return Status::not_found;
    for (const auto& [name, symbol] : m->symbols) state_->memory.release(symbol.address);
    state_->modules[static_cast<std::size_t>(id)].reset();
    return Status::ok;
}

bool Executor::has_function(ModuleId id, std::string_view name) const {
    const Module* m = state_->module(id);
    const Function* f = m ? find_function(*m, name) : nullptr;
    return f && f->is_defined;
}

Status Executor::function(ModuleId id, std::string_view name, FunctionInfo& out) const {
    const Module* m = state_->module(id);
    const Function* f = m ? find_function(*m, name) : nullptr;
    if (!f || !f->source->is_entry) return Status::not_found;
    out = FunctionInfo{};
    for (const ParamPlace& p : f->params) {
        out.param_offsets.push_back(p.offset);
        out.param_sizes.push_back(p.bytes);
        out.param_bytes = p.offset + p.bytes;
    }
    const Reach reach = reach_of(*m, *f);
    std::uint32_t static_bytes = 0;
    lay_out(*m, reach, 0, nullptr, nullptr, static_bytes);
    out.static_shared = static_bytes;
    out.local_bytes = reach.local_bytes;
    for (const ptx::Variable& v : m->program.variables)
        if (v.space == ptx::Space::constant) out.const_bytes += v.bytes();
    out.registers = f->live_registers;
    if (f->source->max_threads > 0) out.max_threads = f->source->max_threads;
    return Status::ok;
}

Status Executor::symbol(ModuleId id, std::string_view name, DevicePtr& out, std::size_t& bytes) const {
    const Module* m = state_->module(id);
    if (!m) return Status::not_found;
    const auto found = m->symbols.find(std::string(name));
    if (found == m->symbols.end()) return Status::not_found;
    out = found->second.address;
    bytes = found->second.bytes;
    return Status::ok;
}

Status Executor::launch(const Launch& launch, LaunchResult& result) {
    result = LaunchResult{};
    const auto refuse = [&](Status status, const std::string& why) {
        result.status = status;
        result.message = why;
        return status;
    };
    const Module* m = state_->module(launch.module);
    const Function* f = m ? find_function(*m, launch.kernel) : nullptr;
    const std::string name = demangled(launch.kernel);
    if (!f || !f->source->is_entry) return refuse(Status::not_found, "there is no kernel " + name);
    const ExecOptions& options = state_->options;
    const Index3 &g = launch.grid, &b = launch.block;
    const auto threads = std::uint64_t{b[0]} * b[1] * b[2];
    if (g[0] == 0 || g[1] == 0 || g[2] == 0 || threads == 0)
        return refuse(Status::invalid_configuration, name + ": a dimension of the launch is 0");
    if (g[0] > 0x7FFF'FFFFu || g[1] > 65535 || g[2] > 65535)
        return refuse(Status::invalid_configuration, name + ": the grid is too large");
    if (b[0] > 1024 || b[1] > 1024 || b[2] > 64 || threads > 1024)
        return refuse(Status::invalid_configuration,
                      name + ": " + std::to_string(threads) + " threads in a block, 1024 are the most");
    if (f->source->max_threads > 0 && threads > static_cast<std::uint64_t>(f->source->max_threads))
        return refuse(Status::invalid_configuration, name + ": more threads than its __launch_bounds__ allow");

    Run run(state_->memory, options, state_->stop_requested, *m, *f, launch, result);
    run.shared_place.assign(m->shared.size(), ~0u);
    run.shared_size.assign(m->shared.size(), 0);
    const Reach reach = reach_of(*m, *f);
    run.shared_bytes = lay_out(*m, reach, launch.shared_bytes, &run.shared_place, &run.shared_size, run.static_shared);
    if (run.shared_bytes > options.max_shared_bytes)
        return refuse(Status::invalid_configuration, name + ": " + counted(run.shared_bytes, "byte") +
                                                         " of shared memory, the device has " +
                                                         std::to_string(options.max_shared_bytes));
    run.counting = options.count;
    run.checking = options.check_memory;
    if (run.checking) run.global_races = &state_->global_races;
    run.threads_per_block = static_cast<std::uint32_t>(threads);
    run.warps_per_block = (run.threads_per_block + kLanes - 1) / kLanes;
    run.launch_number = state_->memory.next_launch_number();
    run.latency = latency_table(options.latencies);
    run.params = launch.params;
    const std::size_t needed = f->params.empty() ? 0 : f->params.back().offset + f->params.back().bytes;
    run.params.resize(std::max(run.params.size(), needed) + 16);
    if (run.counting) {
        run.hot.resize(m->instructions + 1);
        run.counters.resize(m->instructions + 1);
        result.blocks.resize(std::uint64_t{g[0]} * g[1] * g[2]);
    }
    if (launch.cooperative) {
        state_->memory.allocate(256, "workspace of the grid barrier", run.grid_workspace, true);
        state_->memory.fill(run.grid_workspace, 0, 1, 256);
    }
    run.execute();
    if (run.grid_workspace != 0) state_->memory.release(run.grid_workspace);
    if (run.counting) sum_up(run);
    run.reporter.take(result.findings);
    if (result.status != Status::ok && result.message.empty())
        for (const Finding& finding : result.findings)
            if (finding.kind == Kind::out_of_bounds || finding.kind == Kind::misaligned ||
                finding.kind == Kind::use_after_free || finding.kind == Kind::invalid_access) {
                result.message = name + ": " + finding.what;
                break;
            }
    result.steps = run.steps;
    result.warps_per_block = run.warps_per_block;
    result.static_shared = run.static_shared;
    result.dynamic_shared = launch.shared_bytes;
    result.local_bytes = reach.local_bytes;
    result.registers = f->live_registers;
    return result.status;
}

}  // namespace vgpu
