// An executable or shared library as a file: what it needs, which functions it has, where device code is. It may be
// anybody's: nothing outside the file is read.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vgpu::command {

class Elf {
  public:
    // False: it cannot be read; `error` is the system's reason.
    bool open(const std::string& path, std::string& error);
    ~Elf();
    Elf() = default;
    Elf(const Elf&) = delete;
    Elf& operator=(const Elf&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }
    std::string_view beginning() const;  // the first bytes as text
    bool is_elf() const { return is_elf_; }
    bool is_64() const { return is_64_; }  // of little-endian numbers; the rest is read only then
    int machine() const { return head_.e_machine; }
    int type() const { return head_.e_type; }
    bool has_interpreter() const;  // false of a program that is linked with -static

    std::vector<std::string> needed() const;                         // names of libraries
    std::vector<std::string> search(bool before_environment) const;  // DT_RPATH or DT_RUNPATH, as written
    bool has_symbols() const;                                        // not stripped
    std::span<const std::byte> section(std::string_view name) const;
    // Names of functions: those that it defines, and those that it takes from libraries.
    void for_each_function(const std::function<void(std::string_view name, bool defined)>& body) const;

  private:
    template <class T>
    bool read(std::uint64_t at, T& value) const {
        if (at > bytes_.size() || bytes_.size() - at < sizeof value) {
            return false;
        }
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        return true;
    }
    std::span<const std::byte> part(std::uint64_t at, std::uint64_t size) const;
    std::span<const std::byte> contents(const Elf64_Shdr& section) const;
    std::vector<std::string> dynamic(std::int64_t tag) const;
    const Elf64_Shdr* find(std::uint32_t type) const;

    std::span<const std::byte> bytes_;
    bool is_elf_ = false, is_64_ = false;
    Elf64_Ehdr head_{};
    std::vector<Elf64_Shdr> sections_;
};

}  // namespace vgpu::command
