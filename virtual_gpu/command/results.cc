#include "virtual_gpu/command/results.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "virtual_gpu/command/json_value.h"

namespace vgpu::command {
namespace {

struct Row {
    const char *name, *title, *why;
};
constexpr Row kRows[] = {
#define X(name, title, why) {name, title, why},
#include "virtual_gpu/findings.inc"
#undef X
};

const Row* row_of(std::string_view name) {
    const auto* found = std::ranges::find(kRows, name, [](const Row& row) { return std::string_view(row.name); });
    return found != std::end(kRows) ? found : nullptr;
}

std::string filled(std::string text, const std::string& space, const std::string& access) {
    for (const auto& [word, value] : {std::pair("{space}", space), std::pair("{access}", access)}) {
        if (const std::size_t at = text.find(word); at != std::string::npos) {
            text.replace(at, std::strlen(word), value);
        }
    }
    return text;
}

Index3 index3(const JsonValue& value) {
    Index3 index{};
    for (std::size_t i = 0; i < std::min<std::size_t>(index.size(), value.items.size()); ++i) {
        index[i] = static_cast<std::uint32_t>(value.items[i].natural());
    }
    return index;
}

SourcePlace place(const JsonValue& value) {
    return {value["file"].text, static_cast<int>(value["line"].integer()), value["text"].text};
}

LaunchSite launch_site(const JsonValue& value) {
    LaunchSite site;
    site.place = place(value["place"]);
    site.grid = index3(value["grid"]);
    site.block = index3(value["block"]);
    site.shared_bytes = static_cast<std::uint32_t>(value["shared_bytes"].natural());
    site.by_kernel = value["by_kernel"].boolean;
    site.what = value["what"].text;
    return site;
}

Counters counters(const JsonValue& value) {
    Counters c;
#define X(member) c.member = value[#member].natural();
#include "virtual_gpu/counters.inc"
#undef X
    return c;
}

// False: a kind that this command does not know.
bool read_finding(const JsonValue& value, Finding& f) {
    const std::vector<std::string> names = kind_names();
    const auto kind = std::ranges::find(names, value["kind"].text);
    if (kind == names.end()) {
        return false;
    }
    f.kind = static_cast<Kind>(kind - names.begin());
    f.is_note = value["is_note"].boolean;
    f.kernel = value["kernel"].text;
    f.what = value["what"].text;
    f.help = value["help"].text;
    f.access = value["access"].text;
    f.space = value["space"].text;
    f.place = place(value["place"]);
    f.other_place = place(value["other_place"]);
    f.thread = index3(value["thread"]);
    f.block = index3(value["block"]);
    f.other_thread = index3(value["other_thread"]);
    f.other_block = index3(value["other_block"]);
    f.array = value["array"].text;
    f.index = value["index"].integer();
    f.array_bytes = value["array_bytes"].natural();
    f.access_bytes = static_cast<int>(value["access_bytes"].integer());
    f.count = value["count"].natural();
    f.threads = value["threads"].natural();
    f.launch = launch_site(value["launch"]);
    return true;
}

KernelReport kernel(const JsonValue& value) {
    KernelReport k;
    k.name = value["name"].text;
    k.by_kernel = value["by_kernel"].boolean;
    k.launches = value["launches"].natural();
    k.grid = index3(value["grid"]);
    k.block = index3(value["block"]);
    k.shared_bytes = static_cast<std::uint32_t>(value["shared_bytes"].natural());
    k.registers = static_cast<int>(value["registers"].integer());
    k.seconds = value["seconds"].real();
    k.limited_by = value["limited_by"].text;
    k.order_free = value["order_free"].boolean;
    k.total = counters(value["total"]);
    for (const JsonValue& line : value["lines"].items) {
        k.lines.push_back({place(line["place"]), counters(line["counters"])});
    }
    return k;
}

bool same(const SourcePlace& a, const SourcePlace& b) { return a.line == b.line && a.file == b.file; }

// As the library tells two findings of one run apart. What has no place is told apart by its words.
bool same(const Finding& a, const Finding& b) {
    return a.kind == b.kind && a.kernel == b.kernel && a.space == b.space && a.access == b.access &&
           a.array == b.array && same(a.place, b.place) && same(a.other_place, b.other_place) &&
           (a.place.line != 0 || a.what == b.what || !a.kernel.empty());
}

}  // namespace

bool read_report(const std::string& json, Report& out) {
    JsonValue value;
    if (!read_json(json, value) || value["version"].integer() != 1) {
        return false;
    }
    for (const JsonValue& one : value["findings"].items) {
        if (Finding f; read_finding(one, f)) {
            out.findings.push_back(std::move(f));
        }
    }
    for (const JsonValue& one : value["kernels"].items) {
        out.kernels.push_back(kernel(one));
    }
    out.seconds = value["seconds"].real();
    out.least_seconds = value["least_seconds"].real();
    out.least_by = value["least_by"].text;
    out.bytes_to_host = value["bytes_to_host"].natural();
    out.bytes_to_device = value["bytes_to_device"].natural();
    out.host_seconds = value["host_seconds"].real();
    return true;
}

void Results::add(const Report& report) {
    used_device = true;
    const std::uint64_t seed = seeds.back();
    if (seeds.size() == 1) {
        kernels.insert(kernels.end(), report.kernels.begin(), report.kernels.end());
        seconds += report.seconds;
    }
    for (const Finding& finding : report.findings) {
        const auto old =
            std::ranges::find_if(findings, [&](const SeenFinding& seen) { return same(seen.finding, finding); });
        if (old == findings.end()) {
            findings.push_back({finding, {seed}});
        } else {
            old->finding.count += finding.count;
            if (old->seeds.back() != seed) {
                old->seeds.push_back(seed);
            }
        }
    }
}

bool Results::has_defects() const {
    return std::ranges::any_of(findings, [](const SeenFinding& seen) { return !seen.finding.is_note; });
}

std::size_t Results::notes() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(findings, [](const SeenFinding& seen) { return seen.finding.is_note; }));
}

int Results::exit_status() const {
    if (has_defects()) {
        return 1;
    }
    const auto failed = std::ranges::find_if(statuses, [](int status) { return status != 0; });
    return failed != statuses.end() ? *failed : 0;
}

KindWords words_of(const Finding& finding) {
    const std::string name = name_of(finding.kind);
    const Row* row = row_of(name + " " + finding.space);
    const Row* general = row_of(name);
    KindWords words;
    if (row != nullptr || general != nullptr) {
        words.title = (row != nullptr ? row : general)->title;
    }
    if (general != nullptr) {
        words.why = general->why;
    }
    return words;
}

std::string title_of(const Finding& finding) {
    return filled(words_of(finding).title, finding.space.empty() ? "device" : finding.space,
                  finding.access.empty() ? "access" : finding.access);
}

std::string general_title(Kind kind) {
    Finding finding;
    finding.kind = kind;
    return title_of(finding);
}

std::vector<std::string> kind_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (int i = 0; std::strcmp(name_of(static_cast<Kind>(i)), "unknown") != 0; ++i) {
            all.emplace_back(name_of(static_cast<Kind>(i)));
        }
        return all;
    }();
    return names;
}

}  // namespace vgpu::command
