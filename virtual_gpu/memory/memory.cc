#include "virtual_gpu/memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace vgpu {
namespace {

constexpr std::uint64_t kQuarantineBytes = std::uint64_t{256} << 20;
constexpr std::size_t kQuarantineCount = 1024;
constexpr std::uint64_t kSectorBytes = 32;

// Room behind the data, so that a vector access to the last element may read a little further on the host.
constexpr std::uint64_t kTail = 64;

void fill_words(std::uint8_t* to, std::uint64_t bytes, std::uint32_t word) {
    std::uint64_t i = 0;
    for (; i + 4 <= bytes; i += 4) std::memcpy(to + i, &word, 4);
    std::memcpy(to + i, &word, bytes - i);
}

void make_fresh(Allocation& a, std::uint64_t begin, std::uint64_t bytes, bool zeros) {
    fill_words(a.data + begin, bytes, zeros ? 0 : kPoisonWord);
    if (zeros) return a.mark_written(begin, bytes);
    a.not_whole(begin, bytes);
    std::memset(a.written + begin, kNeverWritten, bytes);
}

}  // namespace

Memory::Memory(std::uint64_t limit_bytes)
    : limit_(limit_bytes), wide_(kWideSlots, nullptr), narrow_(kAllNarrowSlots, nullptr) {}

std::uint8_t* Memory::storage(std::uint64_t bytes) {
    return static_cast<std::uint8_t*>(std::aligned_alloc(64, (bytes + kTail + 63) / 64 * 64));
}

Memory::~Memory() {
    for (auto& allocation : all_) free_storage(*allocation);
    for (auto& [host, allocation] : adopted_) free_storage(*allocation);
}

void Memory::free_storage(Allocation& a) {
    if (a.mapped != 0)
        munmap(a.data, a.mapped);
    else if (!a.is_foreign)
        std::free(a.data);
    std::free(a.written);
    std::free(a.touched);
    a.races.reset();
    a.undefined.reset();
    a.data = a.written = nullptr;
    a.touched = nullptr;
}

void Memory::set_slots(const Allocation& a, Allocation* entry) {
    auto& table = a.narrow ? narrow_ : wide_;
    for (std::uint64_t s = 0; s < a.slots; ++s) table[a.first_slot + s] = entry;
}

bool Memory::take_slots(Allocation& a, bool small) {
    // A quarter of the slots' span on either side stays free: the red zones. What fits into one slot begins at the same
    // place whatever its size is, so that another array may begin where one was: see reuse().
    const auto attempt = [&](std::vector<Allocation*>& table, std::uint64_t size, std::uint64_t& start, int bits,
                             DevicePtr first) {
        const std::uint64_t width = std::uint64_t{1} << bits;
        const std::uint64_t count = a.bytes <= width / 2 ? 1 : (a.bytes + width - 1) / width + 1;
        std::uint64_t run = 0;
        for (std::uint64_t tried = 0, s = start; tried < size + count; ++tried, ++s) {
            if (s >= size) s = run = 0;
            run = table[s] == nullptr ? run + 1 : 0;
            if (run < count) continue;
            a.first_slot = s + 1 - count;
            a.slots = count;
            a.narrow = first == kNarrowFirst;
            const DevicePtr begin = first + (a.first_slot << bits);
            const std::uint64_t free_bytes = (count << bits) - a.bytes;
            a.base = begin + (count == 1 ? width / 4 : free_bytes / 2 & ~std::uint64_t{4095});
            start = s + 1;
            set_slots(a, &a);
            return true;
        }
        return false;
    };
    const auto wide = [&] { return attempt(wide_, kWideSlots, wide_at_, kWideBits, kGlobalFirst); };
    const auto narrow = [&] { return attempt(narrow_, kNarrowSlots, narrow_at_, kNarrowBits, kNarrowFirst); };
    for (;;) {
        if (small ? narrow() || wide() : wide() || narrow()) return true;
        if (quarantine_.empty()) return false;
        forget(quarantine_.begin());
    }
}

Status Memory::make(std::unique_ptr<Allocation> a, std::uint8_t* data, std::string_view label) {
    a->data = data;
    a->written = storage(a->bytes);
    a->touched = static_cast<std::uint16_t*>(std::calloc(a->bytes / kSectorBytes + 2, sizeof(std::uint16_t)));
    if (!a->data || !a->written || !a->touched) {
        free_storage(*a);
        if (!a->is_foreign) set_slots(*a, nullptr);
        return Status::out_of_memory;
    }
    a->whole.resize((a->bytes >> Allocation::kLineShift) + 1);
    const bool is_new = a->mapped == 0 && !a->is_foreign;
    if (is_new)
        make_fresh(*a, 0, a->bytes, zero_allocated_);
    else
        a->mark_written(0, a->bytes);
    a->first = std::max(a->first, a->base);
    a->label = label;
    a->number = ++counter_;
    a->made_in = call_;
    if (a->is_foreign) {
        adopted_[a->base] = std::move(a);
        return Status::ok;
    }
    if (!a->on_host) used_ += a->bytes;
    all_.push_back(std::move(a));
    return Status::ok;
}

