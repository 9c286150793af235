// Triangles, a window, and the part of a triangle inside it: for lab 5's tasks 1 and 2, and for its oracle.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

struct alignas(8) Point {
    float x, y;
};

struct Triangle {
    Point corner[3];
};

// left < right, bottom < top. The sides belong to the window.
struct Window {
    float left, right, bottom, top;
};

// Each of the four sides can cut off one corner and leave two: 3, 4, 5, 6, 7.
constexpr int kMostCorners = 7;
constexpr int kMostTriangles = kMostCorners - 2;

// A convex polygon, its corners in order.
struct Polygon {
    Point corner[kMostCorners];
    int corners;
};

// How far inside side 0 (left), 1 (right), 2 (bottom) or 3 (top) the point is; negative: outside. The sign is exact.
__host__ __device__ inline float depth(Point p, const Window& window, int side) {
    if (side == 0) return p.x - window.left;
    if (side == 1) return window.right - p.x;
    return side == 2 ? p.y - window.bottom : window.top - p.y;
}

// A number between a and b, t of the way from a to b. It is rounded once, and never lies beyond a or b.
__host__ __device__ inline float between(float a, float b, float t) {
    return fminf(fmaxf(fmaf(t, b - a, a), fminf(a, b)), fmaxf(a, b));
}

// Where a side cuts the edge between `inner` and `outer`. It is always computed from the inner end: two triangles that
// share an edge get the same point, to the bit.
__host__ __device__ inline Point cut(Point inner, Point outer, const Window& window, int side) {
    float inside = depth(inner, window, side), t = inside / (inside - depth(outer, window, side));
    if (side < 2) return {side == 0 ? window.left : window.right, between(inner.y, outer.y, t)};
    return {between(inner.x, outer.x, t), side == 2 ? window.bottom : window.top};
}

// The part of the triangle inside the window, as a polygon; returns how many triangles it makes, 0 to kMostTriangles.
// Side after side cuts off what is outside (Sutherland and Hodgman, "Reentrant polygon clipping", 1974). A corner on a
// side stays, to the bit; an edge is cut only if one end is inside and the other one outside. So
//   - a triangle inside the window, its sides included, stays as it is;
//   - one that touches the window only with a corner or an edge leaves fewer than 3 corners, and makes 0 triangles;
//   - one without area is treated like all others: inside the window, it stays as it is.
// Coordinates are finite, below 2^60 in size. The device and the host compute the same bits.
__host__ __device__ inline int clip(Triangle triangle, const Window& window, Polygon& polygon) {
    unsigned cutting = 0;  // a bit for each side beyond which there is a corner
    for (int side = 0; side < 4; ++side) {
        int outside = 0;
        for (int k = 0; k < 3; ++k) outside += depth(triangle.corner[k], window, side) < 0 ? 1 : 0;
        if (outside == 3) return polygon.corners = 0;
        if (outside > 0) cutting |= 1u << side;
    }
    polygon.corners = 3;
    for (int k = 0; k < 3; ++k) polygon.corner[k] = triangle.corner[k];
    for (int side = 0; side < 4; ++side) {
        if ((cutting >> side & 1) == 0) continue;
        Polygon kept;
        kept.corners = 0;
        for (int k = 0; k < polygon.corners; ++k) {
            Point here = polygon.corner[k], next = polygon.corner[k + 1 < polygon.corners ? k + 1 : 0];
            float at_here = depth(here, window, side), at_next = depth(next, window, side);
            if (at_here >= 0) kept.corner[kept.corners++] = here;
            if (at_here > 0 && at_next < 0) kept.corner[kept.corners++] = cut(here, next, window, side);
            if (at_here < 0 && at_next > 0) kept.corner[kept.corners++] = cut(next, here, window, side);
        }
        if (kept.corners < 3) return polygon.corners = 0;
        polygon = kept;
    }
    return polygon.corners - 2;
}

// The polygon's k-th triangle: all of them have its first corner.
__host__ __device__ inline Triangle fan(const Polygon& polygon, int k) {
    return {{polygon.corner[0], polygon.corner[k + 1], polygon.corner[k + 2]}};
}
