"""Grades one task: output over all cases, checks, smallest failure, time; every task on its own."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.errors import GraderError
from autograder.explain import reasons
from autograder.judge.check import Judge, Outcome
from autograder.judge.oracles import Oracles, TaskTable
from autograder.judge.search import Ran, Search
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.report.result import TaskResult, TimeResult
from autograder.run.death import Death
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.run.protocol import Question
from autograder.score import performance, points
from autograder.timing.measure import Stopped, Timing, measure

GPU_TIMED_N = 1 << 24  # well above launch latency on any GPU of today
CHECK_SECONDS = 4.0  # of one task's calls; after that, large ones run without race checks
MOST_DEATHS = 2
BY_CHANCE = ("nondeterministic", "last_bits")  # patterns that say no more than a race does


@dataclass
class Settings:
    """What the command line asks for."""

    seed: int
    n: int | None = None
    variant: str | None = None
    max_n: int | None = None
    timed: bool = True
    seconds: float | None = None
    device: str = ""


@dataclass
class Submission:
    """What is graded, and against what."""

    manifest: Manifest
    runner: Path
    reference: Callable[[], Path]
    environment: dict[str, str] = field(default_factory=dict)
    command: str = "./grader"  # how a person would call for this again


class TaskGrader:
    """Grades tasks of one submission; used from several threads, one task each."""

    def __init__(
        self,
        oracles: Oracles,
        submission: Submission,
        settings: Settings,
        virtual: bool,
        progress: Callable[[str, float], None] = lambda task, part: None,
    ) -> None:
        self._submission = submission
        self._settings = settings
        self.virtual = virtual
        self._progress = progress
        self._lab = submission.manifest.number
        self._oracles = oracles
        # On a GPU one call at a time: others would be in the measured time.
        alone = contextlib.nullcontext() if virtual else threading.Lock()
        self._judge = Judge(oracles, self._lab, time.monotonic, alone)
        self._judge.device_limit = int(submission.manifest.limits.device_mb * 2**20)
        self.device = ""

    def grade(self, table: TaskTable, entry: TaskEntry) -> TaskResult:
        """The verdict of one task. The grader's own faults become IE."""
        start = time.monotonic()
        result = TaskResult(table.name, 0.0, entry.points, entry.core, "IE")
        try:
            self._grade(table, entry, result)
        except GraderError as fault:
            result.verdict, result.reason = "IE", str(fault)
            result.details = ["this is not your fault and costs no points; please report it"]
        result.seconds = time.monotonic() - start
        self._progress(table.name, 1.0)
        return result

    def _grade(self, table: TaskTable, entry: TaskEntry, result: TaskResult) -> None:
        options = self._settings
        planned = casebook.plan(
            table,
            options.seed,
            virtual=self.virtual,
            only_n=options.n,
            only_variant=options.variant,
            max_n=options.max_n,
            order_tells=entry.order_tells,
        )
        shared = SharedMemory(self._judge.room(planned))
        runner = self._runner(self._submission.runner, shared)
        try:
            ran = self._run_all(runner, planned, entry)
            reasons.count(result, ran.outcomes, len(planned))
            if ran.outcomes and ran.outcomes[0].skipped:
                reasons.skip(result, ran.outcomes[0], self._submission.manifest.file)
                return
            failed = ran.failed
            if failed or ran.unstable:
                search = Search(self._judge, runner, options.seed, ran)
                patterns = search.patterns(options.n is None) if failed and failed[0].wrong else []
                smallest = ran.failed[0] if failed else ran.unstable
                assert smallest is not None
                self._blame(smallest)
                alone = options.n is not None
                reasons.failed(result, smallest, ran.outcomes, patterns, runner.printed(), alone, ran.steady)
            else:
                reasons.checks(result, ran.outcomes, self.virtual)
            result.printed = runner.printed()
        finally:
            runner.close()
            shared.close()
        if result.verdict == "AC" and options.timed and options.n is None and entry.timed:
            self._time(table, entry, result)
        counted = (result.time.high if result.time.noisy else result.time.ratio) if result.time else None
        result.points = points(result.verdict, entry.points, counted, timed=bool(result.time) or not entry.timed)
        if result.verdict != "AC":
            # A finding is nearer to the cause than what the output looks like.
            symptom = result.findings[0].kind if result.findings else result.pattern
            result.hint = self._submission.manifest.hint_for(symptom, table.name)
            other = self._submission.manifest.hint_for(result.pattern, table.name)
            if result.findings and not result.mistakes and other != result.hint and result.pattern not in BY_CHANCE:
                result.details += [f"hint for such an output: {other}"] if other else []
            for mistake in result.mistakes:
                mistake.hint = self._submission.manifest.hint_for(mistake.pattern, table.name)
                result.hint = result.mistakes[0].hint
            result.again = self._again(result)

    def _runner(self, path: Path, shared: SharedMemory) -> Runner:
        limits = self._submission.manifest.limits
        seconds = self._settings.seconds or limits.seconds
        memory = limits.host_mb + (limits.device_mb if self.virtual else 0)
        command = [str(path), *(["--device", self._settings.device] if self._settings.device else [])]
        start = 10.0 if self.virtual else 60.0
        return Runner(command, shared, ProcessLimits(seconds, memory, start), self._submission.environment)

    def _run_all(self, runner: Runner, planned: list[Case], entry: TaskEntry) -> Ran:
        """Every case, smallest first; the rest is left out once nothing more can be learnt."""
        ran = Ran()
        start = time.monotonic()
        first_bits: dict[tuple[str, int], bytes] = {}
        for at, case in enumerate(planned):
            self._progress(case.task, at / (len(planned) + 4))
            late = time.monotonic() - start > CHECK_SECONDS and case.n >= casebook.LARGE
            outcome = self._judge.run(runner, case, checks=not late)
            ran.outcomes.append(outcome)
            self.device = self.device or runner.device
            if outcome.skipped:
                if any(not one.skipped for one in ran.outcomes):
                    outcome.wrong = reasons.skipped_later(outcome)
                else:
                    break
            if outcome.death:
                ran.deaths += 1
                if outcome.death.kind != "crash" or ran.deaths >= MOST_DEATHS:
                    break
            if outcome.ok and entry.same_bits and first_bits.setdefault(key(case), outcome.bits) != outcome.bits:
                ran.unstable = ran.unstable or outcome
        return ran

    def _blame(self, outcome: Outcome) -> None:
        """A reference that fails in the same call means that the lab, not the student, is wrong."""
        path = self._submission.reference()
        if path == self._submission.runner or outcome.wrong is None:
            return
        shared = SharedMemory(self._judge.room([outcome.case]))
        runner = self._runner(path, shared)
        try:
            judged = self._judge.run(runner, outcome.case, checks=False)
            if not judged.ok:
                raise GraderError(f"the reference solution fails as well at n = {outcome.case.n:,}, so the oracle "
                                  f"or the reference is broken: {reasons.short(judged)}")  # fmt: skip
        finally:
            runner.close()
            shared.close()

    def _time(self, table: TaskTable, entry: TaskEntry, result: TaskResult) -> None:
        """Student and reference in turn, on the same fresh secret inputs."""
        settings = self._settings
        n = table.timed_n if self.virtual else max(table.timed_n, min(table.max_n, GPU_TIMED_N))
        n = min(n, settings.max_n) if settings.max_n is not None else n
        variants = table.variants or [""]
        variant = settings.variant if settings.variant is not None else variants[0]
        case = casebook.case(casebook.derive(settings.seed, "timed"), table.name, variant, n)
        room = self._judge.room([case])
        memories = [SharedMemory(room), SharedMemory(room)]
        runners: list[Runner] = []
        try:
            student = self._runner(self._submission.runner, memories[0])
            runners.append(student)
            reference = self._runner(self._submission.reference(), memories[1])
            runners.append(reference)
            bandwidth = self._bandwidth(reference)
            pairs = entry.timed_inputs
            found = measure(lambda at: self._pair(student, reference, case, at), n, self.virtual, bandwidth, pairs)
            reasons.timed(result, found, entry, student.printed())
            if isinstance(found, Stopped) and found.is_reference:
                raise GraderError(f"the reference solution fails at n = {n:,}: {reasons.short(found.outcome)}")
            if isinstance(found, Timing):
                result.time = time_result(found)
                result.time.variant = variant
                result.verdict = "SLOW" if performance(found.scored) < entry.slow_below else "AC"
        finally:
            for runner in runners:
                runner.close()
            for memory in memories:
                memory.close()

    def _bandwidth(self, reference: Runner) -> float | None:
        """Bytes per second of a copy on this device, as the reference's (trusted) runner measures it."""
        with self._judge.device:
            answer = reference.call(Question(id=os.urandom(8).hex(), op="bandwidth"))
        return None if isinstance(answer, Death) else answer.copy_bandwidth

    def _pair(self, student: Runner, reference: Runner, case: Case, at: int) -> tuple[Outcome, Outcome]:
        fresh = replace(case, seed=casebook.derive(case.seed, "pair", at))
        if at == 0:  # fills the Workspace, wakes driver and caches; on other data, so that nothing can be replayed
            warm = replace(case, seed=casebook.derive(case.seed, "warm"))
            prepared = self._judge.inputs(warm)
            for runner in (student, reference):
                self._judge.run(runner, warm, checks=False, prepared=prepared)
        prepared = self._judge.inputs(fresh)
        first = self._judge.run(student, fresh, checks=False, timed=True, prepared=prepared)
        second = self._judge.run(reference, fresh, checks=False, timed=True, prepared=prepared, as_right_as=first)
        return first, second

    def _again(self, result: TaskResult) -> str:
        words = [self._submission.command, "--task", result.name]
        if result.failure:
            words += ["--n", str(result.failure.n)]
            if result.failure.variant:
                words += ["--variant", result.failure.variant]
        return " ".join([*words, "--seed", f"{self._settings.seed:x}"])


def key(case: Case) -> tuple[str, int]:
    """The input: cases with the same one differ in their schedule only."""
    return case.variant, case.seed


def time_result(timing: Timing) -> TimeResult:
    return TimeResult(
        timing.n,
        timing.student,
        timing.reference,
        timing.ratio,
        timing.low,
        timing.high,
        timing.pairs,
        timing.virtual,
        timing.noisy,
        timing.bytes / timing.student,
        timing.copy_bandwidth,
    )
