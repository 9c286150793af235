"""Submissions that still lie in solutions/NN-name/{wrong,slow,cheat}/*.cu, with what must come out in their head:

// verdict: WA or CHECK task=hillis_steele      options: seconds=2 (limit of a call), max_n=5000, seed=7f
// because: last, partly filled block
// One line or more of what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mistakes.edit import MistakeError

KINDS = ("wrong", "slow", "cheat")
E = TypeVar("E")


def entries(lab: Path, entry: type[E]) -> Iterator[tuple[str, Path, E]]:
    """Name, path and entry of each."""
    for kind in KINDS:
        for path in sorted((lab.parents[1] / "solutions" / lab.name / kind).glob("*.cu")):
            yield path.stem, path, msgspec.convert({**head(path), "kind": kind, "file": path.name}, entry)


def head(path: Path) -> dict[str, Any]:
    """What the first lines say, as a TOML entry says it."""
    lines = path.read_text("utf-8").splitlines()
    verdict = re.match(r"// verdict: ([A-Z]+(?: or [A-Z]+)*)((?: \w+=\S+)*)\s*$", "".join(lines[:1]))
    because = re.match(r"// because: (.+?)\s*$", "".join(lines[1:2]))
    if not verdict or not because:
        raise MistakeError(f"{path}: the first two lines must be // verdict: WA task=NAME and // because: TEXT")
    options = dict(word.split("=", 1) for word in verdict[2].split())
    thought = []
    for line in lines[2:]:
        if not line.startswith("//"):
            break
        thought.append(line[2:].strip())
    found: dict[str, Any] = {"verdict": verdict[1].split(" or "), "because": because[1]}
    found["thought"] = " ".join(thought) or "?"
    kinds: dict[str, Callable[[str], Any]] = {
        "task": str,
        "seconds": float,
        "max_n": int,
        "seed": lambda text: int(text, 16),
    }
    return found | {name: kinds[name](text) for name, text in options.items()}
