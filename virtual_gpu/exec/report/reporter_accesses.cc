// Accesses that are not allowed, in words.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/report/address.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

// "1000 elements of 4 bytes". An array without elements is a byte that cudaMalloc() was asked for.
std::string size_of(std::uint64_t array_bytes, std::uint64_t each) {
    if (array_bytes == 1 && each > 1) return "no elements";
    if (each == 0 || array_bytes < each) return counted(array_bytes, "byte");
    const std::string elements = counted(array_bytes / each, "element") + " of " + counted(each, "byte");
    return array_bytes % each == 0 ? elements : counted(array_bytes, "byte") + ", " + elements;
}

// `each`: bytes of what is counted; 0: bytes are.
std::string elements_off(std::int64_t index, std::uint64_t array_bytes, std::uint64_t each) {
    const char* const noun = each == 0 ? "byte" : "element";
    if (index < 0) return counted(static_cast<std::uint64_t>(-index), noun) + " before its start";
    const auto count = static_cast<std::int64_t>(array_bytes / std::max<std::uint64_t>(each, 1));
    const std::int64_t past = index - count + 1;
    return past == 1 ? "just past its end" : counted(static_cast<std::uint64_t>(past), noun) + " past its end";
}

}  // namespace

Finding* Reporter::add_access(const Warp& w, const Instr* i, int lane, Kind kind) {
    constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 26;  // a bit each
    Finding* f = nullptr;
    const bool is_new = add(kind, place(w, i), {}, f);
    if (f == nullptr) return nullptr;
    const std::uint64_t block = w.block->linear, block_threads = run_->setup.threads_per_block;
    const auto thread = static_cast<std::uint32_t>(w.number * kLanes + lane);
    Doers& d = doers_[static_cast<std::size_t>(f - findings_.data())];
    if (is_new) {
        const Index3& blocks = run_->grid.launch.grid;
        const std::uint64_t threads = std::uint64_t{blocks[0]} * blocks[1] * blocks[2] * block_threads;
        d = {run_->grid.number,
             place(w, i),
             block,
             thread,
             std::vector<bool>(threads <= kMostCounted ? threads : 0),
             0,
             true};
    }
    if (d.grid != run_->grid.number) return nullptr;  // of a kernel that kernels launch: another launch of it
    if (const std::uint64_t at = block * block_threads + thread; at < d.seen.size() && !d.seen[at]) {
        d.seen[at] = true;
        ++d.count;
    }
    d.goes_on = d.goes_on && run_->bad_accesses + 1 < Run::kMostBad;
    if (is_new) return f;
    if (std::pair(block, thread) >= std::pair(d.block, d.thread)) return nullptr;
    d.block = block;
    d.thread = thread;
    f->array.clear();
    f->array_bytes = 0;
    f->index = 0;
    return f;
}

void Reporter::fill(Finding& f, const Warp& w, const Instr*, int lane, int bytes, const char* access,
                    const char* space) {
    f.thread = run_->thread_index(static_cast<std::uint32_t>(w.number * kLanes + lane));
    f.block = w.block->index;
    f.access = access;
    f.space = space;
    f.access_bytes = bytes;
}

void Reporter::not_constant(const Warp& w, const Instr* i, int lane, DevicePtr address, int bytes,
                            const Allocation* a) {
    Finding* f = add_access(w, i, lane, Kind::invalid_access);
    if (f == nullptr) return;
    fill(*f, w, i, lane, bytes, "read", "constant");
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
    f->what =
        thread_name(*w.block, static_cast<std::uint32_t>(w.number * kLanes + lane)) + " read " +
        counted(static_cast<std::uint64_t>(bytes), "byte") + " by ld.const at " +
        (a != nullptr ? name_of(*a) + ", which is not constant memory" : std::string(hex) + ", where no constant is");
    f->help = "ld.const reads __constant__ variables only";
}

