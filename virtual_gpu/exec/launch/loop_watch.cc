#include "virtual_gpu/exec/launch/loop_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "virtual_gpu/exec/launch/rounds.h"

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

constexpr std::size_t kFewThreadSteps = 1 << 12, kSomeThreadSteps = 1 << 14;  // of the thread that is watched
constexpr int kMostTurns = 1 << 12;                                           // of other warps, while it waits
constexpr std::int64_t kTurn = 256;                                           // warp instructions
constexpr std::size_t kEnoughRounds = 3;
// When a grid is looked at for the first time: its steps, and those of one warp. Later where times are modelled: what
// is watched runs ahead of the others a little.
constexpr std::uint64_t kLongGrid = 1 << 21, kLongRun = 1 << 15, kLongCounted = 1 << 22, kLongRunCounted = 1 << 18;
constexpr std::uint64_t kLikeAnAddress = std::uint64_t{1} << 40;  // larger integers are not shown
constexpr std::size_t kLongestQuote = 80;

std::string grouped(const std::string& digits) {
    std::string out = digits;
    const std::size_t first = out.starts_with('-') ? 1 : 0;
    for (std::size_t n = out.size(); n > first + 3; n -= 3) out.insert(n - 3, ",");
    return out;
}

// ---- The thread, step by step ----

// Of a register of the thread, or a constant: as bits.
std::uint64_t bits_of(const Run& run, const Frame& frame, int lane, const Operand& o) {
    if (o.kind == Operand::Kind::imm) return o.bits;
    if (o.kind != Operand::Kind::reg || static_cast<std::size_t>(o.index) >= frame.function->columns.size()) return 0;
    const Type own = frame.function->source->registers[static_cast<std::size_t>(o.index)].type;
    const Column c = frame.function->columns[static_cast<std::size_t>(o.index)];
    const std::uint8_t* at =
        (c & kConstantBit) != 0 ? run.module.constants_at + (c & ~kConstantBit) : frame.registers + c;
    if (own == Type::pred) {
        Mask mask = 0;
        std::memcpy(&mask, at, sizeof mask);
        return mask >> lane & 1;
    }
    const auto bytes = static_cast<std::size_t>(std::clamp(ptx::size_of(own), 2, 8));
    std::uint64_t out = 0;
    std::memcpy(&out, at + static_cast<std::size_t>(lane) * bytes, bytes);
    return out;
}

Registers registers_of(const Run& run, const Frame& frame, int lane) {
    Registers out(frame.function->source->registers.size());
    Operand one;
    one.kind = Operand::Kind::reg;
    for (std::size_t r = 0; r < out.size(); ++r) {
        one.index = static_cast<int>(r);
        out[r] = bits_of(run, frame, lane, one);
    }
    return out;
}

class Watcher {
  public:
    Watcher(Run& run, Block& block, Warp& warp, int lane) : run_(run), block_(block), warp_(warp), lane_(lane) {}

