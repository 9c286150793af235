// Device memory: allocations with red zones, a quarantine for freed ones, and a shadow that records which bytes were
// written. Device addresses have an address space of their own and are never host addresses.
//
// Global addresses are divided into slots. An allocation lies in the middle of its slots, so an access that misses it
// by gigabytes is still attributed to it and hits no neighbour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/device.h"
#include "virtual_gpu/memory/l2_contents.h"
#include "virtual_gpu/undefined/bytes.h"

namespace vgpu {

// Windows of the generic address space. Everything else is global (or constant) memory.
constexpr DevicePtr kSharedWindow = 0x0100'0000'0000;
constexpr DevicePtr kLocalWindow = 0x0200'0000'0000;
constexpr DevicePtr kWindowBytes = 0x1'0000'0000;
// An address in the local window tells whose it is: some bits of the thread's number lie above its offset.
constexpr int kLocalBits = 28;
constexpr DevicePtr kLocalThreads = 1 << 12, kLocalBytes = kLocalThreads << kLocalBits;
constexpr DevicePtr local_offset(DevicePtr generic) {
    return (generic - kLocalWindow) & ((DevicePtr{1} << kLocalBits) - 1);
}
constexpr bool is_local(DevicePtr generic) { return generic - kLocalWindow < kLocalBytes; }
constexpr DevicePtr kGlobalFirst = 0x1000'0000'0000;  // wide slots: [kGlobalFirst, kNarrowFirst)
constexpr DevicePtr kNarrowFirst = 0x5000'0000'0000;  // narrow slots, used when the wide ones have run out
constexpr DevicePtr kGlobalEnd = 0x5400'0000'0000;
// __managed__ variables: where each of them is, the program decides before its device code is loaded.
constexpr DevicePtr kVariablesFirst = 0x5480'0000'0000, kVariablesEnd = 0x54C0'0000'0000;
constexpr DevicePtr kVariableRoom = 1 << 26;        // on either side of one, at least
constexpr std::uint32_t kPoisonWord = 0xFFFA'DEAD;  // a NaN as float and as the halves of a double

struct Allocation {
    DevicePtr base = 0;
    std::uint64_t bytes = 0;
    DevicePtr first = 0;                        // the array's start: after `base` where the array must not be aligned
    std::uint8_t* data = nullptr;               // host storage
    std::uint8_t* written = nullptr;            // for each byte kNeverWritten, kWritten or kUndefined
    std::vector<std::uint8_t> whole;            // for each line of 128 bytes: it is known that all are kWritten
    std::unique_ptr<UndefinedBytes> undefined;  // once there is one
    std::uint16_t* touched = nullptr;  // for each 32-byte sector, the last launch that touched it (launch_number())
    std::unique_ptr<std::uint64_t[]> in_call;     // a bit for each sector that the call has touched, if any
    std::uint64_t call_sectors = 0, made_in = 0;  // how many; the call in which it was allocated
    std::shared_ptr<void> races;                  // what the race check keeps of it; lives as long as the storage
    std::uint64_t first_slot = 0, slots = 0;
    bool narrow = false;
    bool read_only = false;  // __constant__
    bool freed = false;
    bool from_device = false;  // by malloc() in a kernel
    bool on_host = false;      // pinned memory: takes none of the device's
    std::uint64_t mapped = 0;  // bytes of pages that `data` has to itself, of which the host has a view; see share()
    bool is_foreign = false;   // `data` belongs to the program: see adopt()
    std::string label;         // "d_in", or where the allocation was made
    std::uint64_t number = 0;  // in order of allocation

