"""Which repair is the cause, and what of a failure is tried at all."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from autograder.cause.causes import KINDS, cause_of, kind_of, rank
from autograder.cause.change import PAIR, Change, Pair
from autograder.cause.controls import is_part
from autograder.cause.doubts import CRUDE, is_doubt
from autograder.cause.experiments import Repair, Trial, how_with
from autograder.cause.fresh import LEAST_FRESH, larger
from autograder.cause.likely import Lines, choose, choose_pair, is_asked_for, ordered, pairs_with
from autograder.cause.rules import Rule, candidates
from autograder.judge.judgement import Judgement
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.tables import Shape
from autograder.run.protocol import Finding, Place, Reply, Report

CASE = Case("scan", "", 33, 1, 0)


def change(number: int, kind: str, line: int, was: str = "a", now: str = "b") -> Change:
    return Change(number, kind, line, was, now, line)


def repair(one: Trial, right: int = 12, of: int = 12) -> Repair:
    return Repair(one, right, of)


def outcome(*findings: Finding, wrong: Wrong | None = None) -> Outcome:
    return Outcome(CASE, Reply(status="ok", report=Report(findings=list(findings))), wrong=wrong)


def race(line: int, other: int, access: str = "read") -> Finding:
    where, there = Place("/x/scan.cu", line), Place("/x/scan.cu", other)
    return Finding("race", access=access, space="shared", place=where, other_place=there, what="... wrote s[1] ...")


def test_a_repair_must_hold_in_enough_fresh_calls() -> None:
    edge = change(1, "comparison", 7, "i < n", "i <= n")
    assert choose([repair(edge)]) == repair(edge)
    assert choose([repair(edge, 11, 12)]) is None
    assert choose([repair(edge, LEAST_FRESH - 1, LEAST_FRESH - 1)]) is None
    assert choose([]) is None


def test_of_guards_the_one_where_the_index_is_made_is_named() -> None:
    first, last = change(1, "guard", 7, "", "if (i >= n) return;"), change(2, "guard", 9, "x;", "if (i < n) x;")
    assert choose([repair(last), repair(first)]) == repair(first)


def test_the_likeliest_kind_wins_and_two_lines_of_one_kind_name_nothing() -> None:
    edge, crude = change(1, "comparison", 7, "i < n", "i <= n"), change(2, "statement", 9, "x;", "")
    assert choose([repair(crude), repair(edge)]) == repair(edge)
    assert choose([repair(change(2, "bound", 7)), repair(change(3, "index", 8))]) is None
    bound = change(3, "bound", 8)
    assert choose([repair(edge), repair(change(3, "bound", 7))]) == repair(edge)
    assert choose([repair(edge), repair(bound)]) == repair(edge)  # one less elsewhere is as good: the edge decides
    assert choose([repair(edge), repair(change(4, "bound", 7)), repair(bound)]) == repair(edge)  # most are there
    near = outcome(Finding("out_of_bounds", place=Place("/x/scan.cu", 7)))
    assert choose([repair(edge), repair(bound)], near) == repair(edge)


def test_a_guard_that_is_there_and_wrong_is_named_where_it_is() -> None:
    first, last = change(1, "guard", 7, "", "if (i >= n) return;"), change(2, "guard", 9, "x;", "if (i < n) x;")
    outside = outcome(Finding("out_of_bounds", place=Place("/x/scan.cu", 9)))
    assert choose([repair(first), repair(last)], outside) == repair(first)
    assert choose([repair(first), repair(last), repair(change(3, "name", 9, "head", "n"))], outside) == repair(last)


def test_a_statement_that_may_go_as_a_whole_is_wrong_as_a_whole() -> None:
    name = change(1, "name", 7, "0", "kPrivate")
    without = Change(2, "statement", 6, "for (...) x;", "", 8)
    assert choose([repair(name), repair(without)]) == repair(without)
    assert is_doubt(without, [repair(name)]) and not is_doubt(change(3, "statement", 9), [repair(name)])
    assert is_asked_for(change(3, "bound", 9), [repair(name)], ())  # another place may be as likely
    assert not is_asked_for(change(3, "bound", 9), [repair(change(4, "blocks", 9, "g", "g + 1"))], ())


def test_what_has_to_do_with_the_failure_is_tried_first() -> None:
    changes = [change(1, "bound", 5), change(2, "name", 20), change(3, "comparison", 30), change(4, "bound", 90)]
    lines = Lines(wrote={20}, ran={5, 6, 20}, of_device=range(60))
    # Line 30 is in a kernel and did not run; line 90 is host code.
    assert [one.number for one in ordered(changes, Judgement("WA", (), outcome()), lines)] == [2, 1, 4, 3]


def test_what_decides_about_a_line_of_the_evidence_comes_before_the_rest() -> None:
    changes = [change(1, "bound", 5), change(2, "bound", 20), change(3, "bound", 30)]
    lines = Lines(wrote={30}, beside={20})
    assert [one.number for one in ordered(changes, Judgement("WA", (), outcome()), lines)] == [3, 2, 1]


def test_of_several_places_for_a_barrier_the_last_is_named() -> None:
    first, last = change(1, "barrier", 7, "", "__syncthreads();"), change(2, "barrier", 9, "", "__syncthreads();")
    assert choose([repair(first), repair(last)]) == repair(last)


@pytest.mark.parametrize(
    ("kind", "was", "now", "cause"),
    [
        ("comparison", "i < n", "i <= n", "edge"),
        ("comparison", "i < n", "i > n", "comparison"),
        ("comparison", "k >= 0", "int(k) >= int(0)", "unsigned"),
        ("barrier", "", "__syncthreads();", "missing_barrier"),
        ("barrier", "__syncthreads();", "", "barrier_too_many"),
        ("blocks", "g", "2 * g", "too_few_blocks"),
        ("blocks", "g", "1", "too_many_blocks"),
        ("arithmetic", "n / 2", "n / 2, rounded up", "rounded_down"),
        ("arithmetic", "a + b", "a", "term"),
        ("arithmetic", "a + b", "a - b", "arithmetic"),
    ],
)
def test_kinds_of_changes(kind: str, was: str, now: str, cause: str) -> None:
    assert kind_of(change(1, kind, 1, was, now)) == cause and cause in KINDS


def test_what_does_less_is_no_cause_of_a_finding() -> None:
    changes = [change(1, "statement", 5, "x;", ""), change(2, "barrier", 5, "", "__syncthreads();")]
    found = Judgement("CHECK", (), outcome(race(5, 5)))
    assert [one.number for one in ordered(changes, found)] == [2]
    assert rank(changes[0]) >= CRUDE
    # A barrier is tried only where something was found: the virtual GPU finds accesses that nothing orders.
    assert [one.number for one in ordered(changes, Judgement("WA", (), outcome()))] == [1]
    assert [one.number for one in ordered(changes, Judgement("TLE", (), outcome()))] == [2, 1]


def test_a_race_is_ordered_both_ways(tmp_path: Path) -> None:
    source = tmp_path / "scan.cu"
    source.write_text("__device__ int count;\n")
    texts = [one.text for one in candidates(outcome(race(5, 9)), None, source)]
    assert texts[:2] == ["order scan.cu:5:read scan.cu:9:write", "order scan.cu:9:write scan.cu:5:read"]
    assert "by index" not in texts  # it would hide the race
    assert "in place" not in texts  # it is about global memory
    elsewhere = outcome(msgspec.structs.replace(race(5, 9), space="global"))
    assert [one.line for one in candidates(elsewhere, None, source) if one.text == "in place"] == [9]
    outputs = [one.kind for one in candidates(outcome(), None, source) if one.text == "zero outputs"]
    assert outputs == ["unwritten"]  # nothing was read too early
    rewind = next(one for one in candidates(outcome(), None, source) if one.text == "rewind")
    assert rewind.line == 1 and how_with(rewind) == {"what_if": "rewind"}


@pytest.mark.parametrize(("got", "tried"), [([3, 1, 2], True), ([1, 2, 4], False)])
def test_the_order_of_threads_is_tried_if_the_values_are_right(tmp_path: Path, got: list[int], tried: bool) -> None:
    expected = np.array([1, 2, 3])
    mask = np.array(got) != expected
    checked = Checked(False, [expected], [mask], [3])
    wrong = Wrong(Shape([], []), [], [np.array(got)], checked, 0)
    source = tmp_path / "scan.cu"
    source.write_text("int i = atomicAdd(&count, 1);\n")
    rules = [one for one in candidates(outcome(wrong=wrong), None, source) if one.text == "by index"]
    assert bool(rules) is tried
    assert not rules or rules[0].line == 1


@pytest.mark.parametrize(
    ("kind", "was", "now", "title", "tried"),
    [
        ("index", "i", "i + 1", "an index is off by one (i)", "with the index one more"),
        ("bound", "n + k", "(n + k) - 1", "a bound is off by one (n + k)", "with the bound one less"),
        ("value", "kTile", "kTile / 2", "a number is too large (kTile)", "with half of it"),
        ("number", "32", "2 * 32", "a number is too small (32)", "with twice as much"),
        ("number", "32", "48", "a number is too large or too small (32)", "with a larger or a smaller number"),
    ],
)
def test_a_cause_says_in_which_direction(kind: str, was: str, now: str, title: str, tried: str) -> None:
    cause = cause_of(change(1, kind, 7, was, now), "scan.cu", 12, 12)
    assert (cause.title, cause.tried) == (title, f"{tried}, right in 12 of 12 cases")


def test_the_sentence_says_how_often_it_was_right() -> None:
    cause = cause_of(change(1, "comparison", 7, "i < n", "i <= n"), "scan.cu", 12, 12)
    assert (cause.kind, cause.where, cause.was, cause.now) == ("edge", "scan.cu:7", "i < n", "i <= n")
    assert cause.tried == "with the edge of the comparison moved, right in 12 of 12 cases"
    same = cause_of(Rule("by index", "order_of_sums"), "scan.cu", 5, 5)
    assert same.tried.endswith("the same bits in 5 of 5 cases") and same.where == ""


def test_no_other_pivot_explains_a_failed_launch_that_nobody_looked_at() -> None:
    pivot, once = change(1, "thread_index", 5), change(2, "one_thread", 9)
    ignored = Finding("ignored_error", place=Place("/x/scan.cu", 9))
    assert ordered([pivot, once], Judgement("WA", (), outcome(ignored))) == [once]


def test_a_comparison_with_0_is_not_turned_round() -> None:
    constant = change(1, "comparison", 5, "distance > 0", "distance < 0")
    edge = change(2, "comparison", 5, "i > 0", "i >= 0")
    assert [one.number for one in ordered([constant, edge], Judgement("WA", (), outcome()))] == [2]


def test_a_guard_is_likely_where_something_is_outside_an_array_and_hides_a_race() -> None:
    guard, index = change(1, "guard", 5, "", "if (x >= width) return;"), change(2, "bound", 5)
    outside = Finding("out_of_bounds", place=Place("/x/scan.cu", 9))
    changes = ordered([index, guard], Judgement("RTE", (), outcome(outside, race(9, 9))))
    assert [one.number for one in changes] == [1, 2]
    assert [one.number for one in ordered([guard], Judgement("CHECK", (), outcome(race(9, 9))))] == []


def test_larger_arrays_are_tried_first_where_something_is_outside_and_are_unlikely_all_the_same() -> None:
    by_one, far = change(1, "array_size", 30, "n", "n + 1"), change(2, "array_size", 30, "n", "more than n")
    index = change(3, "index", 12, "i", "i + 1")
    outside = outcome(Finding("out_of_bounds", place=Place("/x/primitives.cu", 9)))
    assert next(iter(ordered([index, by_one, far], Judgement("RTE", (), outside)))) == far
    held = [Repair(one, 14, 14) for one in (far, by_one, index)]
    assert choose(held[:1], outside) == held[0] and choose(held[:2], outside) == held[1]
    assert choose(held, outside) is None


def test_an_early_return_is_tried_where_threads_left_before_a_barrier() -> None:
    leaves, other = change(1, "leaves", 5, "return;", ""), change(2, "leaves", 8, "return;", "")
    left = Finding("early_exit", is_note=True, place=Place("/x/scan.cu", 5))
    found = Judgement("CHECK", (), outcome(race(9, 9), left))
    assert [one.number for one in ordered([leaves, other], found)] == [1]


def test_a_larger_call_is_made_only_if_the_failing_one_is_small() -> None:
    assert [one.n for one in larger(CASE)] == [20_000, 5_000]
    assert larger(Case("scan", "", 100_000, 1, 0)) == []


def test_what_atomics_added_to_is_no_part_that_was_never_written(tmp_path: Path) -> None:
    expected, poison = np.array([4], np.uint32), np.frombuffer(b"\xa5" * 4, np.uint32)
    for got, kind in ((poison, "unwritten"), (poison + 4, "unset_output")):
        checked = Checked(False, [expected], [np.array([True])], [1])
        wrong = Wrong(Shape([], []), [], [got], checked, 0xA5)
        rules = [one for one in candidates(outcome(wrong=wrong), None, tmp_path / "x.cu") if one.text == "zero outputs"]
        assert [one.kind for one in rules] == [kind]


def test_the_same_change_in_two_places_is_tried_where_one_repairs_a_part() -> None:
    part, other = change(3, "arithmetic", 34, "y + j", "y - j"), change(260, "arithmetic", 36, "x + i", "x - i")
    changes = [part, change(5, "bound", 36), change(6, "statement", 36), other]
    (pair,) = pairs_with(part, changes, [])
    assert pair == Pair(part, other) and pairs_with(part, changes, [other]) == []
    assert how_with(pair) == {"change": 3 | 260 << PAIR}
    assert choose_pair([repair(pair)]) == repair(pair)
    assert choose_pair([repair(pair), repair(Pair(part, change(6, "arithmetic", 40)))]) is None
    assert choose_pair([repair(pair, 11)]) is choose_pair([]) is None
    twice = Pair(change(7, "bound", 34), change(8, "bound", 36))  # says of the same places what is wrong there
    assert choose_pair([repair(pair), repair(Pair(part, change(6, "arithmetic", 40))), repair(twice)]) == repair(twice)
    cause = cause_of(pair, "conv.cu", 14, 14)
    assert (cause.title, cause.where) == ("in two places, an operator is wrong", "conv.cu:34")
    assert cause.tried == "with another operator, here and in line 36, right in 14 of 14 cases"


def wrong_at(*places: int) -> Wrong:
    mask = np.isin(np.arange(8), places)
    return Wrong(Shape([], []), [], [np.arange(8)], Checked(False, [np.arange(8)], [mask], [8]), 0xA5)


def test_a_part_is_repaired_if_half_of_the_elements_are_right_and_no_others_wrong() -> None:
    before = outcome(wrong=wrong_at(1, 2, 3, 5))
    assert is_part(before, outcome(wrong=wrong_at(1, 3)))
    assert not is_part(before, outcome(wrong=wrong_at(1, 2, 3)))  # a few may be right by chance
    assert not is_part(before, outcome(wrong=wrong_at(1, 4)))
    assert not is_part(before, before)
    assert not is_part(before, outcome(race(5, 9), wrong=wrong_at(1)))
    assert is_part(outcome(race(5, 9), race(7, 9)), outcome(race(7, 9)))
    assert not is_part(outcome(race(5, 9)), outcome(race(7, 9)))


def test_who_leaves_may_cause_a_barrier_that_not_all_reach_and_a_part_that_is_not_written() -> None:
    back, on = change(1, "leaves", 5, "break;", ""), change(2, "leaves", 6, "continue;", "")
    found = [Finding(kind, place=Place("/x/scan.cu", 9)) for kind in ("divergent_barrier", "uninitialized")]
    assert [one.number for one in ordered([back, on], Judgement("CHECK", (), outcome(*found)))] == [2, 1]
    assert [one.number for one in ordered([back, on], Judgement("CHECK", (), outcome(found[1])))] == [2]
    left = Finding("early_exit", is_note=True, place=Place("/x/scan.cu", 9), other_place=Place("/x/scan.cu", 12))
    assert [one.number for one in ordered([back, on], Judgement("WA", (), outcome(found[1], left)))] == [2, 1]


def test_a_condition_that_nobody_leaves_by_is_no_cause_where_leaving_is() -> None:
    leaves, name = change(1, "leaves", 5, "return;", ""), change(2, "name", 5, "x", "left")
    note = Finding("early_exit", is_note=True, place=Place("/x/scan.cu", 9), other_place=Place("/x/scan.cu", 12))
    unset, outside = (Finding(kind, place=Place("/x/scan.cu", 9)) for kind in ("uninitialized", "out_of_bounds"))
    assert [one.number for one in ordered([leaves, name], Judgement("WA", (), outcome(unset, note)))] == [1]
    assert 2 in [one.number for one in ordered([leaves, name], Judgement("RTE", (), outcome(outside, note)))]