    // Goes on until the thread has made so many steps. False: it has left, or cannot go on.
    bool go_on(std::size_t steps) {
        for (std::size_t tries = 0; steps_.size() < steps; ++tries) {
            if (run_.failed || tries > 8 * steps || !step()) return false;
        }
        return true;
    }
    // The innermost loop that the thread has not left since it came to its first instruction.
    const LoopHead* loop(std::vector<bool>& body) const {
        const LoopHead* best = nullptr;
        std::size_t smallest = 0;
        for (const auto& [key, head] : heads_) {
            if (head.begins.size() < kEnoughRounds) continue;
            std::vector<bool> inside = body_of(head);
            const bool is_left =
                std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(head.begins[0]), steps_.end(),
                            [&](const ThreadStep& s) { return s.frame == head.frame && !inside[s.source]; });
            const auto size = static_cast<std::size_t>(std::count(inside.begin(), inside.end(), true));
            if (is_left || (best && size >= smallest)) continue;
            best = &head, smallest = size;
            body = std::move(inside);
        }
        return best;
    }
    const std::vector<ThreadStep>& steps() const { return steps_; }

  private:
    const Fragment* fragment() const {
        for (const Fragment& f : warp_.fragments)
            if ((f.mask >> lane_ & 1) != 0) return &f;
        return nullptr;
    }
    bool step() {
        const Fragment* f = fragment();
        if (!f) return false;
        if (f->state != State::ready) return others();
        Frame* frame = f->frame;
        const Instr* ip = f->ip;
        const std::uint64_t ran = f->ran;
        const ThreadStep now = seen(*frame, *ip);
        if (!run_warp(warp_, 1)) return others();
        f = fragment();
        const bool is_self = f && f->frame == frame && f->ip == ip;
        const auto& code = frame_code(now);
        const bool is_known = now.source < code.size();
        if (is_self && !(f->ran != ran && is_known && now.ptx().opcode == Opcode::bra)) return true;
        turns_ = 0;
        if (is_known && now.function->start[now.source] == static_cast<std::uint32_t>(ip - now.function->code.data()))
            steps_.push_back(now);
        const bool is_jump = is_known && (now.ptx().opcode == Opcode::bra || now.ptx().opcode == Opcode::brx);
        if (f && f->frame == frame && f->ip <= ip && is_jump) came_back(*f, now);
        return true;
    }
    static const std::vector<Instruction>& frame_code(const ThreadStep& s) { return s.function->source->body; }
    // The other warps of the block have a turn, while the thread waits for them.
    bool others() {
        if (++turns_ > kMostTurns) return false;
        bool ran = false;
        for (Warp& w : block_.warps) {
            if (w.alive != 0 && !run_.failed) ran |= run_warp(w, kTurn);
        }
        return ran;
    }
    ThreadStep seen(const Frame& frame, const Instr& i) const {
        ThreadStep out{&frame, frame.function, i.source, true, 0, 0};
        if (i.guard != kNoColumn) {
            Mask mask = 0;
            std::memcpy(&mask, frame.registers + i.guard, sizeof mask);
            out.on = ((mask >> lane_ & 1) != 0) != i.guard_negated;
        }
        if (i.source >= frame.function->source->body.size()) return out;
        const Instruction& ptx = out.ptx();
        if (ptx.opcode == Opcode::setp && ptx.operands.size() == 3) {
            out.a = bits_of(run_, frame, lane_, ptx.operands[1]);
            out.b = bits_of(run_, frame, lane_, ptx.operands[2]);
        }
        return out;
    }
    void came_back(const Fragment& f, const ThreadStep& last) {
        LoopHead& head = heads_[{f.frame, f.ip->source}];
        head.frame = f.frame;
        head.function = f.frame->function;
        head.source = f.ip->source;
        head.branch = std::max(head.branch, last.source);
        head.begins.push_back(steps_.size());
        head.before = std::move(head.now);
        head.now = registers_of(run_, *f.frame, lane_);
    }

    Run& run_;
    Block& block_;
    Warp& warp_;
    const int lane_;
    std::vector<ThreadStep> steps_;
    std::map<std::pair<const Frame*, std::uint32_t>, LoopHead> heads_;
    int turns_ = 0;
};

// ---- In words ----

// The condition of a loop or an if, as the line has it: "while (i < n)". "" if there is none.
std::string condition_in(const std::string& line) {
    for (const char* word : {"while", "for", "if"}) {
        const std::string name = word;
        for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
            const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
            const std::size_t end = at + name.size();
            if ((at > 0 && is_part(line[at - 1])) || (end < line.size() && is_part(line[end]))) continue;
            const std::size_t open = line.find_first_not_of(' ', end);
            if (open == std::string::npos || line[open] != '(') continue;
            int depth = 0;
            for (std::size_t n = open; n < line.size(); ++n) {
                depth += line[n] == '(' ? 1 : line[n] == ')' ? -1 : 0;
                if (depth == 0) return line.substr(at, n + 1 - at);
            }
        }
    }
    return "";
}

std::string quoted(const std::string& line) {
    std::string text = condition_in(line);
    if (text.empty()) {
        const std::size_t from = line.find_first_not_of(" \t");
        text = from == std::string::npos ? "" : line.substr(from);
    }
    if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
    return text.empty() ? "" : "`" + text + "`";
}

Type type_of(const Instruction& setp) {
    Type out = Type::none;
    for (const std::string& m : setp.modifiers)
        if (const Type t = ptx::type_named(m); t != Type::none) out = t;
    return out;
}

