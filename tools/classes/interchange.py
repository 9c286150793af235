"""Starts Parsl's interchange so that ^C does not reach it and that it ends with the grader, even by SIGKILL."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from classes.process import die_with_parent


def main() -> None:
    os.setsid()
    die_with_parent()
    os.execv(sys.executable, [sys.executable, str(Path(sys.executable).with_name("interchange.py"))])


if __name__ == "__main__":
    main()
