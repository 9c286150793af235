#include "virtual_gpu/undefined/origins.h"

namespace vgpu {

std::string origin_text(const Origins& origins, OriginId id) {
    const Origin& o = origins[id];
    const std::string& at = origins.place_of(o).at;
    if (o.kind == Origin::Kind::shuffle)
        return "the value that the shuffle at " + at + " got from a lane that takes no part";
    if (o.kind == Origin::Kind::variable) return "a variable that has no value yet, read at " + at;
    const Origins::Array& array = origins.array_of(o);
    const bool is_shared = array.space == "shared";
    const std::string element =
        o.at >= 0 ? element_text(array.name, o.at, o.bytes, array.layout, is_shared) : array.name;
    if (array.space == "local") return "the value of a local array's element that was never written, read at " + at;
    if (is_shared)
        return "the value of " + element + " in shared memory, which no thread of the block has written, read at " + at;
    return "the value of " + element + ", which was never written, read at " + at;
}

std::string origin_help(const Origins& origins, OriginId id) {
    const Origin& o = origins[id];
    if (o.kind == Origin::Kind::shuffle)
        return "every lane whose value is used has to be in the shuffle's mask, and has to make the same call";
    if (o.kind == Origin::Kind::variable) return "give the variable a value before it is read, on every path";
    const std::string& space = origins.array_of(o).space;
    if (space == "local") return "a local array holds garbage at first: an element has to be written before it is read";
    if (space == "shared")
        return "shared memory holds garbage when a block starts: either a thread of the block has to write this "
               "element "
               "before, or another one should be read";
    return "fresh device memory holds garbage until a kernel, cudaMemcpy or cudaMemset writes it";
}

void fill_origin(Finding& f, const Origins& origins, OriginId id) {
    const Origin& o = origins[id];
    f.access = "read";
    f.other_place = origins.place_of(o).source;
    f.space = o.kind == Origin::Kind::shuffle ? "shuffle" : "register";
    if (o.kind != Origin::Kind::memory) return;
    const Origins::Array& array = origins.array_of(o);
    f.space = array.space;
    f.array = array.name;
    f.array_bytes = array.bytes;
    f.index = o.at >= 0 ? element_index(o.at, o.bytes, array.layout) : 0;
}

}  // namespace vgpu
