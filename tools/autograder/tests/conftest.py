"""What tests of several files need."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.tests.class_support import put


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """What a class has handed in: three files, two of them equal."""
    put(tmp_path / "top/ada/scan.cu", "// first\n")
    put(tmp_path / "top/grace.cu", "// second\n")
    put(tmp_path / "top/stranger/scan.cu", "// first\n")
    return tmp_path / "top"


@pytest.fixture
def nothing_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each test there are the same mounts, descriptors and private folders as before."""
    private = tmp_path_factory.mktemp("private")
    monkeypatch.setattr(tempfile, "tempdir", str(private))

    def state() -> list[list[str]]:
        return [Path("/proc/self/mounts").read_text().splitlines(), os.listdir("/proc/self/fd"), os.listdir(private)]  # noqa: PTH208

    before = state()
    yield
    assert state() == before