void Reporter::bad_access(const Warp& w, const Instr* i, int lane, DevicePtr address, int bytes, const char* access,
                          Kind kind, const Allocation* a) {
    if ((w.undefined.guessed >> lane & 1) != 0) return;
    Finding* f = add_access(w, i, lane, kind);
    if (f == nullptr) return;
    if (kind == Kind::out_of_bounds) {  // near which array the address is may be chance
        const bool is_kernel = w.function == run_->grid.kernel;
        if (const Allocation* meant = is_kernel ? array_meant(*run_, i->source) : nullptr) a = meant;
    }
    fill(*f, w, i, lane, bytes, access, a && a->read_only ? "constant" : "global");
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
    const std::string who = thread_name(*w.block, static_cast<std::uint32_t>(w.number * kLanes + lane));
    const std::string verb = f->access == "read" ? "read" : f->access == "write" ? "wrote" : "did an atomic on";
    const std::string size = counted(static_cast<std::uint64_t>(bytes), "byte");
    if (!a) {
        const bool is_null = address < 0x10000;
        f->what = who + " " + verb + " " + size + " at address " + hex + ", where no array is" +
                  (is_null ? ": " + counted(address, "byte") + " from a null pointer" : "");
        f->help = is_null ? "" : "a kernel can use memory from cudaMalloc() and the like, not the host's own";
        const bool is_shared = address - kSharedWindow < kWindowBytes;
        if (is_shared || is_local(address)) {
            f->what = who + " " + verb + " " + size + " at address " + hex + ", which is in the " +
                      (is_shared ? "shared memory of another block or kernel" : "local memory of another thread");
            f->help = is_shared ? "shared memory exists only for the block that has it, while it runs: pass the values "
                                  "on through global memory"
                                : "a local variable exists only for its thread, while its function runs: keep the "
                                  "array in global memory, or copy the values";
        }
        return;
    }
    f->array = name_of(*a);
    f->array_bytes = a->array_bytes();
    const auto offset = static_cast<std::int64_t>(address - a->first);
    const Element named = global_element(*a, address, bytes);
    const std::string& element = named.text;
    f->index = named.index;
    if (kind == Kind::misaligned) {
        const std::uint64_t unaligned = a->first % static_cast<std::uint64_t>(bytes);
        f->what = who + " " + verb + " " + size + " of " + f->array + " at byte " + std::to_string(offset) +
                  (unaligned == 0 ? ", which" : ", whose address") + " is not a multiple of " + std::to_string(bytes);
        if (unaligned != 0) f->what += ": the array begins " + counted(unaligned, "byte") + " after one";
        f->help = "an access of " + size + " needs an address that is a multiple of it";
    } else if (kind == Kind::use_after_free) {
        f->what = who + " " + verb + " " + element + " after it was freed";
        f->help = "an array is freed after the last kernel that uses it has ended";
    } else if (kind == Kind::invalid_access) {
        f->what = who + " " + verb + " " + element + ", which is constant memory";
        f->help = "__constant__ variables can be written from the host only";
    } else {
        const std::uint64_t each = bytes_counted(bytes, layout_of(*a));
        f->what = who + " " + verb + " " + element + ", " + elements_off(f->index, a->array_bytes(), each) +
                  " (it has " + size_of(a->array_bytes(), each) + ")";
        if (const auto wrapped = overflowed_index(w, i->source, lane)) {
            f->what += std::string(wrapped->is_alone ? "; the" : "; a part of the") + " index would be " +
                       signed_with_commas(wrapped->exact) + ", which " +
                       (wrapped->is_signed ? "an int" : "an unsigned int") + " does not hold";
            f->help = wrapped->exact < 0 && !wrapped->is_signed
                          ? "compare before you subtract, or compute it in long long"
                          : "compute it in long long: make one of the operands a long long";
        }
    }
    f->what += made_at(*a);
}

std::optional<std::size_t> Reporter::shared_variable(std::uint32_t offset) const {
    for (std::size_t n = 0; n < run_->setup.shared.place.size(); ++n) {
        const std::uint32_t start = run_->setup.shared.place[n];
        if (start != ~0u && offset >= start && offset < start + run_->setup.shared.size[n]) return n;
    }
    return std::nullopt;
}

std::string Reporter::name_shared(Finding& f, std::uint32_t offset, int bytes) const {
    const auto n = shared_variable(offset);
    const Element named = shared_element(offset, bytes);
    f.array = named.array;
    f.index = named.index;
    if (n) f.array_bytes = run_->setup.shared.size[*n];
    return named.text;
}

Reporter::Element Reporter::shared_element(std::uint32_t offset, int bytes) const {
    static const Layout kNotKnown;
    const auto n = shared_variable(offset);
    const std::string name = n ? short_name(module_.shared[*n].name) : "shared memory";
    const Layout& layout = n ? layout_of_shared(*n) : kNotKnown;
    const std::int64_t at = offset - (n ? run_->setup.shared.place[*n] : 0);
    return {name, element_text(name, at, bytes, layout, true), element_index(at, bytes, layout)};
}

std::string Reporter::shared_name(std::uint32_t offset) {
    Finding named;
    name_shared(named, offset, 1);
    return named.array;
}

