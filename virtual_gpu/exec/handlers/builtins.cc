#include "virtual_gpu/exec/handlers/builtins.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "virtual_gpu/exec/launch/device_runtime.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {

std::uint64_t argument_of(const Warp& w, const Instr* i, int lane, std::size_t n, std::uint32_t at) {
    const CallSite& site = w.function->calls[i->aux];
    std::uint64_t value = 0;
    if (n >= site.argument_places.size() || at >= site.argument_places[n].second) return 0;
    const auto [first, bytes] = site.argument_places[n];
    std::memcpy(&value, w.frame->params + static_cast<std::size_t>(lane) * w.function->param_bytes + first + at,
                std::min<std::size_t>(bytes - at, 8));
    return value;
}

void give_back(const Warp& w, const Instr* i, int lane, std::uint64_t value) {
    const CallSite& site = w.function->calls[i->aux];
    if (site.return_places.empty()) return;
    std::memcpy(
        w.frame->params + static_cast<std::size_t>(lane) * w.function->param_bytes + site.return_places[0].first,
        &value, std::min<std::size_t>(site.return_places[0].second, 8));
    params_defined(*w.frame, lane, site.return_places[0].first, site.return_places[0].second);
}

namespace {

constexpr std::size_t kLongestText = 1 << 16;
constexpr std::size_t kPrintfBuffer = 16u << 20;  // of a launch; what comes after is dropped, as on a GPU
constexpr std::int32_t kWidest = 4096;            // of an argument, and the most digits of one

std::string text_at(Warp& w, const Instr* i, int lane, DevicePtr at) {
    std::string s;
    while (s.size() < kLongestText) {
        const std::uint8_t* c = peek(w, i, lane, at + s.size(), 1);
        if (!c || *c == 0) break;
        s += static_cast<char>(*c);
    }
    return s;
}

__attribute__((format(printf, 2, 3))) void append(std::string& out, const char* format, ...) {
    char buffer[512];
    va_list list;
    va_start(list, format);
    va_list again;
    va_copy(again, list);
    const int n = std::vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    if (n >= static_cast<int>(sizeof buffer)) {
        std::string big(static_cast<std::size_t>(n) + 1, '\0');
        std::vsnprintf(big.data(), big.size(), format, again);
        big.pop_back();
        out += big;
    } else if (n > 0) {
        out.append(buffer, static_cast<std::size_t>(n));
    }
    va_end(again);
}

// The arguments lie one after the other, each aligned to its size, as in C's varargs after promotion.
struct Arguments {
    Warp& w;
    const Instr* i;
    int lane;
    DevicePtr at;
    int count = 0;
    // Whether the call has written it; the format may ask for more, or for a wider one.
    bool is_given(std::uint64_t bytes) const {
        if (!is_local(at)) return at >= 0x10000;  // null: it gives none
        const std::uint64_t in_local = local_offset(at);
        if (in_local + bytes > w.frame->local_base + w.function->local_bytes) return false;
        const std::size_t first = static_cast<std::size_t>(lane) * w.local.capacity + in_local;
        return !w.run->checking || std::all_of(&w.local.written[first], &w.local.written[first] + bytes,
                                               [](std::uint8_t flag) { return flag != kNeverWritten; });
    }
    std::uint64_t next(int bytes) {
        const auto size = static_cast<DevicePtr>(bytes);
        at = (at + size - 1) / size * size;
        std::uint64_t value = 0;
        ++count;
        if (!is_given(size)) {
            Reporter& reporter = w.run->reporter;
            const auto thread = static_cast<std::uint32_t>(w.number * kLanes + lane);
            reporter.found(
                w, i, Mask{1} << lane, Kind::uninitialized,
                reporter.thread_name(*w.block, thread) + ": the format of printf() at " +
                    reporter.at(reporter.place(w, i)) + " asks for argument " + std::to_string(count) +
                    " after it, of " + std::to_string(bytes) + " bytes, which the call does not give",
                "%d and %u take an int, %lld a long long, %f a double, %s a pointer: count the arguments, and "
                "compare their types");
            at += size;
            return value;
        }
        if (const std::uint8_t* p = peek(w, i, lane, at, bytes)) std::memcpy(&value, p, size);
        if (OriginId origin = 0; is_undefined(w, i, lane, at, bytes, origin))
            use_undefined(w, i, lane, origin, "is printed");
        at += size;
        return value;
    }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void print(std::string& out, const std::string& format, Arguments& arguments) {
    for (std::size_t k = 0; k < format.size() && out.size() <= kPrintfBuffer; ++k) {
        if (format[k] != '%') {
            out += format[k];
            continue;
        }
        std::string spec = "%";
        bool is_long = false;
        std::int32_t number = 0;
        for (++k; k < format.size(); ++k) {
            const char c = format[k];
            if (c == '*') {
                spec += std::to_string(std::clamp(static_cast<std::int32_t>(arguments.next(4)), -kWidest, kWidest));
            } else if (c >= '0' && c <= '9') {
                number = 10 * number + (c - '0');
                if (number > kWidest)
                    number /= 10;  // the digit is dropped
                else
                    spec += c;
            } else if (std::strchr("-+ #.", c)) {
                spec += c;
                number = 0;
            } else if (std::strchr("lzjtq", c)) {
                is_long = true;
            } else if (c != 'h') {
                break;
            }
            if (spec.size() > 60) break;
        }
        if (k >= format.size()) {
            out += spec;
            break;
        }
        const char c = format[k];
        switch (c) {
            case '%':
                out += '%';
                break;
            case 'd':
            case 'i':
                append(out, (spec + "lld").c_str(),
                       is_long ? static_cast<long long>(arguments.next(8))
                               : static_cast<long long>(static_cast<std::int32_t>(arguments.next(4))));
                break;
            case 'u':
            case 'x':
            case 'X':
            case 'o':
                append(out, (spec + "ll" + c).c_str(),
                       static_cast<unsigned long long>(arguments.next(is_long ? 8 : 4)));
                break;
            case 'c':
                append(out, (spec + "c").c_str(), static_cast<int>(arguments.next(4)));
                break;
            case 'p':
                append(out, (spec + "p").c_str(), reinterpret_cast<void*>(arguments.next(8)));
                break;
            case 's': {
                const DevicePtr text = arguments.next(8);
                append(out, (spec + "s").c_str(),
                       text == 0 ? "(null)" : text_at(arguments.w, arguments.i, arguments.lane, text).c_str());
                break;
            }
            case 'f':
            case 'F':
            case 'e':
            case 'E':
            case 'g':
            case 'G':
            case 'a':
            case 'A': {
                const std::uint64_t bits = arguments.next(8);
                double value;
                std::memcpy(&value, &bits, 8);
                append(out, (spec + c).c_str(), value);
                break;
            }
            default:
                out += spec + c;
        }
    }
}
#pragma GCC diagnostic pop

const Instr* device_printf(const Instr* i, Warp& w, Mask m) {
    for (int lane : lanes(m)) {
        Arguments arguments{w, i, lane, argument_of(w, i, lane, 1)};
        std::string line;
        print(line, text_at(w, i, lane, argument_of(w, i, lane, 0)), arguments);
        std::string& out = w.run->result.printf_text;
        if (out.size() + line.size() <= kPrintfBuffer) out += line;
        give_back(w, i, lane, static_cast<std::uint64_t>(arguments.count));
    }
    return i + 1;
}

const Instr* assert_fail(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    const int lane = first_lane(m);
    const std::string text = text_at(w, i, lane, argument_of(w, i, lane, 0));
    const std::string file = text_at(w, i, lane, argument_of(w, i, lane, 1));
    const auto line = static_cast<std::uint32_t>(argument_of(w, i, lane, 2));
    const std::size_t slash = file.rfind('/');
    const auto thread = static_cast<std::uint32_t>(w.number * kLanes + lane);
    // As CUDA writes it: a line for each thread, the function as the compiler wrote it.
    const std::string function = text_at(w, i, lane, argument_of(w, i, lane, 3));
    for (int failing : lanes(m)) {
        const Index3 b = w.block->index, t = run.thread_index(static_cast<std::uint32_t>(w.number * kLanes + failing));
        if (run.result.assertions.size() > kPrintfBuffer) break;
        append(run.result.assertions, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               file.c_str(), line, function.c_str(), b[0], b[1], b[2], t[0], t[1], t[2], text.c_str());
    }
    const std::string what = "assertion `" + text + "' failed in " + run.reporter.thread_name(*w.block, thread) +
                             ", at " + (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" +
                             std::to_string(line);
    if (!run.has_asserted()) {
        run.result.status = Status::device_assert;
        run.result.message = what;
        run.progress.asserted = run.progress.steps;
    }
    run.reporter.found(w, i, m, Kind::device_assert, what, "");
    return leave_kernel(i, w, m);
}

const Instr* device_malloc(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    for (int lane : lanes(m)) {
        DevicePtr at = 0;
        const std::uint64_t bytes = argument_of(w, i, lane, 0);
        constexpr std::uint64_t kHeap = 8u << 20;  // cudaLimitMallocHeapSize
        if (bytes <= kHeap && run.device_runtime.heap + bytes <= kHeap &&
            run.memory.allocate(bytes, "malloc at " + run.reporter.at(run.reporter.place(w, i)), at, true) ==
                Status::ok) {
            run.memory.set_aside(at);
            run.device_runtime.heap += bytes;
        }
        give_back(w, i, lane, at);
    }
    run.progress.note();
    return i + 1;
}

const Instr* device_free(const Instr* i, Warp& w, Mask m) {
    Run& run = *w.run;
    for (int lane : lanes(m)) {
        const DevicePtr at = argument_of(w, i, lane, 0);
        if (at == 0) continue;
        const Allocation* a = run.memory.find(at);
        if (a && a->from_device && !a->freed && a->base == at) {
            run.device_runtime.heap -= std::min(run.device_runtime.heap, a->bytes);
            run.memory.release(at);
            continue;
        }
        run.reporter.bad_free(w, i, lane, at, a);
        run.note_bad(Status::illegal_address);
    }
    run.progress.note();
    return i + 1;
}

}  // namespace

Handler builtin_handler(const std::string& name) {
    if (name == "vprintf") return device_printf;
    if (name == "__assertfail") return assert_fail;
    if (name == "malloc") return device_malloc;
    if (name == "free") return device_free;
    return device_runtime_handler(name);
}

}  // namespace vgpu
