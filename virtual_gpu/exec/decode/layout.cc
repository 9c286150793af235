#include "virtual_gpu/exec/decode/layout.h"

#include <algorithm>

namespace vgpu {
namespace {

// What a kernel asks for beyond this is refused, so its places do not matter.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

std::uint32_t padded(std::uint64_t n, std::uint32_t align) {
    return static_cast<std::uint32_t>(std::min(align > 1 ? (n + align - 1) / align * align : n, kMostBytes));
}
std::uint32_t sum(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(std::min(a + b, kMostBytes)); }

}  // namespace

Reach reach_of(const Module& m, const Function& kernel) {
    Reach r;
    std::vector<int> todo{kernel.number};
    bool indirect = false;
    while (!todo.empty()) {
        const int n = todo.back();
        todo.pop_back();
        const Function& f = *m.functions[static_cast<std::size_t>(n)];
        if (f.source->is_entry && n != kernel.number) continue;  // launched, with blocks of its own
        if (!r.functions.insert(n).second) continue;
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

SharedLayout lay_out(const Module& m, const Reach& reach, std::uint32_t dynamic) {
    SharedLayout out;
    out.place.assign(m.shared.size(), ~0u);
    out.size.assign(m.shared.size(), 0);
    const auto put = [&](int n, std::uint32_t at, std::uint32_t bytes) {
        out.place[static_cast<std::size_t>(n)] = at;
        out.size[static_cast<std::size_t>(n)] = bytes;
    };
    std::uint32_t at = 0, dynamic_align = 1;
    for (int n : reach.shared) {
        const SharedVariable& v = m.shared[static_cast<std::size_t>(n)];
        if (v.reserved) continue;
        if (v.dynamic) {
            dynamic_align = std::max(dynamic_align, v.align);
            continue;
        }
        at = padded(at, v.align);
        put(n, at, v.bytes);
        at = sum(at, v.bytes);
    }
    out.static_bytes = at;
    if (dynamic == 0) dynamic_align = 1;
    at = padded(at, dynamic_align);
    for (int n : reach.shared)
        if (m.shared[static_cast<std::size_t>(n)].dynamic) put(n, at, dynamic);
    out.bytes = sum(at, dynamic);
    for (int n : reach.shared) {
        const SharedVariable& v = m.shared[static_cast<std::size_t>(n)];
        if (!v.reserved) continue;
        out.bytes = padded(out.bytes, v.align);
        put(n, out.bytes, v.bytes);
        out.zeros_at = out.bytes;
        out.bytes += v.bytes;
    }
    return out;
}

}  // namespace vgpu
