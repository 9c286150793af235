// Every task of lab 6 as not started. Linked behind a submission of wrong/, slow/ or cheat/, whose own functions come
// first: what a submission does not define is found here. Never linked to a student's file.
// Instantiations of templates are weak by the language's rules.
#include "histogram.h"

template <class Bins>
void global_atomics(const typename Bins::type*, int, Bins, unsigned*, Workspace&) {
    todo("1");
}

template <class Bins>
void thread_local_atomics(const typename Bins::type*, int, Bins, unsigned*, Workspace&) {
    todo("2");
}

template <class Bins>
void thread_local_reduce(const typename Bins::type*, int, Bins, unsigned*, Workspace&) {
    todo("3");
}

template <class Bins>
void shared_atomics(const typename Bins::type*, int, Bins, unsigned*, Workspace&) {
    todo("4");
}

template <class Bins>
void replicated(const typename Bins::type*, int, Bins, unsigned*, Workspace&) {
    todo("5");
}

template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void thread_local_reduce(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_reduce(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
