"""python -m bench.peers: the fastest tasks beside the library calls that a professional would use instead.

Needs nvcc and an NVIDIA GPU. Each program calls both in turn, in one process, and compares their outputs.
"""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from bench.gpu import gpu_and_driver
from bench.peers.programs import PROGRAMS, ROOT, PeerError, Row, build_all, run, worst
from bench.peers.results import Results, size, summary, table


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"of {', '.join(PROGRAMS)}; all if none is named")] = None,
    sizes: Annotated[
        str, typer.Option(help="powers of two; or '1000 below 22': random ones below 2^22")
    ] = "16,20,24,26,28",
    rounds: Annotated[
        int, typer.Option(min=0, help="pairs of calls for each row; 0: outputs are compared, nothing is timed")
    ] = 15,
    runs: Annotated[int, typer.Option(min=1, help="of each program; the worst ratio counts")] = 1,
    architecture: Annotated[str, typer.Option(help="as nvcc's -arch takes it")] = "native",
    out: Annotated[Path, typer.Option(help="folder for the programs and peers.json")] = ROOT / "build" / "peers",
) -> None:
    """Builds the programs, runs them, prints a table; exit status 1 if an element is wrong."""
    chosen = names or list(PROGRAMS)
    unknown = [name for name in chosen if name not in PROGRAMS]
    try:
        if unknown:
            raise PeerError(f"{unknown[0]}: there is no such program; there are {', '.join(PROGRAMS)}")
        device, driver = gpu_and_driver()
        programs = build_all(chosen, architecture, out)
        cuda = _said("nvcc", "--version").rpartition("release ")[2].partition(",")[0]
        today = datetime.date.today().isoformat()
        path = out / "peers.json"
        libraries: dict[str, str] = {}
        rows: list[Row] = []
        for done in range(1, runs + 1):
            for name, program in zip(chosen, programs, strict=True):
                libraries[name], found = run(name, program, sizes, rounds)
                rows = worst([rows, found])
                for row in found if runs > 1 else []:
                    print(f"{row.of} {row.task} {row.what} {size(row.n)} {row.ratio:.2f}", file=sys.stderr)
            if rounds > 0:  # after each run: whoever is stopped in the third has those before
                results = Results(device, driver, cuda, today, done, rounds, libraries, rows)
                path.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    except PeerError as error:
        raise SystemExit(f"bench.peers: {error}") from None
    if rounds == 0:
        print(f"{device}, {', '.join(chosen)}: sizes {sizes}; {len(rows)} wrong outputs")
        for row in rows:
            print(f"{row.of} {row.task} {row.what} n = {row.n:,}: {row.wrong} elements wrong")
        sys.exit(bool(rows))
    print(f"{device}, driver {driver}, CUDA {cuda}, {today}; the worst of {runs} runs, {rounds} pairs each\n")
    print(table(rows))
    print(f"\n{summary(rows)}\n{path}")
    sys.exit(any(row.wrong for row in rows))


if __name__ == "__main__":
    typer.run(main)
