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
    if (!trace_) {
        trace_.emplace();
        trace_->kernel = demangled(run.grid.launch.kernel);
        trace_->block = w.block->index;
        trace_->warp = static_cast<std::uint32_t>(w.number);
        launch_ = run.setup.launch_number;
        block_ = w.block->linear;
    }
    return launch_ == run.setup.launch_number && block_ == w.block->linear &&
           trace_->warp == static_cast<std::uint32_t>(w.number);
}

void Tracer::access(const Warp& w, const Instr* i, std::uint32_t mask, const std::uint64_t address[32],
                    const Request& r, bool is_shared) {
    const std::size_t pc = w.function->count_base + i->source;
    if (mask == 0 || pc >= marked_.size() || !marked_[pc] || !is_followed(w)) return;
    if (trace_->place.line == 0) trace_->place = w.run->reporter.source({w.function, i->source});
    if (++trace_->count > kMostSteps) return;
    TraceStep& step = trace_->steps.emplace_back();
    step.space = is_shared ? "shared" : "global";
    step.access = r.use == Use::read ? "read" : r.use == Use::write ? "write" : "atomic";
    step.bytes = r.bytes;
    step.lanes = mask;
    std::uint64_t base = 0;
    if (is_shared) {
        std::uint32_t offsets[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) offsets[lane] = static_cast<std::uint32_t>(address[lane]);
        const SharedCost cost = shared_cost(offsets, mask, r.bytes, r.use == Use::read);
        step.cost = static_cast<std::uint64_t>(cost.wavefronts);
        step.ideal = static_cast<std::uint64_t>(cost.ideal);
        step.array = w.run->reporter.shared_name(offsets[first_lane(mask)]);
    } else {
        const Allocation* a = w.run->memory.find(address[first_lane(mask)]);
        step.cost = static_cast<std::uint64_t>(sectors(address, mask, r.bytes));
        step.ideal = static_cast<std::uint64_t>(ideal_sectors(std::popcount(mask), r.bytes));
        if (a) step.array = w.run->reporter.global_name(*a);
        base = a ? a->base : 0;
    }
    for (int lane : lanes(mask)) step.at[static_cast<std::size_t>(lane)] = static_cast<std::int64_t>(address[lane] - base);
}

std::optional<Trace> Tracer::take() { return std::exchange(trace_, std::nullopt); }

}  // namespace vgpu