Status Memory::allocate(std::uint64_t bytes, std::string_view label, DevicePtr& out, bool small) {
    out = 0;
    if (bytes > bytes_free()) return Status::out_of_memory;
    auto a = std::make_unique<Allocation>();
    a->bytes = bytes;
    if (!take_slots(*a, small)) return Status::out_of_memory;
    const DevicePtr base = a->base;
    const Status status = make(std::move(a), storage(bytes), label);
    if (status == Status::ok) out = base;
    return status;
}

void Memory::set_aside(DevicePtr base) {
    Allocation* a = find(base);
    a->from_device = true;
    used_ -= a->bytes;
}

Status Memory::release(DevicePtr base) {
    if (base == 0) return Status::ok;
    Allocation* a = find(base);
    if (!a || a->freed || a->base != base) return Status::invalid_value;
    a->freed = true;
    freed_in_call_ += std::exchange(a->call_sectors, 0);
    if (!a->from_device && !a->on_host) used_ -= a->bytes;
    quarantined_ += a->bytes;
    quarantine_.push_back(a);
    while (quarantined_ > kQuarantineBytes || quarantine_.size() > kQuarantineCount) forget(quarantine_.begin());
    return Status::ok;
}

Status Memory::reuse(DevicePtr freed) {
    if (const auto there = std::ranges::find(quarantine_, freed, &Allocation::base); there != quarantine_.end())
        forget(there);
    if (freed < kGlobalFirst || freed >= kGlobalEnd || lookup(freed)) return Status::invalid_value;
    if (freed < kNarrowFirst)
        wide_at_ = slot_of(freed);
    else
        narrow_at_ = (freed - kNarrowFirst) >> kNarrowBits;
    return Status::ok;
}

void Memory::forget(std::deque<Allocation*>::iterator quarantined) {
    Allocation* a = *quarantined;
    quarantine_.erase(quarantined);
    quarantined_ -= a->bytes;
    set_slots(*a, nullptr);
    free_storage(*a);
    std::erase_if(all_, [a](const auto& entry) { return entry.get() == a; });
}

Allocation* Memory::find(DevicePtr address) {
    if (address >= kGlobalFirst) return lookup(address);
    return adopted_.empty() ? nullptr : find_adopted(address);
}

Allocation* Memory::inside(DevicePtr at, std::uint64_t bytes) const {
    Allocation* a = const_cast<Memory*>(this)->find(at);
    if (!a || a->freed || at < a->base || bytes > a->bytes || at - a->base > a->bytes - bytes) return nullptr;
    return a;
}

Status Memory::write(DevicePtr to, std::span<const std::byte> from) {
    if (from.empty()) return Status::ok;
    Allocation* a = inside(to, from.size());
    if (!a) return Status::invalid_value;
    std::memcpy(a->data + (to - a->base), from.data(), from.size());
    touch_range(*a, to - a->base, from.size());
    mark_written(to, from.size());
    return Status::ok;
}

Status Memory::read(DevicePtr from, std::span<std::byte> to) const {
    if (to.empty()) return Status::ok;
    const Allocation* a = inside(from, to.size());
    if (!a) return Status::invalid_value;
    std::memcpy(to.data(), a->data + (from - a->base), to.size());
    return Status::ok;
}

Status Memory::copy(DevicePtr to, DevicePtr from, std::uint64_t bytes) {
    if (bytes == 0) return Status::ok;
    Allocation* t = inside(to, bytes);
    Allocation* f = inside(from, bytes);
    if (!t || !f) return Status::invalid_value;
    touch_range(*f, from - f->base, bytes);
    touch_range(*t, to - t->base, bytes);
    std::memmove(t->data + (to - t->base), f->data + (from - f->base), bytes);
    std::uint8_t* flags = t->written + (to - t->base);
    t->not_whole(to - t->base, bytes);
    std::memmove(flags, f->written + (from - f->base), bytes);
    if (f->undefined && std::memchr(flags, kUndefined, bytes)) {
        if (!t->undefined) t->undefined = std::make_unique<UndefinedBytes>(t->bytes);
        const auto one = [&](std::uint64_t n) {
            if (flags[n] != kUndefined) return;
            t->undefined->bits(to - t->base + n) = f->undefined->bits(from - f->base + n);
            t->undefined->origin(to - t->base + n) = f->undefined->origin(from - f->base + n);
        };
        if (t == f && to > from)  // they may overlap
            for (std::uint64_t n = bytes; n-- > 0;) one(n);
        else
            for (std::uint64_t n = 0; n < bytes; ++n) one(n);
    }
    return Status::ok;
}

