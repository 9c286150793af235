"""What Nsight Compute counts on a GPU, for every task of a lab's solution. See bench.counters."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared{}.sum"
METRICS = {
    "load_sectors": SECTORS.format("ld"),
    "store_sectors": SECTORS.format("st"),
    "red_sectors": SECTORS.format("red"),
    "atom_sectors": SECTORS.format("atom"),
    "shared_wavefronts": WAVEFRONTS.format(""),
    "shared_load_wavefronts": WAVEFRONTS.format("_op_ld"),
    "shared_store_wavefronts": WAVEFRONTS.format("_op_st"),
    "shared_atom_wavefronts": WAVEFRONTS.format("_op_atom"),
    "load_requests": REQUESTS.format("ld"),
    "store_requests": REQUESTS.format("st"),
    "instructions": "smsp__inst_executed.sum",
}
LIMIT = 60.0  # seconds of one run


def known() -> list[str]:
    """Those of METRICS that this version of Nsight Compute has for the GPU; it refuses a run that names another."""
    done = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True, timeout=60, check=False)
    words = set(done.stdout.split())
    there = [metric for metric in METRICS.values() if metric.removesuffix(".sum") in words]
    return there or list(METRICS.values())


def profile(
    program: Path, n: int, seed: int, task: str, log: Path, metrics: Iterable[str], from_ptx: bool = True
) -> None:
    """One run of Nsight Compute over one call of each task of a lab, or of one task; writes its CSV.

    `from_ptx`: the driver compiles the PTX that the virtual GPU runs, even if the program holds machine code. Where
    kernels launch kernels, it cannot.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    words = ["ncu", "--replay-mode", "kernel", "--cache-control", "none", "--clock-control", "none"]
    words += ["--metrics", ",".join(metrics), "--csv", "--page", "raw", "--print-units", "base"]
    words += ["--print-kernel-base", "function", "--log-file", str(log)]
    words += [str(program), "--rounds", "0", "--device", "gpu", "--n", str(n), "--seed", str(seed)]
    words += ["--task", task] if task else []
    try:
        done = subprocess.run(
            words,
            env=dict(os.environ, CUDA_FORCE_PTX_JIT=str(int(from_ptx))),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        if done.returncode != 0:
            print(done.stdout[-500:], done.stderr[-500:], file=sys.stderr)
    except subprocess.TimeoutExpired:
        print(f"{program.name}: ncu took more than {LIMIT:.0f} s", file=sys.stderr)


def rows_of(log: Path) -> list[dict[str, str]]:
    """The launches in Nsight Compute's CSV, in order; its own messages begin with ==, the second row holds units."""
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    return [row for row in csv.DictReader(lines) if row["Process ID"]]


def base_name(name: str) -> str:
    """tile::scan_kernel of `void tile::scan_kernel<int>(int const*, int)` is scan_kernel, as Nsight Compute says."""
    name = re.sub(r"\(anonymous namespace\)::|^void ", "", name)
    return re.split(r"[<(]", name)[0].split("::")[-1].split()[-1]


def summed(rows: Iterable[Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """For each kernel, the sums of the metrics over its launches, and how many there were."""
    out: dict[str, dict[str, int]] = {}
    for row in rows:
        sums = out.setdefault(base_name(row["Kernel Name"]), defaultdict(int))
        sums["launches"] += 1
        for name, metric in METRICS.items():
            text = row.get(metric, "").replace(",", "")
            if re.fullmatch(r"[0-9.]+", text):
                sums[name] += round(float(text))
    return out
