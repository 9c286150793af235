"""The commands of the Makefile."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from . import build, check, doctor, environment, test, website
from .console import Failure, say


def setup() -> None:
    if environment.recorded() is not None:
        say("everything is set up; make doctor lists what is installed")
    environment.need(*groups())


def groups() -> list[str]:
    return os.environ.get("WITH", "").split()


def wheels() -> None:
    folder, os.environ["WHEELS"] = os.environ.get("WHEELS", ""), ""
    environment.fill_wheels(folder, groups())


COMMANDS: dict[str, Callable[[], None]] = {
    "setup": setup,
    "wheels": wheels,
    "lock": environment.lock,
    "labs": lambda: build.build_all("lab"),
    "solutions": lambda: build.build_all("solution"),
    "virtual-gpu": build.virtual_gpu,
    "release": build.release,
    "clean": build.clean,
    "doctor": doctor.doctor,
    "site": website.site,
    "test": test.test,
    "test-all": test.test_all,
    "check": check.check,
    "format": check.format_sources,
    "tidy": check.tidy,
    "bench": check.bench,
}


def main(arguments: list[str]) -> int:
    """Exit status: 0 done, 1 a step failed, 2 wrong usage, 130 stopped by ^C."""
    try:
        if len(arguments) == 2 and arguments[0] == "build":
            build.build(arguments[1])
        elif len(arguments) == 1 and arguments[0] in COMMANDS:
            COMMANDS[arguments[0]]()
        else:
            print(f"usage: python3 tools/setup build lab3 | {' | '.join(COMMANDS)}", file=sys.stderr)
            return 2
    except Failure as failure:
        print(f"{failure}" if str(failure).startswith(" ") else f"  {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n  stopped; run the same command to continue", file=sys.stderr)
        return 130
    return 0
