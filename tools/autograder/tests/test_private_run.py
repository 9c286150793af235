"""Private cases: what a task gets for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autograder.plan.private_cases import PrivateSet
from autograder.report.result import TaskResult
from autograder.submission import Private, Settings
from autograder.tests.support import grade_task, runner_script

pytestmark = pytest.mark.slow


def with_cases(tmp_path: Path, *sets: PrivateSet, task: str = "second_block", reference: str = "good") -> TaskResult:
    """A task whose public cases, of up to 100 elements, are right; it is wrong from the second block on."""
    settings = Settings(1, max_n=100, timed=False, private=Private(sets, lambda name: (tmp_path / name).read_bytes()))
    return grade_task(tmp_path, task, settings=settings, reference=runner_script(tmp_path, reference))


def test_a_failing_case_decides_and_shows_what_it_may(tmp_path: Path) -> None:
    for show, said in (("verdict", ()), ("size", ("n = 700",)), ("all", ("n = 700", "again: ", "--n 700"))):
        found = with_cases(tmp_path, PrivateSet("long", sizes=[9, 700], show=show))  # type: ignore[arg-type]
        assert (found.verdict, found.points, found.again) == ("WA", 0.0, "")
        assert found.reason == "wrong in the course's own cases (long)"
        text = "\n".join(found.details)
        assert all(word in text for word in said) and ("700" in text) == bool(said)
        assert "700" not in f"{found.reason} {found.failure} {found.printed} {found.findings}"
        private = found.private[0]
        assert (private.n, private.right, private.total, private.verdict) == (700, 1, 2, "WA")
        assert "--n 700" in private.again


def test_a_right_program_keeps_its_points(tmp_path: Path) -> None:
    found = with_cases(tmp_path, PrivateSet("long", sizes=[0, 9, 700]), task="right")
    assert (found.verdict, found.points, found.private[0].verdict) == ("AC", 10, "AC")
    assert with_cases(tmp_path, PrivateSet("long", tasks=["other"], sizes=[700])).private == ()


def test_weights_take_their_part(tmp_path: Path) -> None:
    some = PrivateSet("some", sizes=[700], weight="25")
    found = with_cases(tmp_path, some, PrivateSet("small", sizes=[9], weight="50"))
    assert (found.verdict, found.points) == ("AC", 7.5)
    assert found.reason == "wrong in the course's own cases (some): 25 % of the points"
    all_of_it = with_cases(tmp_path, some, PrivateSet("more", sizes=[800], weight="75"))
    assert (all_of_it.verdict, all_of_it.points) == ("AC", 0.0)


def test_cases_that_the_reference_fails_cost_nobody_points(tmp_path: Path) -> None:
    found = with_cases(tmp_path, PrivateSet("long", sizes=[700]), reference="bad")
    assert found.verdict == "IE" and "(long)" in found.reason and "700" not in found.reason


def test_an_input_from_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", a0=np.arange(700, dtype=np.int32))
    found = with_cases(tmp_path, PrivateSet("rising", sizes=[700], arrays="in.npz", show="all"))
    assert found.verdict == "WA" and "an input of the course" in " ".join(found.details) and not found.private[0].again
    assert with_cases(tmp_path, PrivateSet("x", sizes=[700], arrays="in.npz"), task="right").verdict == "AC"
    gone = with_cases(tmp_path, PrivateSet("x", sizes=[700], arrays="gone.npz"), task="right")
    assert gone.verdict == "IE" and "gone.npz" in gone.reason
