"""The calls that are timed: student and reference in turn, on the same fresh secret inputs."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from autograder.errors import GraderError
from autograder.judge.batch import Made, Prepared
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.run.process import Runner
from autograder.timing.measure import FEW_PAIRS, GPU_PAIRS, Batches, Stopped

# On a GPU a message to the runner and back takes ten times as long as a quick task, so it is asked for several calls.
MOST_CALLS = 8
BATCH_SECONDS = 0.3e-3  # the time that they should take together
SHORT = 10e-3  # seconds; a shorter call is measured better right after another one
MOST_SHARED = 4 << 30  # bytes for the arrays of one batch, unless a single call takes more
QUIET_BATCHES = 5
WAKING_N = 4096
AHEAD = 4 << 30  # bytes of inputs that wait for their batches, because generating them takes longer than using them


def calls_in_a_batch(room: int) -> int:
    """How many calls fit into memory, if one takes this many bytes."""
    return max(1, min(MOST_CALLS, MOST_SHARED // room))


class Pairs:
    """Makes the timed calls of one task."""

    def __init__(self, checker: Checker, student: Runner, reference: Runner, case: Case) -> None:
        self._checker = checker
        self._student = student
        self._reference = reference
        self._case = case
        self._calls = 1
        self._ahead: deque[list[Prepared]] = deque()
        self._warm: list[Prepared] = []
        self._waking: list[Prepared] = []
        self._right: Future[Outcome] | None = None
        self._failed: tuple[Outcome, Outcome] | None = None

    def modelled(self, at: int) -> tuple[Outcome, Outcome]:
        """A pair of calls on the virtual GPU."""
        if at == 0:
            woken = self._woken()
            warmed = self._checker.judge(self._checker.make(self._student, self._fresh(("warm",)), timed=False))
            if not woken.ok or not warmed.ok:
                return warmed, woken
        prepared = self._fresh(("pair", at))
        # The first timed call is checked, too, and half of the others, so no size and no moment is safe for a race.
        # Nobody can tell which, whatever the input shows of its seed.
        checks = at == 0 or casebook.one_in(2, prepared[0].case.seed, "checked")
        first = self._checker.batch(self._student, prepared, checks=checks, timed=True)
        return first, self._beside(first, prepared)

    def _beside(self, first: Outcome, prepared: Sequence[Prepared]) -> Outcome:
        """The reference's call; if it is what is graded, that has been made."""
        if self._reference is self._student:
            return first
        return self._checker.batch(self._reference, prepared, timed=True, as_right_as=first)

    def _woken(self) -> Outcome:
        """A small call of the reference, whose process has made none: what the first call does once is in no time.

        The Workspace's arrays take no modelled time when they are new, so it need not be of the timed size. The
        student's is: a program that does other work when a size comes again, because then it is timed, shows it.
        """
        small = replace(self._one(("wake",)), n=min(self._case.n, WAKING_N))
        if not self._checker.fits(self._reference, small):
            small = self._one(("wake",))
        return self._checker.make(self._reference, self._checker.prepare([small]), timed=False).outcome

    def once_more(self) -> tuple[Outcome, Outcome]:
        """A pair for a drawing, of processes that have made other calls."""
        prepared = self._checker.prepare([self._case])
        first = self._checker.batch(self._student, prepared, timed=True)
        return first, self._beside(first, prepared)

    def prepare(self) -> None:
        """Generates the inputs of the first call, before it may have to wait for another task's times."""
        self._warm = self._warm or self._fresh(("warm",))

    def warm_up(self) -> None:
        """The first calls on a GPU; finds how many make a batch that is long enough for the reference's time."""
        self._failed = self._warm_up()
        if self._failed is None:
            self._calls = self._calls_in_a_batch()
            if self._calls > 1:
                self._make_room()

    def look_ahead(self) -> None:
        """Generates the inputs of the first batches. That needs no device, and takes longer than measuring."""
        if self._failed is None:
            self._ahead.extend(self._prepared_from(0))

    def batches(self, at: int) -> Batches:
        """A pair of batches on a GPU, after warm_up()."""
        if self._failed:
            return Batches(*self._failed, nothing=self._failed[1], calls=1)
        if not self._ahead:
            self._ahead.extend(self._prepared_from(at))
        prepared = self._ahead.popleft()
        student = self._awake(self._student, prepared)
        # A stopped process gives the GPU no work while the reference is measured; earlier work shows in `nothing`.
        self._student.pause()
        nothing = self._checker.batch(self._reference, prepared, timed=True, nothing=True)
        reference = self._awake(self._reference, prepared, like=student)
        self._student.go_on()
        return Batches(self._checker.judge_beside(student, reference), reference.outcome, nothing, self._calls)

    def _awake(self, runner: Runner, prepared: Sequence[Prepared], like: Made | None = None) -> Made:
        """A batch that comes right after another one, on data that both sides have had.

        The first batch after another process's turn takes up to 0.3e-3 s longer on an H200: in one kind of call only,
        and the student's comes after a longer rest than the reference's.
        """
        before = self._checker.make(runner, self._waking) if self._waking else None
        return before if before and not before.outcome.ok else self._checker.make(runner, prepared, like=like)

    def _prepared_from(self, at: int) -> list[list[Prepared]]:
        """The inputs of this batch; also prepares the next batches, up to where more pairs may be needed."""
        until = FEW_PAIRS if at < FEW_PAIRS else at - at % GPU_PAIRS + GPU_PAIRS
        most = max(1, AHEAD // max(1, self._calls * self._checker.input_bytes(self._case)))
        return self._checker.prepare_batches(
            [
                [self._one(("pair", pair, call)) for call in range(self._calls)]
                for pair in range(at, min(until, at + most))
            ]
        )

    def quiet(self) -> float:
        """Seconds of a batch without calls when the student's process has ended."""
        self._student.close()
        prepared = self._checker.place([self._case] * self._calls)
        return statistics.median(self._seconds(prepared, nothing=True) for _ in range(QUIET_BATCHES))

    def _warm_up(self) -> tuple[Outcome, Outcome] | None:
        """Fills the Workspace and warms up driver and caches, on other data, so that nothing can be replayed."""
        self.prepare()
        prepared = self._warm
        made = self._checker.make(self._student, prepared, timed=False)
        right = self._checker.make(self._reference, prepared, like=made, timed=False)
        if self._checker.are_alike(made, right):
            self._right = self._checker.judge_later(right)
            return None
        other = self._checker.judge(right)
        waking = self._checker.judge_beside(made, right)
        return None if waking.ok and other.ok else (waking, other)

    def confirmed(self) -> Stopped | None:
        """The oracle's verdict on the reference with which the student was compared; None if it is right.

        Comes last: the oracle takes longer than the calls, and needs no GPU.
        """
        outcome = self._right.result() if self._right else None
        return None if outcome is None or outcome.ok else Stopped(outcome, True)

    def _calls_in_a_batch(self) -> int:
        most = calls_in_a_batch(self._checker.room([self._case]))
        prepared, self._warm = self._warm, []  # the reference may get them twice
        one_call = self._seconds(prepared) - self._seconds(prepared, nothing=True)
        if one_call < SHORT:
            self._waking = prepared
        return max(1, min(most, round(BATCH_SECONDS / max(one_call, 1e-6))))

    def _make_room(self) -> None:
        """Lets both sides pin and share the memory of a batch side by side, half a second for each GB."""
        prepared = self._checker.place([self._case] * self._calls)
        with ThreadPoolExecutor() as pool:
            sides = (self._student, self._reference)
            list(pool.map(lambda side: self._checker.batch(side, prepared, timed=True, nothing=True), sides))

    def _seconds(self, prepared: Sequence[Prepared], *, nothing: bool = False) -> float:
        """Seconds that the reference takes."""
        if nothing:
            outcome = self._checker.batch(self._reference, prepared, timed=True, nothing=True)
        else:
            outcome = self._checker.make(self._reference, prepared).outcome
        if not outcome.ok:
            raise GraderError(f"the reference solution fails at n = {self._case.n:,}")
        return outcome.seconds

    def _fresh(self, *names: tuple[object, ...]) -> list[Prepared]:
        """Fresh inputs, one for each name."""
        return self._checker.prepare([self._one(name) for name in names])

    def _one(self, name: tuple[object, ...]) -> Case:
        return replace(self._case, seed=casebook.derive(self._case.seed, *name))
