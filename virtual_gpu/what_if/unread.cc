#include "virtual_gpu/what_if/unread.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu::what_if {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;  // of an array that is looked at
constexpr std::size_t kMostLines = 256;
constexpr std::int64_t kFar = 443'520;  // bytes, so many times the size of most elements

bool is_word(const std::string& name) {
    return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 31) * 0x9E37'79B9'7F4A'7C15u;
    return (value ^ value >> 29) * 0xBF58'476D'1CE4'E5B9u;
}

}  // namespace

void WatchOfUnread::labelled(const Allocation& a) {
    if (!a.label.starts_with("workspace array ")) given_[a.base] = a.number;
}

void WatchOfUnread::begin_call() {
    lines_.assign(1, {});
    numbers_.clear();
    by_text_.clear();
    cells_.clear();
}

// ---- What is there ----

std::span<WatchOfUnread::Mark> WatchOfUnread::Cells::of(std::uint64_t at, std::uint64_t bytes, std::uint64_t all) {
    if (marks.empty()) marks.resize(all / step + 1);
    if (step != 1 && (at % step != 0 || bytes % step != 0)) {  // elements of one byte or two
        std::vector<Mark> finer(all + step);
        for (std::size_t n = 0; n < finer.size() && n / step < marks.size(); ++n) finer[n] = marks[n / step];
        marks = std::move(finer);
        step = 1;
    }
    const std::uint64_t begin = std::min<std::uint64_t>(at / step, marks.size());
    return std::span(marks).subspan(begin, std::min<std::uint64_t>(bytes / step, marks.size() - begin));
}

WatchOfUnread::Cells* WatchOfUnread::cells_of(const Allocation& a) {
    if (a.bytes > kMostBytes) return nullptr;
    const auto [found, is_new] = cells_.try_emplace(a.number);
    if (is_new) {
        const auto given = given_.find(a.base);
        const bool is_given = given != given_.end() && given->second == a.number;
        found->second.first = a.first - a.base;
        found->second.is_own = a.mapped == 0 && !a.is_foreign && a.base < kVariablesFirst && !is_given;
    }
    return &found->second;
}

std::uint32_t WatchOfUnread::line_of(const Warp& w, const Instr* i, const Allocation& a, int bytes) {
    const std::uint32_t pc = w.function->count_base + i->source;
    const auto [known, is_new] = numbers_.try_emplace({&w.run->module, pc, a.number});
    if (!is_new) return known->second;
    const Reporter& reporter = w.run->reporter;
    const SourcePlace place = reporter.source(reporter.place_of(pc));
    const Reporter::Element named = reporter.global_element(a, a.first + kFar, bytes);
    const auto [same, is_first] = by_text_.try_emplace({place.file, place.line, named.array}, lines_.size());
    known->second = same->second;
    if (!is_first) return known->second;
    Line& line = lines_.emplace_back();
    line.told.array = named.array;
    line.told.place = place;
    line.told.is_stored = true;
    line.element_bytes = static_cast<unsigned>(named.index == 0 ? bytes : kFar / named.index);
    return known->second;
}

void WatchOfUnread::store(std::span<Mark> marks, unsigned step, std::uint32_t line, const std::uint8_t* values) {
    for (std::size_t n = 0; n < marks.size(); ++n) {
        marks[n] = {line, 1, false, false};
        if (values != nullptr) marks[n].bits = 0, std::memcpy(&marks[n].bits, values + n * step, step);
    }
}

void WatchOfUnread::read(Cells& cells, std::uint64_t at, std::uint64_t bytes, std::uint64_t all, std::uint32_t line) {
    if (cells.reader == 0) cells.reader = line;
    for (Mark& mark : cells.of(at, bytes, all)) mark.is_read = true;
}

// ---- Accesses ----

void WatchOfUnread::global(const Warp& w, const Instr* i, Mask mask, const std::uint64_t* address, const Request& r,
                           Allocation* one) {
    if (r.use >= Use::atomic) return;  // see atomic()
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    const int part = r.element_bytes != 0 ? r.element_bytes : r.bytes;
    for (int lane : lanes(mask)) {
        const Allocation* a = one ? one : w.run->memory.find(address[lane]);
        Cells* cells = cells_of(*a);
        if (cells == nullptr) continue;
        const std::uint64_t at = address[lane] - a->base;
        const std::uint32_t line = line_of(w, i, *a, part);
        if (r.use == Use::read) {
            read(*cells, at, bytes, a->bytes, line);
            continue;
        }
        const auto* values = static_cast<const std::uint8_t*>(r.values);
        const std::span<Mark> marks = cells->of(at, bytes, a->bytes);
        store(marks, cells->step, line, values != nullptr ? values + static_cast<std::size_t>(lane) * bytes : nullptr);
    }
}

