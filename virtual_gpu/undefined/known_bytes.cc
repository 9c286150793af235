// What is known of an array's bytes, as a request reads or writes them: written, undefined, never written.
#include <cstring>

#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {

void no_undefined(Run& run, Lanes& l) {
    if (l.undefined) return;
    std::memset(&run.undefined.loaded, 0, sizeof run.undefined.loaded);
}

void read_known(Run& run, Lanes& l, const Request& r, int lane, const KnownBytes& known, std::size_t at,
                const std::function<OriginId()>& fresh) {
    OriginId mine = 0;
    bool is_part = false;
    for (int b = 0; b < r.bytes; ++b) is_part |= known.flags[at + static_cast<std::size_t>(b)] == kWritten;
    for (int b = 0; b < r.bytes; ++b) {
        const std::size_t place = at + static_cast<std::size_t>(b);
        if (known.flags[place] == kWritten || known.flags[place] == kOnItsWay || (r.unused_bytes >> b & 1) != 0)
            continue;
        if (known.flags[place] == kUndefined) {
            run.undefined.loaded.bits[lane][b] = (*known.undefined)->bits(place);
            run.undefined.loaded.origin[lane][b / 4] = (*known.undefined)->origin(place);
        } else {
            if (mine == 0) mine = fresh() | (is_part ? kPadding : 0);
            run.undefined.loaded.bits[lane][b] = 0xFF;
            run.undefined.loaded.origin[lane][b / 4] = mine;
        }
        l.undefined = &run.undefined.loaded;
    }
}

void write_known(const Request& r, int lane, const KnownBytes& known, std::size_t at) {
    for (int b = 0; b < r.bytes; ++b) {
        const std::size_t place = at + static_cast<std::size_t>(b);
        const std::uint8_t bits = r.undefined ? r.undefined->bits[lane][b] : 0;
        known.flags[place] = bits != 0 ? kUndefined : kWritten;
        if (bits == 0) continue;
        if (!*known.undefined) *known.undefined = std::make_unique<UndefinedBytes>(known.bytes);
        (*known.undefined)->bits(place) = bits;
        (*known.undefined)->origin(place) = r.undefined->origin[lane][b / 4];
    }
}

}  // namespace vgpu
