// Every task of lab 3 as not started. Linked behind a mistake (mistakes/), whose own functions come first: a function
// that it does not define is found here. Never linked to a student's file.
// Plain functions are weak by their attribute, instantiations of templates by the language's rules.
#include "scan.h"

[[gnu::weak]] void naive(const int*, int*, int, Workspace&) { todo("1"); }
[[gnu::weak]] void hillis_steele(const int*, int*, int, Workspace&) { todo("2"); }
[[gnu::weak]] void blelloch(const int*, int*, int, Workspace&) { todo("3"); }

template <Scan kind, class Op, class T>
void block_sums(const T*, T*, int, Workspace&) {
    todo("4");
}

template <Scan kind, class Op, class T>
void reduce_then_scan(const T*, T*, int, Workspace&) {
    todo("5");
}

template <Scan kind, class Op, class T>
void look_back(const T*, T*, int, Workspace&) {
    todo("6");
}

template <Scan kind, class Op, class T>
void pipelined(const T*, T*, int, Workspace&) {
    todo("7");
}

#include "grading/instantiations.h"
