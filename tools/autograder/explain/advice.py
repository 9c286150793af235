"""Advice that experiments have refuted is not given."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from autograder.explain.explanation import Explanation
from autograder.run.protocol import Finding

HELPS = "what helps: "
SAME_INDEX = "another index, or fewer threads: both compute the same one here, and only one of their values stays"


def without_order(said: Explanation) -> Explanation:
    """Where no barrier, fence or atomic takes the races away: what was seen of them, and to use none of these."""
    findings = tuple(
        msgspec.structs.replace(one, help=_help(one)) if one.kind == "race" else one for one in said.findings
    )
    if not findings or findings[0].kind != "race":
        return replace(said, findings=findings)
    better = [f"{HELPS}{findings[0].help}"] if findings[0].help else []
    details = [part for line in said.details for part in (better if line.startswith(HELPS) else [line])]
    return replace(said, findings=findings, details=tuple(details))


def _help(race: Finding) -> str:
    """Two values that are stored in one line for one element say themselves what is wrong."""
    is_stored_twice = race.access == "write" and " read " not in f" {race.what} " and race.place == race.other_place
    return SAME_INDEX if is_stored_twice else ""
