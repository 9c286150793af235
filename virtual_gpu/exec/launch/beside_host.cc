#include "virtual_gpu/exec/launch/beside_host.h"

#include <algorithm>

namespace vgpu {
namespace {

// Warp instructions: without progress, until the kernel counts as stuck; and of a kernel that polls the host and does
// other things, too, until the host goes on.
constexpr std::uint64_t kIdleSteps = 1 << 14, kLongSteps = 1 << 20;

}  // namespace

bool all_spin(const std::vector<Block*>& blocks) {
    for (const Block* b : blocks)
        for (const Warp& w : b->warps)
            for (const Fragment& f : w.fragments)
                if (f.state == State::ready && !f.spins && !f.waited) return false;
    return true;
}

void forget_spins(const std::vector<Block*>& blocks) {
    for (Block* b : blocks)
        for (Warp& w : b->warps)
            for (Fragment& f : w.fragments) f.spins = f.strong = f.waited = false;
}

void BesideHost::round_over(const std::vector<Block*>& active) {
    if (run_.host == nullptr) return;
    run_.host->let_in();
    Progress& progress = run_.progress;
    if (!progress.polls_host) return;
    const std::uint64_t since = std::max(progress.last, waited_at_);
    if (progress.steps - since > kIdleSteps / 2 && checked_at_ <= since) {
        forget_spins(active);
        checked_at_ = progress.steps;
    }
    const bool is_idle = progress.steps - since > kIdleSteps && checked_at_ > since &&
                         progress.steps - checked_at_ > kIdleSteps / 4 && all_spin(active);
    if (!is_idle && progress.steps - waited_at_ < kLongSteps) return;
    progress.polls_host = false;
    is_waiting_ = is_idle;
    // As long as the host may help, no other way out is looked for.
    if (wait(is_idle) && is_idle) progress.note();
    noted_ = progress.last;
    waited_at_ = progress.steps;
}

bool BesideHost::may_go_on(const std::vector<Block*>& active) {
    if (run_.host == nullptr) return false;
    if (run_.host->may_copy()) {
        is_waiting_ = true;
        const bool may_go_on = wait(true);
        noted_ = run_.progress.steps;  // as the caller does
        if (may_go_on) return true;
    }
    if (!run_.host->holds_back()) return false;
    tell_held_back(active);
    return true;  // it has failed
}

bool BesideHost::wait(bool is_stuck) { return run_.host->wait(is_stuck, run_.progress.last != noted_); }

void BesideHost::tell_held_back(const std::vector<Block*>& active) {
    for (const Block* b : active)
        for (const Warp& w : b->warps)
            for (const Fragment& fragment : w.fragments) {
                if (fragment.state != State::ready) continue;
                const Place place{fragment.frame->function, fragment.ip->source};
                const std::string what = "the kernel " + run_.reporter.kernel_name() + " waits at " +
                                         run_.reporter.at(place) +
                                         " while later launches in other streams have not begun: the virtual GPU runs "
                                         "them only when this kernel has ended";
                Finding* f = nullptr;
                if (run_.reporter.add(Kind::unsupported, place, {}, f)) {
                    f->block = b->index;
                    f->what = what;
                    f->help = "if it waits for one of them, this works on a GPU that has room for both";
                }
                run_.fail(Status::not_supported, what);
                return;
            }
}

}  // namespace vgpu
