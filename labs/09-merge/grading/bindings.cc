// Lab 9's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include "harness/call.h"
#include "merge.h"

namespace {

using lab::Call;

// Arrays of T are passed as arrays of Number: a pair is two numbers.
template <class T, class Number>
const T* in(Call& c, std::size_t i) {
    return reinterpret_cast<const T*>(c.in<Number>(i));
}
template <class T, class Number>
T* out(Call& c) {
    return reinterpret_cast<T*>(c.out<Number>(0));
}

template <class T, class Number = T>
auto bind(void (*task)(const T*, T*, int, int, Workspace&)) {
    return [task](Call& c) {
        task(in<T, Number>(c, 0), out<T, Number>(c), static_cast<int>(c.n()), static_cast<int>(c.scalar("run")),
             c.workspace());
    };
}

template <class T, class Number = T>
auto bind(void (*task)(const T*, int, const T*, int, T*, Workspace&)) {
    return [task](Call& c) {
        const auto left = static_cast<int>(c.scalar("left"));
        task(in<T, Number>(c, 0), left, in<T, Number>(c, 1), static_cast<int>(c.n()) - left, out<T, Number>(c),
             c.workspace());
    };
}

template <class T, class Number = T>
auto bind(void (*task)(const T*, T*, int, Workspace&)) {
    return [task](Call& c) { task(in<T, Number>(c, 0), out<T, Number>(c), static_cast<int>(c.n()), c.workspace()); };
}

}  // namespace

lab::Bindings merge_bindings() {
    const auto run_one_thread_per_merge = lab::by_variant({
        {"ascending_int32", bind(one_thread_per_merge<Ascending<int>>)},
        {"pairs_int32", bind<Pair, int>(one_thread_per_merge<ByKey>)},
    });
    const auto run_rank_by_search = lab::by_variant({
        {"ascending_int32", bind(rank_by_search<Ascending<int>>)},
        {"descending_int32", bind(rank_by_search<Descending<int>>)},
        {"pairs_int32", bind<Pair, int>(rank_by_search<ByKey>)},
    });
    const auto run_splitters = lab::by_variant({
        {"ascending_int32", bind(splitters<Ascending<int>>)},
        {"descending_int32", bind(splitters<Descending<int>>)},
        {"pairs_int32", bind<Pair, int>(splitters<ByKey>)},
    });
    const auto run_merge_path = lab::by_variant({
        {"ascending_int32", bind(merge_path<Ascending<int>>)},
        {"ascending_int64", bind(merge_path<Ascending<long long>>)},
        {"ascending_float32", bind(merge_path<Ascending<float>>)},
        {"pairs_int32", bind<Pair, int>(merge_path<ByKey>)},
    });
    const auto run_merge_sort = lab::by_variant({
        {"ascending_int32", bind(merge_sort<Ascending<int>>)},
        {"descending_int32", bind(merge_sort<Descending<int>>)},
        {"ascending_float32", bind(merge_sort<Ascending<float>>)},
        {"pairs_int32", bind<Pair, int>(merge_sort<ByKey>)},
    });
    return {{"one_thread_per_merge", run_one_thread_per_merge},
            {"rank_by_search", run_rank_by_search},
            {"splitters", run_splitters},
            {"merge_path", run_merge_path},
            {"merge_sort", run_merge_sort}};
}
