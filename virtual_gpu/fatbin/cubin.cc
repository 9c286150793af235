// Registers per thread, from a cubin (an ELF file of 64 bits).
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "virtual_gpu/fatbin/fatbin.h"

namespace vgpu::fatbin {
namespace {

using Bytes = std::span<const std::byte>;

template <class T>
bool read(Bytes bytes, std::uint64_t at, T& value) {
    if (at > bytes.size() || sizeof value > bytes.size() - at) return false;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return true;
}

Bytes contents(Bytes cubin, const Elf64_Shdr& section) {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > cubin.size() ||
        section.sh_size > cubin.size() - section.sh_offset)
        return {};
    return cubin.subspan(section.sh_offset, section.sh_size);
}

std::string string_at(Bytes table, std::uint64_t at) {
    std::string result;
    for (; at < table.size() && table[at] != std::byte{0}; ++at) result += static_cast<char>(table[at]);
    return result;
}

class Cubin {
  public:
    explicit Cubin(Bytes bytes) : bytes_(bytes) {
        Elf64_Ehdr header;
        if (!read(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
        for (unsigned i = 0; i < header.e_shnum; ++i) {
            Elf64_Shdr section;
            if (header.e_shoff > bytes.size() || !read(bytes, header.e_shoff + i * sizeof section, section)) return;
            sections_.push_back(section);
        }
        if (header.e_shstrndx < sections_.size()) names_ = contents(bytes, sections_[header.e_shstrndx]);
    }

    std::vector<KernelRegisters> registers() const {
        std::vector<KernelRegisters> result;
        for (const Elf64_Shdr& section : sections_)
            if (string_at(names_, section.sh_name) == ".nv.info") read_info(contents(bytes_, section), result);
        return result;
    }

  private:
    // A list of {format, attribute, size or value of 16 bits}; format 4 is followed by `size` bytes.
    void read_info(Bytes info, std::vector<KernelRegisters>& result) const {
        constexpr std::uint8_t kSized = 4, kRegisterCount = 0x2f;
        struct Head {
            std::uint8_t format, attribute;
            std::uint16_t size;
        } head;
        for (std::uint64_t at = 0; read(info, at, head);) {
            at += sizeof head;
            if (head.format != kSized) continue;
            std::uint32_t symbol = 0, count = 0;
            if (head.attribute == kRegisterCount && head.size >= 8 && read(info, at, symbol) &&
                read(info, at + 4, count))
                if (std::string name = symbol_name(symbol); !name.empty())
                    result.push_back({std::move(name), static_cast<int>(count & 0xffff)});
            at += head.size;
        }
    }

    std::string symbol_name(std::uint32_t index) const {
        for (const Elf64_Shdr& section : sections_) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections_.size()) continue;
            Elf64_Sym symbol;
            if (!read(contents(bytes_, section), std::uint64_t{index} * sizeof symbol, symbol)) return {};
            return string_at(contents(bytes_, sections_[section.sh_link]), symbol.st_name);
        }
        return {};
    }

    Bytes bytes_, names_;
    std::vector<Elf64_Shdr> sections_;
};

}  // namespace

std::vector<KernelRegisters> kernel_registers(std::span<const std::byte> cubin) { return Cubin(cubin).registers(); }

std::map<std::string, int> kernel_registers(const std::vector<std::span<const std::byte>>& cubins) {
    std::map<std::string, int> most;
    for (const auto& cubin : cubins)
        for (const auto& [kernel, registers] : kernel_registers(cubin))
            most[kernel] = std::max(most[kernel], registers);
    return most;
}

}  // namespace vgpu::fatbin
