"""Object files, damaged ones too."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.build.elf import defined


def test_a_damaged_object_is_an_error_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "x.o"
    for data in (b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 200, b"!<arch>\n" + b"x" * 60):
        path.write_bytes(data)
        with pytest.raises(ValueError):
            list(defined(path))
