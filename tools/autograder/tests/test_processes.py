"""Which processes a run starts: on a GPU one of the reference for all tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from autograder import processes
from autograder.errors import GraderError
from autograder.plan.cases import case
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.processes import Processes
from autograder.submission import Settings, Submission
from autograder.tests.support import MACHINE
from autograder.timing.pairs import MOST_CALLS

TIMED = [case(1, "naive", "", 1000), case(1, "look_back", "", 3000)]


class Room:
    """A checker's part that is asked for here."""

    def room(self, cases: Any) -> int:
        return max(int(one.n) << 12 for one in cases)


class Fake:
    """A runner that starts nothing."""

    made: ClassVar[list[Fake]] = []

    def __init__(self, path: Path, machine: object, shared: Any, limits: object) -> None:
        self.path, self.shared, self.events = path, shared, [f"{shared.size >> 12}"]
        Fake.made.append(self)

    def start(self) -> None:
        self.events.append("start")

    def close(self) -> None:
        self.events.append("close")


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    Fake.made = []
    monkeypatch.setattr(processes, "Runner", Fake)


def of(virtual: bool, reference: Any = lambda: Path("reference")) -> Processes:
    manifest = Manifest(3, "add", "Add", "add.cu", [TaskEntry("naive", 10)])
    submission = Submission(manifest, Path("student"), reference, replace(MACHINE, virtual=virtual))
    return Processes(submission, Settings(seed=1), Room())  # type: ignore[arg-type]


def test_on_a_gpu_the_reference_has_one_process_with_room_for_every_task() -> None:
    them = of(virtual=False)
    them.will_time(TIMED)
    with them.reference(TIMED[0]) as first, them.reference(TIMED[1]) as second:
        assert first is second
    assert [one.events for one in Fake.made] == [[str(MOST_CALLS * 3000), "start"]]
    with them.started(Path("student"), [], TIMED[0]):
        assert Fake.made[1].events == [str(MOST_CALLS * 1000)]
    them.close()
    assert [one.events[-1] for one in Fake.made] == ["close", "close"]


def test_elsewhere_each_task_has_its_own() -> None:
    them = of(virtual=True)
    them.will_time(TIMED)
    them.wake_reference()
    for one in TIMED:
        with them.reference(one):
            assert Fake.made[-1].events == [str(one.n)]
        assert Fake.made[-1].events[-1] == "close"
    them.close()
    assert len(Fake.made) == 2


def test_a_reference_that_cannot_be_built_is_told_to_who_asks() -> None:
    def broken() -> Path:
        raise GraderError("no reference")

    them = of(virtual=False, reference=broken)
    them.will_time(TIMED)
    for one in TIMED:
        with pytest.raises(GraderError, match="no reference"), them.reference(one):
            pass
    them.close()


def test_how_fast_the_virtual_gpu_copies_is_asked_until_there_is_an_answer() -> None:
    them, answers = of(virtual=True), iter([None, 1e11])
    assert [them.modelled_bandwidth(lambda: next(answers)) for _ in range(4)] == [None, 1e11, 1e11, 1e11]
