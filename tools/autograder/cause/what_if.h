// What a program with changes is made of. The grader compiles a failing file once more with its small changes in place,
// each with a number, all of them switched off; a call then switches on one. Included before the student's file.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace what_if {

static int on_host = 0;
static __constant__ int on_device = 0;  // constant: no store to memory can change it

#ifdef WHAT_IF_PAIRS
constexpr int kBits = 15;  // of a number: two changes are tried at once, and one number holds both (change.py)
#endif

__host__ __device__ __forceinline__ int tried() {
#ifdef __CUDA_ARCH__
    return on_device;
#else
    return on_host;
#endif
}

// Of a number: the code runs that runs with the change, and nothing is changed (change.py).
constexpr int kSham = 1 << 30;

__host__ __device__ __forceinline__ int counted_from(int k, int count, int number) {
    return number >= k && number - k < count ? number - k : -1;
}

// The number of the change, counted from `k`, up to `count`; -1 if it is none of these.
__host__ __device__ __forceinline__ int which(int k, int count) {
#ifdef WHAT_IF_PAIRS
    if (tried() & kSham) return -1;
    const int first = counted_from(k, count, tried() & ((1 << kBits) - 1));
    return first >= 0 ? first : counted_from(k, count, tried() >> kBits);
#else
    return counted_from(k, count, tried());
#endif
}

// Whether change `k` is the one that is tried.
__host__ __device__ __forceinline__ bool is(int k) {
#ifdef WHAT_IF_PAIRS
    return which(k, 1) == 0;
#else
    return tried() == k;
#endif
}

// Whether it is one of these, or a sham of one: what holds none of them runs as it was written, which is quick.
__host__ __device__ __forceinline__ bool in(int first, int last) {
    const int number = tried() & ~kSham;
#ifdef WHAT_IF_PAIRS
    const int one = number & ((1 << kBits) - 1), other = number >> kBits;
    return (first <= one && one <= last) || (first <= other && other <= last);
#else
    return static_cast<unsigned>(number - first) <= static_cast<unsigned>(last - first);
#endif
}

// Turns of the host's loops that start work, in this call. So many, and so long: such a loop does not end, and to stop
// it here costs less than to end the process.
inline long long turns = 0;
inline std::chrono::steady_clock::time_point begun;
constexpr long long kMostTurns = 128;
constexpr std::chrono::milliseconds kLongest{100};

inline void turn() {
    if (++turns > kMostTurns && std::chrono::steady_clock::now() - begun > kLongest)
        throw std::runtime_error("a loop of the host does not end");
}

// At the beginning of a task's function: kernels learn of the change.
inline void begin() {
    turns = 0;
    begun = std::chrono::steady_clock::now();
    cudaMemcpyToSymbol(on_device, &on_host, sizeof on_host);
}

template <class T>
__host__ __device__ __forceinline__ auto as_signed(T a) {
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
        return static_cast<std::make_signed_t<T>>(a);
    else
        return a;
}

// `signed_`: a change in which unsigned operands are compared as signed ones, so that a value can be below 0. `other`:
// one that asks only whether they differ.
#define WHAT_IF_COMPARISON(name, sign, first, second, third)                                           \
    template <class A, class B>                                                                        \
    __host__ __device__ __forceinline__ bool name(int k, A a, B b, int signed_ = -1, int other = -1) { \
        if constexpr (requires {                                                                       \
                          a first b;                                                                   \
                          a second b;                                                                  \
                          a third b;                                                                   \
                          a != b;                                                                      \
                      }) {                                                                             \
            switch (which(k, 3)) {                                                                     \
                case 0:                                                                                \
                    return a first b;                                                                  \
                case 1:                                                                                \
                    return a second b;                                                                 \
                case 2:                                                                                \
                    return a third b;                                                                  \
            }                                                                                          \
            if (is(signed_)) return as_signed(a) sign as_signed(b);                                    \
            if (is(other)) return a != b;                                                              \
        }                                                                                              \
        return a sign b;                                                                               \
    }
// The order of alternatives, here and below, is that of COMPARISONS and ARITHMETIC in expressions.py: a test compares.
WHAT_IF_COMPARISON(less, <, <=, >, >=)
WHAT_IF_COMPARISON(less_equal, <=, <, >=, >)
WHAT_IF_COMPARISON(greater, >, >=, <, <=)
WHAT_IF_COMPARISON(greater_equal, >=, >, <=, <)
WHAT_IF_COMPARISON(equal, ==, !=, <=, >=)
WHAT_IF_COMPARISON(not_equal, !=, ==, <, >)

