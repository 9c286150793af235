"""The page of files that are alike, in the look of the other pages. All that students wrote is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.page.page import render
from classes.token_similarity import Likeness, Pair, alike_lines

MOST_PAIRS = 50  # that are shown line by line


@dataclass(frozen=True)
class Side:
    who: str
    lines: tuple[tuple[int, str, bool], ...]  # number, text, whether it is in the other, too


@dataclass(frozen=True)
class Both:
    number: int
    share: int
    alike: int  # lines
    sides: tuple[Side, Side]


def page(
    title: str, found: Likeness, groups: Sequence[Sequence[str]], people_of: Mapping[str, str],
    texts: Mapping[str, str], least: int,
) -> bytes:  # fmt: skip
    return render(
        "similarity.html",
        {
            "title": title,
            "compared": len(texts) - len(found.left_out),
            "least": least,
            "most": MOST_PAIRS,
            "pairs": [(people_of[pair.one], people_of[pair.other], pair) for pair in found.pairs],
            "groups": [[people_of[name] for name in group] for group in groups],
            "left_out": [(people_of[name], why) for name, why in found.left_out.items()],
            "shown": [_both(at, pair, people_of, texts) for at, pair in enumerate(found.pairs[:MOST_PAIRS], 1)],
        },
    )


def _both(number: int, pair: Pair, people_of: Mapping[str, str], texts: Mapping[str, str]) -> Both:
    alike = alike_lines(texts[pair.one], texts[pair.other])
    one, other = (
        Side(people_of[name], tuple((at, line, at in lines) for at, line in enumerate(texts[name].split("\n"), 1)
                                    if line.strip()))
        for name, lines in zip((pair.one, pair.other), alike, strict=True)
    )  # fmt: skip
    return Both(number, pair.share, sum(meant for _, _, meant in one.lines), (one, other))
