"""python -m bench.counters: the counters of every rung beside Nsight Compute's, from docs/data/counters_h200.csv.

    --device gpu      measures the rows on this machine's GPU (ncu must be allowed to read its counters) into --csv
    without it        runs the same calls on the virtual GPU and writes docs/counters-h200.md

The same program, input and PTX on both sides. One line is one kernel of one rung, all its launches in one call.
"""

from __future__ import annotations

import csv
import datetime
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.plan.cases import Case
from autograder.run.machine import machine
from autograder.run.memory import SharedMemory
from autograder.run.process import ProcessLimits, Runner
from autograder.run.protocol import KernelReport
from bench import ncu
from bench.ladder import variant_of

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs" / "data" / "counters_h200.csv"
SEED = 7
SIZES = (1 << 16, 100_003)
# Nsight Compute counts no kernels that kernels launch.
LAUNCHED_BY_KERNELS = {(12, "one_thread"), (12, "block_partition")}


@dataclass(frozen=True)
class Row:
    """One kernel of one rung, all its launches in one call: what was measured."""

    lab: int
    task: str
    variant: str
    n: int
    kernel: str
    launches: int
    load_sectors: int
    store_sectors: int
    red_sectors: int
    atom_sectors: int
    shared_wavefronts: int
    shared_load_wavefronts: int
    shared_store_wavefronts: int
    shared_atom_wavefronts: int
    load_requests: int
    store_requests: int
    instructions: int
    gpu: str
    driver: str
    date: str

    @property
    def call(self) -> tuple[int, str, str, int]:
        return self.lab, self.task, self.variant, self.n


def calls(oracles: Oracles, sizes: Sequence[int]) -> Iterator[tuple[int, list[Case]]]:
    """For each lab and size, a call of each rung whose contract allows the size."""
    for n in sizes:
        for lab in oracles.labs:
            cases = [
                Case(task.name, variant_of(task), n, SEED, 0)
                for task in lab.tasks
                if n <= task.max_n and (lab.number, task.name) not in LAUNCHED_BY_KERNELS
            ]
            yield lab.number, cases


def on_gpu(build: Path, sizes: Sequence[int], only: Sequence[int]) -> Iterator[list[Row]]:
    """The rows of one lab at one size after the other."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = (part.strip() for part in subprocess.check_output(asked, text=True).splitlines()[0].split(","))
    metrics = ncu.known()
    today = datetime.date.today().isoformat()
    for lab, cases in calls(Oracles(build / "liboracles.so"), sizes):
        if only and lab not in only:
            continue
        folder = build / "counters" / f"{lab}-{cases[0].n}"
        found = ncu.profile(build / f"solution{lab}", cases, folder, metrics)
        rows = []
        for case in cases:
            for kernel, sums in ncu.summed(found.get(case.task, [])).items():
                counts = [sums.get(name, 0) for name in ("launches", *ncu.METRICS)]
                rows.append(Row(lab, case.task, case.variant, case.n, kernel, *counts, gpu, driver, today))
        yield rows


def on_virtual_gpu(build: Path, lab: int, case: Case) -> dict[str, KernelReport]:
    """What the virtual GPU counts in the same call: for each kernel, the sum of its launches."""
    oracles = Oracles(build / "liboracles.so")
    checker = Checker(oracles, lab, time.monotonic, nullcontext())
    shared = SharedMemory(checker.room([case]))
    here = machine(build.parent, build, "h200", sandbox=False)
    runner = Runner(build / f"solution{lab}", here, shared, ProcessLimits(300.0, 16384.0, 0, 60.0))
    try:
        outcome = checker.run(runner, case, checks=False, counters=True)
    finally:
        runner.close()
        shared.close()
    if not outcome.ok:
        raise RuntimeError(f"lab {lab} {case.task} at n = {case.n}: {outcome.death or outcome.wrong or outcome.reply}")
    return added(outcome.kernels)


def added(kernels: Iterable[KernelReport]) -> dict[str, KernelReport]:
    out: dict[str, KernelReport] = {}
    for one in kernels:
        name = ncu.base_name(one.name)
        before = out.get(name, KernelReport(launches=0))
        sums = {f: getattr(before.total, f) + getattr(one.total, f) for f in one.total.__struct_fields__}
        out[name] = KernelReport(
            name=name, launches=before.launches + one.launches, total=type(one.total)(**sums), by_kernel=one.by_kernel
        )
    return out


def write_csv(rows: Iterable[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows(astuple(row) for row in rows)


def read_csv(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return [msgspec.convert(line, Row, strict=False) for line in csv.DictReader(file)]


def main(
    labs: Annotated[str, typer.Option(help="labs, such as 2,3; empty: all")] = "",
    sizes: Annotated[str, typer.Option(help="numbers of elements")] = ",".join(map(str, SIZES)),
    device: Annotated[str, typer.Option(help="gpu: measure with Nsight Compute")] = "",
    csv: Annotated[Path, typer.Option(help="the measured rows")] = ROWS,
    build: Annotated[Path, typer.Option()] = ROOT / "build",
) -> None:
    """Measures the counters of the rungs, or compares the virtual GPU's with them."""
    if device == "gpu":
        rows: list[Row] = []
        for some in on_gpu(build.resolve(), [int(n) for n in sizes.split(",")], [int(x) for x in labs.split(",") if x]):
            rows += some
            write_csv(rows, csv)
            print(f"{len(rows)} rows", flush=True)
        return
    from bench.counters_page import write

    write(build.resolve(), read_csv(csv))


if __name__ == "__main__":
    typer.run(main)
