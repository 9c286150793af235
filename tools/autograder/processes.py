"""The processes of a submission's tasks: the student's, one for each; the reference's, on a GPU one for all.

On a GPU, every process has to start the driver, and to pin memory for the arrays of timed calls. Both take about as
long as all calls of a task.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from autograder.judge.check import Checker
from autograder.plan.cases import Case
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.submission import Settings, Submission
from autograder.timing.pairs import calls_in_a_batch

# Seconds until a process is ready. A driver that starts several GPUs needs most of a minute, the virtual GPU nothing.
GPU_START_SECONDS = 60.0
LONGEST_CALLS = 15  # so many calls of a task may take as long as one may: a task has about a hundred
LEAST_TOTAL_SECONDS = 60.0
VIRTUAL_START_SECONDS = 10.0


class Processes:
    """Starts them. Used from several threads."""

    def __init__(self, submission: Submission, settings: Settings, checker: Checker) -> None:
        self._submission = submission
        self._settings = settings
        self._checker = checker
        self._virtual = submission.machine.virtual
        self._timed: Sequence[Case] = ()
        self._starting = threading.Lock()
        # A process ends with the thread that has started it, and this thread lives on.
        self._starter = ThreadPoolExecutor(1, "reference")
        self._shared: Future[Runner] | None = None
        self._bandwidth: float | None = None
        self._asking = threading.Lock()

    @contextlib.contextmanager
    def started(
        self,
        path: Path,
        cases: Sequence[Case],
        timed: Case | None = None,
        device: str = "",
        seconds: float | None = None,
    ) -> Iterator[Runner]:
        """A runner with memory for these cases and a batch of timed ones. It is always ended.

        `device`: another one than the submission's. `seconds`: of a call, if other than usual.
        """
        room = self._checker.room([*cases, *([timed] if timed else [])])
        runner = self._runner(path, max(room, self._batch(timed)) if timed else room, device, seconds)
        try:
            yield runner
        finally:
            end(runner)

    def will_time(self, cases: Sequence[Case]) -> None:
        """The timed cases of all tasks, for which the one process of the reference has memory."""
        self._timed = cases

    def wake_reference(self) -> None:
        """Starts the process of the reference that all timed tasks share, if there is to be one."""
        if self._virtual or not self._timed:
            return
        with self._starting:
            if self._shared is None:
                self._shared = self._starter.submit(self._reference)

    @contextlib.contextmanager
    def reference(self, timed: Case) -> Iterator[Runner]:
        """A runner of the reference with memory for a batch of timed cases."""
        self.wake_reference()
        if self._shared is None or timed not in self._timed:
            with self.started(self._submission.reference(), [], timed) as runner:
                yield runner
        else:
            yield self._shared.result()

    def modelled_bandwidth(self, ask: Callable[[], float | None]) -> float | None:
        """What the virtual GPU says to this question: the same in all tasks, so only the first asks."""
        with self._asking:
            self._bandwidth = self._bandwidth or ask()
            return self._bandwidth

    def close(self) -> None:
        """Ends the process that is shared."""
        with contextlib.suppress(Exception):  # the task that asked for it has already reported a failed start
            if self._shared is not None:
                end(self._shared.result())
        self._starter.shutdown()

    def _reference(self) -> Runner:
        runner = self._runner(self._submission.reference(), max(map(self._batch, self._timed)))
        runner.start()  # if it dies, the next call starts it again and reports it
        return runner

    def _batch(self, case: Case) -> int:
        """Bytes for the arrays of the timed calls that are made at once."""
        one_call = self._checker.room([case])
        return one_call if self._virtual else calls_in_a_batch(one_call) * one_call

    def _runner(self, path: Path, room: int, device: str = "", seconds: float | None = None) -> Runner:
        limits = self._submission.manifest.limits
        hurried = seconds is not None
        seconds = seconds or self._settings.seconds or limits.seconds
        start = VIRTUAL_START_SECONDS if self._virtual else GPU_START_SECONDS
        own = limits.device_mb if self._virtual else 0
        shared = SharedMemory(room)
        machine = replace(self._submission.machine, device_launches=self._submission.manifest.uses.device_launches)
        machine = replace(machine, device=device) if device else machine
        total = max(LEAST_TOTAL_SECONDS, LONGEST_CALLS * seconds)
        return Runner(path, machine, shared, ProcessLimits(seconds, limits.host_mb, own, start, total, not hurried))


def end(runner: Runner) -> None:
    runner.close()
    runner.shared.close()
