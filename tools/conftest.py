"""For all tests: ^C works, even where the tests run in the background of a script; and a check of what is left."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Such a process ignores SIGINT, and so would the programs that the tests start and interrupt: they would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
