"""Claims that were made and were false: each with what had been found to repair the program, and what it may be called.

What held in experiments with a wrong program is written down here, so that no program has to be run.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from autograder.cause.causes import kind_of
from autograder.cause.change import Change, Pair
from autograder.cause.conditions import is_constant
from autograder.cause.doubts import is_doubt
from autograder.cause.experiments import Repair
from autograder.cause.likely import choose, is_asked_for, ordered, pairs_with
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.run.protocol import Finding, Place, Reply, Report


@dataclass(frozen=True)
class Claim:
    """A wrong program: the changes that hold, as (kind, line, was, now, last line)."""

    what: str  # is wrong with it
    holding: tuple[tuple[str, int, str, str, int], ...]
    false: str  # the kind that must not be claimed
    true: str  # the kind that may be; "": none
    line: int = 0
    found: tuple[str, ...] = ()  # kinds of findings, in the first line that holds


CLAIMS = (
    Claim(
        "a thread leaves before it has loaded the corner of a tile",
        (
            ("joined", 51, "tx < r || tx >= k + r", "(tx < r) && (tx >= k + r)", 51),
            ("leaves", 52, "continue;", "", 52),
        ),
        "joined", "leaves", 52,
    ),
    Claim(
        "a row is written only if it is not empty",
        (
            ("comparison", 32, "from < to", "from <= to", 32), ("bound", 32, "to", "to + 1", 32),
            ("condition", 32, "from < to", "true", 32),
        ),
        "edge", "condition", 32,
    ),
    Claim(
        "an empty row is left out",
        (("bound", 12, "end", "end + 1", 12), ("leaves", 12, "return;", "", 12)),
        "bound", "leaves", 12,
    ),
    Claim(
        "lanes leave that a shuffle needs",
        (("comparison", 14, "lane > 3", "lane <= 3", 14), ("leaves", 14, "return;", "", 14)),
        "comparison", "leaves", 14,
    ),
    Claim(
        "a statement writes behind the end of the output",
        (("name", 64, "k", "first", 64), ("statement", 64, "d_out[n] = s[k];", "", 64)),
        "name", "statement", 64, ("out_of_bounds",),
    ),
    Claim(
        "only the first warp adds its sums",
        (
            ("thread_index", 53, "threadIdx.x", "blockIdx.x", 53),
            ("part_of_condition", 53, "threadIdx.x < 32 && part[0] > 0", "part[0] > 0", 53),
        ),
        "thread_index", "part_of_condition", 53,
    ),
    Claim(
        "a loop does all of it twice",
        (("name", 7, "0", "kPrivate", 7), ("statement", 6, "for (...) x;", "", 8)),
        "name", "statement", 6,
    ),
    Claim(
        "the tail begins too early: any condition will do that lets more threads write it",
        (
            ("comparison", 64, "tid < 4", "tid <= 4", 64), ("bound", 64, "4", "4 + 1", 64),
            ("number", 64, "4", "2 * 4", 64), ("part_of_condition", 64, "tid < 4 && rest < n", "rest < n", 64),
            ("missing_term", 63, "4 * quads", "4 * quads + head", 63),
        ),
        "edge", "missing_term", 63,
    ),
    Claim(
        "the tail begins too early: it may also begin so early that it does what has been done",
        (
            ("arithmetic", 64, "n - head", "n", 64),
            ("missing_term", 66, "4 * quads + idx", "(4 * quads + idx) + head", 66),
        ),
        "term", "",
    ),
    Claim(
        "the other board is stored",
        (("comparison", 51, "g < n", "g <= n", 51), ("name", 54, "old", "now", 54)),
        "edge", "",
    ),
    Claim(
        "a value no longer matters, because something is left out that depends on it",
        (("name", 5, "a", "b", 5), ("name", 5, "a", "n", 5), ("name", 5, "a", "top", 5)),
        "name", "",
    ),
)  # fmt: skip


WHOLE = ("leaves", "statement", "part_of_condition")


def made(claim: Claim) -> list[Change]:
    return [Change(at, *one) for at, one in enumerate(claim.holding, 1)]


def shown(claim: Claim) -> Outcome:
    findings = [Finding(kind, place=Place("/x/scan.cu", claim.holding[0][1])) for kind in claim.found]
    return Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok", report=Report(findings=findings)))


@pytest.mark.parametrize("claim", CLAIMS, ids=[one.what for one in CLAIMS])
def test_what_was_claimed_falsely_is_not(claim: Claim) -> None:
    chosen = choose([Repair(one, 14, 14) for one in made(claim)], shown(claim))
    named = chosen.trial if chosen else None
    assert not isinstance(named, Change) or kind_of(named) != claim.false
    assert (kind_of(named), named.line) == (claim.true, claim.line) if isinstance(named, Change) else not claim.true


@pytest.mark.parametrize("claim", [one for one in CLAIMS if one.true in WHOLE or one.false == "term"])
def test_what_shows_it_is_tried_once_the_false_one_holds(claim: Claim) -> None:
    first, *others = made(claim)
    assert any(is_doubt(one, [Repair(first, 14, 14)]) for one in others)
    assert not any(is_doubt(one, [Repair(first, 13, 14)]) for one in others)


def test_a_condition_that_may_go_ends_no_search() -> None:
    changes = made(next(one for one in CLAIMS if one.true == "missing_term"))
    edge, bound, _, without, term = (Repair(one, 14, 14) for one in changes)
    assert not is_asked_for(changes[4], [edge, bound], ()) and is_doubt(changes[3], [edge])
    assert is_asked_for(changes[4], [edge, bound, without], ())
    assert choose([edge, bound, without]) == without  # nothing else is known
    assert choose([edge, bound, without, term]) == term
    assert choose([edge, bound, Repair(changes[3], 14, 14, is_controlled=False)]) is None  # all would be done twice


def test_two_comparisons_of_one_condition_are_not_turned_round_together() -> None:
    """`i == 0 || cells[i] != cells[i - 1]` then says always the same."""
    first, second, other, constant = (
        Change(at, "comparison", line, was, now, line)
        for at, line, was, now in (
            (1, 7, "i == 0", "i != 0"),
            (2, 7, "c[i] != c[i - 1]", "c[i] == c[i - 1]"),
            (3, 9, "k < n", "k > n"),
            (4, 9, "k == 0", "k >= 0"),
        )
    )
    assert pairs_with(first, [first, second, other, constant], []) == [Pair(first, other)]


def test_a_choice_of_numbers_is_not_replaced_by_one_of_them() -> None:
    """Each point begins a share of its own: right, and all the work."""
    always = Change(1, "choice", 103, "i == 0 || cells[i] != cells[i - 1] ? 1 : 0", "1", 103)
    swapped = Change(2, "choice", 103, "i == 0 ? 1 : 0", "i == 0 ? 0 : 1", 103)
    element = Change(3, "choice", 103, "n == 0 ? Op::identity() : 0", "Op::identity()", 103)
    assert [is_constant(one) for one in (always, swapped, element)] == [True, False, False]
    case = Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok", report=Report()))
    assert ordered([always], Judgement("WA", (), case)) == []


def test_where_a_value_is_missing_and_nothing_races_barriers_come_later() -> None:
    barrier, edge = (
        Change(1, "barrier", 14, "", "__syncthreads();", 14),
        Change(2, "comparison", 9, "i < n", "i <= n", 9),
    )
    for kinds, first in ((["uninitialized"], edge), (["uninitialized", "race"], barrier)):
        findings = [Finding(kind, place=Place("/x/scan.cu", 30)) for kind in kinds]
        case = Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok", report=Report(findings=findings)))
        assert ordered([barrier, edge], Judgement("CHECK", (), case))[0] == first


def test_a_condition_that_lets_all_lanes_in_is_not_another_name() -> None:
    name, number = Change(1, "name", 14, "tid", "warp", 14), Change(2, "number", 14, "8", "4 * 8", 14)
    found = Finding("uninitialized", place=Place("/x/spmv.cu", 20), what="comes from a lane that takes no part")
    case = Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok", report=Report(findings=[found])))
    assert ordered([name, number], Judgement("WA", (), case)) == [number]


def test_who_leaves_before_a_shuffle_may_be_what_is_wrong() -> None:
    leaves = Change(1, "leaves", 14, "return;", "", 14)
    words = "the value that the shuffle at spmv.cu:20 got from a lane that takes no part was used"
    for what, tried in ((words, [1]), ("d_out[3] was never written", [])):
        found = Finding("uninitialized", place=Place("/x/spmv.cu", 20), what=what)
        case = Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok", report=Report(findings=[found])))
        assert [one.number for one in ordered([leaves], Judgement("CHECK", (), case))] == tried
