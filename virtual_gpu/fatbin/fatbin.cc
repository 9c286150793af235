#include "virtual_gpu/fatbin/fatbin.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace vgpu::fatbin {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr std::size_t kHeaderBytes = 16, kEntryBytes = 64;  // the least of an entry's header that we know
constexpr std::uint64_t kLargest = std::uint64_t{1} << 36;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;  // LZ4, Zstandard

template <class T>
T read(std::span<const std::byte> bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

bool read_header(std::span<const std::byte> bytes, std::size_t& header, std::uint64_t& size, std::string& error) {
    if (bytes.size() < kHeaderBytes) {
        error = "the fat binary is cut off in its header";
        return false;
    }
    if (read<std::uint32_t>(bytes, 0) != kMagic) {
        error = "not a fat binary: wrong magic number";
        return false;
    }
    header = read<std::uint16_t>(bytes, 6);
    size = read<std::uint64_t>(bytes, 8);
    if (header < kHeaderBytes || size > kLargest) {
        error = "the fat binary's header is damaged";
        return false;
    }
    return true;
}

bool read_entry(std::span<const std::byte> rest, Entry& entry, std::uint16_t& kind, std::size_t& taken,
                std::string& error) {
    if (rest.size() < kEntryBytes) {
        error = "the fat binary is cut off in an entry's header";
        return false;
    }
    kind = read<std::uint16_t>(rest, 0);
    const std::size_t header = read<std::uint32_t>(rest, 4);
    const auto size = read<std::uint64_t>(rest, 8);
    if (header < kEntryBytes || header > rest.size() || size > rest.size() - header) {
        error = "an entry of the fat binary is longer than the fat binary";
        return false;
    }
    entry.kind = kind == 1 ? Entry::Kind::ptx : Entry::Kind::cubin;
    entry.arch = static_cast<int>(read<std::uint32_t>(rest, 28) & 0xffff);
    const std::size_t name_at = read<std::uint32_t>(rest, 32), name_size = read<std::uint32_t>(rest, 36);
    if (name_size > 0 && name_at <= header && name_size <= header - name_at)
        entry.name.assign(reinterpret_cast<const char*>(rest.data()) + name_at, name_size);
    entry.is_compressed = (read<std::uint64_t>(rest, 40) & kCompressed) != 0;
    entry.data = rest.subspan(header, size);
    taken = header + size;
    return true;
}

std::string compressed_message(const Entry& entry) {
    return "the PTX" + (entry.name.empty() ? "" : " of " + entry.name) +
           " is compressed, which the virtual GPU does not read: compile with nvcc --no-compress";
}

std::string with_dot(int arch) { return std::to_string(arch / 10) + "." + std::to_string(arch % 10); }

std::string too_new_message(const Entry& entry, int capability) {
    return "the PTX" + (entry.name.empty() ? "" : " of " + entry.name) + " is for compute capability " +
           with_dot(entry.arch) + " and newer, the device has " + with_dot(capability) +
           ": compile with -gencode arch=compute_" + std::to_string(capability) + ",code=compute_" +
           std::to_string(capability);
}

bool read_fat_binary(std::span<const std::byte> bytes, int capability, Images& images, std::string& error) {
    std::vector<Entry> entries;
    if (!read_entries(bytes, entries, error)) return false;
    const Entry* best = nullptr;
    const Entry* best_compressed = nullptr;
    const Entry* too_new = nullptr;
    for (const Entry& entry : entries) {
        if (entry.kind == Entry::Kind::cubin) {
            if (!entry.is_compressed) images.cubins.push_back(entry.data);
            continue;
        }
        if (entry.arch > capability && !entry.is_compressed) {
            if (!too_new || entry.arch < too_new->arch) too_new = &entry;
            continue;
        }
        const Entry*& candidate = entry.is_compressed ? best_compressed : best;
        if (!candidate || entry.arch > candidate->arch) candidate = &entry;
    }
    if (best) {
        images.ptx.emplace_back(best->text());
        images.ptx_version = std::max(images.ptx_version, best->arch);
    } else if (too_new) {
        images.is_too_new = true;
        images.skipped.push_back(too_new_message(*too_new, capability));
    } else if (best_compressed)
        images.skipped.push_back(compressed_message(*best_compressed));
    else if (!entries.empty())
        images.skipped.emplace_back("machine code without PTX: compile with -gencode arch=compute_75,code=compute_75");
    return true;
}

// A fat binary in memory, whose header says how long it is.
bool read_fat_binary(const void* data, int capability, Images& images, std::string& error) {
    std::size_t header = 0;
    std::uint64_t size = 0;
    const auto* start = static_cast<const std::byte*>(data);
    images.at.push_back(data);
    return read_header({start, kHeaderBytes}, header, size, error) &&
           read_fat_binary({start, header + size}, capability, images, error);
}

bool nothing_found(const Images& images, std::string& error) {
    error = images.skipped.empty() ? "the program holds no device code" : images.skipped.front();
    return false;
}

}  // namespace

