"""python -m mistakes [LAB] [WORD]: grades solutions, skeletons and mistakes, those with WORD in their name."""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from autograder.cli import ROOT
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find
from mistakes import conformance


def main() -> int:
    """Prints a line for each submission. Exit status 1: one was not as it must be."""
    lab = find(ROOT, sys.argv[1]) if len(sys.argv) > 1 else None
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    chosen = [one for one in conformance.submissions(ROOT) if lab in (None, one.folder) and word in one.name]
    begun = time.monotonic()
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, future in conformance.start(pool, chosen, ROOT).items():
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


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UsageError, GraderError) as error:
        sys.exit(f"mistakes: {error}")
