"""What the grader says of a mutant: it is graded like a file that a student hands in."""

from __future__ import annotations

from pathlib import Path

from autograder.plan.request import Request
from autograder.report.result import Result
from mistakes.alone import graded
from mistakes.conformance import DEVICE, SEED
from mistakes.flat import flat
from mutate.mutants import Mutant
from mutate.source import Rung, Solution


def one_file(solution: Solution, rung: Rung, mutant: Mutant | None) -> str:
    """The rung with its headers, and with other rungs that it calls. None: the solution itself."""
    files = {name: source.text.decode() for name, source in solution.sources.items()}
    if mutant:
        files[mutant.file] = mutant.apply(files[mutant.file].encode()).decode()
    called = "".join(f'\n#include "{unit}"\n' for unit in rung.calls)
    return flat(rung.unit, files | {rung.unit: files[rung.unit] + called})


def result_of(root: Path, solution: Solution, rung: Rung, mutant: Mutant | None, causes: bool = False) -> Result:
    """Its file is build/mistakes/NN-name/mutants/ID/UNIT: below build/mistakes, a file may leave tasks out."""
    name = mutant.id if mutant else rung.task
    path = root / "build/mistakes" / solution.folder.name / "mutants" / name / rung.unit
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(one_file(solution, rung, mutant), "utf-8")
    lab = root / "labs" / solution.folder.name
    request = Request(
        lab, file=path, tasks=[rung.task], seed=SEED, timed=False, jobs=1, device=DEVICE, causes=causes, sandbox=False
    )
    return graded(root, request)
