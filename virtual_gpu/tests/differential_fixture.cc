// Inputs, check sums, and the text of a fixture's records.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "differential.h"

namespace vgpu::differential {

using cases::mix;

namespace {
constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint64_t number_of(const std::string& s) {
    std::uint64_t h = other_seed();
    for (unsigned char c : s) h = mix(h ^ c);
    return h;
}
}  // namespace

std::uint64_t other_seed() {
    const char* text = std::getenv("VGPU_DIFFERENTIAL_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 0;
}

std::vector<Module> modules_of(const std::string& name, std::vector<Kernel> kernels) {
    constexpr std::size_t kTogether = 40;
    std::vector<Module> modules;
    for (Kernel& k : kernels) {
        if (modules.empty() || modules.back().kernels.size() == kTogether)
            modules.push_back({name, ".version 8.5\n.target sm_90\n.address_size 64\n", {}});
        modules.back().text += k.text;
        modules.back().kernels.push_back(std::move(k));
    }
    return modules;
}

Module compiled(const std::string& ptx_folder, const std::string& kernel_folder, const std::string& name) {
    const auto read = [](const std::string& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    };
    Module m{name, read(ptx_folder + "/" + name + ".ptx"), {}};
    const std::string source = read(kernel_folder + "/" + name + ".cu"), entry = ".entry ";
    for (std::size_t at = m.text.find(entry); at != std::string::npos; at = m.text.find(entry, at + 1)) {
        const std::size_t first = at + entry.size();
        Kernel k;
        k.name = m.text.substr(first, m.text.find_first_of("( \n", first) - first);
        k.text = source;
        k.types = {"u32", "u32", "s32", "u64", "s64", "f32", "f32", "f64", "f64", "f16"};
        k.slots = 8;
        m.kernels.push_back(std::move(k));
    }
    return m;
}

std::vector<Module> all_modules(const std::string& ptx_folder, const std::string& kernel_folder) {
    std::vector<Module> all;
    const auto add = [&](std::vector<Module> some) {
        for (Module& m : some) all.push_back(std::move(m));
    };
    add(modules_of("straight", straight_kernels()));
    add(modules_of("control", control_kernels()));
    add(modules_of("warp", warp_kernels()));
    add(modules_of("atomic", atomic_kernels()));
    add(modules_of("memory", memory_kernels()));
    add(modules_of("matrix", matrix_kernels()));
    for (const char* name : {"differential_expressions", "differential_programs"})
        all.push_back(compiled(ptx_folder, kernel_folder, name));
    return all;
}

Words inputs_of(const Kernel& k, int set) {
    Words words(static_cast<std::size_t>(kMaxInputs) * kRows);
    const int shift = static_cast<int>(number_of(k.name) % 100'000);
    for (std::size_t n = 0; n < k.types.size(); ++n)
        for (int row = 0; row < kRows; ++row) {
            const int operand = static_cast<int>(n) + 16 * set + 64, sample = shift * kRows + row;
            std::uint64_t v =
                k.types[n] == "pred"
                    ? mix(mix(static_cast<std::uint64_t>(operand)) ^ static_cast<std::uint64_t>(sample)) & 1
                    : cases::input(k.types[n], operand, sample);
            const std::uint64_t h = mix(v ^ static_cast<std::uint64_t>(sample));
            if (k.types[n] == "f64" && h % 16 == 0) v = 0x7FF0'0000'0000'0000u | (h & 0x800F'FFFF'0000'FFFFu);  // NaNs
            words[n * kRows + static_cast<std::size_t>(row)] = v;
        }
    return words;
}

std::vector<std::uint8_t> scratch_of(const Kernel& k, int set) {
    std::vector<std::uint8_t> bytes(kScratch);
    std::uint64_t h = number_of(k.name) + static_cast<std::uint64_t>(set);
    for (std::uint8_t& b : bytes) {
        h = mix(h);
        b = static_cast<std::uint8_t>((h & 3) == 0 ? 0xFF : (h & 3) == 1 ? 0 : h >> 8);
    }
    return bytes;
}

Record record_of(const Kernel& k, const Words& results) {
    Record r;
    std::vector<std::uint64_t> rows(kRows);
    for (int slot = 0; slot < k.slots; ++slot) {
        std::uint64_t h = 0;
        for (int row = 0; row < kRows; ++row) {
            const std::uint64_t v = results[static_cast<std::size_t>(slot * kRows + row)];
            h = mix(h ^ v);
            std::uint64_t& own = rows[static_cast<std::size_t>(row)];
            own = mix(own ^ v);
        }
        r.hash = mix(r.hash ^ h);
        r.slots.push_back(static_cast<std::uint8_t>(h));
    }
    for (std::size_t row = 0; row < kRows; row += 4)
        r.rows.push_back(static_cast<std::uint8_t>((rows[row] & 3) | (rows[row + 1] & 3) << 2 |
                                                   (rows[row + 2] & 3) << 4 | (rows[row + 3] & 3) << 6));
    return r;
}

std::string first_difference(const Record& want, const Record& got, std::size_t& row) {
    std::string out;
    for (std::size_t n = 0; n < want.slots.size(); ++n)
        if (want.slots[n] != got.slots[n]) {
            out = "slot " + std::to_string(n);
            break;
        }
    for (std::size_t n = 0; n < kRows; ++n)
        if (((want.rows[n / 4] ^ got.rows[n / 4]) >> (n % 4 * 2) & 3) != 0) {
            row = n;
            return out + (out.empty() ? "" : ", ") + "thread " + std::to_string(n);
        }
    return out;
}

std::string encode(const Record& r) {
    std::vector<std::uint8_t> bytes;
    for (unsigned n = 0; n < 8; ++n) bytes.push_back(static_cast<std::uint8_t>(r.hash >> 8 * n));
    bytes.insert(bytes.end(), r.slots.begin(), r.slots.end());
    bytes.insert(bytes.end(), r.rows.begin(), r.rows.end());
    std::string out;
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 6) {
        const std::size_t n = bit / 8;
        const unsigned two = bytes[n] | (n + 1 < bytes.size() ? bytes[n + 1] : 0u) << 8;
        out += kDigits[two >> bit % 8 & 63];
    }
    return out;
}

bool decode(const std::string& text, int slots, Record& out) {
    std::vector<std::uint8_t> bytes(8 + static_cast<std::size_t>(slots) + kRows / 4);
    if (text.size() != (bytes.size() * 8 + 5) / 6) return false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const auto found = std::string_view(kDigits).find(text[k]);
        if (found == std::string_view::npos) return false;
        const std::size_t bit = k * 6, n = bit / 8;
        const unsigned two = static_cast<unsigned>(found) << bit % 8;
        bytes[n] = static_cast<std::uint8_t>(bytes[n] | two);
        if (n + 1 < bytes.size()) bytes[n + 1] = static_cast<std::uint8_t>(bytes[n + 1] | two >> 8);
    }
    out = {};
    for (unsigned n = 0; n < 8; ++n) out.hash |= std::uint64_t{bytes[n]} << 8 * n;
    out.slots.assign(bytes.begin() + 8, bytes.begin() + 8 + slots);
    out.rows.assign(bytes.begin() + 8 + slots, bytes.end());
    return true;
}

std::string hash_of_text(const std::string& s) {
    char out[20];
    std::snprintf(out, sizeof out, "%08x", static_cast<unsigned>(number_of(s)));
    return out;
}

}  // namespace vgpu::differential
