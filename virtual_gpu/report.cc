#include "virtual_gpu/report.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "virtual_gpu/report_json.h"

namespace vgpu {

void write(Json& json, std::string_view name, const Index3& index) {
    json.key(name);
    json.open('[');
    for (const std::uint32_t i : index) {
        json.element(i);
    }
    json.close(']');
}

namespace {

void write(Json& json, std::string_view name, const SourcePlace& place) {
    json.key(name);
    json.open('{');
    json.field("file", place.file);
    json.number("line", place.line);
    json.field("text", place.text);
    json.close('}');
}

void write(Json& json, std::string_view name, const LaunchSite& launch) {
    json.key(name);
    json.open('{');
    write(json, "place", launch.place);
    write(json, "grid", launch.grid);
    write(json, "block", launch.block);
    json.number("shared_bytes", launch.shared_bytes);
    json.field("by_kernel", launch.by_kernel);
    json.field("what", launch.what);
    json.close('}');
}

void write(Json& json, std::string_view name, const Counters& c) {
    json.key(name);
    json.open('{');
#define X(member) json.number(#member, c.member);
#include "virtual_gpu/counters.inc"
#undef X
    json.close('}');
}

}  // namespace

void write(Json& json, const Finding& f, const std::vector<std::uint64_t>* seeds) {
    json.open('{');
    json.field("kind", std::string_view(name_of(f.kind)));
    json.field("is_note", f.is_note);
    json.field("kernel", f.kernel);
    json.field("what", f.what);
    json.field("help", f.help);
    json.field("access", f.access);
    json.field("space", f.space);
    write(json, "place", f.place);
    write(json, "other_place", f.other_place);
    write(json, "thread", f.thread);
    write(json, "block", f.block);
    write(json, "other_thread", f.other_thread);
    write(json, "other_block", f.other_block);
    json.field("array", f.array);
    json.number("index", f.index);
    json.number("array_bytes", f.array_bytes);
    json.number("access_bytes", f.access_bytes);
    json.number("count", f.count);
    json.number("threads", f.threads);
    if (f.of_race) json.field("of_race", true);
    if (f.launch.grid != Index3{} || f.launch.block != Index3{}) {  // a refused one may have no blocks
        write(json, "launch", f.launch);
    }
    if (seeds != nullptr) {
        json.key("seeds");
        json.open('[');
        for (const std::uint64_t seed : *seeds) {
            json.element(seed);
        }
        json.close(']');
    }
    json.close('}');
}

void write(Json& json, const KernelReport& k) {
    json.open('{');
    json.field("name", k.name);
    json.field("by_kernel", k.by_kernel);
    json.number("launches", k.launches);
    write(json, "grid", k.grid);
    write(json, "block", k.block);
    json.number("shared_bytes", k.shared_bytes);
    json.number("registers", k.registers);
    json.field("seconds", k.seconds);
    json.field("limited_by", k.limited_by);
    json.field("order_free", k.order_free);
    if (k.place.line != 0) {
        write(json, "place", k.place);
    }
    write(json, "total", k.total);
    json.key("lines");
    json.open('[');
    for (const LineCounters& line : k.lines) {
        json.open('{');
        write(json, "place", line.place);
        write(json, "counters", line.counters);
        json.close('}');
    }
    json.close(']');
    json.close('}');
}

namespace {

void write(Json& json, const Trace& t) {
    json.open('{');
    write(json, "place", t.place);
    json.field("kernel", t.kernel);
    write(json, "block", t.block);
    json.number("warp", t.warp);
    json.number("count", t.count);
    json.key("steps");
    json.open('[');
    for (const TraceStep& step : t.steps) {
        json.open('{');
        json.field("space", step.space);
        json.field("access", step.access);
        json.field("array", step.array);
        json.number("bytes", step.bytes);
        json.number("lanes", step.lanes);
        json.number("cost", step.cost);
        json.number("ideal", step.ideal);
        json.key("at");
        json.open('[');
        for (const std::int64_t at : step.at) {
            json.element(at);
        }
        json.close(']');
        json.close('}');
    }
    json.close(']');
    json.close('}');
}

// In base 16: not every reader of JSON has integers of 64 bits.
void write_bits(Json& json, std::string_view name, std::uint64_t value) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(value));
    json.field(name, digits);
}

