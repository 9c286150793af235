"""A call that gives the right result and changes an input: the line that writes there is seen, and needs no proof."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np

from autograder.cause.bench import Bench, call_seconds
from autograder.cause.causes import KINDS, Cause
from autograder.judge.judgement import Judgement

KIND = "changed_input"


def of_changed_input(bench: Bench, judgement: Judgement, file: str) -> Cause | None:
    """The line of this file that writes the first element of an input that is changed."""
    shown = judgement.shown
    if shown is None or shown.wrong is None or not shown.wrong.only_modified:
        return None
    wrong = shown.wrong
    spec = next(one for one in wrong.shape.inputs if one.name == wrong.modified)
    size = np.dtype(spec.dtype).itemsize
    with bench.started(bench.runner, [shown.case], seconds=call_seconds(judgement)) as runner:
        rule = f"watch writes {spec.name} {wrong.modified_at * size}+{size}"
        watched = bench.checker.run(runner, shown.case, what_if=rule)
    report = watched.reply.report if watched.reply else None
    writes = [write.writer.place for one in report.watched for write in one.writes] if report else []
    where = next((f"{file}:{place.line}" for place in writes if PurePath(place.file).name == file), "")
    seen = f"{spec.name} is an input, and {spec.name}[{wrong.modified_at}] is written here" if where else ""
    return Cause(KIND, KINDS[KIND].title, where, seen=seen or f"{spec.name} is an input, and was changed by the call")
