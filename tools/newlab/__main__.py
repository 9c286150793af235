"""tools/new-lab NAME: makes a lab that builds, grades and passes the checks; what is left to do is marked.

tools/new-lab transpose                     labs/13-transpose with all that belongs to it, with one task
tools/new-lab transpose --tasks naive,tiled
tools/new-lab --left                        lists the places that are still to be filled in
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.errors import GraderError, UsageError
from newlab import names
from newlab.lab import NewLab
from newlab.marks import MARK, marks
from newlab.write import add

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Exit status: 0 made, 2 refused; with --left, 1 if something is left."""
    parser = argparse.ArgumentParser(
        prog="tools/new-lab", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", help="of the lab, in small letters: prefix_max")
    parser.add_argument("--number", type=int, help="default: the next")
    parser.add_argument("--tasks", default="naive", help="their names, from the first rung to the last; default: naive")
    parser.add_argument("--left", action="store_true", help="list what is still to be filled in")
    options = parser.parse_args(arguments)
    if (options.name is None) != options.left:
        parser.error("what is the lab called? for example: tools/new-lab transpose")
    try:
        if options.left:
            return list_left(root)
        lab = checked(root, options.name, options.number, [word.strip() for word in options.tasks.split(",")])
        left = len(list(marks(root)))
        changed = add(root, lab)
        tell(lab, changed, len(list(marks(root))) - left)
    except (UsageError, GraderError, OSError) as error:
        print(f"new-lab: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("new-lab: stopped", file=sys.stderr)
        return 130
    return 0


def checked(root: Path, name: str, number: int | None, tasks: list[str]) -> NewLab:
    """What is asked for; UsageError, if it cannot be."""
    names.check_name(root, name)
    names.check_tasks(root, name, tasks)
    return NewLab(names.choose_number(root, number), name, tuple(tasks))


def tell(lab: NewLab, changed: list[str], left: int) -> None:
    """What was made, and what to do next."""
    print(f"""  made       {", ".join(lab.places)}
  listed in  {", ".join(changed)}

  Lab {lab.number} already works: it doubles every number of an array. Try it:
    make lab{lab.number} && ./grader {lab.number}
    make solution{lab.number} && ./grader {lab.number} --solution

  Then make it yours. {left} lines say {MARK}: tools/new-lab --left lists them, and make test fails until none is left.
  How: docs/adding-a-lab.md""")


def list_left(root: Path) -> int:
    left = list(marks(root))
    for mark in left:
        print(mark)
    print(f"{len(left)} lines say {MARK}" if left else "nothing is left to fill in", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
