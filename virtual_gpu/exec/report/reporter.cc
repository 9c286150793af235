#include "virtual_gpu/exec/report/reporter.h"

#include <algorithm>
#include <cstdlib>

#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

// Code that its user has not written: findings in its inlined functions name the line of the call.
bool is_of_library(const std::string& file) {
    for (const char* part : {"/usr/include", "/usr/lib", "/usr/local/cuda", "/opt/cuda", "/include/cuda", "/nvidia/",
                             "/cccl/", "/targets/", "/crt/", "/common/toolbox/"})
        if (file.find(part) != std::string::npos && !file.ends_with(".cu")) return true;
    return false;
}

std::string base_name(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? file : file.substr(slash + 1);
}

std::string elements_off(std::int64_t index, std::int64_t count) {
    if (index < 0) return counted(static_cast<std::uint64_t>(-index), "element") + " before its start";
    const std::int64_t past = index - count + 1;
    return past == 1 ? "just past its end" : counted(static_cast<std::uint64_t>(past), "element") + " past its end";
}

}  // namespace

// The optimiser drops the line of an instruction that it moves. What comes next is nearer to what it was moved for.
std::size_t Reporter::instruction_with_line(Place p) const {
    const auto& body = p.function->source->body;
    const std::size_t at = std::min<std::size_t>(p.source, body.size() - 1);
    if (body[at].where.line > 0) return at;
    const auto [known, is_new] = has_lines_.try_emplace(p.function, false);
    if (is_new) known->second = std::ranges::any_of(body, [](const auto& i) { return i.where.line > 0; });
    if (!known->second) return at;
    for (std::size_t n = at; n < body.size(); ++n)
        if (body[n].where.line > 0) return n;
    for (std::size_t n = at; n-- > 0;)
        if (body[n].where.line > 0) return n;
    return at;
}

bool Reporter::is_moved(Place p) const {
    if (!p.function || p.function->source->body.empty()) return false;
    const auto& body = p.function->source->body;
    const std::size_t at = std::min<std::size_t>(p.source, body.size() - 1);
    if (body[at].where.line <= 0) return instruction_with_line(p) != at;
    // A moved instruction may also stand behind the line of another statement.
    static constexpr const char* kAccesses[] = {"ld", "st", "atom", "red", "cp"};
    const ptx::Instruction& i = body[at];
    const bool is_access = std::ranges::find(kAccesses, i.opcode) != std::end(kAccesses) && !i.has("param") &&
                           !i.has("local") && !i.has("const");
    const ptx::Location where = i.where;
    if (!is_access || static_cast<std::size_t>(where.file) >= module_.program.files.size()) return false;
    return !is_library(where.file) && !may_access_memory(lines_of(where.file), where.line);
}

bool Reporter::is_in(Place p, const char* part) const {
    if (!p.function || p.function->source->body.empty()) return false;
    const ptx::Location l = p.function->source->body[instruction_with_line(p)].where;
    const auto& files = module_.program.files;
    const auto file = static_cast<std::size_t>(l.file);
    return l.file >= 0 && file < files.size() && files[file].find(part) != std::string::npos;
}

bool Reporter::is_library(int file) const {
    const auto& files = module_.program.files;
    const auto number = static_cast<std::size_t>(file);
    if (number >= files.size()) return false;
    library_.resize(files.size(), -1);
    if (library_[number] < 0) library_[number] = is_of_library(files[number]) ? 1 : 0;
    return library_[number] == 1;
}

ptx::Location Reporter::location(Place p) const {
    if (!p.function) return {};
    const auto [known, is_new] = locations_.try_emplace(p.function->count_base + p.source);
    if (is_new) known->second = find_location(p);
    return known->second;
}

ptx::Location Reporter::find_location(Place p) const {
    const auto& body = p.function->source->body;
    if (body.empty()) return p.function->source->where;
    ptx::Location l = body[instruction_with_line(p)].where;
    const auto& program = module_.program;
    ptx::Location innermost = l;
    while (l.inlined_at >= 0 && is_library(l.file)) l = program.inline_sites[static_cast<std::size_t>(l.inlined_at)].at;
    const bool known = static_cast<std::size_t>(l.file) < program.files.size();
    return known ? l : innermost;
}

