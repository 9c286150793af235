// Every task of lab 9 as not started. Linked behind a submission of wrong/, slow/ or cheat/, whose own functions come
// first: what a submission does not define is found here. Never linked to a student's file.
#include "merge.h"

template <class Order>
void one_thread_per_merge(const typename Order::type*, typename Order::type*, int, int, Workspace&) {
    todo("1");
}

template <class Order>
void rank_by_search(const typename Order::type*, int, const typename Order::type*, int, typename Order::type*,
                    Workspace&) {
    todo("2");
}

template <class Order>
void splitters(const typename Order::type*, int, const typename Order::type*, int, typename Order::type*, Workspace&) {
    todo("3");
}

template <class Order>
void merge_path(const typename Order::type*, int, const typename Order::type*, int, typename Order::type*, Workspace&) {
    todo("4");
}

template <class Order>
void merge_sort(const typename Order::type*, typename Order::type*, int, Workspace&) {
    todo("5");
}

template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
