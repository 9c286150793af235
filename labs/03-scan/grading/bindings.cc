// Lab 3's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "harness/call.h"
#include "scan.h"

namespace {

using lab::Call;

// Calls `task` with arrays of T, which lie there as arrays of Number: the pairs of some operators are two numbers each.
template <class T, class Number = T>
void run(Call& c, void (*task)(const T*, T*, int, Workspace&)) {
    task(reinterpret_cast<const T*>(c.in<Number>(0)), reinterpret_cast<T*>(c.out<Number>(0)), static_cast<int>(c.n()),
         c.workspace());
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

void run_block_sums(Call& c) {
    const std::string& v = c.variant();
    if (v == "exclusive_sum_int32") return run<int>(c, block_sums<Scan::exclusive, Sum<int>>);
    if (v == "inclusive_sum_int32") return run<int>(c, block_sums<Scan::inclusive, Sum<int>>);
    if (v == "exclusive_max_int32") return run<int>(c, block_sums<Scan::exclusive, Max<int>>);
    if (v == "inclusive_sum_float32") return run<float>(c, block_sums<Scan::inclusive, Sum<float>>);
    if (v == "inclusive_affine_uint32") return run<Affine, unsigned>(c, block_sums<Scan::inclusive, Compose>);
    if (v == "segmented_sum_int32") return run<Headed<int>, int>(c, block_sums<Scan::inclusive, Segmented<Sum<int>>>);
    throw_unknown_variant(c);
}

void run_reduce_then_scan(Call& c) {
    const std::string& v = c.variant();
    if (v == "exclusive_sum_int32") return run<int>(c, reduce_then_scan<Scan::exclusive, Sum<int>>);
    if (v == "inclusive_sum_int32") return run<int>(c, reduce_then_scan<Scan::inclusive, Sum<int>>);
    if (v == "exclusive_sum_int64") return run<long long>(c, reduce_then_scan<Scan::exclusive, Sum<long long>>);
    if (v == "inclusive_affine_uint32") return run<Affine, unsigned>(c, reduce_then_scan<Scan::inclusive, Compose>);
    throw_unknown_variant(c);
}

void run_look_back(Call& c) {
    const std::string& v = c.variant();
    if (v == "exclusive_sum_int32") return run<int>(c, look_back<Scan::exclusive, Sum<int>>);
    if (v == "inclusive_sum_int32") return run<int>(c, look_back<Scan::inclusive, Sum<int>>);
    if (v == "exclusive_max_int32") return run<int>(c, look_back<Scan::exclusive, Max<int>>);
    if (v == "exclusive_sum_int64") return run<long long>(c, look_back<Scan::exclusive, Sum<long long>>);
    if (v == "inclusive_sum_float32") return run<float>(c, look_back<Scan::inclusive, Sum<float>>);
    if (v == "inclusive_affine_uint32") return run<Affine, unsigned>(c, look_back<Scan::inclusive, Compose>);
    if (v == "segmented_sum_int32") return run<Headed<int>, int>(c, look_back<Scan::inclusive, Segmented<Sum<int>>>);
    throw_unknown_variant(c);
}

void run_pipelined(Call& c) {
    const std::string& v = c.variant();
    if (v == "exclusive_sum_int32") return run<int>(c, pipelined<Scan::exclusive, Sum<int>>);
    if (v == "inclusive_sum_int32") return run<int>(c, pipelined<Scan::inclusive, Sum<int>>);
    if (v == "exclusive_sum_int64") return run<long long>(c, pipelined<Scan::exclusive, Sum<long long>>);
    if (v == "inclusive_affine_uint32") return run<Affine, unsigned>(c, pipelined<Scan::inclusive, Compose>);
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings scan_bindings() {
    return {
        {"naive", [](Call& c) { run<int>(c, naive); }},
        {"hillis_steele", [](Call& c) { run<int>(c, hillis_steele); }},
        {"blelloch", [](Call& c) { run<int>(c, blelloch); }},
        {"block_sums", run_block_sums},
        {"reduce_then_scan", run_reduce_then_scan},
        {"look_back", run_look_back},
        {"pipelined", run_pipelined},
    };
}
