#include "virtual_gpu/what_if/rules.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace vgpu::what_if {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

template <class T>
std::optional<T> take_number(std::string_view& text) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// A file's name may hold spaces and colons: it ends at the first colon with a line behind it.
std::optional<Spot> take_spot(std::string_view& text) {
    for (std::size_t colon = text.find(':', 1); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
        std::string_view rest = text.substr(colon + 1);
        Spot spot{std::string(text.substr(0, colon)), 0, Access::any};
        const std::optional<int> line = take_number<int>(rest);
        if (!line || *line <= 0) continue;
        spot.line = *line;
        if (take(rest, ":read"))
            spot.access = Access::read;
        else if (take(rest, ":write"))
            spot.access = Access::write;
        if (!rest.empty() && rest.front() != ' ') continue;
        text = trimmed(rest);
        return spot;
    }
    return std::nullopt;
}

bool parse_order(std::string_view text, Rules& out) {
    const std::optional<Spot> first = take_spot(text);
    const std::optional<Spot> second = first ? take_spot(text) : std::nullopt;
    if (!second || !text.empty()) return false;
    out.orders.push_back({*first, *second});
    return true;
}

bool parse_one_at_a_time(std::string_view text, Rules& out) {
    const std::optional<Spot> load = take_spot(text);
    if (!load) return false;
    const std::optional<Spot> store = text.empty() ? load : take_spot(text);
    if (!store || !text.empty() || load->access != Access::any || store->access != Access::any) return false;
    out.one_at_a_time.push_back({*load, *store});
    return true;
}

std::string_view take_word(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

// "=4x2" or "*2", behind the name of a dimension.
bool parse_numbers(std::string_view text, std::array<LaunchChange::Number, 3>& out) {
    const bool is_factor = text.starts_with('*');
    if (!is_factor && !text.starts_with('=')) return false;
    for (LaunchChange::Number& number : out) {
        number = {1, is_factor};
        if (text.empty()) continue;
        text.remove_prefix(1);
        const std::optional<std::uint32_t> value = take_number<std::uint32_t>(text);
        if (!value || *value == 0 || (!text.empty() && text.front() != 'x')) return false;
        number.by = *value;
    }
    return text.empty();
}

// "scan grid*2 block=256 shared=1024", "scan swap"
bool parse_launch(std::string_view text, Rules& out) {
    LaunchChange change;
    change.kernel = take_word(text);
    if (text.empty()) return false;
    while (!text.empty()) {
        std::string_view word = take_word(text);
        if (word == "swap") {
            change.is_swapped = true;
        } else if (take(word, "grid")) {
            if (!parse_numbers(word, change.grid)) return false;
        } else if (take(word, "block")) {
            if (!parse_numbers(word, change.block)) return false;
        } else if (std::array<LaunchChange::Number, 3> shared{};
                   take(word, "shared") && word.find('x') == std::string_view::npos && parse_numbers(word, shared)) {
            change.shared = shared[0];
        } else {
            return false;
        }
    }
    out.launches.push_back(change);
    return true;
}

// "out 12+4 16+4": an array, then the first byte and the bytes of each element.
bool parse_watch(std::string_view text, Rules& out) {
    constexpr std::size_t kMost = 16;
    constexpr std::uint64_t kMostBytes = 16;
    Watch watch{std::string(take_word(text)), {}};
    while (!text.empty()) {
        std::string_view word = take_word(text);
        const std::optional<std::uint64_t> at = take_number<std::uint64_t>(word);
        const bool has_size = at && take(word, "+");
        const std::optional<std::uint64_t> bytes = has_size ? take_number<std::uint64_t>(word) : std::nullopt;
        if (!bytes || *bytes == 0 || *bytes > kMostBytes || !word.empty()) return false;
        watch.elements.emplace_back(*at, *bytes);
    }
    if (watch.elements.empty() || watch.elements.size() > kMost) return false;
    out.watched.push_back(std::move(watch));
    return true;
}

const std::map<std::string_view, bool Rules::*>& switches() {
    static const std::map<std::string_view, bool Rules::*> all = {{"rewind", &Rules::rewind},
                                                                  {"zero shared", &Rules::zero_shared},
                                                                  {"zero memory", &Rules::zero_memory},
                                                                  {"zero outputs", &Rules::zero_outputs},
                                                                  {"zero variables", &Rules::zero_variables},
                                                                  {"zero local", &Rules::zero_local},
                                                                  {"by index", &Rules::by_index},
                                                                  {"in place", &Rules::in_place},
                                                                  {"wide", &Rules::wide},
                                                                  {"watch overflow", &Rules::watch_overflow},
                                                                  {"watch unread", &Rules::watch_unread}};
    return all;
}

bool parse_rule(std::string_view rule, Rules& out) {
    if (const auto found = switches().find(rule); found != switches().end()) return out.*(found->second) = true;
    if (take(rule, "order ")) return parse_order(trimmed(rule), out);
    if (take(rule, "one at a time ")) return parse_one_at_a_time(trimmed(rule), out);
    if (take(rule, "watch writes ")) return parse_watch(trimmed(rule), out);
    if (take(rule, "launch ")) return parse_launch(trimmed(rule), out);
    return false;
}

}  // namespace

bool Spot::names(std::string_view path) const {
    if (!path.ends_with(file)) return false;
    return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

std::uint32_t LaunchChange::Number::of(std::uint32_t now) const {
    if (by == 0) return now;
    const std::uint64_t wanted = is_factor ? std::uint64_t{now} * by : by;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, std::numeric_limits<std::uint32_t>::max()));
}

bool parse(std::string_view text, Rules& out, std::string& why) {
    Rules found;
    found.text = text;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view rule = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (rule.empty() || parse_rule(rule, found)) continue;
        why = "there is no what-if rule \"" + std::string(rule) + "\"";
        return false;
    }
    out = std::move(found);
    return true;
}

}  // namespace vgpu::what_if
