"""The commands of the Makefile."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from .console import Failure, say


def setup() -> None:
    from .environment import need, recorded

    if recorded() is not None:
        say("everything is set up; make doctor lists what is installed")
    need(*groups())


def groups() -> list[str]:
    return os.environ.get("WITH", "").split()


def wheels() -> None:
    from .environment import fill_wheels

    folder, os.environ["WHEELS"] = os.environ.get("WHEELS", ""), ""
    fill_wheels(folder, groups())


def lock() -> None:
    from .environment import lock

    lock()


def labs() -> None:
    from .build import build_all

    build_all("lab")


def solutions() -> None:
    from .build import build_all

    build_all("solution")


def release() -> None:
    from .build import release

    release()


def clean() -> None:
    from .build import clean

    clean()


def doctor() -> None:
    from .doctor import doctor

    doctor()


def site() -> None:
    from .website import site

    site()


def checks(name: str) -> Callable[[], None]:
    def run() -> None:
        from . import check

        getattr(check, name)()

    return run


COMMANDS: dict[str, Callable[[], None]] = {
    "setup": setup,
    "wheels": wheels,
    "lock": lock,
    "labs": labs,
    "solutions": solutions,
    "release": release,
    "clean": clean,
    "doctor": doctor,
    "site": site,
    "test": checks("test"),
    "check": checks("check"),
    "format": checks("format_sources"),
    "tidy": checks("tidy"),
    "bench": checks("bench"),
}


def main(arguments: list[str]) -> int:
    """Exit status: 0 done, 1 a step failed, 2 wrong usage, 130 stopped by ^C."""
    try:
        if len(arguments) == 2 and arguments[0] == "build":
            from .build import build

            build(arguments[1])
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
