"""python -m mutate: mutants of the solutions, judged by the labs' cases on the virtual GPU.

    python -m mutate --labs 1,2,3 --jobs 16 --out DIR      DIR/mutants.csv and mutants.md; run again to go on
    python -m mutate --labs 4 --task fused --list          all that could be done to a rung, in the order of choice
    python -m mutate --labs 4 --task fused --mutant 3f2a91c0    one of them: its difference, and what the grader says

Exit status 1: a lab's cases reject less than 95 % of the mutants that are not equivalent, or an argument is stale.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from autograder.errors import CompileError, GraderError, UsageError
from autograder.plan.labs import find, folders
from autograder.plan.manifest import load
from mistakes.catalog import place
from mutate import arguments
from mutate.mutants import candidates, ordered
from mutate.page import PAGE, ROOT, ROWS, page
from mutate.rows import LEAST, Row, count, kind_of, read_csv, refuted
from mutate.show import show
from mutate.source import Solution
from mutate.survey import SEED, WANTED, Options, Survey


def parsed(words: Sequence[str] | None = None) -> argparse.Namespace:
    about, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        "mutate", description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labs", default="", help="such as 2,3; without it all")
    parser.add_argument("--task", default="", help="rungs, such as fused,look_back; without it all")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="folder of the results; default BUILD/mutants")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--wanted", type=int, default=WANTED, help=f"mutants of a rung; default {WANTED}")
    parser.add_argument("--seed", type=int, default=SEED, help="of the choice, and of the cases")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("--mutant", default="", help="the id of one that is to be looked at")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    asked = parsed(words)
    labs = [find(ROOT, lab) for lab in asked.labs.split(",") if lab] or list(folders(ROOT).values())
    tasks = [task for task in asked.task.split(",") if task]
    out = (asked.out or asked.build / "mutants").resolve()
    options = Options(ROOT, asked.build.resolve(), out, asked.jobs, asked.wanted, asked.seed)
    if asked.list:
        return list_all(labs, tasks, options)
    if asked.mutant:
        return show(labs, tasks, options, asked.mutant)
    survey = Survey(options)
    rows = survey.run(labs, tasks)
    told = PAGE if out == ROWS.parent else out / "mutants.md"
    told.write_text(page(read_csv(out / "mutants.csv")))
    status = judge(rows, labs)
    for fault in survey.faults:
        print(fault)
    return 1 if survey.faults else status


def rungs(folder: Path, tasks: Sequence[str]) -> list[str]:
    return [entry.name for entry in load(folder).task if not tasks or entry.name in tasks]


def list_all(labs: Sequence[Path], tasks: Sequence[str], options: Options) -> int:
    for folder in labs:
        solution = Solution(ROOT / "solutions" / folder.name)
        for task in rungs(folder, tasks):
            for one in ordered(candidates(solution, solution.rung(task)), options.seed):
                print(f"{task}  {one.id}  {one.operator:<12} {one.file}:{one.line}  {one.change}")
    return 0


def judge(rows: Sequence[Row], labs: Sequence[Path]) -> int:
    """Prints what came out lab by lab. Returns the exit status."""
    status = 0
    by_lab = {number: list(group) for number, group in groupby(rows, key=lambda row: row.lab)}
    for folder in labs:
        number = int(folder.name[:2])
        solution = Solution(ROOT / "solutions" / folder.name)
        argued = arguments.load(place(folder))
        of_lab = by_lab.get(number, [])
        total = count(of_lab, argued)
        print(
            f"lab {number}: {total.made} made, {total.same_ptx} with the same PTX, {total.equivalent} argued, "
            f"{total.speed} only slower, {total.rejected} rejected, {total.survivors} survive: {total.share:.1%}"
        )
        for row in of_lab:
            if kind_of(row, argued) == "survivors":
                print(f"    {row.task}  {row.id}  {row.operator:<12} {row.file}:{row.line}  {row.change}")
        every = [one for task in rungs(folder, ()) for one in candidates(solution, solution.rung(task))]
        wrong = arguments.stale(argued, every) + refuted(of_lab, argued)
        for line in wrong:
            print(f"    {arguments.NAME}: {line}")
        if wrong or total.share < LEAST:
            status = 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UsageError, CompileError, GraderError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        sys.exit(2)
