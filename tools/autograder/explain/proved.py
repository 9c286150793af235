"""What is said of a failure whose cause is proved: the cause, its proof, and the case. No guess stands beside it."""

from __future__ import annotations

from dataclasses import replace

from autograder.cause.causes import Cause
from autograder.explain.explanation import Explanation
from autograder.explain.findings import finding_title
from autograder.plain import clean


def with_cause(said: Explanation, cause: Cause) -> Explanation:
    """The explanation with its cause first. What was seen follows; patterns of the output say nothing more."""
    found = said.findings[:1]
    seen = [f"seen: {finding_title(one)}" + (f": {clean(one.what, 300)}" if one.what else "") for one in found]
    case = [] if said.reason in "".join(seen) else [said.reason]
    kept = [line for line in said.details if line.startswith(("input:", "also found:"))]
    return replace(
        said,
        reason=cause.title,
        where=cause.where,
        pattern=cause.kind,
        details=(*([cause.seen] if cause.seen else []), f"tried: {cause.tried}", *case, *seen, *kept),
        mistakes=(),
        hint="",
        cause=cause,
    )
