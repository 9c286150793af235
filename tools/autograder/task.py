"""Takes one task through all steps: planned, run, judged, explained, timed, scored, reported."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.errors import GraderError
from autograder.explain.explanation import Explanation
from autograder.explain.hints import with_hints
from autograder.explain.reasons import explain, short
from autograder.judge.calls import run_all
from autograder.judge.check import Checker
from autograder.judge.edges import largest_if_limited, run_edges
from autograder.judge.judgement import alone, decide
from autograder.judge.oracles import Oracles
from autograder.judge.outcome import Outcome
from autograder.judge.search import Search
from autograder.plain import clean
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.plan.manifest import TaskEntry
from autograder.plan.private import plan_private
from autograder.plan.tables import TaskTable
from autograder.private import Means, with_private
from autograder.processes import Processes
from autograder.report.result import TaskResult, fault, in_words, task_result, time_result
from autograder.run.death import Death
from autograder.run.process import Runner
from autograder.run.protocol import KernelReport, Question
from autograder.submission import Explained, Graded, Private, Settings, Submission, Timed, points_of
from autograder.timing.measure import Lie, Stopped, Timing, measure, measure_on_gpu, performance
from autograder.timing.pairs import Pairs
from autograder.timing.speed import slow
from autograder.timing.study import NOTHING, study
from autograder.timing.turns import Turns
from autograder.verdict import Verdict

GPU_TIMED_N = 1 << 24  # well above launch latency on any GPU of today


class TaskGrader:
    """Grades tasks of one submission; used from several threads, one task each."""

    def __init__(
        self,
        oracles: Oracles,
        submission: Submission,
        settings: Settings,
        progress: Callable[[str, float], None] = lambda task, part: None,
    ) -> None:
        self._submission = submission
        self._settings = settings
        self._virtual = submission.machine.virtual
        self._whole = self._virtual and settings.n is None and settings.max_n is None  # with every check
        self._progress = progress
        self._checker = Checker(oracles, submission.manifest.number, submission.manifest)
        self._processes = Processes(submission, settings, self._checker)
        self._turns = Turns()

    def __enter__(self) -> TaskGrader:
        return self

    def __exit__(self, *_: object) -> None:
        self._processes.close()

    def will_grade(self, tasks: Sequence[tuple[TaskTable, TaskEntry]]) -> None:
        """Tells all tasks before the first is graded; on a GPU they share what takes long to start."""
        timed = (self._timed_case(table, entry) for table, entry in tasks)
        self._processes.will_time([case for case in timed if case])

    def grade(self, table: TaskTable, entry: TaskEntry) -> Graded:
        """The verdict of one task. The grader's own faults become IE."""
        return self._guarded(entry, lambda start: self._grade(table, entry, start))

    def timed(self, table: TaskTable, entry: TaskEntry, checked: Graded) -> Graded:
        """A task that another device found right, with this device's times and the other's counters."""
        case = self._timed_case(table, entry)
        if case is None:
            return checked
        return self._guarded(entry, lambda start: self._timed_as_well(entry, case, checked, start))

    def with_private(self, table: TaskTable, entry: TaskEntry, graded: Graded) -> Graded:
        """A task that is right, after the course's private cases."""
        private = self._settings.private
        if private is None or graded.result.verdict not in ("AC", "SLOW"):
            return graded
        return self._guarded(
            entry, lambda start: Graded(self._with_private(graded.result, table, entry, private), graded.device)
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
        self._progress(entry.name, 1.0)
        return graded

    def _grade(self, table: TaskTable, entry: TaskEntry, start: float) -> Graded:
        planned = self._planned(table, entry)
        timed = self._timed_case(table, entry)
        # One process for all calls, so that nothing tells the program which of them is timed.
        with self._processes.started(self._submission.runner, planned, timed) as runner:
            with self._turns.to_check():
                right = self._explained(table, entry, planned, runner)
                if right.judgement.verdict == "AC" and self._whole:
                    right = self._on_wide(table, entry, right)
            found = Timed((judgement := right.judgement).verdict, right.explanation)
            if judgement.verdict == "AC" and timed:
                found = self._timed(entry, timed, runner, right.explanation)
        begun = found.verdict != "SKIP"
        explanation = self._with_hints(entry, found) if begun else found.explanation
        result = task_result(
            entry,
            found.verdict,
            points_of(entry, found),
            judgement,
            explanation,
            time=found.time,
            kernels=found.kernels,
            study=found.study,
            again=self._again(entry.name, explanation, right.elsewhere) if begun and found.verdict != "AC" else "",
            printed=right.printed if begun else "",
            seconds=time.monotonic() - start,
        )
        return Graded(result, right.device)

    def _timed_as_well(self, entry: TaskEntry, case: Case, checked: Graded, start: float) -> Graded:
        before = checked.result
        self._processes.wake_reference()
        with self._processes.started(self._submission.runner, [], case) as runner:
            runner.start()
            found = self._timed(entry, case, runner, Explanation(notes=before.notes), before.kernels)
            printed = runner.printed() if found.time is None else before.printed
        explanation = self._with_hints(entry, found)
        result = msgspec.structs.replace(
            before,
            verdict=found.verdict,
            points=points_of(entry, found),
            time=found.time,
            kernels=tuple(found.kernels or before.kernels),
            again=self._again(entry.name, explanation) if found.verdict != "AC" else "",
            printed=printed,
            seconds=before.seconds + time.monotonic() - start,
            **in_words(explanation),
        )
        return Graded(result, runner.device)

    def _with_hints(self, entry: TaskEntry, found: Timed) -> Explanation:
        if found.verdict == "AC":
            return found.explanation
        return with_hints(found.explanation, self._submission.manifest, entry.name)

    def _with_private(self, result: TaskResult, table: TaskTable, entry: TaskEntry, private: Private) -> TaskResult:
        submission = self._submission
        planned = plan_private(private.sets, private.folder, table, self._settings.seed)
        means = Means(
            self._checker, lambda cases: self._processes.started(submission.runner, cases), self._blame,
            submission.rules, submission.manifest.file, self._virtual, submission.command,
        )  # fmt: skip
        with self._turns.to_check():
            return with_private(result, entry, planned, means) if planned else result

    def _planned(self, table: TaskTable, entry: TaskEntry) -> list[Case]:
        options = self._settings
        return casebook.plan(
            table,
            options.seed,
            virtual=self._virtual,
            only_n=options.n,
            only_variant=options.variant,
            max_n=options.max_n,
            order_tells=entry.order_tells,
            scheduled=entry.scheduled,
        )

    def _timed_case(self, table: TaskTable, entry: TaskEntry) -> Case | None:
        settings = self._settings
        if not settings.timed or settings.n is not None or not entry.timed:
            return None
        n = table.timed_n if self._virtual else max(table.timed_n, min(table.max_n, entry.gpu_n or GPU_TIMED_N))
        n = min(n, settings.max_n) if settings.max_n is not None else n
        variant = settings.variant if settings.variant is not None else (table.variants or [""])[0]
        return casebook.case(casebook.derive(settings.seed, "timed"), table.name, variant, n)

    def _explained(self, table: TaskTable, entry: TaskEntry, planned: Sequence[Case], runner: Runner) -> Explained:
        """Runs, judges and explains."""
        options, submission = self._settings, self._submission
        steps = len(planned) + 4  # the search and the time take about as long as four calls

        def progress(at: int) -> None:
            if at == 1:  # the task is started and ran once, so it will most likely be timed
                self._processes.wake_reference()
            self._progress(table.name, at / steps)

        ran = run_all(self._checker, runner, planned, entry.same_bits, progress)
        ran = run_edges(self._checker, runner, ran, options.seed, entry.same_bits) if self._whole else ran
        search = Search(self._checker, runner, options.seed)
        judgement = decide(ran, max(len(planned), len(ran.outcomes)), search, options.n is None, self._virtual)
        if judgement.shown and judgement.shown.is_wrong:
            self._blame(judgement.shown)
        printed = runner.printed()
        explanation = explain(
            judgement, submission.rules, submission.manifest.file, printed, one_size=options.n is not None
        )
        return Explained(judgement, explanation, printed, runner.device)

    def _on_wide(self, table: TaskTable, entry: TaskEntry, right: Explained) -> Explained:
        """Runs a right task again where many more blocks are resident; returns the failure if it fails there."""
        cases = casebook.special_cases(table, entry.wide)
        if not (cases := cases or largest_if_limited(right.judgement.outcomes, self._settings.seed)):
            return right
        with self._processes.started(self._submission.runner, cases, device=casebook.WIDE) as runner:
            wide = self._explained(table, entry, cases, runner)
        return right if wide.judgement.verdict == "AC" else replace(wide, elsewhere=casebook.WIDE)

    def _blame(self, outcome: Outcome, checker: Checker | None = None) -> None:
        """Raises GraderError if the reference fails in the same call: then the lab, not the student, is wrong."""
        path = self._submission.reference()
        if path == self._submission.runner:
            return
        with self._processes.started(path, [outcome.case]) as runner:
            reference = (checker or self._checker).run(runner, outcome.case, checks=False)
        if not reference.ok:
            raise GraderError(
                f"the reference solution fails as well at n = {outcome.case.n:,}, so the oracle "
                f"or the reference is broken: {short(reference)}"
            )

    def _timed(
        self,
        entry: TaskEntry,
        case: Case,
        student: Runner,
        explanation: Explanation,
        counted: Sequence[KernelReport] = (),
    ) -> Timed:
        """Student and reference in turn, on the same fresh secret inputs.

        `counted`: the counters of another device, if this one has none.
        """
        submission, n = self._submission, case.n
        with self._processes.reference(case) as reference:
            pairs = Pairs(self._checker, student, reference, case)
            found: Timing | Stopped | Lie
            if self._virtual:
                found = measure(pairs.modelled, n, self._bandwidth(reference), entry.timed_inputs)
            else:
                with self._turns.to_check():
                    pairs.prepare()
                with self._turns.to_time():
                    found = measure_on_gpu(pairs.batches, pairs.quiet, n, self._bandwidth(reference))
            if isinstance(found, Timing):
                found = pairs.confirmed() or found
            printed = student.printed()
            more = NOTHING
            if self._settings.study and self._virtual and isinstance(found, Timing):
                more = study(self._checker, student, reference, case, found.kernels)
        if isinstance(found, Lie):
            return Timed("RTE", replace(explanation, pattern="crash", reason=found.reason))
        if isinstance(found, Stopped):
            if found.is_reference:
                raise GraderError(f"the reference solution fails at n = {n:,}: {short(found.outcome)}")
            judgement = alone(found.outcome, [found.outcome], "CHECK")
            failed = explain(judgement, submission.rules, submission.manifest.file, printed)
            reason = f"in the timed call: {failed.reason}"
            return Timed(judgement.verdict, replace(failed, reason=reason, notes=explanation.notes))
        found = replace(found, kernels=found.kernels or counted)
        verdict: Verdict = "SLOW" if performance(found.scored) < entry.slow_below else "AC"
        return Timed(
            verdict, slow(explanation, found, entry.far_behind), time_result(found, case.variant), found.kernels, more
        )

    def _bandwidth(self, reference: Runner) -> float | None:
        """Bytes per second of a copy on this device, as the reference's (trusted) runner measures it."""
        answer = reference.call(Question(id=os.urandom(8).hex(), op="bandwidth"))
        return None if isinstance(answer, Death) else answer.copy_bandwidth

    def _again(self, task: str, explanation: Explanation, device: str = "") -> str:
        return self._submission.again(task, explanation, self._settings.seed, device)
