"""Changed copies: which are kept."""

from __future__ import annotations

import os
import time
from pathlib import Path

from autograder.build.variant import IN_USE, forget


def test_what_another_grader_may_start_is_kept(tmp_path: Path) -> None:
    long_ago = time.time() - 2 * IN_USE
    for number in range(6):
        made = tmp_path / f"lab1-{number}"
        made.touch()
        if number < 4:
            os.utime(made, (long_ago + number, long_ago + number))
    forget(tmp_path, 3)
    assert {one.name for one in tmp_path.iterdir()} == {"lab1-3", "lab1-4", "lab1-5"}
    forget(tmp_path, 1)
    assert {one.name for one in tmp_path.iterdir()} == {"lab1-4", "lab1-5"}
