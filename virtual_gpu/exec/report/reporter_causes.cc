// In which order findings of a launch are told: a cause before what comes of it, else as they were found.
#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/report/address.h"
#include "virtual_gpu/exec/report/reporter.h"

namespace vgpu {

std::vector<std::size_t> Reporter::in_order() {
    // Of each race, the reads: by pc.
    std::unordered_multimap<std::uint32_t, std::size_t> reads;
    const auto add_read = [&](std::uint64_t pc, std::uint32_t kind, std::size_t finding) {
        const auto what = static_cast<AccessKind>(kind & 3);
        if (what == AccessKind::read || what == AccessKind::atomic)
            reads.emplace(static_cast<std::uint32_t>(pc), finding);
    };
    for (const auto& [key, known] : known_races_) {
        if (known.finding >= findings_.size() || findings_[known.finding].kind != Kind::race) continue;
        add_read(key.places >> 32, key.traits >> 8, known.finding);
        add_read(key.places & 0xffff'ffffu, key.traits >> 10, known.finding);
    }
    std::vector<std::size_t> order;
    std::vector<bool> is_told(findings_.size());
    const auto tell = [&](std::size_t n) {
        if (!is_told[n]) order.push_back(n);
        is_told[n] = true;
    };
    for (std::size_t n = 0; n < findings_.size(); ++n)
        if (findings_[n].kind == Kind::divergent_barrier) tell(n);
    std::unordered_map<const Function*, Definitions> definitions;
    for (std::size_t n = 0; n < findings_.size(); ++n) {
        const auto access = doers_.find(n);
        if (access != doers_.end() && !reads.empty()) {
            const Place at = access->second.at;
            const ptx::Function& f = *at.function->source;
            const auto [known, is_new] = definitions.try_emplace(at.function);
            if (is_new) known->second = definitions_of(f);
            std::vector<std::size_t> causes;
            for (const std::size_t load : parts_of_address(f, known->second, at.source).memory) {
                const auto pc = at.function->count_base + static_cast<std::uint32_t>(load);
                for (auto [one, end] = reads.equal_range(pc); one != end; ++one) causes.push_back(one->second);
            }
            std::ranges::sort(causes);
            findings_[n].of_race = !causes.empty();
            for (const std::size_t cause : causes) tell(cause);
        }
        tell(n);
    }
    return order;
}

}  // namespace vgpu
