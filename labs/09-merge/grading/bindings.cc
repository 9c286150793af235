// Lab 9's bindings: which of the student's functions a task and variant call. Trusted; in the runner only.
#include <stdexcept>

#include "harness/call.h"
#include "merge.h"

namespace {

using lab::Call;

// Arrays of T lie there as arrays of Number: a pair is two numbers.
template <class T, class Number>
const T* in(Call& c, std::size_t i) {
    return reinterpret_cast<const T*>(c.in<Number>(i));
}
template <class T, class Number>
T* out(Call& c) {
    return reinterpret_cast<T*>(c.out<Number>(0));
}

template <class T, class Number = T>
void run(Call& c, void (*task)(const T*, T*, int, int, Workspace&)) {
    task(in<T, Number>(c, 0), out<T, Number>(c), static_cast<int>(c.n()), static_cast<int>(c.scalar("run")),
         c.workspace());
}

template <class T, class Number = T>
void run(Call& c, void (*task)(const T*, int, const T*, int, T*, Workspace&)) {
    auto left = static_cast<int>(c.scalar("left"));
    task(in<T, Number>(c, 0), left, in<T, Number>(c, 1), static_cast<int>(c.n()) - left, out<T, Number>(c),
         c.workspace());
}

template <class T, class Number = T>
void run(Call& c, void (*task)(const T*, T*, int, Workspace&)) {
    task(in<T, Number>(c, 0), out<T, Number>(c), static_cast<int>(c.n()), c.workspace());
}

[[noreturn]] void throw_unknown_variant(const Call& c) {
    throw std::invalid_argument("unknown variant " + c.variant());
}

void run_one_thread_per_merge(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, one_thread_per_merge<Ascending<int>>);
    if (v == "pairs_int32") return run<Pair, int>(c, one_thread_per_merge<ByKey>);
    throw_unknown_variant(c);
}

void run_rank_by_search(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, rank_by_search<Ascending<int>>);
    if (v == "descending_int32") return run<int>(c, rank_by_search<Descending<int>>);
    if (v == "pairs_int32") return run<Pair, int>(c, rank_by_search<ByKey>);
    throw_unknown_variant(c);
}

void run_splitters(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, splitters<Ascending<int>>);
    if (v == "descending_int32") return run<int>(c, splitters<Descending<int>>);
    if (v == "pairs_int32") return run<Pair, int>(c, splitters<ByKey>);
    throw_unknown_variant(c);
}

void run_merge_path(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, merge_path<Ascending<int>>);
    if (v == "ascending_int64") return run<long long>(c, merge_path<Ascending<long long>>);
    if (v == "ascending_float32") return run<float>(c, merge_path<Ascending<float>>);
    if (v == "pairs_int32") return run<Pair, int>(c, merge_path<ByKey>);
    throw_unknown_variant(c);
}

void run_merge_sort(Call& c) {
    const std::string& v = c.variant();
    if (v == "ascending_int32") return run<int>(c, merge_sort<Ascending<int>>);
    if (v == "descending_int32") return run<int>(c, merge_sort<Descending<int>>);
    if (v == "ascending_float32") return run<float>(c, merge_sort<Ascending<float>>);
    if (v == "pairs_int32") return run<Pair, int>(c, merge_sort<ByKey>);
    throw_unknown_variant(c);
}

}  // namespace

lab::Bindings merge_bindings() {
    return {{"one_thread_per_merge", run_one_thread_per_merge},
            {"rank_by_search", run_rank_by_search},
            {"splitters", run_splitters},
            {"merge_path", run_merge_path},
            {"merge_sort", run_merge_sort}};
}
