"""Grades solutions, skeletons and mistakes, and says which do not get the verdict that they must.

--cheats: the attacks on the grader only. --honest: the honest programs, with a table of their verdicts.
--gpu: attacks or honest programs on a GPU; attacks that mean nothing there are left out. --jobs: so many at a time, on
a GPU only those that are not about its clock; what goes wrong then is graded again, alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from autograder.cli import ROOT
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find
from autograder.report.result import encode
from mistakes import alone, conformance, honest
from mistakes.catalog import find_mistake

T = TypeVar("T")


def main() -> int:
    """Prints a line for each submission. Exit status 1: one had another verdict."""
    if sys.argv[1:2] == ["--alone"]:
        _, name, mistake, device = sys.argv[1:]
        request = conformance.request_for(find_mistake(find(ROOT, name), mistake), device)
        sys.stdout.buffer.write(encode(alone.graded(ROOT, request)))
        return 0
    parser = argparse.ArgumentParser(prog="python -m mistakes", description=__doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--cheats", action="store_true")
    kind.add_argument("--honest", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--jobs", type=int, help="at a time (default: one a core, on a GPU one)")
    parser.add_argument("lab", nargs="?")
    parser.add_argument("word", nargs="?", default="", help="those with it in their name")
    options = parser.parse_args()
    lab = find(ROOT, options.lab) if options.lab else None
    device = "gpu" if options.gpu else conformance.DEVICE
    jobs = options.jobs or (1 if options.gpu else os.cpu_count() or 1)
    if options.honest:
        chosen = [one for one in honest.all_honest(ROOT) if lab in (None, one.lab) and options.word in one.name]
        return grade_honest(chosen, device, jobs)
    wanted = [one for one in conformance.submissions(ROOT, options.gpu) if lab in (None, one.folder)]
    only_cheats = options.gpu or options.cheats
    wanted = [one for one in wanted if options.word in one.name and (not only_cheats or one.is_cheat)]
    return grade_submissions(wanted, device, jobs)


def grade_submissions(chosen: list[conformance.Submission], device: str, jobs: int) -> int:
    """Prints which get their verdicts."""
    begun = time.monotonic()

    def run(one: conformance.Submission) -> list[str]:
        told = conformance.run(one, ROOT, device)
        return [told] if told else []

    timed = [one for one in chosen if device == "gpu" and one.mistake and one.mistake.entry.gpu]
    others = [one for one in chosen if one not in timed]
    wrong = tell(others, run, jobs, lambda one: one.name) + tell(timed, run, 1, lambda one: one.name)
    print(f"{len(chosen) - wrong} of {len(chosen)} with their verdict, {time.monotonic() - begun:.0f} s")
    return 1 if wrong or not chosen else 0


def grade_honest(chosen: list[honest.Honest], device: str, jobs: int) -> int:
    """Prints style and verdicts of each."""
    begun = time.monotonic()
    verdicts: dict[str, list[str]] = {}

    def run(one: honest.Honest) -> list[str]:
        verdicts[one.title], told = honest.run(one, ROOT, device)
        return told

    def title(one: honest.Honest) -> str:
        to_mend = [f"to be mended: {one.entry.to_mend}"] if one.entry.to_mend else []
        return "\n      ".join([f"{one.title}: {one.style}", *to_mend, *verdicts.get(one.title, [])])

    wrong = tell(chosen, run, jobs, title)
    tasks = sum(len(one.tasks) for one in chosen)
    print(f"{len(chosen)} files, {tasks} tasks, {wrong} files with another verdict, {time.monotonic() - begun:.0f} s")
    return 1 if wrong or not chosen else 0


def tell(chosen: list[T], run: Callable[[T], list[str]], jobs: int, title: Callable[[T], str]) -> int:
    """Runs `jobs` at a time and prints each with its faults; the faulty ones again, alone. Returns how many stay so."""

    def outcome(run_one: Callable[[], list[str]]) -> list[str]:
        try:
            return run_one()
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]

    def show(one: T, word: str, told: list[str]) -> None:
        print(f"{word} {title(one)}", flush=True)
        for line in told:
            print("      " + line.replace("\n", "\n      "), flush=True)

    again = []
    wrong = 0
    with ThreadPoolExecutor(jobs) as pool:
        for one, future in [(one, pool.submit(run, one)) for one in chosen]:
            told = outcome(future.result)
            if not told:
                show(one, "ok   ", told)
            elif jobs > 1:
                again.append(one)
                show(one, "again", told)
            else:
                wrong += 1
                show(one, "WRONG", told)
    for one in again:
        told = outcome(partial(run, one))
        wrong += bool(told)
        show(one, "WRONG" if told else "ok   ", told)
    return wrong


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UsageError, GraderError) as error:
        sys.exit(f"mistakes: {error}")