void write(Json& json, std::string_view name, const Writer& w) {
    json.key(name);
    json.open('{');
    json.field("by", w.by);
    json.field("access", w.access);
    json.field("name", w.name);
    json.number("launch", w.launch);
    json.field("who", w.who);
    write(json, "place", w.place);
    json.close('}');
}

void write_reads(Json& json, std::uint64_t count, const std::vector<ValueRead>& reads, bool is_last) {
    json.number("read_count", count);
    json.key("reads");
    json.open('[');
    for (const ValueRead& read : reads) {
        json.open('{');
        json.field("space", read.space);
        json.field("access", read.access);
        json.field("array", read.array);
        json.field("element", read.element);
        json.number("index", read.index);
        json.number("bytes", read.bytes);
        write_bits(json, "value", read.value);
        write(json, "place", read.place);
        write(json, "writer", read.writer);
        if (!is_last) {
            write_reads(json, read.read_count, read.reads, true);
        }
        json.close('}');
    }
    json.close(']');
}

void write(Json& json, const Watched& watched) {
    json.open('{');
    json.field("array", watched.array);
    json.number("at", watched.at);
    json.number("bytes", watched.bytes);
    json.number("count", watched.count);
    json.key("writes");
    json.open('[');
    for (const Watched::Write& one : watched.writes) {
        json.open('{');
        write(json, "writer", one.writer);
        write_bits(json, "value", one.value);
        json.close('}');
    }
    json.close(']');
    write_reads(json, watched.read_count, watched.reads, false);
    json.close('}');
}

void write(Json& json, const Unread& unread) {
    json.open('{');
    json.field("array", unread.array);
    json.field("is_stored", unread.is_stored);
    write(json, "place", unread.place);
    json.number("bytes", unread.bytes);
    json.number("unread", unread.unread);
    json.number("lost", unread.lost);
    write_bits(json, "digest", unread.digest);
    json.key("ranges");
    json.open('[');
    for (const Unread::Range& range : unread.ranges) {
        json.open('{');
        json.number("from", range.from);
        json.number("bytes", range.bytes);
        json.field("first", range.first);
        json.field("last", range.last);
        json.close('}');
    }
    json.close(']');
    json.close('}');
}

}  // namespace

std::string index_text(const Index3& size, std::uint64_t n) {
    if (size[1] == 1 && size[2] == 1) {
        return std::to_string(n);
    }
    const Index3 i = index_in(size, n);
    return "(" + std::to_string(i[0]) + ", " + std::to_string(i[1]) +
           (size[2] != 1 ? ", " + std::to_string(i[2]) : "") + ")";
}

std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) {
        text.insert(at -= 3, ",");
    }
    return text;
}

std::string signed_with_commas(std::int64_t number) {
    const auto size = static_cast<std::uint64_t>(number);
    return number < 0 ? "-" + with_commas(0 - size) : with_commas(size);
}

