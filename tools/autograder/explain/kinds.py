"""The words of a kind: of a proved cause or of a finding. The same for everybody who made the same mistake."""

from __future__ import annotations

from collections import defaultdict

from autograder.cause.causes import KINDS
from autograder.explain.findings import TITLES


def kind_title(kind: str) -> str:
    """In a few words, without the space and the access of one finding; "" if there is no such kind."""
    if kind in KINDS:
        return KINDS[kind].title
    return " ".join(TITLES.get(kind, "").format_map(defaultdict(str, access="access")).split())
