// Lab 3's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "scan.h"

namespace {

using lab::Call;

// Binds `task` to arrays of T, which are passed as arrays of Number: the pairs of some operators are two numbers each.
template <class T, class Number = T>
auto bind(void (*task)(const T*, T*, int, Workspace&)) {
    return [task](Call& c) {
        task(reinterpret_cast<const T*>(c.in<Number>(0)), reinterpret_cast<T*>(c.out<Number>(0)),
             static_cast<int>(c.n()), c.workspace());
    };
}

}  // namespace

lab::Bindings scan_bindings() {
    using enum Scan;
    const auto run_block_sums = lab::by_variant({
        {"exclusive_sum_int32", bind(block_sums<exclusive, Sum<int>>)},
        {"inclusive_sum_int32", bind(block_sums<inclusive, Sum<int>>)},
        {"exclusive_max_int32", bind(block_sums<exclusive, Max<int>>)},
        {"inclusive_sum_float32", bind(block_sums<inclusive, Sum<float>>)},
        {"inclusive_affine_uint32", bind<Affine, unsigned>(block_sums<inclusive, Compose>)},
        {"segmented_sum_int32", bind<Headed<int>, int>(block_sums<inclusive, Segmented<Sum<int>>>)},
    });
    const auto run_reduce_then_scan = lab::by_variant({
        {"exclusive_sum_int32", bind(reduce_then_scan<exclusive, Sum<int>>)},
        {"inclusive_sum_int32", bind(reduce_then_scan<inclusive, Sum<int>>)},
        {"exclusive_sum_int64", bind(reduce_then_scan<exclusive, Sum<long long>>)},
        {"inclusive_affine_uint32", bind<Affine, unsigned>(reduce_then_scan<inclusive, Compose>)},
    });
    const auto run_look_back = lab::by_variant({
        {"exclusive_sum_int32", bind(look_back<exclusive, Sum<int>>)},
        {"inclusive_sum_int32", bind(look_back<inclusive, Sum<int>>)},
        {"exclusive_max_int32", bind(look_back<exclusive, Max<int>>)},
        {"exclusive_sum_int64", bind(look_back<exclusive, Sum<long long>>)},
        {"inclusive_sum_float32", bind(look_back<inclusive, Sum<float>>)},
        {"inclusive_affine_uint32", bind<Affine, unsigned>(look_back<inclusive, Compose>)},
        {"segmented_sum_int32", bind<Headed<int>, int>(look_back<inclusive, Segmented<Sum<int>>>)},
    });
    const auto run_pipelined = lab::by_variant({
        {"exclusive_sum_int32", bind(pipelined<exclusive, Sum<int>>)},
        {"inclusive_sum_int32", bind(pipelined<inclusive, Sum<int>>)},
        {"exclusive_sum_int64", bind(pipelined<exclusive, Sum<long long>>)},
        {"inclusive_affine_uint32", bind<Affine, unsigned>(pipelined<inclusive, Compose>)},
    });
    return {{"naive", bind(naive)},         {"hillis_steele", bind(hillis_steele)},     {"blelloch", bind(blelloch)},
            {"block_sums", run_block_sums}, {"reduce_then_scan", run_reduce_then_scan}, {"look_back", run_look_back},
            {"pipelined", run_pipelined}};
}
