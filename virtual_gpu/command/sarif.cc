// SARIF 2.1.0, the format in which editors and code hosts read what a tool has found.
#include <filesystem>

#include "virtual_gpu/command/print.h"
#include "virtual_gpu/json.h"
#include "virtual_gpu/report_json.h"

namespace vgpu::command {
namespace {

constexpr const char* kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

// A path as a URI: relative to the working folder if it is below it.
std::string uri_of(const std::string& file) {
    const std::string path = shown_path(file);
    constexpr std::string_view kPlain = "-._~/";
    std::string uri = path.starts_with("/") ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x80 && std::isalnum(byte) != 0) || kPlain.find(c) != std::string_view::npos) {
            uri += c;
        } else {
            char escaped[4];
            std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned>(byte));
            uri += escaped;
        }
    }
    return uri;
}

void message(Json& json, std::string_view name, const std::string& text) {
    json.key(name);
    json.open('{');
    json.field("text", text);
    json.close('}');
}

void physical(Json& json, const SourcePlace& place) {
    json.key("physicalLocation");
    json.open('{');
    json.key("artifactLocation");
    json.open('{');
    json.field("uri", uri_of(place.file));
    json.close('}');
    if (place.line > 0) {
        json.key("region");
        json.open('{');
        json.number("startLine", place.line);
        if (!place.text.empty()) {
            message(json, "snippet", place.text);
        }
        json.close('}');
    }
    json.close('}');
}

void location(Json& json, const Results& results, const Finding& f) {
    json.open('{');
    physical(json, f.place.line > 0 ? f.place : SourcePlace{results.program, 0, ""});
    if (!f.kernel.empty()) {
        json.key("logicalLocations");
        json.open('[');
        json.open('{');
        json.field("fullyQualifiedName", f.kernel);
        json.field("kind", "function");
        json.close('}');
        json.close(']');
    }
    json.close('}');
}

void related(Json& json, int id, const SourcePlace& place, const std::string& text) {
    json.open('{');
    json.number("id", id);
    physical(json, place);
    message(json, "message", text);
    json.close('}');
}

void result(Json& json, const Results& results, const SeenFinding& seen) {
    const Finding& f = seen.finding;
    json.open('{');
    json.field("ruleId", name_of(f.kind));
    json.number("ruleIndex", static_cast<int>(f.kind));
    json.field("level", f.is_note ? "note" : "error");
    message(json, "message", f.what + (f.help.empty() ? "" : ". What helps: " + f.help));
    json.key("locations");
    json.open('[');
    location(json, results, f);
    json.close(']');
    const bool same_place = f.other_place.line == f.place.line && f.other_place.file == f.place.file;
    const bool has_other = f.other_place.line > 0 && !same_place;
    if (has_other || f.launch.place.line > 0) {
        json.key("relatedLocations");
        json.open('[');
        if (has_other) {
            related(json, 1, f.other_place, "the other line");
        }
        if (f.launch.place.line > 0) {
            related(json, has_other ? 2 : 1, f.launch.place, f.launch.what);
        }
        json.close(']');
    }
    json.number("occurrenceCount", f.count > 0 ? f.count : 1);
    json.key("properties");
    json.open('{');
    json.key("seeds");
    json.open('[');
    for (const std::uint64_t seed : seen.seeds) {
        json.element(seed);
    }
    json.close(']');
    if (f.launch.grid != Index3{} || f.launch.block != Index3{}) {
        json.field("launch", f.launch.what);
        write(json, "grid", f.launch.grid);
        write(json, "block", f.launch.block);
        json.number("sharedBytes", f.launch.shared_bytes);
    }
    if (f.threads != 0) {
        json.number("threads", f.threads);
    }
    json.close('}');
    json.close('}');
}

void rule(Json& json, Kind kind) {
    Finding finding;
    finding.kind = kind;
    json.open('{');
    json.field("id", name_of(kind));
    message(json, "shortDescription", general_title(kind));
    if (const std::string why = words_of(finding).why; !why.empty()) {
        message(json, "fullDescription", why);
    }
    json.close('}');
}

}  // namespace

std::string results_sarif(const Results& results) {
    Json json;
    json.open('{');
    json.field("$schema", kSchema);
    json.field("version", "2.1.0");
    json.key("runs");
    json.open('[');
    json.open('{');
    json.key("tool");
    json.open('{');
    json.key("driver");
    json.open('{');
    json.field("name", "virtual-gpu");
    json.key("rules");
    json.open('[');
    const std::size_t kinds = kind_names().size();
    for (std::size_t i = 0; i < kinds; ++i) {
        rule(json, static_cast<Kind>(i));
    }
    json.close(']');
    json.close('}');
    json.close('}');
    json.key("invocations");
    json.open('[');
    for (const int status : results.statuses) {
        json.open('{');
        json.field("executionSuccessful", true);  // of the tool; what the program returned is its own
        json.number("exitCode", status);
        json.key("arguments");
        json.open('[');
        for (const std::string& word : results.command) {
            json.text(word);
        }
        json.close(']');
        json.close('}');
    }
    json.close(']');
    json.key("results");
    json.open('[');
    for (const SeenFinding& seen : results.findings) {
        result(json, results, seen);
    }
    json.close(']');
    json.close('}');
    json.close(']');
    json.close('}');
    return json.take() + "\n";
}

}  // namespace vgpu::command
