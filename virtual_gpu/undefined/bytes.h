// Undefined values: which bytes of memory hold one, and where each comes from.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "virtual_gpu/exec/report/source_types.h"
#include "virtual_gpu/report.h"

namespace vgpu {

// What is known of a byte of memory.
constexpr std::uint8_t kNeverWritten = 0, kWritten = 1, kUndefined = 2;    // kUndefined: with an undefined value
constexpr std::uint64_t kAllWritten = ~std::uint64_t{0} / 255 * kWritten;  // eight bytes, each kWritten
constexpr std::uint8_t kOnItsWay = 4;  // in shared memory: by a cp.async that nobody has waited for

// A number in Origins and two flags. 0: a register that nothing was written to, which no arithmetic has read yet.
using OriginId = std::uint32_t;
constexpr OriginId kComputed = 1u << 31;  // a result of arithmetic, no mere copy
constexpr OriginId kPadding = 1u << 30;   // the load got written bytes, too: the others may be padding
constexpr OriginId kOriginNumber = kPadding - 1;

// Where an undefined value comes from.
struct Origin {
    enum class Kind : std::uint8_t { memory, shuffle, variable } kind{};
    std::uint32_t place = 0;  // of Origins::place(): where it was read
    std::uint32_t array = 0;  // kind memory: of Origins::array()
    std::int64_t at = -1;     // kind memory: the byte of the array; -1: one of many
    std::uint8_t bytes = 0;   // of the access
    friend auto operator<=>(const Origin&, const Origin&) = default;
};

class Origins {
  public:
    struct Place {
        SourcePlace source;
        std::string at;  // "scan.cu:41"
    };
    struct Array {
        std::string name, space;
        std::uint64_t bytes = 0;
        Layout layout;
    };

    std::uint32_t place(const SourcePlace&, const std::string& at);
    std::uint32_t array(const Array&);
    OriginId add(Origin);

    const Origin& operator[](OriginId id) const { return origins_[(id & kOriginNumber) - 1]; }
    // What this line reads of this array is not defined because of a race, which has its own finding.
    void explain(std::uint32_t place, std::uint32_t array) { explained_.emplace(place, array); }
    bool is_explained(OriginId id) const {
        if (explained_.empty() || (id & kOriginNumber) == 0) return false;
        const Origin& o = (*this)[id];
        return o.kind == Origin::Kind::memory && explained_.contains({o.place, o.array});
    }
    const Place& place_of(const Origin& o) const { return places_[o.place]; }
    const Array& array_of(const Origin& o) const { return arrays_[o.array]; }

  private:
    static constexpr std::size_t kMost = 1 << 18;  // then, all elements of an array that a line reads are one
    std::vector<Origin> origins_;
    struct Hash {
        std::size_t operator()(const Origin& o) const {
            const auto where = static_cast<std::size_t>(o.place) << 34 ^ static_cast<std::size_t>(o.array) << 2;
            return (where ^ static_cast<std::size_t>(o.kind) ^ static_cast<std::size_t>(o.at) << 12) *
                   0x9E37'79B9'7F4A'7C15u;
        }
    };
    std::unordered_map<Origin, OriginId, Hash> known_;
    std::vector<Place> places_;
    std::map<std::pair<std::string, int>, std::uint32_t> known_places_;
    std::vector<Array> arrays_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> explained_;  // place, array
    std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> known_arrays_;
};

// Of an array's bytes, those that count as kUndefined: which of their bits, and the origin of each four.
class UndefinedBytes {
  public:
    explicit UndefinedBytes(std::size_t bytes)
        : bits_(make<std::uint8_t>(bytes)), origins_(make<OriginId>(bytes / 4 + 1)) {}
    std::uint8_t& bits(std::size_t at) { return bits_.get()[at]; }
    OriginId& origin(std::size_t at) { return origins_.get()[at / 4]; }

  private:
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    template <class T>
    static std::unique_ptr<T[], Free> make(std::size_t count) {  // pages that are not used cost nothing
        auto* p = static_cast<T*>(std::calloc(count + 1, sizeof(T)));
        if (!p) std::abort();
        return std::unique_ptr<T[], Free>(p);
    }
    std::unique_ptr<std::uint8_t[], Free> bits_;
    std::unique_ptr<OriginId[], Free> origins_;
};

}  // namespace vgpu
