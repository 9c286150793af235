// Lab 16's bindings: which of the student's functions a task calls. Trusted; in the runner only.
#include "harness/call.h"
#include "matmul.h"
#include "variants.h"

namespace {

using lab::Call;

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

auto floats(void (*task)(const float*, const float*, float*, int, int, int)) {
    return [=](Call& c) {
        task(c.in<float>(0), c.in<float>(1), c.out<float>(0), scalar(c, "rows"), scalar(c, "columns"),
             scalar(c, "inner"));
    };
}

void run_occupancy(Call& c) {
    occupancy(c.in<float>(0), c.in<float>(1), c.out<float>(0), scalar(c, "rows"), scalar(c, "columns"),
              scalar(c, "inner"), c.workspace());
}

Order order(bool by_columns) { return by_columns ? Order::columns : Order::rows; }

auto halves(void (*task)(const half*, const half*, float*, int, int, int, Order, Order)) {
    lab::Bindings variants;
    for (const matmul::Orders& orders : matmul::kOrders) {
        variants.emplace_back(orders.name, [=](Call& c) {
            task(reinterpret_cast<const half*>(c.in<lab::Half>(0)), reinterpret_cast<const half*>(c.in<lab::Half>(1)),
                 c.out<float>(0), scalar(c, "rows"), scalar(c, "columns"), scalar(c, "inner"),
                 order(orders.a_by_columns), order(orders.b_by_columns));
        });
    }
    return lab::by_variant(variants);
}

}  // namespace

lab::Bindings matmul_bindings() {
    return {
        {"naive", floats(naive)},
        {"tile", floats(tile)},
        {"register_tile", floats(register_tile)},
        {"vectorized", floats(vectorized)},
        {"occupancy", run_occupancy},
        {"mixed", halves(mixed)},
        {"tensor_cores", halves(tensor_cores)},
    };
}
