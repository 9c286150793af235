"""What a run of a public program says about the virtual GPU.

The first of these that holds decides. What a person has written into the recipe explains an outcome, and is stale if
the run has another one.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foreign.limits import Ended
from foreign.recipes import FAILED, PASSED, Judged, Program, Recipe

# The results, in the order of the page, and what they mean.
RESULTS = {
    "right": "right by the program's own check, no finding",
    "clean": "ended without a finding and without a complaint; the program does not check its result",
    "true": "a finding, and the program has this mistake: a person has looked",
    "wolf": "a finding, and the program does not have this mistake: a person has looked",
    "new": "a finding that nobody has looked at",
    "wrong": "a wrong result, a crash, or another exit status",
    "refused": "the virtual GPU refuses an instruction or a function by its name",
    "endless": "does not end here; on a GPU it does",
    "slow": "stopped at the limit of time",
    "library": "needs the driver API, or a library besides CUDA's runtime; not run",
    "unjudged": "cannot be judged, for the reason given",
}
# Of programs that use only the runtime: those that count for the share of good ones, and all.
GOOD = ("right", "clean", "true")
COUNTED = (*GOOD, "wolf", "new", "wrong", "refused", "endless", "slow")


@dataclass(frozen=True)
class Verdict:
    result: str  # a key of RESULTS
    detail: str = ""


@dataclass(frozen=True)
class Finding:
    kind: str
    what: str
    places: tuple[str, ...]  # "file.cu:41"

    @property
    def text(self) -> str:
        return f"{self.kind} at {self.places[0]}" if self.places else self.kind


def findings(report: Any) -> list[Finding]:
    """Those of a report that are not notes."""
    found = []
    for one in (report or {}).get("findings", []):
        if one["is_note"]:
            continue
        places = [one[key] for key in ("place", "other_place") if one[key]["file"]]
        names = tuple(f"{place['file'].rpartition('/')[2]}:{place['line']}" for place in places)
        found.append(Finding(one["kind"], one["what"], names))
    return found


def judge(recipe: Recipe, about: Program, ended: Ended, found: Sequence[Finding]) -> Verdict:
    if name := refused(ended, found):
        return Verdict("refused", name)
    if ended.stopped == "time":
        return Verdict("endless", about.endless) if about.endless else Verdict("slow", f"over {ended.seconds:.0f} s")
    if ended.stopped:
        return Verdict("unjudged", f"stopped by the limit of {ended.stopped}")
    if re.search("out of memory|cudaErrorMemoryAllocation", ended.output):
        return Verdict("unjudged", "wants more memory than the device has")
    if found:
        return of_findings(about, found)
    if recipe.waives and (said := re.search(recipe.waives, ended.output)):
        return Verdict("unjudged", f"waives itself: {line_of(ended.output, said.start())}")
    if ended.status != (about.status or 0):
        return _of_status(about, ended)
    return of_output(recipe, about, ended.output)


def refused(ended: Ended, found: Sequence[Finding]) -> str:
    """What the virtual GPU has refused by name, or ""."""
    for one in found:
        if one.kind == "unsupported":
            return short(one.what)
    if named := re.search(r"undefined symbol: (cuda\w+|__cuda\w+)", ended.output):
        return f"{named[1]} is missing"
    if named := re.search(r"virtual GPU: (.*not (?:implemented|supported)[^\n]*)", ended.output):
        return short(named[1])
    return ""


def short(what: str) -> str:
    """Without the place and the words that all such sentences have: programs are sorted by it."""
    what = re.sub(r" at \S+:\d+", "", what)
    what = re.sub(r" (?:is|are) not (?:supported|implemented)(?: (?:by|in|on) the virtual GPU)?.*", "", what)
    return re.sub(r"^the instruction ", "", what)[:100]


def of_findings(about: Program, found: Sequence[Finding]) -> Verdict:
    """A finding that nobody has looked at counts more than a false one, and a false one more than a true one."""
    known = [(one, judged_as(about, one)) for one in found]
    for result, wanted in (("new", None), ("wolf", False), ("true", True)):
        for one, judged in known:
            if (judged.true if judged else None) == wanted:
                return Verdict(result, f"{one.text}: {judged.why if judged else one.what}")
    raise AssertionError("there is a finding")


def judged_as(about: Program, finding: Finding) -> Judged | None:
    for one in about.finding:
        if one.kind != finding.kind:
            continue
        if not one.at or any(one.at in (place, place.partition(":")[0]) for place in finding.places):
            return one
    return None


def _of_status(about: Program, ended: Ended) -> Verdict:
    if about.crash:
        return Verdict("unjudged", about.crash)
    if ended.status < 0:
        return Verdict("wrong", f"ended by {signal.Signals(-ended.status).name}")
    return Verdict("wrong", f"exit status {ended.status}: {last_line(ended.output)}")


def last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:120] if lines else "no output"


def of_output(recipe: Recipe, about: Program, output: str) -> Verdict:
    right, wrong = about.right or recipe.right, about.wrong or recipe.wrong or FAILED
    is_right = bool(about.right and re.search(about.right, output))
    if not is_right and (said := re.search(wrong, output)):
        return Verdict("wrong", f"says {line_of(output, said.start())}")
    if right and not re.search(right, output):
        return Verdict("wrong", "does not say what a right run says")
    checks = next((one for one in (about.checks, recipe.checks) if one is not None), None)
    if checks is None:
        checks = bool(right) or re.search(PASSED, output) is not None
    return Verdict("right" if checks else "clean", about.note)


def line_of(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    return text[start:].partition("\n")[0].strip()[:120]
