// Source lines: the .file and .loc directives.
#include "virtual_gpu/ptx/parse_state.h"

namespace vgpu::ptx {

int Locations::file_index(std::int64_t number) {
    const auto [entry, is_new] = files_.try_emplace(number, static_cast<int>(program_.files.size()));
    if (is_new) program_.files.emplace_back();
    return entry->second;
}

void Locations::parse_file(Scanner& in) {
    const int index = file_index(in.integer("a file number"));
    program_.files[static_cast<std::size_t>(index)] = in.quoted();
    while (in.accept(',')) in.integer("time stamp or size");
}

Location Locations::parse_loc(Scanner& in) {
    const int file = file_index(in.integer("a file number"));
    const std::int64_t line = in.integer("a line"), column = in.integer("a column");
    Location here{file, static_cast<int>(line), -1};
    std::string_view function;
    std::int64_t offset = 0;
    while (in.accept(',')) {
        const std::string_view attribute = in.name("function_name or inlined_at");
        if (attribute == "function_name") {
            function = in.name("a label of .debug_str");
            if (in.accept('+')) offset = in.integer("an offset");
        } else if (attribute == "inlined_at") {
            const int at_file = file_index(in.integer("a file number"));
            const std::int64_t at_line = in.integer("a line"), at_column = in.integer("a column");
            Location at{at_file, static_cast<int>(at_line), -1};
            if (const auto known = last_at_.find({at_file, at_line, at_column}); known != last_at_.end())
                at = known->second;
            const auto key = std::make_tuple(at.file, at.line, at.inlined_at, function, offset);
            const auto [site, is_new] = sites_.try_emplace(key, static_cast<int>(program_.inline_sites.size()));
            if (is_new) {
                program_.inline_sites.push_back({at, ""});
                names_.push_back({function, offset});
            }
            here.inlined_at = site->second;
        } else {
            in.fail("unknown attribute '" + std::string(attribute) + "' of .loc");
        }
    }
    last_at_[{file, line, column}] = here;
    return here;
}

void Locations::parse_debug_strings(Scanner& in) {
    while (!in.accept('}')) {
        if (in.accept_directive(".b8")) {
            do strings_ += static_cast<char>(in.integer("a byte"));
            while (in.accept(','));
        } else {
            labels_[in.name("a label or .b8 in .debug_str")] = strings_.size();
            in.expect(':', "after a label");
        }
    }
}

void Locations::finish() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const auto label = labels_.find(names_[i].label);
        if (label == labels_.end()) continue;
        const std::uint64_t from = label->second + static_cast<std::uint64_t>(names_[i].offset);
        if (from < strings_.size()) program_.inline_sites[i].function = strings_.c_str() + from;
    }
}

}  // namespace vgpu::ptx
