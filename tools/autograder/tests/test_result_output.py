"""--out: checked before anything is graded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder import session
from autograder.errors import UsageError
from autograder.files import write_saving, write_whole
from autograder.tests.test_cli import call


def test_out_is_checked_before_grading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def grade(*_: object) -> None:
        raise UsageError("grading began")

    monkeypatch.setattr(session, "grade", grade)
    work = tmp_path / "square.cu"
    work.write_text("// hours of work")
    assert call(monkeypatch, "1", "--out", str(work)) == 2
    assert "exists and is not a result" in capsys.readouterr().err
    assert work.read_text() == "// hours of work"
    assert call(monkeypatch, "1", "--out", str(tmp_path)) == 2
    assert "is a folder" in capsys.readouterr().err
    os.mkfifo(tmp_path / "pipe")
    assert call(monkeypatch, "1", "--out", str(tmp_path / "pipe")) == 2
    assert "is a device or a pipe, not a file" in capsys.readouterr().err
    for write in (write_whole, write_saving):  # root could replace a device, such as /dev/null
        with pytest.raises(OSError, match="is a device or a pipe"):
            write(tmp_path / "pipe", b"x")
        with pytest.raises(OSError, match="Is a directory"):
            write(tmp_path, b"x")
    assert (tmp_path / "pipe").is_fifo()
    assert {path.name for path in tmp_path.iterdir()} == {"square.cu", "pipe"}
    earlier = tmp_path / "r.json"
    earlier.write_text('{\n  "schema": "cuda-labs/result/v1"')
    for free in (earlier, tmp_path / "new" / "folder" / "r.json"):
        assert call(monkeypatch, "1", "--out", str(free)) == 2
        assert "grading began" in capsys.readouterr().err
        assert free.parent.is_dir()
