"""python -m autograder.build.check_lab 3: whether labs/03-scan/scan.cu, as built, keeps to the rules. For make lab3."""

from __future__ import annotations

import sys
from pathlib import Path

from autograder.build.builder import LOG, Builder
from autograder.build.compiler import told
from autograder.errors import CompileError
from autograder.plan.labs import file_of
from autograder.sanitize import clean


def main(root: Path, number: int) -> int:
    """Prints what ./grader says about a file that breaks a rule. Exit status 1: it breaks one."""
    builder = Builder(root)
    try:
        builder.check_own(number)
    except CompileError as error:
        source = file_of(root, builder.commands(number).folder)
        print(f"CE  uses what the lab does not allow    {error.where}".rstrip())
        print()
        for line in told(error, f"make lab{number} && ./grader", source, f"build/{LOG}"):
            print(f"  {clean(line, 400)}" if line else "")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[3], int(sys.argv[1])))
