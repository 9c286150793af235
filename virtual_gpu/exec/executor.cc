#include "virtual_gpu/exec/executor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "virtual_gpu/exec/decode/layout.h"
#include "virtual_gpu/exec/launch/run_grids.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/exec/report/reporter.h"
#include "virtual_gpu/exec/report/tracer.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {

struct Executor::State {
    Memory& memory;
    ExecOptions options;
    std::vector<std::unique_ptr<Module>> modules;
    std::atomic<bool> stop_requested = false;
    GlobalRaces global_races;
    std::set<const Function*> relies_on_order, relies_on_all;
    Tracer tracer;
    what_if::Writes writes;

    Module* module(ModuleId id) const {
        const auto n = static_cast<std::size_t>(id);
        return id >= 0 && n < modules.size() ? modules[n].get() : nullptr;
    }
    HostSide* host = nullptr;
};

namespace {

Function* find_function(const Module& m, std::string_view name) {
    const auto found = m.function_numbers.find(std::string(name));
    return found == m.function_numbers.end() ? nullptr : m.functions[static_cast<std::size_t>(found->second)].get();
}

void add_shared(Module& m, const ptx::Variable& v, const std::string& key) {
    m.shared_numbers.emplace(key, static_cast<int>(m.shared.size()));
    SharedVariable s;
    s.name = v.name;
    s.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(v.bytes(), 1u << 30));
    s.align = static_cast<std::uint32_t>(std::max({v.align, size_of(v.type), 1}));
    s.dynamic = v.is_extern || v.count == 0;
    m.shared.push_back(std::move(s));
}

// Gives a variable its initial value. Returns the name of a symbol in it that is not defined; "": all are.
std::string initialise(Memory& memory, Module& m, const ptx::Variable& v) {
    const auto own = m.symbols.find(v.name);
    if (own != m.symbols.end()) {
        memory.fill(own->second.address, 0, 1, v.bytes());
        const auto initial = std::as_bytes(std::span(v.initial));
        memory.write(own->second.address, initial.first(std::min<std::size_t>(initial.size(), v.bytes())));
    }
    for (const auto& reloc : v.relocations) {
        std::uint64_t value = 0;
        if (const auto s = m.symbols.find(reloc.symbol); s != m.symbols.end())
            value = s->second.address;
        else if (const auto n = m.shared_numbers.find(reloc.symbol); n != m.shared_numbers.end())
            value = shared_address(n->second) + (reloc.generic ? kSharedWindow : 0);
        else if (const auto f = m.function_numbers.find(reloc.symbol); f != m.function_numbers.end()) {
            value = kFunctionWindow + static_cast<std::uint64_t>(f->second) * 16;
            m.functions.at(static_cast<std::size_t>(f->second))->has_address = true;
        } else
            return reloc.symbol;
        value += static_cast<std::uint64_t>(reloc.addend);
        const auto bytes = std::as_bytes(std::span(&value, 1));
        if (own != m.symbols.end()) memory.write(own->second.address + reloc.at, bytes);
    }
    return "";
}

}  // namespace

Executor::Executor(Memory& memory, const ExecOptions& options)
    : state_(new State{memory, options, {}, false, {}, {}, {}, {}, {}}) {}
Executor::~Executor() = default;
void Executor::configure(const ExecOptions& options) {
    state_->options = options;
    state_->memory.set_zeros(options.what_if.zero_memory, options.what_if.zero_outputs);
    state_->options.launches_before = state_->memory.launch_number();
    state_->tracer.want(options.trace);
    state_->writes.want(options.what_if);
    state_->relies_on_order.clear();
    state_->relies_on_all.clear();
}
const ExecOptions& Executor::options() const { return state_->options; }
void Executor::set_host(HostSide* host) { state_->host = host; }

void Executor::stop() { state_->stop_requested = true; }

