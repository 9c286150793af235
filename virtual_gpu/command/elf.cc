#include "virtual_gpu/command/elf.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace vgpu::command {
namespace {

std::string_view text_at(std::span<const std::byte> names, std::uint64_t at) {
    if (at >= names.size()) {
        return {};
    }
    const std::string_view rest(reinterpret_cast<const char*>(names.data()) + at, names.size() - at);
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    }
    return values;
}

}  // namespace

bool Elf::open(const std::string& path, std::string& error) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (file < 0 || fstat(file, &about) != 0) {
        error = std::strerror(errno);
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    if (S_ISREG(about.st_mode) && about.st_size > 0) {
        const auto size = static_cast<std::size_t>(about.st_size);
        if (void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0); at != MAP_FAILED) {
            bytes_ = {static_cast<const std::byte*>(at), size};
        }
    }
    close(file);
    is_elf_ = bytes_.size() >= EI_NIDENT && std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0;
    is_64_ = is_elf_ && bytes_[EI_CLASS] == std::byte{ELFCLASS64} && bytes_[EI_DATA] == std::byte{ELFDATA2LSB} &&
             read(0, head_);
    if (is_64_) {
        sections_ = values_of<Elf64_Shdr>(part(head_.e_shoff, std::uint64_t{head_.e_shnum} * sizeof(Elf64_Shdr)));
    }
    return true;
}

Elf::~Elf() {
    if (!bytes_.empty()) {
        munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

std::string_view Elf::beginning() const {
    return {reinterpret_cast<const char*>(bytes_.data()), std::min<std::size_t>(bytes_.size(), 64)};
}

std::span<const std::byte> Elf::part(std::uint64_t at, std::uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at ? bytes_.subspan(at, size) : std::span<const std::byte>();
}

std::span<const std::byte> Elf::contents(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::span<const std::byte>() : part(section.sh_offset, section.sh_size);
}

bool Elf::has_interpreter() const {
    const auto parts = values_of<Elf64_Phdr>(part(head_.e_phoff, std::uint64_t{head_.e_phnum} * sizeof(Elf64_Phdr)));
    return std::ranges::any_of(parts, [](const Elf64_Phdr& one) { return one.p_type == PT_INTERP; });
}

const Elf64_Shdr* Elf::find(std::uint32_t type) const {
    const auto found = std::ranges::find(sections_, type, &Elf64_Shdr::sh_type);
    return found != sections_.end() ? &*found : nullptr;
}

std::vector<std::string> Elf::dynamic(std::int64_t tag) const {
    std::vector<std::string> found;
    const Elf64_Shdr* table = find(SHT_DYNAMIC);
    if (table == nullptr || table->sh_link >= sections_.size()) {
        return found;
    }
    const auto names = contents(sections_[table->sh_link]);
    for (const auto& entry : values_of<Elf64_Dyn>(contents(*table))) {
        if (entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == tag) {
            found.emplace_back(text_at(names, entry.d_un.d_val));
        }
    }
    return found;
}

std::vector<std::string> Elf::needed() const { return dynamic(DT_NEEDED); }

std::vector<std::string> Elf::search(bool before_environment) const {
    const std::vector<std::string> after = dynamic(DT_RUNPATH);
    // DT_RPATH counts only if there is no DT_RUNPATH.
    const auto& lists = before_environment ? (after.empty() ? dynamic(DT_RPATH) : std::vector<std::string>()) : after;
    std::vector<std::string> folders;
    for (const std::string& list : lists) {
        for (std::size_t at = 0; at <= list.size();) {
            const std::size_t end = std::min(list.find(':', at), list.size());
            if (end > at) {
                folders.push_back(list.substr(at, end - at));
            }
            at = end + 1;
        }
    }
    return folders;
}

bool Elf::has_symbols() const { return find(SHT_SYMTAB) != nullptr; }

std::span<const std::byte> Elf::section(std::string_view name) const {
    if (head_.e_shstrndx >= sections_.size()) {
        return {};
    }
    const auto names = contents(sections_[head_.e_shstrndx]);
    for (const Elf64_Shdr& section : sections_) {
        if (text_at(names, section.sh_name) == name) {
            return contents(section);
        }
    }
    return {};
}

void Elf::for_each_function(const std::function<void(std::string_view, bool)>& body) const {
    for (const std::uint32_t type : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
        const Elf64_Shdr* table = find(type);
        if (table == nullptr || table->sh_link >= sections_.size()) {
            continue;
        }
        const auto names = contents(sections_[table->sh_link]);
        for (const auto& symbol : values_of<Elf64_Sym>(contents(*table))) {
            const int kind = ELF64_ST_TYPE(symbol.st_info);
            // What is taken from a library has no type in some linkers' tables.
            if (kind == STT_FUNC || (kind == STT_NOTYPE && symbol.st_shndx == SHN_UNDEF)) {
                if (const std::string_view name = text_at(names, symbol.st_name); !name.empty()) {
                    body(name.substr(0, name.find('@')), symbol.st_shndx != SHN_UNDEF);
                }
            }
        }
    }
}

}  // namespace vgpu::command
