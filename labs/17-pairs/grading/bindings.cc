// Lab 17's bindings: which of the student's functions a task calls. Trusted; in the runner only.
#include "harness/call.h"
#include "pairs.h"

namespace {

using lab::Call;

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }
const Point* points(const Call& c) { return reinterpret_cast<const Point*>(c.in<int>(0)); }
Grid grid(const Call& c) {
    return {scalar(c, "left"), scalar(c, "bottom"), scalar(c, "side"), scalar(c, "columns"), scalar(c, "rows")};
}

auto quadratic(void (*task)(const Point*, int*, int, int)) {
    return [task](Call& c) { task(points(c), c.out<int>(0), static_cast<int>(c.n()), scalar(c, "radius")); };
}

auto in_cells(void (*task)(const Point*, int*, int, int, Grid, Workspace&)) {
    return [task](Call& c) {
        task(points(c), c.out<int>(0), static_cast<int>(c.n()), scalar(c, "radius"), grid(c), c.workspace());
    };
}

}  // namespace

lab::Bindings pairs_bindings() {
    return {
        {"all_pairs", quadratic(all_pairs)},
        {"tiled", quadratic(tiled)},
        {"binned", in_cells(binned)},
        {"sorted_cells", in_cells(sorted_cells)},
        {"pairs_out",
         [](Call& c) {
             pairs_out(points(c), reinterpret_cast<Pair*>(c.out<int>(0)), c.out<int>(1), static_cast<int>(c.n()),
                       scalar(c, "radius"), grid(c), scalar(c, "room"), c.workspace());
         }},
    };
}