Status Executor::load(ptx::Program program, ModuleId& out, std::string& message, const VariablePlaces& places) {
    auto m = std::make_unique<Module>();
    m->program = std::move(program);
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
        const auto place = places.find(v.name);
        if (place != places.end()) at = place->second;
        if (const Status s = at != 0 ? memory.allocate_at(at, v.bytes(), short_name(v.name))
                                     : memory.allocate(v.bytes(), short_name(v.name), at, true);
            s != Status::ok)
            return give_up(s, "no memory for the variable " + demangled(v.name));
        m->symbols.emplace(v.name, Module::Symbol{at, v.bytes()});
        memory.find(at)->read_only = v.space == ptx::Space::constant;
    }
    for (const ptx::Function& f : m->program.functions)
        for (const ptx::Variable& v : f.shared) add_shared(*m, v, f.name + "::" + v.name);
    m->shared_numbers.emplace(kReservedShared, static_cast<int>(m->shared.size()));
    m->shared.push_back({"reserved shared memory", kReservedSharedBytes, 16, false, true});
    if (m->shared.size() > 4000)
        return give_up(Status::not_supported, "modules with more than 4000 __shared__ variables");
    declare_functions(*m);
    for (const ptx::Variable& v : m->program.variables)
        if (const std::string unknown = initialise(memory, *m, v); !unknown.empty())
            return give_up(Status::invalid_ptx, "the symbol " + demangled(unknown) + " is not defined");
    out = static_cast<ModuleId>(state_->modules.size());
    state_->modules.push_back(std::move(m));
    return Status::ok;
}

Status Executor::function(ModuleId id, std::string_view name, FunctionInfo& out) const {
    Module* m = state_->module(id);
    Function* f = m ? find_function(*m, name) : nullptr;
    if (!f || !f->source->is_entry) return Status::not_found;
    decode(*m, *f);
    out = FunctionInfo{};
    for (const ParamPlace& p : f->params) {
        out.param_offsets.push_back(p.offset);
        out.param_sizes.push_back(p.bytes);
        out.param_bytes = p.offset + p.bytes;
    }
    const Reach reach = reach_of(*m, *f);
    out.static_shared = lay_out(*m, reach, 0).static_bytes;
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

what_if::Writes& Executor::writes() { return state_->writes; }

void Executor::begin_call() {
    state_->writes.begin_call();
    const what_if::Rules& rules = state_->options.what_if;
    if (!rules.rewind && !rules.zero_variables) return;
    for (const auto& m : state_->modules)
        for (const ptx::Variable& v : m->program.variables) {
            if (!m->symbols.contains(v.name)) continue;
            if (rules.rewind) initialise(state_->memory, *m, v);
            if (rules.zero_variables && v.space == ptx::Space::global)
                state_->memory.fill(m->symbols.at(v.name).address, 0, 1, v.bytes());
        }
}

const ptx::Program* Executor::program(ModuleId id) const {
    const Module* m = state_->module(id);
    return m ? &m->program : nullptr;
}

std::optional<Trace> Executor::take_trace() { return state_->tracer.take(); }

const LaunchOrder& Executor::order() const { return state_->global_races.order(); }

const std::vector<EarlyAccess>& Executor::early_accesses() const { return state_->global_races.early(); }

SourcePlace Executor::source(ModuleId id, std::uint32_t pc) const {
    const Module* m = state_->module(id);
    if (!m) return {};
    const Reporter reporter(*m);
    return reporter.source(reporter.place_of(pc));
}

Status Executor::launch(const Launch& launch, LaunchResult& result, GridObserver* observer) {
    result = LaunchResult{};
    Module* m = state_->module(launch.module);
    Function* f = m ? find_function(*m, launch.kernel) : nullptr;
    if (!f || !f->source->is_entry) {
        result.message = "there is no kernel " + short_name(launch.kernel);
        return result.status = Status::not_found;
    }
    use_rules(*m, state_->options.what_if);
    decode(*m, *f);
    const std::size_t param_bytes = f->params.empty() ? 0 : f->params.back().offset + f->params.back().bytes;
    if (launch.params.size() < param_bytes) {
        result.message = short_name(launch.kernel) + " was given " + counted(launch.params.size(), "byte") +
                         " of parameters, and has " + std::to_string(param_bytes);
        return result.status = Status::invalid_value;
    }
    run_grids({state_->memory, state_->options, state_->stop_requested, *m, state_->global_races,
               state_->relies_on_order, state_->relies_on_all, state_->tracer, state_->writes, state_->host},
              *f, launch, result, observer);
    return result.status;
}

}  // namespace vgpu