SourcePlace Reporter::source(Place p) const {
    const ptx::Location l = location(p);
    SourcePlace out;
    if (l.line <= 0 || static_cast<std::size_t>(l.file) >= module_.program.files.size()) return out;
    out.file = module_.program.files[static_cast<std::size_t>(l.file)];
    out.line = l.line;
    const std::vector<std::string>& lines = lines_of(l.file);
    if (static_cast<std::size_t>(l.line) <= lines.size()) out.text = lines[static_cast<std::size_t>(l.line) - 1];
    return out;
}

const std::vector<std::string>& Reporter::lines(Place p) const {
    static const std::vector<std::string> kNone;
    const ptx::Location l = location(p);
    const bool is_known = l.line > 0 && l.file >= 0 && static_cast<std::size_t>(l.file) < module_.program.files.size();
    return is_known ? lines_of(l.file) : kNone;
}

std::string Reporter::at(Place p) const {
    const ptx::Location l = location(p);
    if (l.line <= 0 || static_cast<std::size_t>(l.file) >= module_.program.files.size())
        return p.function ? demangled(p.function->name) + " (compiled without -lineinfo)" : "an unknown place";
    return (is_moved(p) ? "(or near) " : "") + base_name(module_.program.files[static_cast<std::size_t>(l.file)]) +
           ":" + std::to_string(l.line);
}

std::string Reporter::callers(Place p) const {
    std::string out;
    const auto& files = module_.program.files;
    ptx::Location l = location(p);
    for (int depth = 0; l.inlined_at >= 0 && depth < 4; ++depth) {
        l = module_.program.inline_sites[static_cast<std::size_t>(l.inlined_at)].at;
        if (l.line <= 0 || static_cast<std::size_t>(l.file) >= files.size()) break;
        out += ", called at " + base_name(files[static_cast<std::size_t>(l.file)]) + ":" + std::to_string(l.line);
    }
    return out;
}

Place Reporter::place_of(std::uint32_t pc) const {
    for (const auto& f : module_.functions)
        if (f->is_defined && pc >= f->count_base && pc < f->count_base + f->source->body.size() + 1)
            return {f.get(), pc - f->count_base};
    return {};
}

Place Reporter::place(const Warp& w, const Instr* i) const { return {w.function, i->source}; }

std::string Reporter::kernel_name() const { return short_name(run_->grid.launch.kernel); }

std::string Reporter::thread_name(const Block& block, std::uint32_t thread) const {
    return thread_name(block.linear, thread);
}

std::string Reporter::thread_name(std::uint64_t block, std::uint32_t thread) const {
    return thread_name(run_->grid.launch, block, thread);
}

std::string Reporter::thread_name(const Launch& launch, std::uint64_t block, std::uint32_t thread) const {
    const auto show = [](const Index3& size, std::uint64_t linear) {
        if (size[1] == 1 && size[2] == 1) return std::to_string(linear);
        const Index3 i = index_in(size, linear);
        std::string s = "(" + std::to_string(i[0]) + ", " + std::to_string(i[1]);
        if (size[2] != 1) s += ", " + std::to_string(i[2]);
        return s + ")";
    };
    return "thread " + show(launch.block, thread) + " of block " + show(launch.grid, block);
}

bool Reporter::add(Kind kind, Place here, Place other, Finding*& out) {
    const ptx::Location a = location(here), b = location(other);
    // Without lines, each instruction is a place of its own.
    const int place_a = a.line > 0 ? a.line : -static_cast<int>(here.source) - 1;
    const int place_b = b.line > 0 ? b.line : other.function ? -static_cast<int>(other.source) - 1 : 0;
    Key key{static_cast<int>(kind), a.file, place_a, b.file, place_b};
    if (kind == Kind::race && std::pair(b.file, place_b) < std::pair(a.file, place_a))
        key = Key{static_cast<int>(kind), b.file, place_b, a.file, place_a};
    if (!add(key, kind, here, out)) return false;
    if (other.function) out->other_place = source(other);
    return true;
}

