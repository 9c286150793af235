"""python -m bench.speed: how fast the virtual GPU executes every task of the solutions, on one core.

Warp instructions (32 lanes, active or not) a second of wall-clock time: with bounds checks only, and with every check
and counter. The whole call counts, launches and CPU work of the task included; the best of several calls.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.plan.cases import Case
from autograder.plan.tables import LabTable, TaskTable
from bench.ladder import solution, variant_of


@dataclass(frozen=True)
class Speed:
    """One task."""

    lab: int
    task: str
    n: int
    instructions: int  # warp instructions
    bounds: float  # seconds, bounds checks only
    all: float  # seconds, every check and counter


def measure(build: Path, oracles: Oracles, lab: LabTable, task: TaskTable, n: int, rounds: int) -> Speed:
    """Runs one task in both modes, on the same input, its output verified."""
    checker = Checker(oracles, lab.number)
    case = Case(task.name, variant_of(task), n, int.from_bytes(os.urandom(7), "big"), 0)
    prepared = checker.prepare([case])
    best = {False: float("inf"), True: float("inf")}
    instructions = 0
    with solution(build, lab.number, "virtual", checker.room([case])) as runner:
        for _ in range(rounds):
            for everything in best:
                outcome = checker.batch(runner, prepared, checks=everything, counters=everything)
                if not outcome.ok or outcome.reply is None:
                    raise SystemExit(f"lab {lab.number} {task.name}: {outcome.death or outcome.wrong or outcome.reply}")
                best[everything] = min(best[everything], outcome.reply.wall_seconds)
                if everything:
                    instructions = sum(kernel.total.instructions for kernel in outcome.kernels)
    return Speed(lab.number, task.name, n, instructions, best[False], best[True])


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.speed", description=__doc__)
    parser.add_argument("--n", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", type=Path, default=Path("build"))
    options = parser.parse_args()
    build = options.build.resolve()
    oracles = Oracles(build)
    table = Table("lab", "task", "n", "warp instructions", "bounds only", "all checks and counters", box=None)
    for column in table.columns[2:]:
        column.justify = "right"
    executed, seconds = 0, {False: 0.0, True: 0.0}
    for lab in oracles.labs:
        if not (build / f"solution{lab.number}").exists():
            continue
        for task in lab.tasks:
            one = measure(build, oracles, lab, task, min(options.n, task.max_n), options.rounds)
            rates = [f"{one.instructions / each / 1e6:.1f} M/s" for each in (one.bounds, one.all)]
            table.add_row(str(lab.number), one.task, f"{one.n:,}", f"{one.instructions:,}", *rates)
            executed += one.instructions
            seconds[False] += one.bounds
            seconds[True] += one.all
    if executed:
        rates = [f"{executed / seconds[mode] / 1e6:.1f} M/s" for mode in (False, True)]
        table.add_row("", "all tasks", "", f"{executed:,}", *rates)
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
