"""One mutant for a person: the difference, and what the grader says of it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from autograder.build.builder import Builder
from autograder.errors import UsageError
from autograder.explain.findings import finding_title
from autograder.judge.oracles import Oracles
from autograder.report.result import TaskResult
from autograder.submission import Settings, Submission
from autograder.task import TaskGrader
from mutate import arguments
from mutate.mutants import Mutant, candidates
from mutate.source import Rung
from mutate.survey import LabAtWork, Options


def show(folders: Sequence[Path], tasks: Sequence[str], options: Options, wanted: str) -> int:
    """Builds and grades it, in the first rung that has it. Returns the exit status."""
    for folder in folders:
        builder = Builder(options.root, options.build)
        builder.target(f"lab{int(folder.name[:2])}_parts", f"{folder.name[3:]}_not_started")
        oracles = Oracles(options.build)
        lab = LabAtWork(options, folder, builder, oracles)
        for entry in lab.manifest.task:
            rung = lab.solution.rung(entry.name)
            found = [one for one in candidates(lab.solution, rung) if one.id == wanted]
            if found and (not tasks or entry.name in tasks):
                with contextlib.closing(lab):
                    return _show(lab, oracles, rung, found[0], options.seed)
    raise UsageError(f"there is no mutant {wanted!r} here; --list names them")


def _show(lab: LabAtWork, oracles: Oracles, rung: Rung, mutant: Mutant, seed: int) -> int:
    original = lab.texts[mutant.file]
    print(f"lab {lab.number}, {rung.task}: {mutant.operator} in {mutant.function}\n\n{mutant.diff(original)}\n")
    built = lab.workshop.compile(rung.unit, lab.texts | {mutant.file: mutant.apply(original)})
    runner = lab.workshop.link(built, lab.others(rung)) if built else None
    if built is None or runner is None:
        print("does not compile")
        return 0
    with built.folder:
        here = lab.machine
        submission = Submission(lab.manifest, runner, lambda: runner, here)
        grader = TaskGrader(oracles, submission, Settings(seed, timed=False))
        result = grader.grade(lab.table.task(rung.task), lab.manifest.entry(rung.task)).result
    print(f"{result.verdict} {result.output.right}/{result.output.total}")
    print("\n".join(told(result)))
    if result.verdict == "AC":
        print(f"if nothing can show it, for {lab.solution.folder.name}/{arguments.NAME}:\n\n{arguments.entry(mutant)}")
    return 0


def told(result: TaskResult) -> list[str]:
    """What a student would read."""
    lines = [result.reason, *result.details, result.where, *(finding_title(finding) for finding in result.findings)]
    if result.failure:
        elements = result.failure.elements
        lines += [f"  [{one.index}] expected {one.expected}, got {one.got}  {one.owner}" for one in elements]
    return [line for line in lines if line]
