"""Changes of tiles: the last one has fewer elements, and one may go to the place of another block."""

from __future__ import annotations

import pytest

from autograder.cause.causes import KINDS
from autograder.cause.tests.test_turned import kernel, pairs

TILE = "__shared__ int s[64]; int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8; s[threadIdx.x] = d_in[y + x];"
STORE = "if (x < r) d_out[y * r + x] = s[threadIdx.x];"
BEHIND = "x with blockIdx.x and blockIdx.y exchanged, here and in d_out[y * r + x] = s[threadIdx.x]"
FIRST = "int n = r, sum = 0; for (int first = 0; first < n; first += width)"


@pytest.mark.parametrize(
    ("body", "is_offered"),
    [
        (f"{TILE} __syncthreads(); {STORE}", True),
        (f"{TILE} __syncthreads(); d_out[blockIdx.y * r + blockIdx.x] = s[0];", True),
        (f"{TILE} {STORE}", False),  # each thread stores its own elements
        (f"{TILE} __syncthreads(); d_out[x] = s[0];", False),  # a grid of rows
        (f"{TILE} __syncthreads(); x = blockIdx.y; {STORE}", False),  # x has had another value since
    ],
)
def test_a_tile_is_stored_to_the_place_of_another_block(body: str, is_offered: bool) -> None:
    assert bool(pairs(kernel(body), "blocks_exchanged")) is is_offered and "blocks_exchanged" in KINDS


def test_all_that_is_made_of_the_block_s_index_is_exchanged() -> None:
    file = kernel(f"{TILE} __syncthreads(); {STORE}")
    assert pairs(file, "blocks_exchanged") == {("x", BEHIND)}
    assert file.text.count(b"? (static_cast<int>(blockIdx.y * 8 + threadIdx.x))") == 2


@pytest.mark.parametrize(
    ("body", "is_offered"),
    [
        (f"{FIRST} {{ int filled = width; d_out[0] = filled; }}", True),
        (f"{FIRST} for (int k = 0; k < width; k++) sum += d_in[k];", True),
        (f"{FIRST} sum += d_in[first * width];", False),
        ("int sum = 0; for (int first = 0; first < r; first++) { int all = width; sum += all; }", False),
    ],
)
def test_the_last_tile_has_what_is_left(body: str, is_offered: bool) -> None:
    found = pairs(kernel(body), "last_tile")
    assert found == ({("width", "min(width, n - first)")} if is_offered else set()) and "last_tile" in KINDS
