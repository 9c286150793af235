"""Takes one task through all steps: checked, timed, scored, reported; private cases last."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.checking import beside_reference, check_on_wide, check_task, plan_task
from autograder.context import Context
from autograder.errors import GraderError
from autograder.explain.advice import without_order
from autograder.explain.explanation import Explanation
from autograder.explain.reasons import right as explained_right
from autograder.explain.started import with_todo, with_unfinished
from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.plan.cases import Case
from autograder.plan.manifest import TaskEntry
from autograder.plan.tables import TaskTable
from autograder.private_run import with_private
from autograder.processes import Processes
from autograder.proving import proved
from autograder.report.result import bounded, fault, in_words, task_result
from autograder.run.process import Runner
from autograder.sanitize import clean
from autograder.submission import Graded, Judged, Settings, Submission, Timed, points_of
from autograder.timer import count_task, counted_case, time_task, timed_case
from autograder.timing.device_lock import Turns
from autograder.trace.writers import traced, with_writers
from autograder.verdict import RIGHT


class TaskGrader:
    """Grades tasks of one submission; used from several threads, one task each."""

    def __init__(
        self,
        oracles: Oracles,
        submission: Submission,
        settings: Settings,
        progress: Callable[[str, float], None] = lambda task, part: None,
    ) -> None:
        checker = Checker(oracles, submission.manifest.number, submission.manifest)
        processes = Processes(submission, settings, checker)
        self._context = Context(submission, settings, checker, processes, Turns(), progress)

    def __enter__(self) -> TaskGrader:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.processes.close()

    def will_grade(self, tasks: Sequence[tuple[TaskTable, TaskEntry]]) -> None:
        """Tells all tasks before the first is graded; on a GPU they share what takes long to start."""
        timed = (timed_case(self._context, table, entry) for table, entry in tasks)
        self._context.processes.will_time([case for case in timed if case])

    def grade(self, table: TaskTable, entry: TaskEntry) -> Graded:
        """The verdict of one task. The grader's own faults become IE."""
        return self._guarded(entry, lambda start: self._grade(table, entry, start))

    def timed(self, table: TaskTable, entry: TaskEntry, checked: Graded) -> Graded:
        """A task that another device found right, with this device's times and the other's counters."""
        case = timed_case(self._context, table, entry)
        if case is None:
            return checked
        return self._guarded(entry, lambda start: self._timed_as_well(entry, case, checked, start))

    def with_private(self, table: TaskTable, entry: TaskEntry, graded: Graded) -> Graded:
        """A task that is right, after the course's private cases."""
        if (private := self._context.settings.private) is None or graded.result.verdict not in RIGHT:
            return graded
        return self._guarded(
            entry,
            lambda start: Graded(with_private(self._context, private, graded.result, table, entry), graded.device),
        )

    def _guarded(self, entry: TaskEntry, grade: Callable[[float], Graded]) -> Graded:
        start = time.monotonic()
        try:
            graded = grade(start)
        except GraderError as error:
            graded = Graded(fault(entry, str(error), time.monotonic() - start))
        except Exception as error:  # a fault in one task leaves the others graded
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}"
            graded = Graded(fault(entry, clean(text, 300), time.monotonic() - start))
        self._context.progress(entry.name, 1.0)
        return Graded(bounded(graded.result), graded.device)

    def _grade(self, table: TaskTable, entry: TaskEntry, start: float) -> Graded:
        context = self._context
        planned, timed = plan_task(context, table, entry), timed_case(context, table, entry)
        to_count = counted_case(context, table, entry)
        counted = timed or to_count
        # One process for all calls, so that nothing tells the program which of them is timed.
        with context.processes.started(context.submission.runner, planned, counted) as runner:
            with context.turns.to_check():
                right = check_task(context, table, entry, planned, runner)
                if right.judgement.verdict == "AC" and context.whole:
                    right = check_on_wide(context, table, entry, right)
            found = Timed(right.judgement.verdict, self._explained(right, entry.name, runner))
            if found.verdict == "AC" and timed:
                found = time_task(context, entry, timed, runner, found.explanation)
            elif found.verdict == "AC" and to_count:
                found = count_task(context, entry, to_count, runner, found.explanation)
        if not context.settings.timed and context.settings.n is None and not entry.evidence:
            found = replace(found, untimed=True)
        begun, explanation = found.verdict != "SKIP", found.explanation
        result = task_result(
            entry,
            found.verdict,
            points_of(entry, found),
            right.judgement,
            explanation,
            time=found.time,
            kernels=found.kernels,
            study=found.study,
            evidence=found.evidence,
            counted_n=counted.n if counted and found.kernels else 0,
            again=self._again(entry.name, explanation, right.elsewhere) if begun and found.verdict != "AC" else "",
            printed=right.printed if begun else "",
            seconds=time.monotonic() - start,
        )
        return Graded(result, right.device)

    def _explained(self, right: Judged, task: str, runner: Runner) -> Explanation:
        """Why the task has its verdict: with the cause, if experiments prove one, and with who wrote what is wrong."""
        context, program = self._context, self._context.submission.program
        skeleton, shown, one_size = context.submission.skeleton, right.judgement.shown, context.settings.n is not None
        if program and skeleton and right.judgement.verdict == "SKIP":
            said = context.explain(right.judgement, right.printed, one_size, None)
            return with_todo(said, task, program.source, skeleton)
        seen_here = context.virtual and not right.elsewhere
        found = proved(context, right.judgement, right.elsewhere)
        said = context.explain(right.judgement, right.printed, one_size, found.cause)
        if found.refuted:
            said = without_order(said)
        if program and skeleton:
            said = with_unfinished(said, task, program.source, skeleton, found.ran)
        if right.judgement.verdict == "TLE" and shown and seen_here and found.cause is None:
            said = replace(said, details=(*said.details, *beside_reference(context, shown)))
        if shown is None or said.failure is None or not said.failure.elements or not seen_here:
            return said
        return with_writers(said, traced(context.checker, runner, shown))

    def _timed_as_well(self, entry: TaskEntry, case: Case, checked: Graded, start: float) -> Graded:
        before, context = checked.result, self._context
        context.processes.wake_reference()
        with context.processes.started(context.submission.runner, [], case) as runner:
            with context.turns.to_check():  # a process that starts the driver would be noise in another task's times
                runner.start()
            found = time_task(
                context, entry, case, runner, explained_right(before.notes), before.kernels, before.evidence
            )
            printed = runner.printed() if found.time is None else before.printed
        result = msgspec.structs.replace(
            before,
            verdict=found.verdict,
            points=points_of(entry, found),
            time=found.time,
            kernels=tuple(found.kernels or before.kernels),
            again=self._again(entry.name, found.explanation) if found.verdict != "AC" else "",
            printed=printed,
            seconds=before.seconds + time.monotonic() - start,
            **in_words(found.explanation),
        )
        return Graded(result, runner.device)

    def _again(self, task: str, explanation: Explanation, device: str = "") -> str:
        return self._context.submission.again(task, explanation, self._context.settings.seed, device)
