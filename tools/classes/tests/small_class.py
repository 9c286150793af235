"""A class of four, graded by a fake: one file is empty, one person has handed in nothing."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from classes.tests.support import grade_class

NAME = "Ada <b>_Lovelace"

ROSTER = f"""name,login,email,id,section
{NAME},ada,ada@example.edu,100,A
Grace Hopper,grace,grace@example.edu,101,B
Idle Person,idle,not an address,102,B
Ref Used,ref,ref@example.edu,103,B
"""


def seeds(grader: Path, tmp_path: Path) -> Path:
    """A grader that also writes down the seed of each file."""
    text = grader.read_text().replace("text=$(cat", f'echo "$CUDA_LABS_SEED" >> {tmp_path}/seeds\ntext=$(cat')
    grader.write_text(text)
    return grader


def again(out: Path, **more: str) -> str:
    return grade_class(out.parent / "top", out, out.parent / "grader.sh", roster=ROSTER, **more)[1]  # type: ignore[arg-type]


def cells(path: Path) -> dict[str, dict[str, str]]:
    return {line["person"]: line for line in csv.DictReader(io.StringIO(path.read_text()))}
