"""A launch that CUDA has refused: which limit it breaks is known, and needs no experiment."""

from __future__ import annotations

from math import prod
from pathlib import PurePath

from autograder.cause.causes import KINDS, Cause
from autograder.judge.outcome import Outcome
from autograder.plain import clean

MOST_THREADS = 1024  # of a block


def of_refusal(shown: Outcome) -> Cause | None:
    """The limit that the call's last refused launch breaks; None if CUDA has refused none."""
    report = shown.reply.report if shown.reply and shown.reply.status == "cuda_error" else None
    refused = [one for one in report.findings if one.kind == "failed_call" and one.launch.place.line] if report else []
    if not refused:
        return None
    what, launch = refused[-1].what, refused[-1].launch
    if 0 in launch.grid:
        kind = "empty_launch"
    elif 0 in launch.block:
        kind = "no_threads"
    else:
        kind = "too_many_threads" if prod(launch.block) > MOST_THREADS else "refused"
    where = f"{PurePath(launch.place.file).name}:{launch.place.line}"
    return Cause(kind, KINDS[kind].title, where, seen=clean(what, 300))