Status Memory::fill(DevicePtr to, std::uint32_t value, int width, std::uint64_t count) {
    if (width != 1 && width != 2 && width != 4) return Status::invalid_value;
    const std::uint64_t bytes = count * static_cast<std::uint64_t>(width);
    if (bytes == 0) return Status::ok;
    Allocation* a = inside(to, bytes);
    if (!a || (to - a->base) % static_cast<unsigned>(width) != 0) return Status::invalid_value;
    if (width == 1) value = (value & 0xFF) * 0x0101'0101u;
    if (width == 2) value = (value & 0xFFFF) * 0x0001'0001u;
    fill_words(a->data + (to - a->base), bytes, value);
    touch_range(*a, to - a->base, bytes);
    mark_written(to, bytes);
    return Status::ok;
}

Status Memory::poison(DevicePtr at, std::uint64_t bytes) {
    if (bytes == 0) return Status::ok;
    Allocation* a = inside(at, bytes);
    if (!a) return Status::invalid_value;
    make_fresh(*a, at - a->base, bytes, zero_allocated_);
    return Status::ok;
}

Status Memory::forget(DevicePtr at, std::uint64_t bytes) {
    if (bytes == 0) return Status::ok;
    Allocation* a = inside(at, bytes);
    if (!a) return Status::invalid_value;
    if (zero_forgotten_) {
        make_fresh(*a, at - a->base, bytes, true);
    } else {
        a->not_whole(at - a->base, bytes);
        std::memset(a->written + (at - a->base), kNeverWritten, bytes);
    }
    return Status::ok;
}

void Memory::mark_written(DevicePtr at, std::uint64_t bytes) {
    Allocation* a = inside(at, bytes);
    if (a && bytes > 0) a->mark_written(at - a->base, bytes);
}

std::optional<Memory::Undefined> Memory::take_undefined(DevicePtr at, std::uint64_t bytes) {
    Allocation* a = inside(at, bytes);
    if (!a || !a->undefined) return std::nullopt;
    std::optional<Undefined> found;
    std::uint8_t* const begin = a->written + (at - a->base);
    std::uint8_t* const end = begin + bytes;
    std::uint64_t last = ~std::uint64_t{0};
    for (std::uint8_t* p = begin; p < end; ++p) {
        p = static_cast<std::uint8_t*>(std::memchr(p, kUndefined, static_cast<std::size_t>(end - p)));
        if (!p) break;
        const auto offset = static_cast<std::uint64_t>(p - a->written);
        const OriginId origin = a->undefined->origin(offset);
        if ((origin & kPadding) != 0 && (origin & kComputed) == 0) continue;
        *p = kWritten;
        if (origins_.is_explained(origin)) continue;
        if (!found) found = Undefined{a->base + offset, origin, 0};
        if (offset / 4 != last) ++found->words;
        last = offset / 4;
    }
    return found;
}

bool Memory::label(DevicePtr first, std::string_view text) {
    Allocation* a = find(first);
    if (!a || a->freed || first < a->base || first - a->base > a->bytes) return false;
    a->first = first;
    a->label = text;
    return true;
}

std::vector<const Allocation*> Memory::living() const {
    std::vector<const Allocation*> result;
    for (const auto& a : all_)
        if (!a->freed) result.push_back(a.get());
    return result;
}

void Memory::begin_call() {
    for (auto& a : all_) {
        a->in_call.reset();
        a->call_sectors = 0;
    }
    call_sectors_ = freed_in_call_ = 0;
    ++call_;
    l2_.forget();
}

void Memory::touch_in_call(DevicePtr at, std::uint64_t bytes) {
    Allocation* a = inside(at, bytes);
    if (a && bytes > 0) touch_range(*a, at - a->base, bytes);
}

void Memory::touch_range(Allocation& a, std::uint64_t begin, std::uint64_t bytes) {
    if (!a.in_call) a.in_call = std::make_unique<std::uint64_t[]>(a.bytes / kSectorBytes / 64 + 1);
    const std::uint64_t last = (begin + bytes - 1) / kSectorBytes;
    std::uint64_t added = 0;
    for (std::uint64_t s = begin / kSectorBytes; s <= last;) {
        const std::uint64_t in_word = s % 64, count = std::min(64 - in_word, last - s + 1);
        const std::uint64_t bits = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << in_word;
        std::uint64_t& word = a.in_call[s / 64];
        added += static_cast<unsigned>(std::popcount(bits & ~word));
        word |= bits;
        s += count;
    }
    count_in_call(a, added);
}

std::uint16_t Memory::next_launch_number() {
    if (++launch_ == 0) {
        for (auto& a : all_) std::fill_n(a->touched, a->bytes / kSectorBytes + 2, std::uint16_t{0});
        launch_ = 1;
    }
    l2_.begin_launch(launch_);
    return launch_;
}

}  // namespace vgpu