// Of numbers; the result has the type that it has without a change. Of other types, the expression stays as it is.
#define WHAT_IF_ARITHMETIC(name, sign, first, second, third)                             \
    template <class A, class B>                                                          \
    __host__ __device__ __forceinline__ auto name(int k, A a, B b)->decltype(a sign b) { \
        using R = decltype(a sign b);                                                    \
        if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {              \
            switch (which(k, 3)) {                                                       \
                case 0:                                                                  \
                    return static_cast<R>(first);                                        \
                case 1:                                                                  \
                    return static_cast<R>(second);                                       \
                case 2:                                                                  \
                    return static_cast<R>(third);                                        \
            }                                                                            \
        }                                                                                \
        return a sign b;                                                                 \
    }
WHAT_IF_ARITHMETIC(plus, +, a - b, a* b, a)
WHAT_IF_ARITHMETIC(minus, -, a + b, b - a, a)
WHAT_IF_ARITHMETIC(times, *, a + b, a, b)
WHAT_IF_ARITHMETIC(over, /, (b == 0 ? R{} : static_cast<R>((a + b - 1) / b)), a* b, a)

#define WHAT_IF_INTEGER(name, sign, first, second)                                       \
    template <class A, class B>                                                          \
    __host__ __device__ __forceinline__ auto name(int k, A a, B b)->decltype(a sign b) { \
        using R = decltype(a sign b);                                                    \
        if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {                  \
            switch (which(k, 2)) {                                                       \
                case 0:                                                                  \
                    return static_cast<R>(first);                                        \
                case 1:                                                                  \
                    return static_cast<R>(second);                                       \
            }                                                                            \
        }                                                                                \
        return a sign b;                                                                 \
    }
WHAT_IF_INTEGER(shifted_left, <<, a >> b, a << (b + 1))
WHAT_IF_INTEGER(shifted_right, >>, a << b, a >> (b + 1))
WHAT_IF_INTEGER(remainder, %, (b == 0 ? R{} : static_cast<R>(a / b)), a)
WHAT_IF_INTEGER(bits_and, &, a | b, a)
WHAT_IF_INTEGER(bits_or, |, a& b, a ^ b)
WHAT_IF_INTEGER(bits_xor, ^, a | b, a& b)

// An integer by one more, by one less. Others stay as they are.
template <class T>
__host__ __device__ __forceinline__ T beside(int k, T a) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<T>(is(k) ? a + 1 : is(k + 1) ? a - 1 : a);
    else
        return a;
}

// How many elements an array has: one more, twice as many, as many more as a warp has lanes; `far`: so many that it is
// known whether any number is enough.
template <class T>
inline T larger(int k, T a, int far = -1) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(is(k) ? a + 1 : is(k + 1) ? a * 2 : is(k + 2) ? a + 32 : is(far) ? a * 64 : a);
    else
        return a;
}

// A number that is twice as large, or half as large: a distance, a size. Others stay as they are.
template <class T>
__host__ __device__ __forceinline__ T scaled(int k, T a) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<T>(is(k) ? a * 2 : is(k + 1) ? a / 2 : a);
    else
        return a;
}

// A first value of a variable of type `Variable`, or what stands in for a missing element: 0, 1, the greatest, the
// least.
template <class Variable, class T>
__host__ __device__ __forceinline__ auto first_value(int k, T a) {
    using V = std::remove_cvref_t<Variable>;
    if constexpr (std::is_arithmetic_v<V> && std::is_arithmetic_v<T>) {
        constexpr bool has_infinity = std::numeric_limits<V>::has_infinity;
        switch (which(k, 4)) {
            case 0:
                return V{0};
            case 1:
                return V{1};
            case 2:
                return has_infinity ? std::numeric_limits<V>::infinity() : std::numeric_limits<V>::max();
            case 3:
                return has_infinity ? static_cast<V>(-std::numeric_limits<V>::infinity())
                                    : std::numeric_limits<V>::lowest();
        }
        return static_cast<V>(a);
    } else {
        return a;
    }
}

// The same with what `Op` adds without effect, or what `Order` puts last.
template <class Op, class Variable, class T>
__host__ __device__ __forceinline__ auto or_neutral(int k, T a) {
    using V = std::remove_cvref_t<Variable>;
    if constexpr (requires {
                      { Op::identity() } -> std::convertible_to<V>;
                  } &&
                  std::is_convertible_v<T, V>)
        return is(k) ? static_cast<V>(Op::identity()) : static_cast<V>(a);
    else if constexpr (requires {
                           { Op::last() } -> std::convertible_to<V>;
                       } &&
                       std::is_convertible_v<T, V>)
        return is(k) ? static_cast<V>(Op::last()) : static_cast<V>(a);
    else
        return a;
}

// One of two values, or both together: whether a pair begins a segment, for example.
template <class A, class B>
__host__ __device__ __forceinline__ A either(int k, A a, B b) {
    if constexpr (requires { static_cast<A>(a | b); }) {
        if (is(k)) return static_cast<A>(a | b);
    }
    return a;
}

