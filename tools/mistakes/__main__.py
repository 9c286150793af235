"""python -m mistakes [--gpu | --cheats | --honest] [LAB] [WORD]: grades solutions, skeletons and mistakes.

WORD: those with it in their name.

--cheats: those with a root only, on the virtual GPU; --gpu: those of them that mean something on a GPU, on the GPU.
--honest: the honest programs, with a table of their verdicts.
"""

from __future__ import annotations

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
    arguments = sys.argv[1:]
    if arguments[:1] == ["--alone"]:
        _, name, mistake, device = arguments
        alone.tell(ROOT, conformance.request_for(find_mistake(find(ROOT, name), mistake), device))
        return 0
    option = arguments.pop(0) if arguments[:1] in (["--gpu"], ["--cheats"], ["--honest"]) else ""
    lab = find(ROOT, arguments[0]) if arguments else None
    word = arguments[1] if len(arguments) > 1 else ""
    if option == "--honest":
        return grade_honest([one for one in honest.all_honest(ROOT) if lab in (None, one.lab) and word in one.name])
    chosen = [one for one in conformance.submissions(ROOT, option == "--gpu") if lab in (None, one.folder)]
    chosen = [one for one in chosen if word in one.name and (not option or (one.mistake and one.mistake.entry.root))]
    device = "gpu" if option == "--gpu" else conformance.DEVICE
    begun = time.monotonic()
    wrong = 0
    with ThreadPoolExecutor(1 if option == "--gpu" else os.cpu_count() or 1) as pool:
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


def grade_honest(chosen: list[honest.Honest]) -> int:
    """Prints style and verdicts of each."""
    begun = time.monotonic()
    wrong = tasks = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for one, future in [(one, pool.submit(honest.run, one, ROOT)) for one in chosen]:
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
