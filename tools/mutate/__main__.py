"""python -m mutate: small mistakes in a task of a solution, made mechanically and graded like a student's file.

    python -m mutate 4 fused              all that could be done to the task, in the order of choice
    python -m mutate 4 fused 3f2a91c0     one of them: its difference, and what the grader says
    python -m mutate 4 fused 20           the first twenty that compile; exit status 1: the cases reject not all of them

A mutant that survives may be equivalent to the solution, or only slower. If it is neither, the lab lacks a case.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from autograder.cli import ROOT
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find
from mistakes.conformance import told_to_student
from mutate.judge import result_of
from mutate.mutants import Mutant, candidates, ordered
from mutate.source import Solution, TaskCode

ID_LENGTH = 8  # a number is shorter


def main(words: Sequence[str] | None = None) -> int:
    about, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        "python -m mutate", description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lab", help="4, lab4, compact or 04-compact")
    parser.add_argument("task")
    parser.add_argument("which", nargs="?", default="", help="the id of a mutant, or how many of them are graded")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(words)
    lab = find(ROOT, asked.lab)
    solution = Solution(ROOT / "solutions" / lab.name)
    code = solution.code_of(asked.task)
    found = ordered(candidates(solution, code))
    if not asked.which:
        print("\n".join(map(line, found)))
        return 0
    if len(asked.which) < ID_LENGTH and asked.which.isdigit():
        return survivors(solution, code, found, int(asked.which), asked.jobs)
    chosen = [one for one in found if one.id == asked.which]
    if not chosen:
        raise UsageError(f"{asked.task} has no mutant {asked.which!r}; without an id, all are listed")
    return show(solution, code, chosen[0])


def line(one: Mutant) -> str:
    return f"{one.id}  {one.operator:<12} {one.file}:{one.line}  {one.change}"


def show(solution: Solution, code: TaskCode, one: Mutant) -> int:
    result = result_of(ROOT, solution, code, one, causes=True)
    task = result.tasks[0]
    print(f"{one.operator} in {one.function}\n\n{one.diff(solution.sources[one.file].text)}\n\n{task.verdict}")
    print(told_to_student(task, result))
    if task.cause:
        print(f"cause: {task.cause.kind}: {task.cause.was} -> {task.cause.now}")
    return 0


def survivors(solution: Solution, code: TaskCode, found: Sequence[Mutant], wanted: int, jobs: int) -> int:
    """Grades until so many have compiled, and prints each verdict."""
    counted = survive = 0
    with ThreadPoolExecutor(jobs) as pool:
        for one, verdict in _verdicts(pool, solution, code, found, jobs):
            if verdict == "CE":
                continue
            counted += 1
            survive += verdict == "AC"
            print(f"{'SURVIVES' if verdict == 'AC' else verdict:<9}{line(one)}", flush=True)
            if counted == wanted:
                break
    print(f"{code.task}: {counted} mutants, {survive} survive")
    return 1 if survive else 0


def _verdicts(
    pool: ThreadPoolExecutor, solution: Solution, code: TaskCode, found: Sequence[Mutant], jobs: int
) -> Iterator[tuple[Mutant, str]]:
    """In the order of choice, `jobs` at a time: those after the last one wanted are not built."""
    for at in range(0, len(found), jobs):
        group = found[at : at + jobs]
        results = pool.map(lambda one: result_of(ROOT, solution, code, one), group)
        yield from zip(group, (result.tasks[0].verdict for result in results), strict=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UsageError, GraderError) as error:
        sys.exit(f"mutate: {error}")
