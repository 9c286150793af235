// Templates that make handlers from functions of one lane's values. They loop over all lanes, so that the compiler
// vectorises. `ivdep` says that two columns are identical or do not overlap.
#pragma once

#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

#define VGPU_LANES _Pragma("GCC ivdep") for (int l = 0; l < kLanes; ++l)

template <class Op, class D, class A>
const Instr* op1(const Instr* i, Warp& w, Mask m) {
    D* d = w.col<D>(i->d);
    const A* a = w.col<const A>(i->a);
    if (m == kAllLanes) {
        VGPU_LANES d[l] = Op::f(a[l]);
    } else {
        VGPU_LANES d[l] = (m >> l & 1) != 0 ? D(Op::f(a[l])) : d[l];
    }
    return i + 1;
}

template <class Op, class D, class A, class B = A>
const Instr* op2(const Instr* i, Warp& w, Mask m) {
    D* d = w.col<D>(i->d);
    const A* a = w.col<const A>(i->a);
    const B* b = w.col<const B>(i->b);
    if (m == kAllLanes) {
        VGPU_LANES d[l] = Op::f(a[l], b[l]);
    } else {
        VGPU_LANES d[l] = (m >> l & 1) != 0 ? D(Op::f(a[l], b[l])) : d[l];
    }
    return i + 1;
}

template <class Op, class D, class A, class B = A, class C = A>
const Instr* op3(const Instr* i, Warp& w, Mask m) {
    D* d = w.col<D>(i->d);
    const A* a = w.col<const A>(i->a);
    const B* b = w.col<const B>(i->b);
    const C* c = w.col<const C>(i->c);
    if (m == kAllLanes) {
        VGPU_LANES d[l] = Op::f(a[l], b[l], c[l]);
    } else {
        VGPU_LANES d[l] = (m >> l & 1) != 0 ? D(Op::f(a[l], b[l], c[l])) : d[l];
    }
    return i + 1;
}

// Four sources: the fourth column is in aux.
template <class Op, class D, class A, class B, class C, class E>
const Instr* op4(const Instr* i, Warp& w, Mask m) {
    D* d = w.col<D>(i->d);
    const A* a = w.col<const A>(i->a);
    const B* b = w.col<const B>(i->b);
    const C* c = w.col<const C>(i->c);
    const E* e = w.col<const E>(i->aux);
    VGPU_LANES d[l] = (m >> l & 1) != 0 ? D(Op::f(a[l], b[l], c[l], e[l])) : d[l];
    return i + 1;
}

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// Which C++ type a PTX type is; calls `f` with a value of it. b32 counts as u32.
template <class F>
void with_integer(ptx::Type t, F f) {
    using enum ptx::Type;
    switch (t) {
        case u16:
        case b16:
            return f(vgpu::u16{});
        case s16:
            return f(vgpu::s16{});
        case u32:
        case b32:
            return f(vgpu::u32{});
        case s32:
            return f(vgpu::s32{});
        case u64:
        case b64:
            return f(vgpu::u64{});
        case s64:
            return f(vgpu::s64{});
        default:
            throw Unsupported{};
    }
}

}  // namespace vgpu
