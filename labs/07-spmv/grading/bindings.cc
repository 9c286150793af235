// Lab 7's bindings: which of the student's functions a task calls. Trusted; in the runner only.
#include "harness/call.h"
#include "spmv.h"

namespace {

using lab::Call;

int scalar(const Call& c, const char* name) { return static_cast<int>(c.scalar(name)); }

Csr matrix(const Call& c) {
    return {scalar(c, "rows"),     scalar(c, "cols"),     static_cast<int>(c.n()),
            c.in<std::int32_t>(0), c.in<std::int32_t>(1), c.in<float>(2)};
}

void run(Call& c, void (*product)(Csr, const float*, float*, Workspace&)) {
    product(matrix(c), c.in<float>(3), c.out<float>(0), c.workspace());
}

void run_from_dense(Call& c) {
    csr_from_dense(c.in<float>(0), scalar(c, "rows"), scalar(c, "cols"), c.out<std::int32_t>(0), c.out<std::int32_t>(1),
                   c.out<float>(2), c.workspace());
}

void run_from_coo(Call& c) {
    csr_from_coo(c.in<std::int32_t>(0), c.in<std::int32_t>(1), c.in<float>(2), static_cast<int>(c.n()),
                 scalar(c, "rows"), scalar(c, "cols"), c.out<std::int32_t>(0), c.out<std::int32_t>(1), c.out<float>(2),
                 c.workspace());
}

}  // namespace

lab::Bindings spmv_bindings() {
    return {
        {"gather_multiply_reduce", [](Call& c) { run(c, gather_multiply_reduce); }},
        {"row_per_thread", [](Call& c) { run(c, row_per_thread); }},
        {"warp_per_row", [](Call& c) { run(c, warp_per_row); }},
        {"segmented_scan", [](Call& c) { run(c, segmented_scan); }},
        {"csr_from_dense", run_from_dense},
        {"csr_from_coo", run_from_coo},
        {"pagerank", [](Call& c) { pagerank(matrix(c), scalar(c, "steps"), c.out<float>(0), c.workspace()); }},
        {"merge_path", [](Call& c) { run(c, merge_path); }},
    };
}
