#include "virtual_gpu/fatbin/fatbin.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

namespace vgpu::fatbin {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr std::size_t kHeaderBytes = 16, kEntryBytes = 64;  // the least of an entry's header that we know
constexpr std::uint64_t kLargest = std::uint64_t{1} << 36;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;

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
    const auto flags = read<std::uint64_t>(rest, 40);
    entry.packed = (flags & kZstd) != 0 ? Packed::zstd : (flags & kLz4) != 0 ? Packed::lz4 : Packed::no;
    entry.data = rest.subspan(header, size);
    if (entry.packed != Packed::no) {
        // Padded to eight bytes, which the decompressors refuse.
        entry.data = entry.data.first(std::min<std::size_t>(read<std::uint32_t>(rest, 16), size));
        entry.unpacked_bytes = read<std::uint64_t>(rest, 56);
    }
    taken = header + size;
    return true;
}

std::string_view without_zeros(std::string_view text) { return text.substr(0, text.find_last_not_of('\0') + 1); }

std::string ptx_of(const Entry& entry) { return "the PTX" + (entry.name.empty() ? "" : " of " + entry.name); }

std::string with_dot(int arch) { return std::to_string(arch / 10) + "." + std::to_string(arch % 10); }

std::string too_new_message(const Entry& entry, int capability) {
    return ptx_of(entry) + " is for compute capability " + with_dot(entry.arch) + " and newer, the device has " +
           with_dot(capability) + ": compile with -gencode arch=compute_" + std::to_string(capability) +
           ",code=compute_" + std::to_string(capability);
}

// CUDA's library for kernels that launch kernels, which is linked to them.
bool is_device_runtime(std::string_view ptx) { return ptx.find("_cuda_device_runtime_cu_") != std::string_view::npos; }

void add_cubin(const Entry& entry, bool unpacks, Images& images) {
    if (entry.packed == Packed::no) {
        images.cubins.push_back(entry.data);
    } else if (std::string code, error;
               unpacks && unpack(entry.packed, entry.data, entry.unpacked_bytes, code, error)) {
        images.unpacked.push_back(std::move(code));
        images.cubins.push_back(std::as_bytes(std::span(images.unpacked.back())));
    }
}

bool read_fat_binary(std::span<const std::byte> bytes, int capability, bool unpacks, Images& images,
                     std::string& error) {
    std::vector<Entry> entries;
    if (!read_entries(bytes, entries, error)) return false;
    std::vector<const Entry*> fitting;
    const Entry* too_new = nullptr;
    for (const Entry& entry : entries) {
        if (entry.kind == Entry::Kind::cubin) continue;
        if (entry.arch <= capability)
            fitting.push_back(&entry);
        else if (!too_new || entry.arch < too_new->arch)
            too_new = &entry;
    }
    std::ranges::stable_sort(fitting, std::greater(), &Entry::arch);
    std::string why;
    for (const Entry* entry : fitting) {
        std::string ptx;
        if (!unpacks && entry->packed != Packed::no) {
            why = ptx_of(*entry) +
                  " is compressed, which the virtual GPU does not read here: compile with nvcc "
                  "--no-compress";
            continue;
        }
        if (std::string this_one; !read_ptx(*entry, ptx, this_one)) {
            if (why.empty()) why = this_one;
            continue;
        }
        if (is_device_runtime(ptx)) {
            images.skipped.emplace_back("the device runtime's library");
            return true;
        }
        images.ptx.push_back(std::move(ptx));
        images.ptx_version = std::max(images.ptx_version, entry->arch);
        for (const Entry& code : entries)
            if (code.kind == Entry::Kind::cubin) add_cubin(code, unpacks, images);
        return true;
    }
    if (!why.empty())
        images.skipped.push_back(why);
    else if (too_new) {
        images.is_too_new = true;
        images.skipped.push_back(too_new_message(*too_new, capability));
    } else if (!entries.empty())
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
           read_fat_binary({start, header + size}, capability, true, images, error);
}

bool nothing_found(const Images& images, std::string& error) {
    error = images.skipped.empty() ? "the program holds no device code" : images.skipped.front();
    return false;
}

}  // namespace

bool read_ptx(const Entry& entry, std::string& ptx, std::string& error) {
    if (entry.packed == Packed::no) {
        ptx = entry.text();
        return true;
    }
    if (!unpack(entry.packed, entry.data, entry.unpacked_bytes, ptx, error)) {
        error = ptx_of(entry) + " " + error;
        return false;
    }
    ptx.resize(without_zeros(ptx).size());
    return true;
}

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
            false, images, error);
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
        if (kind == 1 && entry.packed == Packed::no) entry.data = std::as_bytes(std::span(without_zeros(entry.text())));
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
