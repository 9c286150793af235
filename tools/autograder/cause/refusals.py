"""A launch that CUDA has refused: which limit it breaks is known, and needs no experiment."""

from __future__ import annotations

from math import prod
from pathlib import PurePath

from autograder.cause.causes import KINDS, Cause
from autograder.cause.rules import told_of
from autograder.judge.outcome import Outcome
from autograder.sanitize import clean

MOST_THREADS = 1024  # of a block


def of_refusal(shown: Outcome) -> Cause | None:
    """The limit that the call's last refused launch breaks; None if CUDA has refused none."""
    refused = [one for one in told_of(shown, "failed_call") if one.launch.place.line]
    if not refused or shown.reply is None or shown.reply.status != "cuda_error":
        return None
    what, launch = clean(refused[-1].what, 300), refused[-1].launch
    if 0 in launch.grid:
        kind = "empty_launch"
        what = f"{what.rstrip('.')}. Here there is nothing to do: return before the launch" if shown.empty else what
    elif 0 in launch.block:
        kind = "no_threads"
    else:
        kind = "too_many_threads" if prod(launch.block) > MOST_THREADS else "refused"
    where = f"{PurePath(launch.place.file).name}:{launch.place.line}"
    return Cause(kind, KINDS[kind].title, where, seen=what)
