"""Old programs are deleted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from autograder.build.cleanup import forget_old


def test_several_graders_forget_old_programs_at_once(tmp_path: Path) -> None:
    def work(grader: int) -> None:
        for at in range(60):
            (tmp_path / f"lab1-{grader}{at}").mkdir()
            forget_old(tmp_path, 5)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    forget_old(tmp_path, 5)
    assert len(list(tmp_path.glob("lab1-*"))) == 5
