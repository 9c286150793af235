"""python -m classes.tests.fake_grade FILE [log]: grades a file whose text is the name of a task of the fake device.

The file "reference" is the reference solution, which does everything right. A line in `log` says what was graded.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import msgspec

from autograder.tests.support import grade_task
from classes.tests.support import result


def main() -> None:
    name = Path(sys.argv[1]).read_text("utf-8").strip() if sys.argv[1] != "reference" else "good"
    if len(sys.argv) > 2:
        with Path(sys.argv[2]).open("a", encoding="utf-8") as log:
            log.write(f"{name if sys.argv[1] != 'reference' else 'reference'}\n")
    with tempfile.TemporaryDirectory() as folder:
        task = grade_task(Path(folder), name.split()[0])
    found = {"points": task.points, "of": task.of, "tasks": [msgspec.to_builtins(task)]}
    print(json.dumps(result() | found))


if __name__ == "__main__":
    main()