// What adds to a value, or gets it, is made from it.
void WatchOfUnread::atomic(const Warp& w, const Instr* i, const Allocation& a, std::uint64_t offset, const void* now,
                           std::size_t bytes, bool writes) {
    Cells* cells = cells_of(a);
    if (cells == nullptr) return;
    const std::uint32_t line = line_of(w, i, a, static_cast<int>(bytes));
    if (!writes) return read(*cells, offset, bytes, a.bytes, line);
    const std::span<Mark> marks = cells->of(offset, bytes, a.bytes);
    store(marks, cells->step, line, static_cast<const std::uint8_t*>(now));
}

void WatchOfUnread::moved(const Memory& memory, const Moved& moved) {
    const Allocation* to = memory.find(moved.to);
    const Allocation* from = moved.from != 0 ? memory.find(moved.from) : nullptr;
    if (from != nullptr && moved.from >= from->base)
        if (Cells* cells = cells_of(*from)) read(*cells, moved.from - from->base, moved.bytes, from->bytes, 0);
    if (to == nullptr || moved.to < to->base) return;
    if (Cells* cells = cells_of(*to))
        for (Mark& mark : cells->of(moved.to - to->base, moved.bytes, to->bytes)) mark = {0, 0, false, true};
}

// ---- What is told ----

void WatchOfUnread::count(const Cells& cells, std::uint64_t number) {
    std::uint64_t begin = 0;
    bool is_lost = false;  // a value other than zero, in the range that began there
    for (std::size_t n = 0; n < cells.marks.size(); ++n) {
        const Mark& mark = cells.marks[n];
        Line& line = lines_[mark.line];
        const bool is_unread = mark.line != 0 && !mark.is_read;
        const auto goes_on = [&](std::size_t other) {
            const Mark& its = cells.marks[other];
            return its.line == mark.line && !its.is_read;
        };
        line.told.bytes += cells.step;
        if (!is_unread) continue;
        if (n == 0 || !goes_on(n - 1)) begin = n, is_lost = false;
        line.told.unread += cells.step;
        if (mark.bits != 0) {
            is_lost = true;
            line.told.lost += cells.step;
            line.told.digest += mixed(mixed(n) + mark.bits + mixed(number));
        }
        if (!is_lost || (n + 1 < cells.marks.size() && goes_on(n + 1))) continue;
        tell_range(line, begin * cells.step - cells.first, (n + 1 - begin) * cells.step);
    }
}

void WatchOfUnread::tell_range(Line& line, std::uint64_t from, std::uint64_t bytes) {
    if (line.told.ranges.size() == kRanges) return;
    const std::uint64_t last = from + bytes - std::min<std::uint64_t>(line.element_bytes, bytes);
    const auto name = [&](std::uint64_t at) {
        const std::string index = std::to_string(at / line.element_bytes);
        return is_word(line.told.array) ? line.told.array + "[" + index + "]" : "element " + index;
    };
    line.told.ranges.push_back({from, bytes, name(from), name(last)});
}

Unread WatchOfUnread::of_input(const Allocation& a, const Cells& cells) const {
    Unread out;
    out.array = a.label;
    out.place = lines_[cells.reader].told.place;
    const std::uint64_t first = a.first - a.base;
    out.bytes = a.bytes - first;
    std::uint64_t begin = first;
    for (std::uint64_t at = first; at < a.bytes; at += cells.step) {
        const auto is_read = [&](std::uint64_t n) {
            return n >= a.bytes || (n / cells.step < cells.marks.size() && cells.marks[n / cells.step].is_read);
        };
        if (is_read(at)) {
            begin = at + cells.step;
            continue;
        }
        const std::uint64_t end = std::min<std::uint64_t>(at + cells.step, a.bytes);
        out.unread += end - at;
        if (is_read(end) && out.ranges.size() < kRanges) out.ranges.push_back({begin - first, end - begin, "", ""});
    }
    return out;
}

std::vector<Unread> WatchOfUnread::take(const Memory& memory) {
    for (const auto& [number, cells] : cells_)
        if (cells.is_own) count(cells, number);
    std::vector<Unread> out;
    for (const auto& [base, number] : given_) {
        const Allocation* a = memory.find(base);
        if (a == nullptr || a->number != number || a->freed || a->bytes > kMostBytes) continue;
        const Cells& cells = cells_[number];
        const bool is_input =
            std::ranges::none_of(cells.marks, [](const Mark& mark) { return mark.line != 0 || mark.is_moved; });
        if (is_input && out.size() < kMostLines) out.push_back(of_input(*a, cells));
    }
    for (std::size_t n = 1; n < lines_.size() && out.size() < kMostLines; ++n)
        if (lines_[n].told.bytes != 0) out.push_back(std::move(lines_[n].told));
    begin_call();
    return out;
}

}  // namespace vgpu::what_if