// The number of several values that is asked for.
template <class R>
__host__ __device__ __forceinline__ R pick(int) {
    return R{};
}
template <class R, class First, class... Rest>
__host__ __device__ __forceinline__ R pick(int at, First first, Rest... rest) {
    if constexpr (std::is_integral_v<First>)
        if (at == 0) return static_cast<R>(first);
    return pick<R>(at - 1, rest...);
}
template <class T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// An integer times one of several others.
template <class A, class... Other>
__host__ __device__ __forceinline__ A times_one_of(int k, A a, Other... others) {
    if constexpr (is_integer<A>)
        if (const int at = which(k, sizeof...(Other)); at >= 0) return static_cast<A>(a * pick<A>(at, others...));
    return a;
}
// Another integer in its place, or another array of the same type.
template <class A, class B>
__host__ __device__ __forceinline__ A in_its_place(int k, A a, B other) {
    if constexpr ((is_integer<A> && is_integer<B>) || (std::is_pointer_v<A> && std::is_same_v<A, B>))
        if (is(k)) return static_cast<A>(other);
    return a;
}
// One of several others more, or less.
template <class A, class... Other>
__host__ __device__ __forceinline__ A plus_one_of(int k, A a, Other... others) {
    if constexpr (is_integer<A>)
        if (const int at = which(k, 2 * sizeof...(Other)); at >= 0) {
            const A other = pick<A>(at / 2, others...);
            return static_cast<A>(at % 2 == 0 ? a + other : a - other);
        }
    return a;
}
// At most, or at least, one of several others.
template <bool kIsLeast, class A, class... Other>
__host__ __device__ __forceinline__ A limited(int k, A a, Other... others) {
    if constexpr (is_integer<A>)
        if (const int at = which(k, sizeof...(Other)); at >= 0) {
            const A other = pick<A>(at, others...);
            return (other < a) == kIsLeast ? a : other;
        }
    return a;
}
__host__ __device__ __forceinline__ int min_int(long long a, long long b) { return static_cast<int>(a < b ? a : b); }
__host__ __device__ __forceinline__ int max_int(long long a, long long b) { return static_cast<int>(a < b ? b : a); }
// What is asked besides a condition: it must hold as well, or it is enough.
template <class... Part>
__host__ __device__ __forceinline__ bool all_of(int k, Part... parts) {
    const int at = which(k, sizeof...(Part));
    return at < 0 || pick<bool>(at, parts...);
}
template <class... Part>
__host__ __device__ __forceinline__ bool any_of(int k, Part... parts) {
    const int at = which(k, sizeof...(Part));
    return at >= 0 && !pick<bool>(at, parts...);
}
// A quotient that is stored as a float: of floats, where it is one of integers.
template <class Variable, class A, class B, class Q>
__host__ __device__ __forceinline__ auto real_quotient(int k, A a, B b, Q quotient) {
    using V = std::remove_cvref_t<Variable>;
    if constexpr (std::is_floating_point_v<V> && std::is_integral_v<Q>)
        return is(k) ? static_cast<V>(a) / static_cast<V>(b) : static_cast<V>(quotient);
    else
        return quotient;
}
// A value that is added to what a variable held before.
template <class T, class U>
__host__ __device__ __forceinline__ auto summed(int k, const T& before, const U& value) {
    if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && !std::is_same_v<T, bool>)
        return is(k) ? static_cast<T>(before + value) : static_cast<T>(value);
    else
        return value;
}

// The answer of a question turned round.
template <class T>
__host__ __device__ __forceinline__ T negated(int k, T answer) {
    if constexpr (std::is_same_v<T, bool>)
        if (is(k)) return !answer;
    return answer;
}
// What the warp's last lane has, in place of a value.
template <class T, class U>
__device__ __forceinline__ T of_last_lane(int k, T value, const U& own) {
    if constexpr (std::is_arithmetic_v<U>)
        if (is(k)) return static_cast<T>(__shfl_sync(0xffffffff, own, 31));
    return value;
}

// What the template's operation makes of two values, in place of another operator's result.
template <class Op, class R, class A, class B>
__host__ __device__ __forceinline__ R combined(int k, R usual, const A& a, const B& b) {
    if constexpr (requires { static_cast<R>(Op()(a, b)); })
        if (is(k)) return static_cast<R>(Op()(a, b));
    return usual;
}

// Runs the statement behind it once, or for each `by`-th value of v below a bound; v is afterwards as it was.
template <class T>
struct Again {
    T& v;
    T first;
    bool goes_on = true;
    __device__ __forceinline__ explicit Again(T& v_) : v(v_), first(v_) {}
    __device__ __forceinline__ ~Again() { v = first; }
    __device__ __forceinline__ void next(bool again, unsigned by) {
        goes_on = again;
        v = static_cast<T>(v + by);
    }
};

