#include "virtual_gpu/timing/profile.h"

#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "virtual_gpu/timing/embedded_profiles.h"

namespace vgpu {
namespace {

// Every key that a profile may have; a number is checked to be one, an unknown key is an error, so that a spelling
// mistake in a profile cannot pass for a default.
using Setter = std::function<void(DeviceProperties&, double)>;

template <class Member>
Setter set(Member DeviceProperties::*member) {
    return [member](DeviceProperties& p, double value) { p.*member = static_cast<Member>(value); };
}

const std::map<std::string, Setter, std::less<>>& setters() {
    using P = DeviceProperties;
    static const std::map<std::string, Setter, std::less<>> table = {
        {"limits.sms", set(&P::sms)},
        {"limits.compute_major", set(&P::compute_major)},
        {"limits.compute_minor", set(&P::compute_minor)},
        {"limits.threads_per_sm", set(&P::threads_per_sm)},
        {"limits.blocks_per_sm", set(&P::blocks_per_sm)},
        {"limits.registers_per_sm", set(&P::registers_per_sm)},
        {"limits.threads_per_block", set(&P::threads_per_block)},
        {"limits.registers_per_block", set(&P::registers_per_block)},
        {"limits.shared_per_sm", set(&P::shared_per_sm)},
        {"limits.shared_per_block", set(&P::shared_per_block)},
        {"limits.shared_per_block_optin", set(&P::shared_per_block_optin)},
        {"limits.shared_reserved", set(&P::shared_reserved)},
        {"limits.memory_bytes", set(&P::memory_bytes)},
        {"limits.l2_bytes", set(&P::l2_bytes)},
        {"limits.memory_bus_bits", set(&P::memory_bus_bits)},
        {"limits.memory_clock_hz", set(&P::memory_clock_hz)},
        {"speed.clock_hz", set(&P::clock_hz)},
        {"speed.dram_bandwidth", set(&P::dram_bandwidth)},
        {"speed.l2_bandwidth", set(&P::l2_bandwidth)},
        {"speed.issue_per_cycle", set(&P::issue_per_cycle)},
        {"speed.issue_per_warp", set(&P::issue_per_warp)},
        {"speed.shared_per_cycle", set(&P::shared_per_cycle)},
        {"speed.sectors_per_cycle", set(&P::sectors_per_cycle)},
        {"speed.requests_per_cycle", set(&P::requests_per_cycle)},
        {"speed.f64_per_cycle", set(&P::f64_per_cycle)},
        {"speed.sfu_per_cycle", set(&P::sfu_per_cycle)},
        {"speed.atomic_per_cycle", set(&P::atomic_per_cycle)},
        {"speed.atomics_sm_per_cycle", set(&P::atomics_sm_per_cycle)},
        {"speed.reuse_distance", set(&P::reuse_distance)},
        {"speed.overlap", set(&P::overlap)},
        {"speed.overlap_sm", set(&P::overlap_sm)},
        {"latency.alu", set(&P::latency_alu)},
        {"latency.sfu", set(&P::latency_sfu)},
        {"latency.f64", set(&P::latency_f64)},
        {"latency.divide", set(&P::latency_divide)},
        {"latency.shared", set(&P::latency_shared)},
        {"latency.l1", set(&P::latency_l1)},
        {"latency.l2", set(&P::latency_l2)},
        {"latency.dram", set(&P::latency_dram)},
        {"latency.atomic", set(&P::latency_atomic)},
        {"latency.atomic_shared", set(&P::latency_atomic_shared)},
        {"latency.barrier", set(&P::latency_barrier)},
        {"latency.barrier_warp", set(&P::latency_barrier_warp)},
        {"latency.shuffle", set(&P::latency_shuffle)},
        {"latency.fence", set(&P::latency_fence)},
        {"overhead.launch", set(&P::launch)},
        {"overhead.launch_busy", set(&P::launch_busy)},
        {"overhead.launch_dependent", set(&P::launch_dependent)},
        {"overhead.launch_host", set(&P::launch_host)},
        {"overhead.block_start", set(&P::block_start)},
        {"overhead.device_launch", set(&P::device_launch)},
        {"overhead.device_launch_each", set(&P::device_launch_each)},
        {"overhead.device_launch_call", set(&P::device_launch_call)},
        {"overhead.call_host", set(&P::call_host)},
        {"overhead.synchronize", set(&P::synchronize)},
        {"overhead.allocate", set(&P::allocate)},
        {"overhead.release", set(&P::release)},
        {"overhead.allocate_async", set(&P::allocate_async)},
        {"overhead.copy", set(&P::copy)},
        {"overhead.host_grace", set(&P::host_grace)},
        {"copy.pinned", set(&P::copy_pinned)},
        {"copy.pageable", set(&P::copy_pageable)},
    };
    return table;
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The part of TOML that a profile uses: [section], key = number, key = "text", comments, _ in numbers.
bool read_number(std::string_view text, double& out) {
    std::string digits;
    for (const char c : text) {
        if (c != '_') {
            digits += c;
        }
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

bool parse_profile(std::string_view toml, DeviceProperties& out, std::string& message) {
    DeviceProperties profile;
    std::string section;
    int number = 0;
    for (std::size_t begin = 0; begin < toml.size();) {
        const std::size_t end = std::min(toml.find('\n', begin), toml.size());
        std::string_view line = toml.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        const auto fail = [&](const std::string& why) {
            message = "line " + std::to_string(number) + " of the profile: " + why;
            return false;
        };
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            quoted = quoted != (line[i] == '"');
            if (line[i] == '#' && !quoted) {
                line = line.substr(0, i);
                break;
            }
        }
        line = trim(line);
        if (line.empty()) {
            continue;
        }
        if (line.front() == '[') {
            if (line.back() != ']') {
                return fail("a section is written [name]");
            }
            section = trim(line.substr(1, line.size() - 2));
            continue;
        }
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            return fail("expected key = value");
        }
        const std::string key =
            (section.empty() ? std::string() : section + ".") + std::string(trim(line.substr(0, equals)));
        const std::string_view value = trim(line.substr(equals + 1));
        if (key == "name") {
            if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
                return fail("name takes a text in quotes");
            }
            profile.name = value.substr(1, value.size() - 2);
            continue;
        }
        const auto setter = setters().find(key);
        double parsed = 0;
        if (setter == setters().end()) {
            return fail("no such key: " + key);
        }
        if (!read_number(value, parsed) || parsed < 0) {
            return fail(key + " takes a number, not " + std::string(value));
        }
        setter->second(profile, parsed);
    }
    if (profile.sms < 1 || profile.clock_hz <= 0 || profile.dram_bandwidth <= 0) {
        message = "a profile needs limits.sms, speed.clock_hz and speed.dram_bandwidth above 0";
        return false;
    }
    out = profile;
    return true;
}

bool read_profile(std::string_view name_or_path, std::string& text, std::string& message) {
    for (const EmbeddedProfile& profile : embedded_profiles()) {
        if (profile.name == name_or_path) {
            text = profile.text;
            return true;
        }
    }
    std::ifstream in{std::string(name_or_path)};
    if (!in) {
        message = "no device profile and no file is called '" + std::string(name_or_path) + "'; there are:";
        for (const std::string& name : profile_names()) {
            message += ' ' + name;
        }
        return false;
    }
    std::stringstream read;
    read << in.rdbuf();
    text = read.str();
    return true;
}

bool find_profile(std::string_view name_or_path, DeviceProperties& out, std::string& message) {
    std::string text;
    return read_profile(name_or_path, text, message) && parse_profile(text, out, message);
}

std::vector<std::string> profile_names() {
    std::vector<std::string> names;
    for (const EmbeddedProfile& profile : embedded_profiles()) {
        names.emplace_back(profile.name);
    }
    return names;
}

}  // namespace vgpu