    std::uint64_t array_bytes() const { return base + bytes - first; }
    static constexpr int kLineShift = 7;
    void mark_written(std::uint64_t begin, std::uint64_t size) {
        std::memset(written + begin, kWritten, size);
        const std::uint64_t end = begin + size == bytes ? whole.size() : (begin + size) >> kLineShift;
        for (std::uint64_t n = (begin + (1u << kLineShift) - 1) >> kLineShift; n < end; ++n) whole[n] = 1;
    }
    void not_whole(std::uint64_t begin, std::uint64_t size) {  // before some bytes become anything else
        for (std::uint64_t n = begin >> kLineShift; size != 0 && n <= (begin + size - 1) >> kLineShift; ++n) whole[n] = 0;
    }
    bool is_whole(std::uint64_t begin, std::uint64_t size) const {
        bool all = true;
        for (std::uint64_t n = begin >> kLineShift; n <= (begin + size - 1) >> kLineShift; ++n) all &= whole[n] != 0;
        return all;
    }
};

class Memory {
  public:
    explicit Memory(std::uint64_t limit_bytes = std::uint64_t{8} << 30);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void set_limit(std::uint64_t bytes) { limit_ = bytes; }
    // From now on, what is allocated or poisoned holds zeros and counts as written; and so does what is forgotten.
    void set_zeros(bool allocated, bool forgotten) {
        zero_allocated_ = allocated;
        zero_forgotten_ = forgotten;
    }
    std::uint64_t limit() const { return limit_; }
    std::uint64_t bytes_free() const { return limit_ > used_ ? limit_ - used_ : 0; }

    // Fresh memory is poisoned and counts as never written. 0 bytes give a valid pointer to nothing.
    // `small` prefers a narrow slot: for the many little variables of a module.
    Status allocate(std::uint64_t bytes, std::string_view label, DevicePtr& out, bool small = false);
    // In pages that begin as zeros and count as written, see share(), and in the host's memory: the limit is not for
    // it.
    Status allocate_on_host(std::uint64_t bytes, std::string_view label, DevicePtr& out, int& file);
    // A variable at an address that begins a slot of variables: kVariablesFirst, a multiple of slots, and
    // kVariableRoom.
    Status allocate_at(DevicePtr at, std::uint64_t bytes, std::string_view label);
    // Moves an array into pages of a file, of which the host may map a view: what either side writes, the other has at
    // once. The file is the caller's to close. With `keeps`, the array has the same bytes as before; else it has zeros,
    // and counts as written.
    Status share(DevicePtr base, bool keeps, int& file);
    // The program's own memory, at its own address, until abandon(). Its bytes count as written.
    Status adopt(std::uintptr_t host, std::uint64_t bytes, std::string_view label);
    void abandon(std::uintptr_t host);
    // The host may have changed any of these bytes: none is undefined any more.
    void host_has(DevicePtr at, std::uint64_t bytes);
    // Marks an allocation as one of malloc() in a kernel. It is on a heap of its own: the host's free memory does not
    // reveal its size.
    void set_aside(DevicePtr base);
    // `base` must come from allocate() and must not have been released; otherwise: invalid_value. 0 is allowed.
    Status release(DevicePtr base);

    // Accesses from the host: bounds are checked, invalid_value if the range is not inside one living allocation.
    Status write(DevicePtr to, std::span<const std::byte> from);
    Status read(DevicePtr from, std::span<std::byte> to) const;
    Status copy(DevicePtr to, DevicePtr from, std::uint64_t bytes);  // keeps what is known of the source's bytes
    Status fill(DevicePtr to, std::uint32_t value, int width, std::uint64_t count);
    Status poison(DevicePtr at, std::uint64_t bytes);
    Status forget(DevicePtr at, std::uint64_t bytes);  // counts as never written from now on; the values stay
    void mark_written(DevicePtr at, std::uint64_t bytes);
    // The next allocation begins where this freed one began, as a GPU's allocations do; invalid_value if another one is
    // there already.
    Status reuse(DevicePtr freed);

    // Undefined values that were stored in the range, not padding that was only copied. Afterwards they count as
    // written, so a range is reported once.
    struct Undefined {
        DevicePtr at = 0;
        OriginId origin = 0;
        std::uint64_t words = 0;  // of four bytes, that hold one
    };
    std::optional<Undefined> take_undefined(DevicePtr at, std::uint64_t bytes);
    Origins& origins() { return origins_; }

