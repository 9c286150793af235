"""python -m bench.lower_bound: each task's modelled time beside the bound from below that a program cannot beat.

Of the solutions, at the timed sizes, on the virtual GPU. An honest program's time is never the bound itself: then the
bound would have changed it. virtual_gpu/README.md says what the bound is made of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.plan.cases import Case
from autograder.timing.measure import seconds
from bench.ladder import solution, variant_of

ROOT = Path(__file__).resolve().parents[2]
DEVICE = "virtual"
SEED = 7


@dataclass(frozen=True)
class Least:
    """One task's call."""

    lab: int
    task: str
    n: int
    seconds: float  # modelled
    least: float
    by: str  # the part of the device that needs so long

    @property
    def ratio(self) -> float:
        """The modelled time as a multiple of the bound; 1: the bound has decided."""
        return self.seconds / self.least


def least_times(build: Path, labs: Collection[int] = (), most_n: int = 1 << 30) -> Iterator[Least]:
    """A call of each task, at its timed size or `most_n`, with its output checked. No labs: all that are built."""
    oracles = Oracles(build)
    for lab in oracles.labs:
        if (labs and lab.number not in labs) or not (build / f"solution{lab.number}").is_file():
            continue
        checker = Checker(oracles, lab.number)
        cases = [Case(task.name, variant_of(task), min(task.timed_n, most_n), SEED, 0) for task in lab.tasks]
        with solution(build, lab.number, DEVICE, checker.room(cases)) as runner:
            for case in cases:
                outcome = checker.batch(runner, checker.prepare([case]), timed=True, counters=True)
                if not outcome.ok or outcome.reply is None or outcome.reply.report is None:
                    why = outcome.death or outcome.wrong or outcome.reply
                    raise RuntimeError(f"lab {lab.number} {case.task} at n = {case.n}: {why}")
                report = outcome.reply.report
                yield Least(lab.number, case.task, case.n, report.seconds, report.least_seconds, report.least_by)


def main(
    labs: Annotated[str, typer.Option(help="labs, such as 2,3; empty: all that are built")] = "",
    most_n: Annotated[int, typer.Option(help="no larger size than this")] = 1 << 30,
    build: Annotated[Path, typer.Option()] = ROOT / "build",
) -> None:
    """Prints a line for each task."""
    table = Table(box=None, pad_edge=False)
    for name in ("lab", "task", "n", "modelled", "at least", "times", "because of"):
        table.add_column(name, justify="left" if name in ("task", "because of") else "right")
    for one in least_times(build.resolve(), {int(part) for part in labs.split(",") if part}, most_n):
        times = (seconds(one.seconds), seconds(one.least), f"{one.ratio:.2f}")
        table.add_row(str(one.lab), one.task, f"{one.n:,}", *times, one.by)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
