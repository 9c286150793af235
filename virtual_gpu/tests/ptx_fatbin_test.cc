// Fat binaries made here byte by byte, whole and damaged, and one that nvcc made.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "virtual_gpu/fatbin/fatbin.h"

namespace vgpu::fatbin {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& bytes, T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
}

struct Part {
    std::uint16_t kind = 1;
    std::uint32_t arch = 75;
    std::string text;
    std::uint64_t flags = 0x11;
    std::string name = "";
};

Bytes fat_binary(const std::vector<Part>& parts) {
    Bytes body;
    for (const Part& part : parts) {
        const std::size_t header = 64 + (part.name.size() + 7) / 8 * 8;
        append<std::uint16_t>(body, part.kind);
        append<std::uint16_t>(body, 0x101);
        append<std::uint32_t>(body, static_cast<std::uint32_t>(header));
        append<std::uint64_t>(body, part.text.size());
        append<std::uint32_t>(body, 0);
        append<std::uint32_t>(body, 0x40);
        append<std::uint32_t>(body, 0x90000);
        append<std::uint32_t>(body, part.arch);
        append<std::uint32_t>(body, part.name.empty() ? 0 : 64);
        append<std::uint32_t>(body, static_cast<std::uint32_t>(part.name.size()));
        append<std::uint64_t>(body, part.flags);
        append<std::uint64_t>(body, 0);
        append<std::uint64_t>(body, 0);
        for (std::size_t i = 0; i < header - 64; ++i)
            body.push_back(i < part.name.size() ? static_cast<std::byte>(part.name[i]) : std::byte{0});
        for (const char c : part.text) body.push_back(static_cast<std::byte>(c));
    }
    Bytes all;
    append<std::uint32_t>(all, 0xba55ed50);
    append<std::uint16_t>(all, 1);
    append<std::uint16_t>(all, 16);
    append<std::uint64_t>(all, body.size());
    all.insert(all.end(), body.begin(), body.end());
    return all;
}

constexpr int kCapability = 90;  // of the device

struct Wrapper {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* const* prelinked = nullptr;
};

TEST(FatBinary, EntriesWithTheirNames) {
    std::vector<Entry> entries;
    std::string error;
    const Bytes bytes = fat_binary({{.text = std::string("old\0\0", 5), .name = "a.cu"},
                                    {.kind = 2,
                                     .arch = 80,
                                     .text = "\x7f"
                                             "ELF"},
                                    {.kind = 9, .text = "?"}});
    ASSERT_TRUE(read_entries(bytes, entries, error)) << error;
    ASSERT_EQ(entries.size(), 2u) << "unknown kinds are left out";
    EXPECT_EQ(entries[0].text(), "old");
    EXPECT_EQ(entries[0].name, "a.cu");
    EXPECT_EQ(entries[0].arch, 75);
    EXPECT_EQ(entries[1].kind, Entry::Kind::cubin);
}

TEST(FatBinary, HighestArchitectureOfEach) {
    const Bytes bytes =
        fat_binary({{.arch = 75, .text = "low"}, {.arch = 90, .text = "high"}, {.kind = 2, .arch = 80, .text = "elf"}});
    const Wrapper wrapper{.data = bytes.data()};
    Images images;
    std::string error;
    ASSERT_TRUE(read_wrapper(&wrapper, kCapability, images, error)) << error;
    EXPECT_EQ(images.ptx, std::vector<std::string>{"high"});
    EXPECT_EQ(images.cubins.size(), 1u);
}

TEST(FatBinary, TheNewestThatTheDeviceCanRun) {
    const Bytes bytes = fat_binary({{.arch = 75, .text = "low"},
                                    {.arch = 120, .text = "too high"},
                                    {.arch = 86, .text = "middle"},
                                    {.arch = 100, .text = "high", .name = "a.cu"}});
    const Wrapper wrapper{.data = bytes.data()};
    std::string error;
    const auto chosen = [&](int capability) {
        Images images;
        EXPECT_TRUE(read_wrapper(&wrapper, capability, images, error)) << error;
        return std::pair(images.ptx.at(0), images.ptx_version);
    };
    EXPECT_EQ(chosen(75), std::pair(std::string("low"), 75));
    EXPECT_EQ(chosen(80), std::pair(std::string("low"), 75));
    EXPECT_EQ(chosen(90), std::pair(std::string("middle"), 86));
    EXPECT_EQ(chosen(121), std::pair(std::string("too high"), 120));
    const Bytes for_100 = fat_binary({{.arch = 120, .text = "x"}, {.arch = 100, .text = "y", .name = "a.cu"}});
    const Wrapper newer{.data = for_100.data()};
    Images images;
    EXPECT_FALSE(read_wrapper(&newer, 90, images, error));
    EXPECT_EQ(error,
              "the PTX of a.cu is for compute capability 10.0 and newer, the device has 9.0: compile with -gencode "
              "arch=compute_90,code=compute_90");
}

