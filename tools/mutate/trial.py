"""Runs a rung's cases until one rejects the mutant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.errors import GraderError
from autograder.explain.findings import finding_title
from autograder.explain.reasons import host_text, short
from autograder.judge.calls import input_of
from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.judge.outcome import Outcome, verdict_of
from autograder.plan import cases as casebook
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.plan.tables import TaskTable
from autograder.run.machine import Machine
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner

PASSES = "passes"


@dataclass(frozen=True)
class TrialResult:
    """What the cases say: a verdict and the first case that gave it, or PASSES."""

    verdict: str
    n: int = -1
    variant: str = ""
    because: str = ""
    cases: int = 0


class Trial:
    """Of one lab. Used from several threads."""

    def __init__(self, oracles: Oracles, manifest: Manifest, seed: int, machine: Machine) -> None:
        self._oracles = oracles
        self._manifest = manifest
        self._seed = seed
        self._machine = machine
        self._checker = Checker(oracles, manifest.number, manifest)

    def run(self, path: Path, table: TaskTable) -> TrialResult:
        """As the grader does it, smallest case first, but no further than the first one that rejects."""
        entry = self._manifest.entry(table.name)
        planned = casebook.plan(
            table, self._seed, virtual=True, order_tells=entry.order_tells, scheduled=entry.scheduled
        )
        shared = SharedMemory(self._checker.room(planned))
        limits = self._manifest.limits
        process = ProcessLimits(limits.seconds, limits.host_mb, limits.device_mb)
        runner = Runner(path, self._machine, shared, process)
        bits: dict[tuple[str, int], bytes] = {}
        try:
            for at, case in enumerate(planned, 1):
                outcome = self._checker.run(runner, case)
                if outcome.skipped:
                    raise GraderError(f"{table.name} is not started in {path.name}")
                verdict, because = self._verdict(outcome, entry, bits)
                if verdict:
                    return TrialResult(verdict, case.n, case.variant, because, at)
        finally:
            runner.close()
            shared.close()
        return TrialResult(PASSES, cases=len(planned))

    def _verdict(self, outcome: Outcome, entry: TaskEntry, bits: dict[tuple[str, int], bytes]) -> tuple[str, str]:
        """The verdict that this call makes certain, and why."""
        verdict = verdict_of(outcome)
        if verdict:
            return verdict, short(outcome)
        if outcome.findings:
            return "CHECK", finding_title(outcome.findings[0])
        if entry.same_bits and bits.setdefault(input_of(outcome.case), outcome.bits) != outcome.bits:
            return "WA", "not the same bits from run to run"
        told = host_text(outcome)
        return ("CHECK", told) if told else ("", "")
