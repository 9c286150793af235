"""python -m bench.model: modelled times of every task beside an H200's, from virtual_gpu/docs/data/model_h200.csv.

    --device gpu    measures every task on this machine's GPU into --csv
    without it      models the tasks of --csv with the profile h200 and writes docs/measured/model-h200.md

Both are what the lab program itself measures, by events around the call in one process: `solution3 --rounds 21`.
"""

from __future__ import annotations

import datetime
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer

from bench.csv_rows import read_csv, write_csv
from bench.gpu import gpu_and_driver

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "virtual_gpu/docs/data/model_h200.csv"
SEED = 7
SIZES = (1 << 20, 1 << 22)
LABS = range(1, 13)
ROUNDS = 21  # calls: a call of 20 us takes a tenth more or less
ALIKE = 1.10  # closer than this, two measured times are not told apart


@dataclass(frozen=True)
class Row:
    """One task at one size; seconds."""

    lab: int
    task: str
    variant: str
    n: int
    measured: float  # median
    low: float
    high: float
    modelled: float  # 0: not yet
    gpu: str
    driver: str
    date: str

    @property
    def ratio(self) -> float:
        return self.modelled / self.measured


def rows_of(build: Path, lab: int, n: int, device: str, rounds: int) -> list[Row]:
    """A lab's tasks, each timed `rounds` times by its own program."""
    words = [str(build / f"solution{lab}"), "--device", device, "--rounds", str(rounds), "--seed", str(SEED)]
    done = subprocess.run([*words, "--n", str(n)], capture_output=True, text=True, check=True)
    return parsed(lab, done.stdout)


def parsed(lab: int, text: str) -> list[Row]:
    """What `--rounds` prints: task, variant, n, and the seconds of each call."""
    rows = []
    for line in text.splitlines():
        task, variant, n, *times = line.split()
        seconds = [float(time) for time in times]
        median = statistics.median(seconds)
        variant = "" if variant == "-" else variant
        rows.append(Row(lab, task, variant, int(n), median, min(seconds), max(seconds), 0.0, "", "", ""))
    return rows


def tau(rows: Sequence[Row]) -> float:
    """Kendall's rank correlation of measured and modelled times, among pairs whose measured times differ enough."""
    found = list(pairs(rows))
    return sum(1 if agree else -1 for agree, _, _ in found) / len(found) if found else 1.0


def pairs(rows: Sequence[Row]) -> Iterator[tuple[bool, Row, Row]]:
    """Whether the model agrees, for each pair of the same size that differs enough; the faster comes first."""
    for a, b in combinations(rows, 2):
        fast, slow = sorted((a, b), key=lambda row: row.measured)
        if fast.n == slow.n and slow.measured >= ALIKE * fast.measured:
            yield fast.modelled < slow.modelled, fast, slow


def tau_within_labs(rows: Sequence[Row]) -> float:
    found = [agree for agree, a, b in pairs(rows) if a.lab == b.lab]
    return sum(1 if agree else -1 for agree in found) / len(found) if found else 1.0


def main(
    sizes: Annotated[str, typer.Option(help="numbers of elements")] = ",".join(map(str, SIZES)),
    device: Annotated[str, typer.Option(help="gpu: measure")] = "",
    csv: Annotated[Path, typer.Option(help="the rows")] = ROWS,
    build: Annotated[Path, typer.Option()] = ROOT / "build",
) -> None:
    """Measures or models all tasks."""
    if device == "gpu":
        gpu, driver = gpu_and_driver()
        today = datetime.date.today().isoformat()
        rows: list[Row] = []
        for n in [int(size) for size in sizes.split(",")]:
            for lab in LABS:
                found = rows_of(build, lab, n, "gpu", ROUNDS)
                rows += [replace(row, gpu=gpu, driver=driver, date=today) for row in found]
                write_csv(Row, rows, csv)
        return
    from bench.model_page import write

    rows = read_csv(Row, csv)
    modelled: dict[tuple[int, str, int], float] = {}
    for lab, n in sorted({(row.lab, row.n) for row in rows}):
        for row in rows_of(build, lab, n, "h200", 1):
            modelled[lab, row.task, row.n] = row.measured
    rows = [replace(row, modelled=modelled[row.lab, row.task, row.n]) for row in rows]
    write_csv(Row, rows, csv)
    write(rows)


if __name__ == "__main__":
    typer.run(main)