    // Names the array that begins at `first`, in an allocation; what lies before it is out of bounds from now on.
    bool label(DevicePtr first, std::string_view text);
    // The allocation that an address belongs to, also outside its bounds or after release; nullptr: none.
    Allocation* find(DevicePtr address);
    const Allocation* find(DevicePtr address) const { return const_cast<Memory*>(this)->find(address); }
    std::vector<const Allocation*> living() const;  // for the leak check, in order of allocation

    // Used by the interpreter. slot_of() gives an index into table(), which holds an entry (maybe null) for each.
    static std::uint64_t slot_of(DevicePtr address) { return (address - kGlobalFirst) >> kWideBits; }
    static constexpr int kWideBits = 34, kNarrowBits = 28;
    static constexpr std::uint64_t kWideSlots = (kNarrowFirst - kGlobalFirst) >> kWideBits;
    static constexpr std::uint64_t kNarrowSlots = (kGlobalEnd - kNarrowFirst) >> kNarrowBits;
    static constexpr std::uint64_t kAllNarrowSlots = (kVariablesEnd - kNarrowFirst) >> kNarrowBits;
    Allocation* lookup(DevicePtr address) {
        const std::uint64_t slot = slot_of(address);
        if (slot < kWideSlots) return wide_[slot];
        if (address >= kNarrowFirst && address < kVariablesEnd) return narrow_[(address - kNarrowFirst) >> kNarrowBits];
        return adopted_.empty() ? nullptr : find_adopted(address);
    }
    L2Contents& l2() { return l2_; }

    // What a program does from one begin_call() to the next is a call. Sectors of 32 bytes that it has touched, by
    // kernels, copies and fills, each once, however often it was touched. What it allocates where it has freed as much
    // counts as the same memory. write(), copy() and fill() touch by themselves.
    void begin_call();
    std::uint64_t call_sectors() const { return call_sectors_; }
    void touch_in_call(DevicePtr at, std::uint64_t bytes);  // inside an allocation, or nothing happens
    void touch_in_call(Allocation& a, std::uint64_t sector) {
        if (!a.in_call) a.in_call = std::make_unique<std::uint64_t[]>(a.bytes / 32 / 64 + 1);
        std::uint64_t& word = a.in_call[sector / 64];
        const std::uint64_t bit = std::uint64_t{1} << sector % 64;
        if ((word & bit) != 0) return;
        word |= bit;
        count_in_call(a, 1);
    }

    std::uint16_t launch_number() const { return launch_; }  // of the last launch
    std::uint16_t next_launch_number();                      // clears the `touched` shadows when the number wraps round

  private:
    Allocation* inside(DevicePtr at, std::uint64_t bytes) const;
    Allocation* find_adopted(DevicePtr address);  // also near one
    static std::uint8_t* storage(std::uint64_t bytes);
    Status make(std::unique_ptr<Allocation>, std::uint8_t* data, std::string_view label);
    void touch_range(Allocation&, std::uint64_t begin, std::uint64_t bytes);
    void count_in_call(Allocation& a, std::uint64_t sectors) {
        a.call_sectors += sectors;
        const std::uint64_t again = a.made_in == call_ ? std::min(sectors, freed_in_call_) : 0;
        freed_in_call_ -= again;
        call_sectors_ += sectors - again;
    }
    bool take_slots(Allocation&, bool small);
    void forget(std::deque<Allocation*>::iterator quarantined);
    void set_slots(const Allocation&, Allocation*);
    void free_storage(Allocation&);

    std::uint64_t limit_, used_ = 0, quarantined_ = 0, counter_ = 0;
    std::uint16_t launch_ = 0;
    std::uint64_t call_ = 1, call_sectors_ = 0, freed_in_call_ = 0;
    bool zero_allocated_ = false, zero_forgotten_ = false;
    L2Contents l2_;
    Origins origins_;
    std::uint64_t wide_at_ = 0, narrow_at_ = 0;  // where to look for a free slot next
    std::vector<Allocation*> wide_, narrow_;
    std::vector<std::unique_ptr<Allocation>> all_;
    std::deque<Allocation*> quarantine_;
    std::map<std::uintptr_t, std::unique_ptr<Allocation>> adopted_;
};

}  // namespace vgpu
