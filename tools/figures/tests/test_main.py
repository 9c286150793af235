"""The pictures in the repository are those that their modules draw."""

from __future__ import annotations

from figures.__main__ import ROOT, pictures


def test_every_picture_is_as_it_is_drawn() -> None:
    drawn = dict(pictures())
    assert len(drawn) > 60
    differ = [str(path.relative_to(ROOT)) for path, text in drawn.items() if path.read_text("utf-8") != text]
    assert not differ, "tools/author figures draws them anew"
