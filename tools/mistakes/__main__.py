"""Grades solutions, skeletons and mistakes, and says which do not get the verdict that they must.

--cheats: the attacks on the grader only. --honest: the honest programs, with a table of their verdicts.
--gpu: attacks or honest programs on a GPU; attacks that mean nothing there are left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from autograder.cli import ROOT
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find
from mistakes import alone, conformance, honest
from mistakes.catalog import find_mistake


def main() -> int:
    """Prints a line for each submission. Exit status 1: one was not as it must be."""
    if sys.argv[1:2] == ["--alone"]:
        _, name, mistake, device = sys.argv[1:]
        alone.tell(ROOT, conformance.request_for(find_mistake(find(ROOT, name), mistake), device))
        return 0
    parser = argparse.ArgumentParser(prog="python -m mistakes", description=__doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--cheats", action="store_true")
    kind.add_argument("--honest", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("lab", nargs="?")
    parser.add_argument("word", nargs="?", default="", help="those with it in their name")
    options = parser.parse_args()
    lab = find(ROOT, options.lab) if options.lab else None
    device = "gpu" if options.gpu else conformance.DEVICE
    if options.honest:
        chosen = [one for one in honest.all_honest(ROOT) if lab in (None, one.lab) and options.word in one.name]
        return grade_honest(chosen, device)
    wanted = [one for one in conformance.submissions(ROOT, options.gpu) if lab in (None, one.folder)]
    only_cheats = options.gpu or options.cheats
    wanted = [one for one in wanted if options.word in one.name and (not only_cheats or one.is_cheat)]
    return grade_submissions(wanted, device)


def pool_for(device: str) -> ThreadPoolExecutor:
    """A GPU is for one at a time."""
    return ThreadPoolExecutor(1 if device == "gpu" else os.cpu_count() or 1)


def grade_submissions(chosen: list[conformance.Submission], device: str) -> int:
    """Prints which are as they must be."""
    begun = time.monotonic()
    wrong = 0
    with pool_for(device) as pool:
        for name, future in conformance.start(pool, chosen, ROOT, device).items():
            try:
                told = future.result()
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
            wrong += bool(told)
            print(f"{'WRONG' if told else 'ok   '} {name}", flush=True)
            if told:
                print("      " + told.replace("\n", "\n      "), flush=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} as they must be, {time.monotonic() - begun:.0f} s")
    return 1 if wrong or not chosen else 0


def grade_honest(chosen: list[honest.Honest], device: str) -> int:
    """Prints style and verdicts of each."""
    begun = time.monotonic()
    wrong = tasks = 0
    with pool_for(device) as pool:
        for one, future in [(one, pool.submit(honest.run, one, ROOT, device)) for one in chosen]:
            try:
                lines, told = future.result()
            except Exception as error:
                lines, told = [], [f"{type(error).__name__}: {error}"]
            wrong += bool(told)
            tasks += len(one.tasks)
            print(f"{'WRONG' if told else 'ok   '} {one.title}: {one.style}", flush=True)
            if one.entry.to_mend:
                print(f"      to be mended: {one.entry.to_mend}", flush=True)
            for line in [*lines, *told]:
                print("      " + line.replace("\n", "\n      "), flush=True)
    print(f"{len(chosen)} files, {tasks} tasks, {wrong} files not as they must be, {time.monotonic() - begun:.0f} s")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UsageError, GraderError) as error:
        sys.exit(f"mistakes: {error}")