void Reporter::bad_shared(const Warp& w, const Instr* i, int lane, std::uint32_t address, int bytes, const char* access,
                          Kind kind) {
    if ((w.undefined.guessed >> lane & 1) != 0) return;
    Finding* f = add_access(w, i, lane, kind);
    if (f == nullptr) return;
    fill(*f, w, i, lane, bytes, access, "shared");
    // An address in the upper quarter of a window counts as a negative index of the next variable.
    std::int64_t number = (address >> kSharedBits) - std::int64_t{1};
    std::int64_t offset = address & ((1u << kSharedBits) - 1);
    if (offset > (3 << kSharedBits) / 4) {
        offset -= 1 << kSharedBits;
        ++number;
    }
    const std::string who = thread_name(*w.block, static_cast<std::uint32_t>(w.number * kLanes + lane));
    const std::string verb = f->access == "read" ? "read" : f->access == "write" ? "wrote" : "did an atomic on";
    const bool known = number >= 0 && number < static_cast<std::int64_t>(run_->setup.shared.size.size()) &&
                       run_->setup.shared.place[static_cast<std::size_t>(number)] != ~0u;
    if (!known) {
        f->what = who + " " + verb + " shared memory where no array is";
        f->help = run_->grid.launch.shared_bytes == 0
                      ? "this launch has no dynamic shared memory: its size would be the "
                        "third argument, <<<grid, block, bytes>>>"
                      : "";
        return;
    }
    const auto n = static_cast<std::size_t>(number);
    f->array = short_name(module_.shared[n].name);
    f->array_bytes = run_->setup.shared.size[n];
    const Layout& layout = layout_of_shared(n);
    f->index = element_index(offset, bytes, layout);
    if (kind == Kind::misaligned) {
        f->what = who + " " + verb + " " + counted(static_cast<std::uint64_t>(bytes), "byte") + " of " + f->array +
                  " at byte " + std::to_string(offset) + ", which is not a multiple of " + std::to_string(bytes);
        f->help = "an access needs an address that is a multiple of its size";
        return;
    }
    const std::uint64_t each = bytes_counted(bytes, layout);
    f->what = who + " " + verb + " " + element_text(f->array, offset, bytes, layout, true) + " in shared memory, " +
              elements_off(f->index, f->array_bytes, each) + " (it has " + size_of(f->array_bytes, each) + ")";
    f->help = module_.shared[n].dynamic ? "its size is the launch's third argument, <<<grid, block, bytes>>>" : "";
}

void Reporter::bad_local(const Warp& w, const Instr* i, int lane, std::uint64_t address, int bytes, const char* access,
                         Kind kind) {
    if ((w.undefined.guessed >> lane & 1) != 0) return;
    Finding* f = add_access(w, i, lane, kind);
    if (f == nullptr) return;
    fill(*f, w, i, lane, bytes, access, "local");
    const Place here = place(w, i);
    const ptx::Location l = location(here);
    std::string names;
    if (l.line > 0 && static_cast<std::size_t>(l.file) < module_.program.files.size())
        names = local_arrays_at(lines_of(l.file), l.line);
    f->array = names.empty() ? "a local array" : names;
    const auto in_frame = static_cast<std::int64_t>(address - w.frame->local_base);
    const std::optional<std::int64_t> start = local_array_start(*w.function->source, i->source);
    const std::int64_t from_start = in_frame - start.value_or(0);
    f->index = from_start >= 0 ? from_start / bytes : -((-from_start + bytes - 1) / bytes);
    const std::string verb = f->access == "read" ? " read " : " wrote ";
    const std::string size = counted(static_cast<std::uint64_t>(bytes), "byte");
    f->what = thread_name(*w.block, static_cast<std::uint32_t>(w.number * kLanes + lane)) + verb;
    if (kind == Kind::misaligned) {
        f->what += size + " of " + f->array + " at byte " + std::to_string(from_start) +
                   ", which is not a multiple of " + std::to_string(bytes);
        f->help = "an access needs an address that is a multiple of its size";
        return;
    }
    f->what += f->array +
               (start ? " at index " + std::to_string(f->index)
                      : ", at byte " + std::to_string(in_frame) + " of the thread's local memory") +
               ", outside of all its local arrays (" + counted(w.function->local_bytes, "byte") + ")";
    f->help = "";
}

void Reporter::bad_free(const Warp& w, const Instr* i, int lane, DevicePtr address, const Allocation* a) {
    Finding* f = nullptr;
    if (!add(a && a->freed ? Kind::use_after_free : Kind::invalid_access, place(w, i), {}, f)) return;
    fill(*f, w, i, lane, 1, "write", "global");
    f->what = thread_name(*w.block, static_cast<std::uint32_t>(w.number * kLanes + lane)) + " gave free() a pointer ";
    f->help = "free() in a kernel takes what malloc() or new in a kernel has returned, once";
    if (!a) {
        f->what += "to where no array is";
        return;
    }
    f->array = name_of(*a);
    f->array_bytes = a->array_bytes();
    f->index = static_cast<std::int64_t>(address - a->first);
    f->what += a->freed         ? "that was already freed: " + f->array
               : a->from_device ? "to byte " + std::to_string(f->index) + " of " + f->array + ", not to its start"
                                : "to " + f->array + ", which no malloc() in a kernel has made";
}

void Reporter::bad_copy(Place at, const std::string& name, DevicePtr address, std::uint64_t bytes, bool is_write,
                        const Allocation* a) {
    Finding* f = nullptr;
    if (!add(a && a->freed ? Kind::use_after_free : Kind::out_of_bounds, at, {}, f)) return;
    f->access = is_write ? "write" : "read";
    f->space = "global";
    f->access_bytes = 1;
    f->what = name + " at " + this->at(at) + (is_write ? " writes " : " reads ") + counted(bytes, "byte");
    if (!a) {
        f->what += " where no array is";
        return;
    }
    f->array = name_of(*a);
    f->array_bytes = a->array_bytes();
    f->index = static_cast<std::int64_t>(address - a->first);
    f->what += " of " + f->array + " from byte " + std::to_string(f->index) + " on, " +
               (a->freed       ? "after it was freed"
                : a->read_only ? "which is constant memory"
                               : "which has " + counted(a->array_bytes(), "byte"));
}

}  // namespace vgpu
