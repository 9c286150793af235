"""What Nsight Compute counts on a GPU, for every rung of a lab's solution. See bench.counters."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.plan.cases import Case

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
LIMIT = 40.0  # seconds of one lab at one size


def known() -> list[str]:
    """Those of METRICS that this version of Nsight Compute has for the GPU; it refuses a run that names another."""
    done = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True, timeout=60, check=False)
    words = set(done.stdout.split())
    there = [metric for metric in METRICS.values() if metric.removesuffix(".sum") in words]
    return there or list(METRICS.values())


def command(program: Path, case: Case) -> list[str]:
    """One call of a rung, neither timed nor warmed, on the GPU."""
    words = [str(program), "--task", case.task, "--n", str(case.n), "--seed", str(case.seed)]
    return [*words, *(["--variant", case.variant] if case.variant else []), "--rounds", "0", "--device", "gpu"]


def profile(program: Path, cases: Sequence[Case], folder: Path, metrics: Iterable[str]) -> dict[str, list[dict[str, str]]]:
    """One run of Nsight Compute over calls of several rungs: for each task, its rows in order of launch.

    The program runs the PTX that the virtual GPU runs, compiled by the driver, even if it holds machine code.
    """
    folder.mkdir(parents=True, exist_ok=True)
    script, log, pids = folder / "calls.sh", folder / "ncu.csv", folder / "pids"
    pids.unlink(missing_ok=True)
    log.unlink(missing_ok=True)
    lines = []
    for case in cases:
        words = " ".join(command(program, case))
        lines.append(f"timeout 30 sh -c 'echo $$ {case.task} >> {pids}; exec {words}'")
    script.write_text("\n".join(lines) + "\n")
    words = ["ncu", "--target-processes", "all", "--replay-mode", "kernel", "--cache-control", "none"]
    words += ["--clock-control", "none", "--metrics", ",".join(metrics), "--csv", "--page", "raw"]
    words += ["--print-units", "base", "--print-kernel-base", "function", "--log-file", str(log), "sh", str(script)]
    try:
        done = subprocess.run(
            words,
            env=dict(os.environ, CUDA_FORCE_PTX_JIT="1"),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        if done.returncode != 0:
            print(done.stdout[-500:], done.stderr[-500:], file=sys.stderr)
    except subprocess.TimeoutExpired:
        print(f"{program.name}: ncu took more than {LIMIT:.0f} s", file=sys.stderr)
    if not log.is_file() or not pids.is_file():
        return {}
    return by_task(log.read_text().splitlines(), pids.read_text().splitlines())


def by_task(log: Sequence[str], pids: Sequence[str]) -> dict[str, list[dict[str, str]]]:
    """Rows of ncu's CSV (its own messages begin with ==) under the task whose process launched the kernel."""
    tasks = dict(line.split() for line in pids)
    out: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in csv.DictReader(line for line in log if line.startswith('"')):
        if row["Process ID"] in tasks:  # the second line holds units
            out[tasks[row["Process ID"]]].append(row)
    if not out:
        print("\n".join(log)[-1000:], file=sys.stderr)
    return dict(out)


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