std::string shape_text(const Index3& grid, const Index3& block, std::uint32_t shared_bytes) {
    const auto of = [](const Index3& size, const std::string& noun) {
        std::string text = with_commas(size[0]);
        for (std::size_t d = 1; d < 3; ++d) {
            if (size[d] != 1 || size[2] != 1) {
                text += " x " + with_commas(size[d]);
            }
        }
        const bool is_one = size[0] == 1 && size[1] == 1 && size[2] == 1;
        return text + " " + noun + (is_one ? "" : "s");
    };
    std::string text = of(grid, "block") + " of " + of(block, "thread");
    if (shared_bytes != 0) {
        text +=
            ", " + with_commas(shared_bytes) + (shared_bytes == 1 ? " byte" : " bytes") + " of dynamic shared memory";
    }
    return text;
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::out_of_bounds:
            return "out_of_bounds";
        case Kind::misaligned:
            return "misaligned";
        case Kind::use_after_free:
            return "use_after_free";
        case Kind::uninitialized:
            return "uninitialized";
        case Kind::race:
            return "race";
        case Kind::divergent_barrier:
            return "divergent_barrier";
        case Kind::deadlock:
            return "deadlock";
        case Kind::endless:
            return "endless";
        case Kind::host_access:
            return "host_access";
        case Kind::invalid_access:
            return "invalid_access";
        case Kind::trap:
            return "trap";
        case Kind::device_assert:
            return "device_assert";
        case Kind::invalid_ptx:
            return "invalid_ptx";
        case Kind::internal_error:
            return "internal_error";
        case Kind::unsupported:
            return "unsupported";
        case Kind::early_exit:
            return "early_exit";
        case Kind::leak:
            return "leak";
        case Kind::ignored_error:
            return "ignored_error";
        case Kind::deep_launch:
            return "deep_launch";
        case Kind::failed_call:
            return "failed_call";
        case Kind::block_order:
            return "block_order";
        case Kind::plain_read:
            return "plain_read";
        case Kind::co_residency:
            return "co_residency";
        case Kind::shuffle_order:
            return "shuffle_order";
        case Kind::shuffle_place:
            return "shuffle_place";
        case Kind::overflow:
            return "overflow";
    }
    return "unknown";
}

void Counters::add(const Counters& o) {
    instructions += o.instructions;
    lanes += o.lanes;
    branches += o.branches;
    divergent_branches += o.divergent_branches;
    global_loads += o.global_loads;
    global_stores += o.global_stores;
    load_sectors += o.load_sectors;
    store_sectors += o.store_sectors;
    ideal_load_sectors += o.ideal_load_sectors;
    ideal_store_sectors += o.ideal_store_sectors;
    shared_loads += o.shared_loads;
    shared_stores += o.shared_stores;
    shared_wavefronts += o.shared_wavefronts;
    ideal_wavefronts += o.ideal_wavefronts;
    bank_conflicts += o.bank_conflicts;
    atomics += o.atomics;
    atomic_lanes += o.atomic_lanes;
    most_lanes_on_one_address = std::max(most_lanes_on_one_address, o.most_lanes_on_one_address);
    atomic_sectors += o.atomic_sectors;
    local_sectors += o.local_sectors;
    barriers += o.barriers;
}

std::string to_json(const Report& report) {
    Json json;
    json.open('{');
    json.number("version", 1);
    json.field("seconds", report.seconds);
    json.field("least_seconds", report.least_seconds);
    json.field("least_by", report.least_by);
    json.number("bytes_to_host", report.bytes_to_host);
    json.number("bytes_to_device", report.bytes_to_device);
    json.number("host_seconds", report.host_seconds);
    json.key("findings");
    json.open('[');
    for (const Finding& finding : report.findings) {
        write(json, finding);
    }
    json.close(']');
    json.key("kernels");
    json.open('[');
    for (const KernelReport& kernel : report.kernels) {
        write(json, kernel);
    }
    json.close(']');
    if (report.trace) {
        json.key("trace");
        write(json, *report.trace);
    }
    if (!report.watched.empty()) {
        json.key("watched");
        json.open('[');
        for (const Watched& watched : report.watched) {
            write(json, watched);
        }
        json.close(']');
    }
    if (!report.unread.empty()) {
        json.key("unread");
        json.open('[');
        for (const Unread& unread : report.unread) {
            write(json, unread);
        }
        json.close(']');
    }
    json.close('}');
    return json.take();
}

}  // namespace vgpu
