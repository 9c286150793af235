"""What the grader says of a mutant: it is graded like a file that a student hands in."""

from __future__ import annotations

from pathlib import Path

from autograder.plan.request import Request
from autograder.report.result import Result
from mistakes import pretend
from mistakes.alone import graded
from mistakes.conformance import DEVICE, SEED
from mutate.mutants import Mutant
from mutate.source import Solution, TaskCode


def one_file(lab: Path, solution: Solution, code: TaskCode, mutant: Mutant | None) -> str:
    """The task with its headers, and with other tasks that it calls. None: the solution itself."""
    files = {name: source.text.decode() for name, source in solution.sources.items()}
    if mutant:
        files[mutant.file] = mutant.apply(files[mutant.file].encode()).decode()
    class_of = pretend.Lab(lab)
    called = [class_of.right[Path(unit).stem] for unit in code.calls]
    return class_of.submission([pretend.Piece([code.task], files[code.unit], files), *called])


def result_of(root: Path, solution: Solution, code: TaskCode, mutant: Mutant | None, causes: bool = False) -> Result:
    """Its file is build/mistakes/NN-name/mutants/ID/UNIT: tasks that it does not hold are not started."""
    name = mutant.id if mutant else code.task
    path = root / "build/mistakes" / solution.folder.name / "mutants" / name / code.unit
    path.parent.mkdir(parents=True, exist_ok=True)
    lab = root / "labs" / solution.folder.name
    path.write_text(one_file(lab, solution, code, mutant), "utf-8")
    request = Request(
        lab, file=path, tasks=[code.task], seed=SEED, timed=False, jobs=1, device=DEVICE, causes=causes, sandbox=False
    )
    return graded(root, request)
