"""python -m bench.peers: a lab's fastest rungs beside their peer, as a Markdown table. Needs nvcc and an NVIDIA GPU."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from autograder.timing.measure import seconds

ROOT = Path(__file__).resolve().parents[3]
RUNGS = {
    "scan": ("03-scan", ("reduce_then_scan", "look_back", "pipelined")),
    "networks": ("08-networks", ("bitonic_registers",)),
    "quicksort": ("12-quicksort", ("sample_partition",)),
}


@dataclass(frozen=True)
class Row:
    """One rung at one size, as peers.h prints it."""

    rung: str
    what: str
    n: int
    bytes: float
    seconds: float
    peer_seconds: float
    copy_seconds: float
    ratio: float
    wrong: int


def read(text: str) -> list[Row]:
    rows = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            rung, what, n, size, ours, peer, copy, ratio, wrong = line.split(",")
            times = float(ours), float(peer), float(copy), float(ratio)
            rows.append(Row(rung, what, int(n), float(size), *times, int(wrong)))
    return rows


def table(rows: Sequence[Row]) -> str:
    """A row for each rung and size."""
    lines = ["| rung | type | n | time | GB/s | of copy | peer | peer's time / ours |", "|---|---|--:|" + "--:|" * 5]
    for row in rows:
        ratio = f"{row.ratio:.2f}" if row.wrong == 0 else f"{row.wrong} elements wrong"
        lines.append(
            f"| `{row.rung}` | {row.what} | 2^{row.n.bit_length() - 1} | {seconds(row.seconds)} "
            f"| {row.bytes / row.seconds / 1e9:,.0f} | {row.copy_seconds / row.seconds:.2f} "
            f"| {seconds(row.peer_seconds)} | {ratio} |"
        )
    return "\n".join(lines)


def build(name: str, architecture: str, folder: Path) -> Path:
    """The program of one lab: peers/NAME.cu and the rungs that it calls."""
    lab, rungs = RUNGS[name]
    program = folder / f"peers_{name}"
    folder.mkdir(parents=True, exist_ok=True)
    sources = [str(ROOT / "solutions" / lab / f"{rung}.cu") for rung in rungs]
    command = ["nvcc", "-std=c++20", "-O3", f"-arch={architecture}", f"-I{ROOT / 'common'}", f"-I{ROOT / 'labs' / lab}"]
    subprocess.run([*command, str(Path(__file__).parent / f"{name}.cu"), *sources, "-o", str(program)], check=True)
    return program


def main(
    name: Annotated[str, typer.Argument(help=f"one of {', '.join(RUNGS)}")] = "scan",
    architecture: Annotated[str, typer.Option(help="as nvcc's -arch takes it")] = "native",
    folder: Annotated[Path, typer.Option(help="where the program is built")] = ROOT / "build" / "peers",
) -> None:
    """Builds the program, runs it, and prints its table; exit status 1 if an element is wrong."""
    done = subprocess.run([str(build(name, architecture, folder))], check=True, capture_output=True, text=True)
    rows = read(done.stdout)
    print(done.stdout.splitlines()[0].removeprefix("# ") + "\n")
    print(table(rows))
    sys.exit(any(row.wrong for row in rows))


if __name__ == "__main__":
    typer.run(main)
