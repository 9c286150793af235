"""A call's arrays on the terminal."""

from __future__ import annotations

from autograder.report.show_call import window


def test_a_long_array_is_shown_around_its_first_wrong_element() -> None:
    assert window(32, 31) == (0, 32)
    assert window(1000, 500) == (492, 509)
    assert window(1000, 0) == (0, 17) and window(1000, 999) == (983, 1000)
