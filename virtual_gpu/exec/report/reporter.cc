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
    const ptx::Instruction& i = body[at];
    const bool is_access =
        (i.is(ptx::kAccess) || i.opcode == Opcode::cp) && !i.has("param") && !i.has("local") && !i.has("const");
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
        return p.function ? short_name(p.function->name) + " (compiled without -lineinfo)" : "an unknown place";
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

std::string Reporter::thread_name(const Launch& launch, std::uint64_t block, std::uint32_t thread) {
    return "thread " + index_text(launch.block, thread) + " of block " + index_text(launch.grid, block);
}

std::string Reporter::thread_number(std::uint64_t thread) const { return index_text(run_->grid.launch.block, thread); }

std::string Reporter::block_name(std::uint64_t block) const {
    return "block " + index_text(run_->grid.launch.grid, block);
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
    f.launch = launch_site();
    if (kind != Kind::race)  // each of its places has its own
        if (std::string called = callers(here); !called.empty()) callers_[findings_.size()] = std::move(called);
    findings_.push_back(std::move(f));
    out = &findings_.back();
    return true;
}

LaunchSite Reporter::launch_site() const {
    const Grid& grid = run_->grid;
    LaunchSite site;
    site.grid = grid.launch.grid;
    site.block = grid.launch.block;
    site.shared_bytes = grid.launch.shared_bytes;
    site.by_kernel = grid.parent >= 0;
    if (site.by_kernel && grid.launched_in != nullptr) site.place = source({grid.launched_in, grid.launched_at});
    return site;
}

void Reporter::take(std::vector<Finding>& out, const Origins& origins) {
    for (const auto& [number, d] : doers_) {
        Finding& f = findings_[number];
        f.threads = d.count;
        if (d.count > 1)
            f.what += std::string("; ") + (d.goes_on ? "" : "at least ") + with_commas(d.count) + " threads did this";
    }
    for (const auto& [number, called] : callers_)
        if (std::string& what = findings_[number].what; what.find(called) == std::string::npos) what += called;
    for (const std::size_t n : in_order()) {
        const auto origin = origins_of_.find(n);
        if (origin == origins_of_.end() || !origins.is_explained(origin->second))
            out.push_back(std::move(findings_[n]));
    }
    findings_.clear();
    doers_.clear();
    callers_.clear();
    known_.clear();
    known_races_.clear();
    origins_of_.clear();
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

}  // namespace vgpu