bool Reporter::add(const Key& key, Kind kind, Place here, Finding*& out) {
    if (const auto found = known_.find(key); found != known_.end()) {
        out = found->second < findings_.size() ? &findings_[found->second] : nullptr;
        if (out) ++out->count;
        return false;
    }
    if (run_->has_asserted() && kind != Kind::device_assert) {  // what comes of threads that are gone
        out = nullptr;
        return false;
    }
    known_.emplace(key, findings_.size());
    if (findings_.size() >= static_cast<std::size_t>(run_->options.max_findings)) {
        known_[key] = ~std::size_t{0};
        return false;
    }
    Finding f;
    f.kind = kind;
    f.kernel = demangled(run_->grid.launch.kernel);
    f.place = source(here);
    f.count = 1;
    findings_.push_back(std::move(f));
    out = &findings_.back();
    return true;
}

void Reporter::take(std::vector<Finding>& out, const Origins& origins) {
    for (std::size_t n = 0; n < findings_.size(); ++n) {
        const auto origin = origins_of_.find(n);
        if (origin == origins_of_.end() || !origins.is_explained(origin->second))
            out.push_back(std::move(findings_[n]));
    }
    findings_.clear();
    known_.clear();
    known_races_.clear();
    origins_of_.clear();
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
    Finding* f = nullptr;
    if (!add(Kind::invalid_access, place(w, i), {}, f)) return;
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
    if ((w.guessed >> lane & 1) != 0) return;
    Finding* f = nullptr;
    if (!add(kind, place(w, i), {}, f)) return;
    fill(*f, w, i, lane, bytes, access, a && a->read_only ? "constant" : "global");
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
    const std::string who = thread_name(*w.block, static_cast<std::uint32_t>(w.number * kLanes + lane));
    const std::string verb = f->access == "read" ? "read" : f->access == "write" ? "wrote" : "did an atomic on";
    const std::string size = counted(static_cast<std::uint64_t>(bytes), "byte");
    if (!a) {
        f->what = who + " " + verb + " " + size + " at address " + hex + ", where no array is";
        f->help = address < 0x10000 ? "is the pointer null, or a host pointer's small number?"
                                    : "is it a pointer to host memory, or one that was never set?";
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
    f->index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
    const std::string element = f->array + " at index " + std::to_string(f->index);
    if (kind == Kind::misaligned) {
        const std::uint64_t unaligned = a->first % static_cast<std::uint64_t>(bytes);
        f->what = who + " " + verb + " " + size + " of " + f->array + " at byte " + std::to_string(offset) +
                  (unaligned == 0 ? ", which" : ", whose address") + " is not a multiple of " + std::to_string(bytes);
        if (unaligned != 0) f->what += ": the array begins " + counted(unaligned, "byte") + " after one";
        f->help =
            "an access of " + size + " needs an address that is a multiple of it: do the first elements one by one";
    } else if (kind == Kind::use_after_free) {
        f->what = who + " " + verb + " " + element + " after it was freed";
        f->help = "free the array only when the kernels that use it have ended";
    } else if (kind == Kind::invalid_access) {
        f->what = who + " " + verb + " " + element + ", which is constant memory";
        f->help = "__constant__ variables can be written from the host only";
    } else {
        const auto count = static_cast<std::int64_t>(a->array_bytes()) / bytes;
        f->what = who + " " + verb + " " + element + ", " + elements_off(f->index, count) + " (it has " +
                  counted(a->array_bytes(), "byte") + ", " + counted(static_cast<std::uint64_t>(count), "element") +
                  " of " + std::to_string(bytes) + ")";
        f->help = "compare the index with the number of elements before the access";
    }
    f->what += made_at(*a);
}

void Reporter::name_shared(Finding& f, std::uint32_t offset, int bytes) {
    for (std::size_t n = 0; n < run_->setup.shared.place.size(); ++n) {
        const std::uint32_t start = run_->setup.shared.place[n];
        if (start == ~0u || offset < start || offset >= start + run_->setup.shared.size[n]) continue;
        f.array = short_name(module_.shared[n].name);
        f.array_bytes = run_->setup.shared.size[n];
        f.index = (offset - start) / static_cast<std::uint32_t>(bytes);
        return;
    }
    f.array = "shared memory";
    f.index = offset / static_cast<std::uint32_t>(bytes);
}

std::string Reporter::shared_name(std::uint32_t offset) {
    Finding named;
    name_shared(named, offset, 1);
    return named.array;
}

void Reporter::bad_shared(const Warp& w, const Instr* i, int lane, std::uint32_t address, int bytes, const char* access,
                          Kind kind) {
    if ((w.guessed >> lane & 1) != 0) return;
    Finding* f = nullptr;
    if (!add(kind, place(w, i), {}, f)) return;
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
        f->help = "is the pointer one into shared memory, and was the launch given dynamic shared memory?";
        return;
    }
    const auto n = static_cast<std::size_t>(number);
    f->array = short_name(module_.shared[n].name);
    f->array_bytes = run_->setup.shared.size[n];
    f->index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
    if (kind == Kind::misaligned) {
        f->what = who + " " + verb + " " + counted(static_cast<std::uint64_t>(bytes), "byte") + " of " + f->array +
                  " at byte " + std::to_string(offset) + ", which is not a multiple of " + std::to_string(bytes);
        f->help = "an access needs an address that is a multiple of its size";
        return;
    }
    const std::int64_t count = run_->setup.shared.size[n] / static_cast<std::uint32_t>(bytes);
    f->what = who + " " + verb + " " + f->array + "[" + std::to_string(f->index) + "] in shared memory, " +
              elements_off(f->index, count) + " (it has " + counted(f->array_bytes, "byte") + ", " +
              counted(static_cast<std::uint64_t>(count), "element") + " of " + std::to_string(bytes) + ")";
    f->help = module_.shared[n].dynamic ? "its size is the launch's third argument, <<<grid, block, bytes>>>"
                                        : "compare the index with the array's size";
}

