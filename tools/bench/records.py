"""python -m bench.records: how long lesson and record of a task take, in turn and both verified, as a Markdown table.

A record is solutions/NN-name/tuned.cu; its entry in tests/submissions/NN-name/right.toml names the task.
"""

from __future__ import annotations

from typing import Annotated

import typer

from autograder.build.builder import Builder
from autograder.cli import ROOT
from autograder.timing.measure import seconds
from bench.ladder import Bench
from mistakes.catalog import RECORD
from mistakes.honest import all_honest


def tasks_with_record() -> set[tuple[int, str]]:
    """Lab and task. What was measured of these on a GPU before 2026-11-26 is the record's, not the lesson's."""
    records = [one for one in all_honest(ROOT) if one.entry.of == RECORD and not one.entry.edit]
    return {(int(one.lab.name[:2]), task) for one in records for task in one.tasks}


def main(
    labs: Annotated[str, typer.Option(help="labs, such as 4,9; empty: all that have a record")] = "",
    sizes: Annotated[str, typer.Option(help="exponents of two; empty: the size that is timed on the virtual GPU")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="calls of each")] = 7,
    device: Annotated[str, typer.Option(help="gpu, virtual, or a profile of the virtual GPU")] = "",
) -> None:
    """Times lesson and record of each task that has a record."""
    wanted = {int(part) for part in labs.split(",") if part}
    builder = Builder(ROOT, sandbox=False)
    bench = Bench(builder.build, rounds, device)
    print("| task | n | lesson | record | lesson / record |\n|---|--:|--:|--:|--:|")
    for one in all_honest(ROOT):
        number = int(one.lab.name[:2])
        if one.entry.of != RECORD or one.entry.edit or (wanted and number not in wanted):
            continue
        programs = [builder.lab(number, solution=True), builder.file(number, one.source, partial=True)]
        lab = next(table for table in bench.labs() if table.number == number)
        task = next(task for task in lab.tasks if task.name == one.tasks[0])
        for n in [1 << int(exponent) for exponent in sizes.split(",") if exponent] or [task.timed_n]:
            lesson, record = bench.race(lab, task, n, programs)
            times = f"{seconds(lesson.seconds)} | {seconds(record.seconds)} | {lesson.seconds / record.seconds:.2f}"
            print(f"| {number}, `{task.name}` | {n:,} | {times} |")
    print(f"\n{lesson.device}")


if __name__ == "__main__":
    typer.run(main)
