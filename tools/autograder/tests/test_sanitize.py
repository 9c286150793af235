"""Text of a student, made safe."""

from __future__ import annotations

from autograder.sanitize import clean


def test_clean() -> None:
    assert clean("a\x1b[31mb\u202ec") == "a[31mbc"
    assert len(clean("x" * 5000)) == 2000
