"""Why a task failed, in as many words as a row of the table has room for."""

from __future__ import annotations

import re

from autograder.explain.places import place_text
from autograder.explain.started import LEFT, todo_is_left
from autograder.report.result import TaskResult
from autograder.run.protocol import Finding
from autograder.sanitize import clean
from autograder.verdict import MEANING

# Findings in two or three words.
FINDINGS = {
    "out_of_bounds": "out of bounds",
    "misaligned": "misaligned access",
    "use_after_free": "freed memory used",
    "uninitialized": "uninitialized read",
    "divergent_barrier": "divergent barrier",
    "host_access": "device pointer on the host",
    "invalid_access": "invalid address",
    "trap": "the kernel trapped",
    "device_assert": "assert failed",
    "invalid_ptx": "invalid PTX",
    "internal_error": "the virtual GPU failed",
    "unsupported": "not supported",
    "leak": "memory not freed",
    "ignored_error": "failed call ignored",
    "endless": "does not end",
    "deep_launch": "launched too deep",
}
_WRONG = re.compile(r"wrong (from|at|for) n = [\d,]+( on| only| and \d+ of \d+ larger)?")
_PLACE = re.compile(r" at [\w.+-]+\.(?:cuh?|h):\d+")
NOT_STARTED = "not started"
SAME_BITS = "not the same bits"


def wordings(task: TaskResult) -> list[str]:
    """Wordings of the reason, the last one says the most. None for a task that is right."""
    if task.verdict in ("AC", "SLOW"):
        return []
    short, where = _in_words(task), clean(task.where, 80)
    if task.findings and task.verdict != "WA":
        where = place_text(task.findings[0].place) or where  # a proved cause may be in another line
    found = [short, *([f"{short}, {where}"] if where and where not in short else [])]
    if task.verdict == "SKIP":
        found = [short, clean(task.reason, 200)] if short == NOT_STARTED else found
    elif task.verdict == "WA":
        found += [f"n = {task.failure.n:,}"] if task.failure else []
        found += [short.partition(" and ")[0]]
    found = sorted((one for one in found if one), key=len)
    if task.verdict == "WA" and task.cause:
        title = clean(task.cause.title, 80)
        found += [title, f"{title}, {where}"] if where else [title]
    if task.verdict in ("SKIP", "WA", "CHECK"):
        return found
    return [MEANING[task.verdict], *found]  # where nothing else fits


def _in_words(task: TaskResult) -> str:
    if task.verdict == "SKIP":
        return LEFT if todo_is_left(task) else NOT_STARTED
    if task.verdict == "WA":
        return _wrong(task)
    if task.findings:
        return name_of(task.findings[0])
    reason = re.sub(r"^.*\bcudaError\w+: ", "", clean(task.reason, 200))
    reason = _PLACE.sub("", re.split(r" \(at n = |: |; |, ", reason)[0])
    return reason.removeprefix("the process was ").removeprefix("the ")


def _wrong(task: TaskResult) -> str:
    """From which size on, wherever the explanation says it."""
    said = (task.reason, *task.details)
    if any(SAME_BITS in line for line in said):
        return "not the same bits each time"
    found = next((match for line in said if (match := _WRONG.search(line))), None)
    if found:
        return found[0]
    n = f" at n = {task.failure.n:,}" if task.failure else ""
    return f"wrong{n}" if n or not task.reason else re.split(r"[:(;]", clean(task.reason, 200))[0].strip()


def name_of(finding: Finding) -> str:
    return FINDINGS.get(finding.kind, clean(finding.kind, 40).replace("_", " "))
