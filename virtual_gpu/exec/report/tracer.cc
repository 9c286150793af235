#include "virtual_gpu/exec/report/tracer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "virtual_gpu/counters/access_cost.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/report/names.h"

namespace vgpu {

void Tracer::want(const std::string& line_and_file) {
    if (line_and_file == wanted_) return;
    wanted_ = line_and_file;
    file_.clear();
    line_ = 0;
    module_ = nullptr;
    trace_.reset();
    const char* end = wanted_.data() + wanted_.size();
    const auto [space, error] = std::from_chars(wanted_.data(), end, line_);
    if (error != std::errc() || line_ <= 0 || space == end || *space != ' ')
        line_ = 0;
    else
        file_.assign(space + 1, end);
}

bool Tracer::enter(const Run& run) {
    const Module& m = run.module;
    if (module_ != &m || marked_.size() != m.instructions + 1) {
        module_ = &m;
        marked_.assign(m.instructions + 1, false);
        for (const auto& f : m.functions) {
            if (!f->is_defined) continue;
            for (std::uint32_t s = 0; s < f->source->body.size(); ++s) {
                const ptx::Location l = run.reporter.location({f.get(), s});
                const auto file = static_cast<std::size_t>(l.file);
                marked_[f->count_base + s] =
                    l.line == line_ && file < m.program.files.size() && m.program.files[file] == file_;
            }
        }
    }
    return std::ranges::find(marked_, true) != marked_.end();
}

bool Tracer::is_followed(const Warp& w) {
    const Run& run = *w.run;
    const auto number = static_cast<std::uint32_t>(w.number);
    const bool same_block = trace_ && launch_ == run.setup.launch_number && block_ == w.block->linear;
    // After a barrier the last warp to arrive goes on first; of its block, the lowest one is followed.
    if (!trace_ || (same_block && number < trace_->warp)) {
        trace_.emplace();
        trace_->kernel = demangled(run.grid.launch.kernel);
        trace_->block = w.block->index;
        trace_->warp = number;
        launch_ = run.setup.launch_number;
        block_ = w.block->linear;
        return true;
    }
    return same_block && number == trace_->warp;
}

TraceStep* Tracer::next(const Warp& w, const Instr* i, std::uint32_t mask, const Request& r) {
    const std::size_t pc = w.function->count_base + i->source;
    if (mask == 0 || pc >= marked_.size() || !marked_[pc] || !is_followed(w)) return nullptr;
    if (trace_->place.line == 0) trace_->place = w.run->reporter.source({w.function, i->source});
    if (++trace_->count > kMostSteps) return nullptr;
    TraceStep& step = trace_->steps.emplace_back();
    step.access = r.use == Use::read ? "read" : r.use == Use::write ? "write" : "atomic";
    step.bytes = r.bytes;
    step.lanes = mask;
    return &step;
}

void Tracer::global(const Warp& w, const Instr* i, std::uint32_t mask, const std::uint64_t address[32],
                    const Request& r) {
    TraceStep* step = r.is_constant ? nullptr : next(w, i, mask, r);
    if (step == nullptr) return;
    step->space = "global";
    step->cost = static_cast<std::uint64_t>(sectors(address, mask, r.bytes));
    step->ideal = static_cast<std::uint64_t>(ideal_sectors(std::popcount(mask), r.bytes));
    const Allocation* a = w.run->memory.find(address[first_lane(mask)]);
    if (a) step->array = w.run->reporter.global_name(*a);
    for (int lane : lanes(mask))
        step->at[static_cast<std::size_t>(lane)] = static_cast<std::int64_t>(address[lane] - (a ? a->first : 0));
}

void Tracer::shared(const Warp& w, const Instr* i, std::uint32_t mask, const std::uint32_t offset[32],
                    const Request& r) {
    TraceStep* step = next(w, i, mask, r);
    if (step == nullptr) return;
    const SharedCost cost = shared_cost(offset, mask, r.bytes, r.use == Use::read);
    step->space = "shared";
    step->cost = static_cast<std::uint64_t>(cost.wavefronts);
    step->ideal = static_cast<std::uint64_t>(cost.ideal);
    step->array = w.run->reporter.shared_name(offset[first_lane(mask)]);
    for (int lane : lanes(mask)) step->at[static_cast<std::size_t>(lane)] = offset[lane];
}

std::optional<Trace> Tracer::take() { return std::exchange(trace_, std::nullopt); }

}  // namespace vgpu
