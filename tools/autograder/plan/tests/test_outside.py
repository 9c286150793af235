"""What students must not read is not in the repository."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autograder.errors import UsageError
from autograder.plan.private_checks import prepare
from autograder.plan.tests.test_private_checks import TABLE, written
from autograder.plan.tests.test_private_file import CASE, read
from classes.tests.support import put


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository, a file of private cases in it and one outside."""
    put(tmp_path / "outside/cases.toml", CASE + "sizes = [1]\n")
    put(tmp_path / "repository/labs/cases.toml", CASE + "sizes = [1]\n")
    return tmp_path / "repository"


def test_a_file_in_the_repository_is_refused(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = repository / "labs/cases.toml", tmp_path / "outside/cases.toml"
    (tmp_path / "file").symlink_to(inside)  # into it
    (tmp_path / "again").symlink_to("file")
    (tmp_path / "folder").symlink_to(repository / "labs")
    (repository / "link.toml").symlink_to(outside)  # out of it: students can follow it
    (repository / "away").symlink_to(outside.parent)
    (tmp_path / "through").symlink_to(repository / "link.toml")
    (tmp_path / "hard.toml").hardlink_to(inside)
    for path in (
        inside, tmp_path / "file", tmp_path / "again", tmp_path / "folder/cases.toml", repository / "link.toml",
        repository / "away/cases.toml", tmp_path / "through", tmp_path / "hard.toml",
        tmp_path / "outside/../repository/labs/cases.toml", repository / "none.toml",
    ):  # fmt: skip
        with pytest.raises(UsageError, match="is in the repository, where students can read it"):
            read(path, repository)
    monkeypatch.chdir(repository / "labs")
    with pytest.raises(UsageError, match="is in the repository"):
        read(Path("cases.toml"), repository)
    (tmp_path / "root").symlink_to(repository)  # the repository by another name
    with pytest.raises(UsageError, match="is in the repository"):
        read(inside, tmp_path / "root")


def test_a_file_outside_is_read(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside/cases.toml"
    (tmp_path / "link").symlink_to(outside)
    (tmp_path / "second.toml").hardlink_to(outside)
    put(tmp_path / "repository2/cases.toml", outside.read_bytes())
    monkeypatch.chdir(repository / "labs")
    for path in (
        outside, tmp_path / "link", tmp_path / "second.toml", Path("../../outside/cases.toml"),
        tmp_path / "repository2/cases.toml", repository / "labs/../../outside/cases.toml",
    ):  # fmt: skip
        assert read(path, repository).cases[0].name == "a"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="Too many levels"):
        read(tmp_path / "loop", repository)


def test_an_input_in_the_repository_is_refused(tmp_path: Path, repository: Path) -> None:
    np.save(repository / "in.npy", np.arange(3, dtype=np.int32))
    (tmp_path / "link.npy").symlink_to(repository / "in.npy")
    for name in ("repository/in.npy", "link.npy"):
        file = written(tmp_path, f"{CASE}file = '{name}'", repository)
        with pytest.raises(UsageError, match=r"cases 'a': file: .*is in the repository"):
            prepare(file, TABLE, lambda *_: pytest.fail("not asked"))
