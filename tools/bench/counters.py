"""python -m bench.counters: every task's counters beside Nsight Compute's (virtual_gpu/docs/data/counters_h200.csv).

    --device gpu      measures the rows on this machine's GPU (ncu must be allowed to read its counters) into --csv
    without it        runs the same calls on the virtual GPU and writes docs/measured/counters-h200.md

The same program, input and PTX on both sides. One line is one kernel of one task, all its launches in one call.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.plan.cases import Case
from autograder.run.protocol import KernelReport
from bench import ncu
from bench.csv_rows import read_csv, write_csv
from bench.gpu import gpu_and_driver
from bench.ladder import solution, variant_of

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "virtual_gpu/docs/data/counters_h200.csv"
SEED = 7
SIZES = (1 << 16, 100_003)
# Since that day inputs come from another generator. In these labs they decide what is counted, so rows that were
# measured before are not counted again: python -m bench.counters --device gpu measures them anew.
OTHER_INPUTS_UNTIL, INPUTS_DECIDE = "2026-11-26", (1, 5, 7, 9, 10, 11, 12)
# Nsight Compute counts no kernels that kernels launch.
LAUNCHED_BY_KERNELS = {(12, "one_thread"), (12, "block_partition")}


@dataclass(frozen=True)
class Row:
    """One kernel of one task, all its launches in one call: what was measured."""

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

    @property
    def of_other_inputs(self) -> bool:
        return self.lab in INPUTS_DECIDE and self.date < OTHER_INPUTS_UNTIL


def calls(oracles: Oracles, sizes: Sequence[int]) -> Iterator[tuple[int, list[Case]]]:
    """For each lab and size, a call of each task whose contract allows the size."""
    for n in sizes:
        for lab in oracles.labs:
            cases = [
                Case(task.name, variant_of(task), n, SEED, 0)
                for task in lab.tasks
                if n <= task.max_n and (lab.number, task.name) not in LAUNCHED_BY_KERNELS
            ]
            yield lab.number, cases


def on_gpu(build: Path, sizes: Sequence[int], only: Sequence[int], logs: Path) -> None:
    """Runs Nsight Compute, once for each lab and size; for each task where a lab has tasks that it cannot profile."""
    gpu, driver = gpu_and_driver()
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "gpu").write_text(f"{gpu}, {driver}\n{datetime.date.today().isoformat()}\n")
    metrics = ncu.known()
    for lab, cases in calls(Oracles(build), sizes):
        if only and lab not in only:
            continue
        tasks = one_by_one(lab, cases)
        for task in tasks:
            log = logs / f"{lab}-{cases[0].n}-{task or 'all'}.csv"
            ncu.profile(build / f"solution{lab}", cases[0].n, SEED, task, log, metrics, from_ptx=tasks == [""])
            print(log.name, len(ncu.rows_of(log)) if log.is_file() else "nothing", flush=True)


def one_by_one(lab: int, cases: Sequence[Case]) -> list[str]:
    """The tasks of each run; "": all of the lab in one."""
    is_whole = all(number != lab for number, _ in LAUNCHED_BY_KERNELS)
    return [""] if is_whole else [case.task for case in cases]


def from_logs(build: Path, sizes: Sequence[int], logs: Path) -> list[Row]:
    """The rows of what Nsight Compute wrote. Its launches are told apart by the order in which the tasks make them."""
    names, today = (logs / "gpu").read_text().splitlines()
    gpu, driver = (part.strip() for part in names.split(","))
    rows = []
    for lab, cases in calls(Oracles(build), sizes):
        n = cases[0].n
        for task in one_by_one(lab, cases):
            log = logs / f"{lab}-{n}-{task or 'all'}.csv"
            launches = ncu.rows_of(log) if log.is_file() else []
            for case in cases:
                if task not in ("", case.task):
                    continue
                expected = [ncu.base_name(one.name) for one in launches_of(build, lab, case)]
                mine, launches = launches[: len(expected)], launches[len(expected) :]
                if [ncu.base_name(one["Kernel Name"]) for one in mine] != expected:
                    print(f"lab {lab} {case.task} at n = {n}: other launches on the GPU")
                    break
                for kernel, sums in ncu.summed(mine).items():
                    counts = {name: sums.get(name, 0) for name in ("launches", *ncu.METRICS)}
                    named = {"lab": lab, "task": case.task, "variant": case.variant, "n": n, "kernel": kernel}
                    machine_of = {"gpu": gpu, "driver": driver, "date": today}
                    rows.append(msgspec.convert(named | counts | machine_of, Row))
    return rows


def launches_of(build: Path, lab: int, case: Case) -> list[KernelReport]:
    """What the virtual GPU counts in the same call, launch by launch."""
    oracles = Oracles(build)
    checker = Checker(oracles, lab)
    with solution(build, lab, "h200", checker.room([case])) as runner:
        outcome = checker.run(runner, case, checks=False, counters=True)
    if not outcome.ok:
        raise RuntimeError(f"lab {lab} {case.task} at n = {case.n}: {outcome.death or outcome.wrong or outcome.reply}")
    return [one for one in outcome.kernels if not one.by_kernel]


def on_virtual_gpu(build: Path, lab: int, case: Case) -> dict[str, KernelReport]:
    """The same, for each kernel the sum of its launches."""
    out: dict[str, KernelReport] = {}
    for one in launches_of(build, lab, case):
        name = ncu.base_name(one.name)
        before = out.get(name, KernelReport(launches=0))
        sums = {f: getattr(before.total, f) + getattr(one.total, f) for f in one.total.__struct_fields__}
        out[name] = KernelReport(name=name, launches=before.launches + 1, total=type(one.total)(**sums))
    return out


def main(
    labs: Annotated[str, typer.Option(help="labs, such as 2,3; empty: all")] = "",
    sizes: Annotated[str, typer.Option(help="numbers of elements")] = ",".join(map(str, SIZES)),
    device: Annotated[str, typer.Option(help="gpu: measure with Nsight Compute")] = "",
    csv: Annotated[Path, typer.Option(help="the measured rows")] = ROWS,
    logs: Annotated[Path | None, typer.Option(help="take the rows from what Nsight Compute wrote there")] = None,
    build: Annotated[Path, typer.Option()] = ROOT / "build",
) -> None:
    """Measures the counters of the tasks, or compares the virtual GPU's with them."""
    build, wanted = build.resolve(), [int(n) for n in sizes.split(",")]
    if device == "gpu":
        on_gpu(build, wanted, [int(x) for x in labs.split(",") if x], logs or build / "counters")
    if device == "gpu" or logs:
        write_csv(Row, from_logs(build, wanted, logs or build / "counters"), csv)
    from bench.counters_page import write

    write(build, read_csv(Row, csv))


if __name__ == "__main__":
    typer.run(main)
