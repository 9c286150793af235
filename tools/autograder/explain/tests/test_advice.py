"""What is advised where no order of accesses takes a race away."""

import pytest

from autograder.explain.advice import SAME_INDEX, without_order
from autograder.explain.explanation import Explanation
from autograder.run.protocol import Finding, Place

HERE, THERE = Place("/x/scan.cu", 33), Place("/x/scan.cu", 40)
ATOMIC = "an atomic such as atomicAdd()"


def race(what: str, other: Place, access: str = "write") -> Finding:
    return Finding("race", what=what, place=HERE, other_place=other, access=access, help=ATOMIC)


@pytest.mark.parametrize(
    ("found", "helps"),
    [
        (race("thread 1 wrote d_out[3] and thread 2 wrote it, both at scan.cu:33", HERE), SAME_INDEX),
        (race("thread 1 wrote d_out[3] and thread 2 wrote it at scan.cu:40", THERE), ""),
        (race("thread 1 wrote d_out[3] and thread 2 read it, both at scan.cu:33", HERE), ""),
        (race("thread 1 read d_out[3] and thread 2 wrote it, both at scan.cu:33", HERE, "read"), ""),
    ],
)
def test_no_atomic_is_advised_where_none_takes_a_race_away(found: Finding, helps: str) -> None:
    said = Explanation("race", ("seen", f"what helps: {ATOMIC}", "input: 3"), findings=(found,))
    better = without_order(said)
    assert [one.help for one in better.findings] == [helps]
    assert better.details == ("seen", *([f"what helps: {helps}"] if helps else []), "input: 3")


def test_advice_about_other_findings_stays() -> None:
    unset = Finding("uninitialized", place=HERE, help="a first value")
    said = Explanation("unset", ("what helps: a first value",), findings=(unset, race("thread 1 read it", THERE)))
    better = without_order(said)
    assert [one.help for one in better.findings] == ["a first value", ""] and better.details == said.details