bool read_from_file(std::span<const std::byte> elf, std::uint64_t address, int capability, Images& images,
                    std::string& error) {
    error = "the program's file holds no device code there";
    if (elf.size() < sizeof(Elf64_Ehdr)) return false;
    const auto head = read<Elf64_Ehdr>(elf, 0);
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
        const std::uint64_t at = head.e_phoff + i * sizeof(Elf64_Phdr);
        if (at > elf.size() || elf.size() - at < sizeof(Elf64_Phdr)) return false;
        const auto part = read<Elf64_Phdr>(elf, at);
        if (part.p_type != PT_LOAD || address < part.p_vaddr || address - part.p_vaddr >= part.p_filesz) continue;
        if (part.p_offset > elf.size() || part.p_filesz > elf.size() - part.p_offset) return false;
        return read_fat_binary(
            elf.subspan(part.p_offset + (address - part.p_vaddr), part.p_filesz - (address - part.p_vaddr)), capability,
            images, error);
    }
    return false;
}

bool read_entries(std::span<const std::byte> bytes, std::vector<Entry>& entries, std::string& error) {
    std::size_t header = 0;
    std::uint64_t size = 0;
    if (!read_header(bytes, header, size, error)) return false;
    if (header > bytes.size() || size > bytes.size() - header) {
        error = "the fat binary is longer than the place it stands in";
        return false;
    }
    for (auto rest = bytes.subspan(header, size); !rest.empty();) {
        Entry entry;
        std::uint16_t kind = 0;
        std::size_t taken = 0;
        if (!read_entry(rest, entry, kind, taken, error)) return false;
        rest = rest.subspan(taken);
        if (kind != 1 && kind != 2) continue;
        if (kind == 1 && !entry.is_compressed)
            while (!entry.data.empty() && entry.data.back() == std::byte{0})
                entry.data = entry.data.first(entry.data.size() - 1);
        entries.push_back(std::move(entry));
    }
    return true;
}

bool read_wrapper(const void* wrapper, int capability, Images& images, std::string& error) {
    struct Wrapper {
        std::uint32_t magic, version;
        const void* data;
        const void* const* prelinked;  // version 2: to fat binaries, a null pointer ends them
    } head;
    images = {};
    if (!wrapper) {
        error = "no fat binary";
        return false;
    }
    std::memcpy(&head, wrapper, sizeof head);
    if (head.magic != kWrapperMagic || (head.version != 1 && head.version != 2)) {
        error = "not a fat binary's wrapper that is known (magic number or version)";
        return false;
    }
    if (head.data && !read_fat_binary(head.data, capability, images, error)) return false;
    if (head.version == 2 && head.prelinked)
        for (const void* const* next = head.prelinked; *next; ++next)
            if (!read_fat_binary(*next, capability, images, error)) return false;
    return !images.ptx.empty() || nothing_found(images, error);
}

}  // namespace vgpu::fatbin
