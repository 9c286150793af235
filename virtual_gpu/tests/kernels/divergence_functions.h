// Functions with every kind of control flow; the tests run them on the CPU, too.
#pragma once
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

BOTH inline int nested(int x) {
    int r = 0;
    if (x % 2 == 0) {
        if (x % 3 == 0)
            r += 1;
        else if (x % 5 == 0)
            r += 10;
        else
            r += 100;
        r *= 3;
    } else {
        if (x > 500) r -= x;
        r ^= 0x55;
    }
    return r + x;
}

BOTH inline int loops(int x) {
    int sum = 0;
    for (int i = 0; i < x % 37; ++i) {
        if (i % 7 == 3) continue;
        for (int j = i; j > 0; j /= 2) {
            if ((j ^ x) % 11 == 0) break;
            sum += j * i;
        }
        if (sum > 4000) return -sum;
    }
    return sum;
}

BOTH inline int choices(int x) {
    switch (x % 9) {
        case 0:
            return x;
        case 1:
            x += 7;
            [[fallthrough]];
        case 2:
            return x * 3;
        case 3:
            return -x;
        case 4:
            return x ^ 0x1234;
        case 6:
            return x << 3;
        case 7:
            x = loops(x);
            break;
        default:
            x -= 1;
    }
    return x + 1000;
}

BOTH inline int jumps(int x) {
    int n = 0;
again:
    ++n;
    if (x <= 1) goto done;
    if (x & 1) goto odd;
    x /= 2;
    goto again;
odd:
    x = 3 * x + 1;
    if (n < 200) goto again;
done:
    return n;
}

#ifdef __CUDACC__
__noinline__
#endif
    BOTH inline int
    power(int base, int n) {
    if (n == 0) return 1;
    const int half = power(base, n / 2);
    return n % 2 == 0 ? half * half : half * half * base;
}

struct Pair {
    long long a;
    short b;
    double c;
};
#ifdef __CUDACC__
__noinline__
#endif
    BOTH inline Pair
    twist(Pair p, int k) {
    if (k > 3) return Pair{p.a * k, static_cast<short>(p.b - k), p.c / 2};
    Pair q = p;
    q.a += q.b;
    q.c *= k;
    return q;
}
BOTH inline int structs(int x) {
    const Pair p = twist(Pair{x * 5LL, static_cast<short>(x), x * 0.25}, x % 8);
    return static_cast<int>(p.a) + p.b + static_cast<int>(p.c);
}

BOTH inline int local_array(int x) {
    int a[17];
    for (int i = 0; i < 17; ++i) a[i] = i * x;
    for (int i = 0; i < 40; ++i) a[(x + i * 5) % 17] += a[(x * i) % 17];
    int sum = 0;
    for (int i = 0; i < 17; ++i) sum += a[i] ^ i;
    return sum;
}