std::string in_words(std::uint64_t bits, Type type) {
    const auto sign_extended = [&](int width) {
        return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
    };
    switch (type) {
        case Type::s16:
            return grouped(std::to_string(sign_extended(16)));
        case Type::s32:
            return grouped(std::to_string(sign_extended(32)));
        case Type::s64:
            return grouped(std::to_string(sign_extended(64)));
        case Type::u16:
        case Type::b16:
            return grouped(std::to_string(bits & 0xFFFF));
        case Type::u32:
        case Type::b32:
            return grouped(std::to_string(bits & 0xFFFF'FFFF));
        case Type::u64:
        case Type::b64:
            return grouped(std::to_string(bits));
        case Type::f32:
        case Type::f64: {
            char text[32];
            const double value = type == Type::f64
                                     ? std::bit_cast<double>(bits)
                                     : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
            std::snprintf(text, sizeof text, "%g", value);
            return text;
        }
        default:
            return "";
    }
}

// Whether the numbers are the student's: the compiler may compare something else, as an address, or the index of the
// next round. A constant has to stand in the line.
bool may_be_shown(const Instruction& setp, std::uint64_t a, std::uint64_t b, const std::string& quote) {
    const Type type = type_of(setp);
    if (in_words(a, type).empty() || in_words(b, type).empty()) return false;
    const bool is_wide = type == Type::s64 || type == Type::u64 || type == Type::b64;
    const auto is_large = [](std::uint64_t bits) {
        const auto value = static_cast<std::int64_t>(bits);
        return static_cast<std::uint64_t>(value < 0 ? -value : value) > kLikeAnAddress;
    };
    if (is_wide && (is_large(a) || is_large(b))) return false;
    for (std::size_t n = 1; n < 3; ++n) {
        const Operand& o = setp.operands[n];
        if (o.kind == Operand::Kind::reg) continue;
        if (o.kind != Operand::Kind::imm || o.is_float) return false;
        const std::string digits = std::to_string(static_cast<std::int64_t>(o.bits));
        const auto is_digit = [&](std::size_t at) {
            return at < quote.size() && std::isalnum(static_cast<unsigned char>(quote[at])) != 0;
        };
        bool found = false;
        for (std::size_t at = quote.find(digits); at != std::string::npos; at = quote.find(digits, at + 1))
            found |= (at == 0 || !is_digit(at - 1)) && !is_digit(at + digits.size());
        if (!found) return false;
    }
    return true;
}

bool is_less(Type type, std::uint64_t x, std::uint64_t y) {
    switch (type) {
        case Type::s32:
            return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
        case Type::s64:
            return static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
        default:
            return x < y;
    }
}

// While a loop goes on, its condition holds: of `x < y`, x is the smaller one, whichever the compiler names first.
bool is_turned(const std::string& quote, Type type, std::uint64_t a, std::uint64_t b) {
    const std::size_t at = quote.find_first_of("<>");
    if (at == std::string::npos || quote.find_first_of("<>", at + 1) != std::string::npos) return false;
    if (type == Type::f32 || type == Type::f64 || (at > 0 && quote[at - 1] == '-')) return false;
    return quote[at] == '<' ? is_less(type, b, a) : is_less(type, a, b);
}

// How a value changes from round to round: " (growing)".
std::string trend(const std::vector<std::uint64_t>& values, Type type) {
    const auto less = [&](std::uint64_t x, std::uint64_t y) { return is_less(type, x, y); };
    bool same = true, up = true, down = true;
    for (std::size_t n = 0; n + 1 < values.size(); ++n) {
        same &= values[n] == values[n + 1];
        up &= less(values[n], values[n + 1]);
        down &= less(values[n + 1], values[n]);
    }
    return same                                     ? ""
           : type == Type::f32 || type == Type::f64 ? " (changing)"
           : up                                     ? " (growing)"
           : down                                   ? " (shrinking)"
                                                    : " (changing)";
}

bool changes_in(const Function& f, const std::vector<bool>& body, const Operand& o) {
    if (o.kind != Operand::Kind::reg) return false;
    for (std::size_t n = 0; n < f.source->body.size(); ++n)
        if (body[n] && writes(f.source->body[n], o.index)) return true;
    return false;
}

// The header of the loop around a line, by its indentation: the number of lines above, 0 if there is none.
int lines_to_loop(const std::vector<std::string>& lines, int number) {
    const auto indent = [](const std::string& line) { return line.find_first_not_of(" \t"); };
    if (number < 2 || static_cast<std::size_t>(number) > lines.size()) return 0;
    std::size_t inner = indent(lines[static_cast<std::size_t>(number) - 1]);
    for (int n = number - 1; n > 0; --n) {
        const std::string& line = lines[static_cast<std::size_t>(n) - 1];
        const std::size_t own = indent(line);
        if (own == std::string::npos || own >= inner) continue;
        inner = own;
        const std::string condition = condition_in(line);
        if (condition.starts_with("while") || condition.starts_with("for")) return number - n;
        if (own == 0) return 0;
    }
    return 0;
}

// Whether the line reads memory that another thread may write. In a loop without a way out, the compiler has read it
// once: whoever waits there waits for another thread.
bool reads_once(const Run& run, const Function& f, Place branch) {
    const SourcePlace at = run.reporter.source(branch);
    for (std::uint32_t n = 0; n < f.source->body.size(); ++n) {
        const Instruction& i = f.source->body[n];
        if (i.opcode != Opcode::ld || i.has("param") || i.has("const") || i.where.line <= 0) continue;
        const SourcePlace there = run.reporter.source({&f, n});
        if (there.file == at.file && there.line == at.line) return true;
    }
    return false;
}

// A loop without a way out has lost its condition: the compiler saw that it never changes. It is asked once, before the
// first round, on the line of the branch that goes back.
const Instruction* asked_before(const Run& run, const LoopHead& head, const std::vector<bool>& body, Place branch) {
    const Function& f = *head.function;
    const SourcePlace at = run.reporter.source(branch);
    const Instruction* found = nullptr;
    for (std::uint32_t n = 0; n < f.source->body.size(); ++n) {
        const Instruction& i = f.source->body[n];
        if (body[n] || i.opcode != Opcode::setp || i.operands.size() != 3 || f.source->body[n].where.line <= 0)
            continue;
        const SourcePlace there = run.reporter.source({&f, n});
        if (there.file != at.file || there.line != at.line) continue;
        if (changes_in(f, body, i.operands[1]) || changes_in(f, body, i.operands[2])) continue;
        if (found) return nullptr;  // which of the two it is, nobody can say
        found = &i;
    }
    return found;
}

WatchedLoop described(const Run& run, const LoopHead& head, const std::vector<bool>& body, Warp& warp, int lane,
                      const std::vector<ThreadStep>& steps, bool is_proved) {
    WatchedLoop out;
    out.warp = &warp;
    out.thread = static_cast<std::uint32_t>(warp.number * kLanes + lane);
    out.is_endless = is_proved || repeats_forever(head, steps);
    const std::vector<Exit> exits = exits_of(head, body, steps);
    const Place last{head.function, head.branch};
    const auto line = [&](Place p) { return run.reporter.source(p).text; };
    const std::string rounds = grouped(std::to_string(head.begins.size() - 1));
    if (exits.empty()) {
        out.place = last;
        out.quoted = quoted(line(last));
        out.is_endless = out.is_endless && !reads_once(run, *head.function, last);
        const bool has_way_out = std::ranges::any_of(steps, [&](const ThreadStep& s) {
            return s.frame == head.frame && s.ptx().guard >= 0 && s.ptx().opcode == Opcode::bra;
        });
        const Instruction* setp = has_way_out ? nullptr : asked_before(run, head, body, last);
        if (setp && !condition_in(line(last)).empty()) {
            std::uint64_t a = bits_of(run, *head.frame, lane, setp->operands[1]);
            std::uint64_t b = bits_of(run, *head.frame, lane, setp->operands[2]);
            if (is_turned(out.quoted, type_of(*setp), a, b)) std::swap(a, b);
            if (may_be_shown(*setp, a, b, out.quoted))
                out.said = "it compares " + in_words(a, type_of(*setp)) + " with " + in_words(b, type_of(*setp)) +
                           ", and nothing in the loop changes either";
        }
        if (out.said.empty() && !has_way_out) out.said = "nothing in the loop ends it or changes its condition";
        if (out.said.empty()) out.said = rounds + " rounds were watched";
        return out;
    }
    // The loop's own condition, or else the last of the others.
    const Exit* chosen = nullptr;
    for (const Exit& exit : exits) {
        const std::string text = condition_in(line(exit.branch));
        if (!chosen || text.starts_with("while") || text.starts_with("for")) chosen = &exit;
    }
    out.place = condition_in(line(chosen->branch)).empty() ? chosen->compare : chosen->branch;
    out.quoted = quoted(line(out.place));
    const Type type = type_of(*chosen->setp);
    const bool may_show =
        !chosen->a.empty() && may_be_shown(*chosen->setp, chosen->a.back(), chosen->b.back(), out.quoted);
    const std::string own = condition_in(line(out.place));
    if (!own.starts_with("while") && !own.starts_with("for")) {  // an if, or a break: the loop is around it
        out.above = lines_to_loop(run.reporter.lines(out.place), run.reporter.source(out.place).line);
        const std::size_t at = static_cast<std::size_t>(run.reporter.source(out.place).line - out.above) - 1;
        if (out.above > 0) out.quoted = quoted(run.reporter.lines(out.place)[at]);
    }
    if (may_show && out.above == 0) {
        const bool turned = is_turned(out.quoted, type, chosen->a.back(), chosen->b.back());
        const auto &a = turned ? chosen->b : chosen->a, &b = turned ? chosen->a : chosen->b;
        out.said = "it compares " + in_words(a.back(), type) + trend(a, type) + " with " + in_words(b.back(), type) +
                   trend(b, type);
        if (chosen->is_same()) out.said += " in each of the last " + rounds + " rounds";
    }
    if (out.is_endless) {
        const std::string why = chosen->is_same() && may_show && out.above == 0
                                    ? "nothing in the loop changes that"
                                    : "each round is the same as the one before";
        out.said += (out.said.empty() ? "" : ": ") + why;
    }
    if (out.said.empty()) out.said = rounds + " rounds were watched";
    return out;
}

}  // namespace

std::optional<WatchedLoop> watch_loop(Run& run, const std::vector<Block*>& blocks, std::size_t most, bool is_proved) {
    Block* block = nullptr;
    Warp* warp = nullptr;
    const Fragment* longest = nullptr;
    for (Block* b : blocks)
        for (Warp& w : b->warps)
            for (const Fragment& f : w.fragments)
                if (f.state == State::ready && (!longest || f.ran > longest->ran)) block = b, warp = &w, longest = &f;
    if (!longest) return std::nullopt;
    const int lane = first_lane(longest->mask);
    Watcher watcher(run, *block, *warp, lane);
    std::optional<WatchedLoop> seen;  // which the thread may leave after many rounds more
    for (std::size_t steps = kFewThreadSteps;; steps *= 4) {
        if (!watcher.go_on(steps)) return seen;
        std::vector<bool> body;
        if (const LoopHead* head = watcher.loop(body))
            seen = described(run, *head, body, *warp, lane, watcher.steps(), is_proved);
        if (steps >= most || (seen && seen->is_endless)) return seen;
    }
}

std::string at_loop(const Run& run, const WatchedLoop& loop) {
    std::string at = run.reporter.at(loop.place);
    const std::size_t colon = at.rfind(':');
    if (loop.above == 0 || colon == std::string::npos) return at;
    return at.substr(0, colon + 1) + std::to_string(run.reporter.source(loop.place).line - loop.above);
}

std::string in_words(const Run& run, const WatchedLoop& loop) {
    return run.reporter.thread_name(*loop.warp->block, loop.thread) +
           (loop.is_endless ? " never leaves the loop " : " is in the loop ") +
           (loop.quoted.empty() ? "" : loop.quoted + " ") + "at " + at_loop(run, loop) + ": " + loop.said;
}

void report_endless(Run& run, const WatchedLoop& loop) {
    const std::string what = in_words(run, loop);
    Finding* f = nullptr;
    if (run.reporter.add(Kind::endless, loop.place, {}, f)) {
        f->what = what;
        f->thread = run.thread_index(loop.thread);
        f->block = loop.warp->block->index;
        f->help = "something that the loop's condition depends on must change in each round";
    }
    run.fail(Status::launch_failure, "kernel " + run.reporter.kernel_name() + " has an endless loop: " + what);
}

bool LoopWatch::has_found(const std::vector<Block*>& blocks) {
    const Progress& p = run_.progress;
    if (next_ == 0) next_ = run_.counting ? kLongCounted : kLongGrid;
    if (p.steps < next_) return false;
    const bool is_long = next_ > kLongCounted;
    next_ = p.steps * 2;
    std::uint64_t longest = 0;
    for (const Block* b : blocks)
        for (const Warp& w : b->warps)
            for (const Fragment& f : w.fragments) longest = std::max(longest, f.ran);
    if (longest < (run_.counting ? kLongRunCounted : kLongRun)) return false;
    const std::optional<WatchedLoop> loop =
        is_long ? watch_loop(run_, blocks) : watch_loop(run_, blocks, kSomeThreadSteps);
    if (!loop || !loop->is_endless || run_.failed) return false;
    report_endless(run_, *loop);
    return true;
}

std::string progress_in_words(std::uint64_t ended, std::uint64_t blocks) {
    if (blocks < 2) return "";
    return grouped(std::to_string(ended)) + " of " + grouped(std::to_string(blocks)) + " blocks had ended";
}

}  // namespace vgpu