void Reporter::bad_local(const Warp& w, const Instr* i, int lane, std::uint64_t address, int bytes, const char* access,
                         Kind kind) {
    if ((w.guessed >> lane & 1) != 0) return;
    Finding* f = nullptr;
    if (!add(kind, place(w, i), {}, f)) return;
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
    f->help = "compare the index into the local array with its size";
}

Finding* Reporter::found(const Warp& w, const Instr* i, Mask mask, Kind kind, const std::string& what,
                         const std::string& help) {
    Finding* f = nullptr;
    if (!add(kind, place(w, i), {}, f)) return nullptr;
    const auto thread = static_cast<std::uint32_t>(w.number * kLanes + first_lane(mask));
    f->thread = run_->thread_index(thread);
    f->block = w.block->index;
    f->what = what;
    f->help = help;
    return f;
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

void Reporter::ignored_launch(Place at, std::uint64_t block, std::uint32_t thread, const std::string& error,
                              const std::string& text) {
    Finding* f = nullptr;
    if (!add(Kind::ignored_error, at, {}, f)) return;
    f->thread = run_->thread_index(thread);
    f->block = run_->block_index(block);
    f->what = "the launch by " + thread_name(block, thread) + " at " + this->at(at) + " failed with " + error + " (" +
              text + "), and the thread did not check: the work of that kernel is not done";
    f->help = "call cudaGetLastError() after the launch, in the same thread, and do the work another way if it failed";
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
        f->help = "is the pointer one to global memory?";
        return;
    }
    f->array = name_of(*a);
    f->array_bytes = a->array_bytes();
    f->index = static_cast<std::int64_t>(address - a->first);
    f->what += " of " + f->array + " from byte " + std::to_string(f->index) + " on, " +
               (a->freed       ? "after it was freed"
                : a->read_only ? "which is constant memory"
                               : "which has " + counted(a->array_bytes(), "byte"));
    f->help = "compare offset and size with the array's";
}

}  // namespace vgpu