TEST(FatBinary, ObjectsThatWereCompiledApart) {
    const Bytes empty = fat_binary({}), first = fat_binary({{.text = "one"}}), second = fat_binary({{.text = "two"}});
    const Bytes library =
        fat_binary({{.kind = 2, .text = "x", .flags = 0x8011}, {.arch = 121, .text = "z", .flags = 0x8011}});
    const void* objects[] = {first.data(), second.data(), library.data(), nullptr};
    const Wrapper wrapper{.version = 2, .data = empty.data(), .prelinked = objects};
    Images images;
    std::string error;
    ASSERT_TRUE(read_wrapper(&wrapper, kCapability, images, error)) << error;
    EXPECT_EQ(images.ptx, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(images.skipped.size(), 1u);
    EXPECT_TRUE(images.cubins.empty());
}

TEST(FatBinary, WhatIsMissingIsNamed) {
    Images images;
    std::string error;
    const Bytes compressed = fat_binary({{.text = "z", .flags = 0x8011, .name = "scan.cu"}});
    const Bytes code_only = fat_binary({{.kind = 2, .text = "elf"}}), empty = fat_binary({});
    Wrapper wrapper{.data = compressed.data()};
    EXPECT_FALSE(read_wrapper(&wrapper, kCapability, images, error));
    EXPECT_EQ(error, "the PTX of scan.cu is compressed, and damaged: it cannot be unpacked");
    wrapper.data = code_only.data();
    EXPECT_FALSE(read_wrapper(&wrapper, kCapability, images, error));
    EXPECT_EQ(error, "machine code without PTX: compile with -gencode arch=compute_75,code=compute_75");
    wrapper.data = empty.data();
    EXPECT_FALSE(read_wrapper(&wrapper, kCapability, images, error));
    EXPECT_EQ(error, "the program holds no device code");
    wrapper.magic = 1;
    EXPECT_FALSE(read_wrapper(&wrapper, kCapability, images, error));
    EXPECT_FALSE(read_wrapper(nullptr, kCapability, images, error));
    wrapper.magic = 0x466243b1;
    wrapper.version = 3;
    EXPECT_FALSE(read_wrapper(&wrapper, kCapability, images, error));
}

// Run under AddressSanitizer, these show that nothing is read past the end.
TEST(FatBinary, DamagedOnes) {
    const Bytes whole = fat_binary({{.text = "first text", .name = "a.cu"}, {.kind = 2, .text = "elf"}});
    std::string error;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        std::vector<Entry> entries;
        EXPECT_FALSE(read_entries(cut, entries, error)) << length;
    }
    std::mt19937 random(5);
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes = whole;
        for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        std::vector<Entry> entries;
        read_entries(bytes, entries, error);
    }
}

// An executable with one segment, which begins with a fat binary.
constexpr std::uint64_t kAddress = 0x400000;
Bytes executable(const Bytes& content) {
    Elf64_Ehdr head{};
    head.e_phoff = sizeof head;
    head.e_phnum = 1;
    Elf64_Phdr part{};
    part.p_type = PT_LOAD;
    part.p_offset = sizeof head + sizeof part;
    part.p_vaddr = kAddress;
    part.p_filesz = content.size();
    Bytes file;
    append(file, head);
    append(file, part);
    file.insert(file.end(), content.begin(), content.end());
    return file;
}

TEST(FatBinary, DamagedExecutables) {
    const Bytes whole = executable(fat_binary({{.text = "first text", .name = "a.cu"}, {.kind = 2, .text = "elf"}}));
    const auto read = [](const Bytes& file, std::uint64_t address) {
        Images images;
        std::string error;
        return read_from_file(file, address, kCapability, images, error) &&
               images.ptx == std::vector<std::string>{"first text"};
    };
    EXPECT_TRUE(read(whole, kAddress));
    for (const std::uint64_t address :
         {kAddress - 1, kAddress + 1, kAddress + whole.size(), std::uint64_t{0}, ~std::uint64_t{0}})
        EXPECT_FALSE(read(whole, address)) << address;
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(read(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)), kAddress))
            << length;
    std::mt19937_64 random(7);
    for (int round = 0; round < 50'000; ++round) {
        Bytes file = whole;
        for (int change = 0; change < 3; ++change) {
            const std::size_t at = random() % file.size();
            const std::uint64_t large = random() % 3 == 0 ? ~std::uint64_t{0} - random() % 64 : random();
            std::memcpy(&file[at], &large, std::min<std::size_t>(1 + random() % 8, file.size() - at));
        }
        read(file, kAddress + (random() % 4 == 0 ? random() : 0));
    }
}

