"""Which of several repairs is the cause."""

from dataclasses import replace

from autograder.cause.change import Pair
from autograder.cause.likely import choose, is_asked_for, lines_found, pairs_with
from autograder.cause.tests.test_search import change, outcome, repair
from autograder.run.protocol import Finding, Place


def test_where_almost_any_value_repairs_a_call_none_is_the_cause() -> None:
    names = [change(at, "name", 7, "a", now) for at, now in enumerate(("low", "count", "n"), 1)]
    early = change(9, "leaves", 9, "break;", "")
    assert choose([repair(one) for one in names]) is None
    assert choose([repair(one) for one in names[:2]]) == repair(names[0])
    assert is_asked_for(early, [repair(one) for one in names], ())
    assert choose([*(repair(one) for one in names), repair(early)]) == repair(early)


def test_of_several_places_the_one_decides_where_twice_as_many_changes_hold() -> None:
    first, more = change(1, "first_value", 24, "0", "1"), change(2, "number", 25, "n", "2 * n")
    bound, comparison = change(3, "bound", 34, "0", "0 + 1"), change(4, "comparison", 34, "steps == 0", "steps != 0")
    assert choose([repair(one) for one in (first, more, bound, comparison)]) == repair(bound)
    assert choose([repair(one) for one in (first, more, comparison)]) is None


def test_two_other_names_in_one_line_are_no_mistake_made_twice() -> None:
    first, second, far = (change(at, "name", line, "y", "top") for at, line in ((1, 14), (2, 14), (3, 19)))
    assert pairs_with(first, [first, second, far], []) == [Pair(first, far)]


def test_a_line_of_the_toolbox_is_none_of_the_file() -> None:
    given, own = Place("/x/common/toolbox/primitives.cu", 133), Place("/x/scan.cu", 9)
    assert lines_found(outcome(Finding("race", place=given, other_place=own))) == {9}


def test_two_numbers_that_do_not_agree_are_both_named() -> None:
    step, distance = change(1, "number", 15, "32", "32 / 2"), change(2, "number", 16, "8", "2 * 8")
    chosen = choose([repair(step), repair(distance)])
    assert chosen is not None and (chosen.trial, chosen.also) == (distance, 15)
    assert choose([repair(change(1, "number", 15, "32", "2 * 32")), repair(distance)]) is None


def test_what_says_the_same_in_more_places_is_no_rival() -> None:
    one, everywhere = change(1, "name", 35, "pong", "ping"), change(2, "elsewhere", 36, "", "cudaMemcpy(d_out, ping, 4")
    assert choose([repair(one), repair(everywhere)]) == repair(one)
    single = change(3, "negative_remainder", 8, "a % n", "(a % n + n) % n")
    several = replace(change(4, "negative_remainder", 7, "b % n", "(b % n + n) % n"), region=-4)
    assert choose([repair(single), repair(several)]) == repair(single)
    assert choose([repair(several)]) == repair(several)


def test_a_variable_that_nobody_uses_is_likelier_than_another() -> None:
    grid, size = change(1, "unused", 79, "row_grid", "column_grid"), change(2, "name", 75, "kRowTile", "kBlockX")
    assert choose([repair(grid), repair(size)]) == repair(grid)


def test_what_has_fewer_threads_or_far_more_work_goes_round_the_mistake() -> None:
    start = change(1, "thread_index", 24, "threadIdx.x", "(blockIdx.x * blockDim.x + threadIdx.x)")
    fewer, step = (
        change(2, "name", 16, "count", "sms"),
        change(3, "arithmetic", 23, "gridDim.x * blockDim.x", "gridDim.x"),
    )
    rivals = [replace(repair(fewer), threads=0.1), replace(repair(step), work=33.0)]
    assert choose([repair(start), *rivals]) == repair(start)
    assert choose(rivals[:1]) == rivals[0]
