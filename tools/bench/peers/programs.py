"""The programs of this folder: one for each lab whose fastest task has a rival in a library.

Of a task that has a record, solutions/NN-name/tuned.cu, the record is measured.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BY_RADIX = "int32 by radix"  # merge_sort.h: a task that compares keys, beside a sort that does not


@dataclass(frozen=True)
class Program:
    """peers/NAME.cu, and the files of the solution that it is linked with."""

    lab: str  # its folder
    tasks: tuple[str, ...]  # the fastest last
    peer: str  # the library's call; several, separated by commas, if each task has its own
    libraries: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()  # tasks that are measured to show the way, and raced against nobody

    @property
    def record(self) -> Path:
        """What is measured of the last task, if it is there."""
        return ROOT / "solutions" / self.lab / "tuned.cu"

    @property
    def sources(self) -> list[Path]:
        """The files of the solution."""
        tasks = [self.record.with_name(f"{task}.cu") for task in self.tasks]
        return [*tasks[:-1], self.record] if self.tasks and self.record.is_file() else tasks

    def peer_of(self, task: str, what: str) -> str:
        if what == BY_RADIX:
            return "cub::DeviceRadixSort"
        calls = self.peer.split(", ")
        return calls[self.tasks.index(task)] if len(calls) > 1 else self.peer


PROGRAMS = {
    "bandwidth": Program("01-square", (), "cudaMemcpyAsync"),  # of the device: it has no rows
    "square": Program("01-square", ("vectorized",), "cub::DeviceTransform"),
    "reduce": Program("02-reduce", ("vectorized",), "cub::DeviceReduce"),
    "scan": Program(
        "03-scan",
        ("reduce_then_scan", "look_back", "pipelined"),
        "cub::DeviceScan",
        earlier=("reduce_then_scan", "look_back"),
    ),
    "compact": Program("04-compact", ("look_back",), "cub::DeviceSelect"),
    "histogram": Program("06-histogram", ("shared_atomics", "replicated"), "cub::DeviceHistogram"),
    "spmv": Program("07-spmv", ("row_per_thread", "merge_path"), "cusparseSpMV", ("cusparse",), ("row_per_thread",)),
    "networks": Program("08-networks", ("bitonic_registers",), "cub::DeviceMergeSort"),
    "merge": Program("09-merge", ("merge_path", "merge_sort"), "cub::DeviceMerge, cub::DeviceMergeSort"),
    "radix": Program("10-radix", ("onesweep",), "cub::DeviceRadixSort"),
    "convolution": Program("11-convolution", ("naive", "register_window"), "cuDNN without TF32", earlier=("naive",)),
    "quicksort": Program("12-quicksort", ("sample_partition",), "cub::DeviceMergeSort"),
    "transpose": Program("13-transpose", ("padded", "swizzled"), "cublasSgeam", ("cublas",), ("padded",)),
    "matmul": Program("16-matmul", ("tensor_cores", "vectorized"), "cublasGemmEx, cublasSgemm", ("cublas",)),
}


@dataclass(frozen=True)
class Row:
    """One task at one size, as peers.h prints it; `of`: the program's name."""

    of: str
    task: str
    what: str
    n: int
    bytes: float  # the least that must be read and written
    seconds: float
    peer_seconds: float
    copy_seconds: float  # of as many bytes
    ratio: float  # the peer's time divided by the task's
    wrong: int  # elements

    @property
    def of_copy(self) -> float:
        return self.copy_seconds / self.seconds


class PeerError(Exception):
    """What could not be built or run."""


def build(name: str, architecture: str, folder: Path) -> Path:
    """Compiles one program. Raises PeerError with the compiler's words."""
    program = PROGRAMS[name]
    out = folder / f"peers_{name}"
    folder.mkdir(parents=True, exist_ok=True)
    lab = ROOT / "labs" / program.lab
    sources = [Path(__file__).parent / f"{name}.cu", *program.sources]
    command = ["nvcc", "-std=c++20", "-O3", f"-arch={architecture}", f"-I{ROOT / 'common'}", f"-I{lab}"]
    command += [*map(str, sources), "-o", str(out), *(f"-l{library}" for library in program.libraries)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PeerError("nvcc is not in PATH; with CUDA in its usual place: PATH=$PATH:/usr/local/cuda/bin") from None
    if done.returncode:
        raise PeerError(f"{name}: nvcc failed\n{done.stderr.strip()}")
    return out


def build_all(names: Sequence[str], architecture: str, folder: Path) -> list[Path]:
    """Several at once: the headers of a library take half a minute each."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda name: build(name, architecture, folder), names))


def read(name: str, text: str) -> tuple[str, list[Row]]:
    """What a program prints: the heading, and its rows."""
    heading, rows = "", []
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.removeprefix("# ")
        elif line:
            task, *what, n, size, ours, peer, copy, ratio, wrong = line.split(",")  # `what` may have a comma
            times = float(ours), float(peer), float(copy), float(ratio)
            rows.append(Row(name, task, ",".join(what), int(n), float(size), *times, int(wrong)))
    return heading, rows


def run(name: str, program: Path, sizes: str, rounds: int) -> tuple[str, list[Row]]:
    """One run of a program, which reads the sizes: peers.h says how. Without rounds, its rows are what was wrong."""
    command = [str(program), sizes, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerError(f"{name}: {done.stderr.strip() or f'status {done.returncode}'}")
    return read(name, done.stdout)


def worst(runs: Iterable[Sequence[Row]]) -> list[Row]:
    """Of several runs, each row of the one in which the task was slowest beside its peer; wrong in one is wrong."""
    found: dict[tuple[str, str, str, int], Row] = {}
    for row in (row for rows in runs for row in rows):
        key = (row.of, row.task, row.what, row.n)
        kept = found.get(key, row)
        wrong = max(row.wrong, kept.wrong)
        found[key] = replace(min(kept, row, key=lambda one: one.ratio), wrong=wrong)
    return list(found.values())