Bytes made_by_nvcc(const std::string& flags) {
    const auto folder = std::filesystem::path(::testing::TempDir());
    const auto source = folder / "fatbin_test.cu", output = folder / "fatbin_test.fatbin";
    std::ofstream(source) << "__global__ void kernel(int* a) { a[threadIdx.x] = 5; }\n";
    Bytes bytes;
    for (const std::string nvcc : {"/usr/local/cuda/bin/nvcc", "nvcc"}) {
        const std::string command =
            nvcc + " " + flags + " -fatbin " + source.string() + " -o " + output.string() + " > /dev/null 2>&1";
        if (std::system(command.c_str()) != 0) continue;
        std::ifstream file(output, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
        break;
    }
    std::filesystem::remove(source);
    std::filesystem::remove(output);
    return bytes;
}

TEST(FatBinary, MadeByNvcc) {
    const Bytes bytes = made_by_nvcc("--no-compress -arch=compute_75 -code=compute_75,sm_80");
    if (bytes.empty()) GTEST_SKIP() << "no nvcc";
    const Wrapper wrapper{.data = bytes.data()};
    Images images;
    std::string error;
    ASSERT_TRUE(read_wrapper(&wrapper, kCapability, images, error)) << error;
    ASSERT_EQ(images.ptx.size(), 1u);
    EXPECT_NE(images.ptx[0].find(".entry _Z6kernelPi"), std::string::npos);
    ASSERT_EQ(images.cubins.size(), 1u);
    const auto registers = kernel_registers(images.cubins[0]);
    ASSERT_EQ(registers.size(), 1u);
    EXPECT_EQ(registers[0].kernel, "_Z6kernelPi");
    EXPECT_GE(registers[0].registers, 4);
    EXPECT_LE(registers[0].registers, 32);
    const Bytes cubin(images.cubins[0].begin(), images.cubins[0].end());
    for (std::size_t length = 0; length < cubin.size(); length += 7) {
        const Bytes cut(cubin.begin(), cubin.begin() + static_cast<std::ptrdiff_t>(length));
        kernel_registers(cut);
    }
    std::mt19937 random(6);
    for (int round = 0; round < 5000; ++round) {
        Bytes changed = cubin;
        for (int change = 0; change < 5; ++change)
            changed[random() % changed.size()] = static_cast<std::byte>(random());
        kernel_registers(changed);
    }
}

// Each way of nvcc 13 to pack; the first is its default. Never reads beyond a damaged one.
TEST(FatBinary, CompressedByNvcc) {
    for (const std::string mode : {"", "--compress-mode=size -Xfatbin=-compress-all ", "--compress-mode=speed "}) {
        const Bytes bytes = made_by_nvcc(mode + "-arch=compute_75 -code=compute_75,sm_75");
        if (bytes.empty()) GTEST_SKIP() << "no nvcc";
        const Wrapper wrapper{.data = bytes.data()};
        Images images;
        std::string error;
        ASSERT_TRUE(read_wrapper(&wrapper, kCapability, images, error)) << mode << error;
        ASSERT_EQ(images.ptx.size(), 1u) << mode;
        EXPECT_NE(images.ptx[0].find(".entry _Z6kernelPi"), std::string::npos) << mode;
        EXPECT_EQ(images.ptx[0].find('\0'), std::string::npos) << mode;
        ASSERT_EQ(images.cubins.size(), 1u) << mode;
        EXPECT_EQ(kernel_registers(images.cubins[0]).size(), 1u) << mode;

        Images of_a_file;
        EXPECT_TRUE(read_from_file(executable(bytes), kAddress, kCapability, of_a_file, error));
        EXPECT_TRUE(of_a_file.ptx.empty()) << "what a stranger packed stays packed";
        ASSERT_EQ(of_a_file.skipped.size(), 1u);
        EXPECT_NE(of_a_file.skipped[0].find("--no-compress"), std::string::npos);

        std::mt19937 random(8);
        for (int round = 0; round < 300; ++round) {
            Bytes changed = bytes;
            for (int change = 0; change < 4; ++change)
                changed[24 + random() % (changed.size() - 24)] = static_cast<std::byte>(random());
            const Wrapper damaged{.data = changed.data()};
            read_wrapper(&damaged, kCapability, images, error);
        }
    }
}

}  // namespace
}  // namespace vgpu::fatbin
