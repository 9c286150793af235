"""python -m bench: the ladder's times as a table, a CSV file, or a Markdown page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from autograder.timing.measure import seconds
from bench.csv_rows import write_csv
from bench.ladder import Bench, Row

console = Console()
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    labs: Annotated[str, typer.Option(help="labs, such as 2,3; empty: all that are built")] = "",
    tasks: Annotated[str, typer.Option(help="tasks, such as look_back,pipelined; empty: all")] = "",
    sizes: Annotated[str, typer.Option(help="exponents of two")] = "18,20,22",
    rounds: Annotated[int, typer.Option(min=1, help="calls a task")] = 3,
    variant: Annotated[str | None, typer.Option(help="instead of each task's first")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the rows to this file as well")] = None,
    device: Annotated[str, typer.Option(help="gpu, virtual, or a profile of the virtual GPU")] = "",
    build: Annotated[Path, typer.Option()] = Path("build"),
) -> None:
    """Times every task of the solutions, verified, next to the copy bandwidth of the same run."""
    bench = Bench(build.resolve(), rounds, device)
    wanted = {int(part) for part in labs.split(",") if part}
    rows: list[Row] = []
    for lab in bench.labs():
        if wanted and lab.number not in wanted:
            continue
        only = [name for name in tasks.split(",") if name]
        found = bench.lab(lab, [1 << int(e) for e in sizes.split(",")], variant, only)
        if not found:
            continue
        console.print(table(f"Lab {lab.number} · {lab.title}", found))
        rows += found
        if csv is not None:
            write_csv(Row, rows, csv)


def table(title: str, rows: list[Row]) -> Table:
    out = Table(title=title, title_justify="left", box=None, caption_justify="left", pad_edge=False)
    for name in ("task", "variant", "n", "time", "fastest", "slowest", "GB/s", "of copy"):
        out.add_column(name, justify="left" if name in ("task", "variant") else "right")
    for row in rows:
        out.add_row(
            row.task,
            row.variant,
            f"2^{row.n.bit_length() - 1}",
            seconds(row.seconds),
            seconds(row.low),
            seconds(row.high),
            f"{row.rate / 1e9:,.0f}",
            f"{row.of_copy:.0%}",
        )
    if rows:
        out.caption = f"{rows[0].device}; copy {rows[0].copy_rate / 1e9:,.0f} GB/s"
    return out


if __name__ == "__main__":
    app()