// x += v as one atomic, or plain.
template <class T, class U>
__host__ __device__ __forceinline__ void add_to(int k, T& x, const U& v) {
#ifdef __CUDA_ARCH__
    using V = std::remove_volatile_t<T>;
    using Atomic = std::conditional_t<std::is_integral_v<V> && sizeof(V) == 8, unsigned long long, V>;
    if constexpr (requires(Atomic * p, Atomic value) { atomicAdd(p, value); })
        if (is(k)) {
            atomicAdd(reinterpret_cast<Atomic*>(const_cast<V*>(&x)), static_cast<Atomic>(v));
            return;
        }
#endif
    if constexpr (requires { x += v; }) x += v;
}

// What stands in braces: a number becomes what a constant could, one of any type.
template <class A>
struct Listed {
    A a;
    template <class T>
    requires std::is_arithmetic_v<T> __host__ __device__ __forceinline__ operator T() const {
        return static_cast<T>(a);
    }
};
template <class A>
__host__ __device__ __forceinline__ auto listed(A a) {
    if constexpr (std::is_arithmetic_v<A>)
        return Listed<A>{a};
    else
        return a;
}
// What a step of a loop leaves for the next one: another address, or a place further on.
template <class X, class Y>
__host__ __device__ __forceinline__ void passed_on(int k, X& x, Y& y) {
    if constexpr (std::is_assignable_v<X&, Y&>)
        if (is(k)) x = y;
}
template <class X, class Y>
__host__ __device__ __forceinline__ void exchanged(int k, X& x, Y& y) {
    if constexpr (std::is_same_v<X, Y> && std::is_pointer_v<X>)
        if (is(k)) {
            const X before = x;
            x = y;
            y = before;
        }
}
template <class X, class Y>
__host__ __device__ __forceinline__ void moved_on(int k, X& x, Y by) {
    if constexpr (is_integer<X> && std::is_integral_v<Y>)
        if (is(k)) x += by;
}

// Waits for all work before it.
inline void wait(int k) {
    if (is(k)) cudaDeviceSynchronize();
}
// Copies the n elements of an array of the same type to where the result must be.
template <class T>
inline void copied(int k, T* to, const T* from, long long n) {
    if (is(k) && n > 0 && to != from && from != nullptr)
        cudaMemcpy(to, from, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDefault);
}

#ifdef __CUDACC__
// Between any two statements of a kernel.
__device__ __forceinline__ void barrier(int k) {
    if (is(k)) __syncthreads();
}
// The same, a fence, or a barrier for the warp.
__device__ __forceinline__ void behind(int k) {
    const int at = which(k, 3);
    if (at < 0) return;
    if (at == 0) __syncthreads();
    if (at == 1) __threadfence();
    if (at == 2) __syncwarp();
}
#endif

// The blocks of a launch: one more, twice as many, as many as n elements need, one.
template <class G>
inline dim3 blocks(int k, const G& grid, const dim3& block, long long n, int both) {
    dim3 to(grid);
    if (is(both)) return dim3(static_cast<unsigned>(n <= 256 ? 1 : (n + 255) / 256));
    if (is(both - 1)) return block;  // blocks and threads exchanged, see threads()
    const long long threads = static_cast<long long>(block.x) * block.y * block.z;
    switch (which(k, 5)) {
        case 0:
            to.x += 1;
            break;
        case 1:
            to.x *= 2;
            break;
        case 2:
            to = dim3(static_cast<unsigned>(threads == 0 ? 1 : (n + threads - 1) / threads));
            break;
        case 3:
            to = dim3(1);
            break;
        case 4:  // a warp for each element
            to.x *= 32;
            break;
    }
    return to;
}
// The threads of a block: 256, or as many as there were blocks. `both`: 256, and blocks for n elements.
template <class B>
inline dim3 threads(int k, const B& block, const dim3& grid, int both) {
    if (is(both)) return dim3(256);
    switch (which(k, 2)) {
        case 0:
            return dim3(256);
        case 1:
            return grid;
    }
    return dim3(block);
}
// Bytes of a copy: as many elements as there were bytes.
inline std::size_t bytes(int k, std::size_t given, std::size_t element) { return is(k) ? given * element : given; }
// Bytes of shared memory: four times as many, a number of 4 or 8 bytes more, twice as many.
inline std::size_t more_bytes(int k, std::size_t given) {
    const std::size_t others[] = {given * 4, given + 4, given + 8, given * 2};
    const int at = which(k, 4);
    return at < 0 ? given : others[at];
}
inline cudaMemcpyKind kind(int k, cudaMemcpyKind given) {
    const cudaMemcpyKind others[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
    const int at = which(k, 3);
    return at < 0 ? given : others[at];
}

}  // namespace what_if

extern "C" void what_if_choose(int change) { what_if::on_host = change; }
