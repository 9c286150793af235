"""Elements of two numbers: a key and its value are one element, in patterns as in the table of wrong ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.explain.evidence import Errors, pairs_of
from autograder.explain.patterns.rules import candidates


def keyed(got: Any, given: Any, kind: type = np.int32) -> Errors:
    """Pairs, two numbers each, sorted badly."""
    wanted = given[np.argsort(given[:, 0], kind="stable")]
    flat: list[Any] = [np.ascontiguousarray(array, kind).ravel() for array in (got, wanted, given)]
    wrong = flat[0] != flat[1]
    n = len(given)
    return Errors(n, wrong, flat[1], flat[0], np.zeros(2 * n, bool), 32, flat[2], pairs=pairs_of(n, [flat[2]], flat[0]))


def test_a_pair_is_one_element() -> None:
    given = np.array([[n * 7 % 100, n] for n in range(100)])
    good = given[np.argsort(given[:, 0], kind="stable")]
    fifth = good.copy()
    fifth[3::5] = -1
    lost = candidates(keyed(fifth, given))[0].sentence
    assert lost.startswith("20 of 100 elements are lost, such as (28, 4); (-1, -1) is in the output")
    assert "every 5th element is wrong, from index 3 on" in {one.sentence for one in candidates(keyed(fifth, given))}
    last = good.copy()
    last[96:, 1] = 7
    assert candidates(keyed(last, given))[0].sentence == (
        "4 of 100 elements are wrong, all in block 3: the last, partly filled block"
    )
    assert candidates(keyed(np.roll(good, 1, axis=0), given))[0].name == "out_of_order"
    floats = keyed(np.roll(good, 1, axis=0), given, np.float32).elements
    assert (floats.count, floats.text(floats.got[0])) == (100, "(99, 57)")


def test_two_outputs_for_each_input_are_no_pairs() -> None:
    twice = np.zeros(8, np.int32)
    assert pairs_of(4, [twice], twice)
    assert not pairs_of(4, [twice[:4]], twice) and not pairs_of(8, [twice], twice) and not pairs_of(0, [], twice[:0])
