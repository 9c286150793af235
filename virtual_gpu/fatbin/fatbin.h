// What nvcc embeds in an executable: from the wrapper given to __cudaRegisterFatBinary to PTX texts and machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/fatbin/unpack.h"

namespace vgpu::fatbin {

struct Entry {
    enum class Kind { ptx, cubin } kind = Kind::ptx;
    int arch = 0;  // 75 for compute_75 and sm_75
    Packed packed = Packed::no;
    std::uint64_t unpacked_bytes = 0;  // if it is packed
    std::string name;                  // of the source file, if it says so
    std::span<const std::byte> data;   // in the fat binary itself; PTX that is not packed without the zeros at its end
    std::string_view text() const { return {reinterpret_cast<const char*>(data.data()), data.size()}; }
};

// The entry's PTX. False: `error` is a sentence about its program, with what to do.
bool read_ptx(const Entry& entry, std::string& ptx, std::string& error);

// One fat binary: magic 0xba55ed50, a header of 16 bytes, then entries. Entries of other kinds are left out.
// False: `error` says what is wrong with it. Never looks beyond `bytes`, nor beyond what the headers say.
bool read_entries(std::span<const std::byte> bytes, std::vector<Entry>& entries, std::string& error);

struct Images {
    std::vector<std::string> ptx;  // one for each fat binary: of those that the device can run, the one for the newest
    int ptx_version = 0;           // the highest arch among them
    std::vector<std::span<const std::byte>> cubins;  // machine code of all architectures
    std::deque<std::string> unpacked;                // that of the cubins which were packed
    std::vector<const void*> at;                     // where each fat binary stands
    bool is_too_new = false;                         // there is PTX, for newer devices only
    std::vector<std::string> skipped;                // fat binaries whose PTX could not be read, with the reason
};

// `wrapper` is what __cudaRegisterFatBinary gets (__fatBinC_Wrapper_t, version 1 or 2). Version 2 brings the fat
// binaries of all objects that were compiled with -rdc=true, to be linked to each other; the device runtime's library
// among them is skipped. False if no PTX is left; `error` then names the missing flag.
// `capability`: the device's, 75 for 7.5.
bool read_wrapper(const void* wrapper, int capability, Images& images, std::string& error);

struct KernelRegisters {
    std::string kernel;  // mangled name
    int registers = 0;   // per thread
};

// From a cubin's .nv.info; empty if it has none or is damaged.
std::vector<KernelRegisters> kernel_registers(std::span<const std::byte> cubin);
// Of several, by kernel: the most that one of them takes.
std::map<std::string, int> kernel_registers(const std::vector<std::span<const std::byte>>& cubins);

// The fat binary that stands at `address` of an executable's file, which may be anybody's: nothing is unpacked. False:
// there is none, or it is damaged.
bool read_from_file(std::span<const std::byte> elf, std::uint64_t address, int capability, Images& images,
                    std::string& error);

}  // namespace vgpu::fatbin
