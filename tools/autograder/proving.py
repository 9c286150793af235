"""The cause of a failed task: experiments with the submission, if it has a program that can be changed."""

from __future__ import annotations

from functools import partial

from autograder.cause.bench import Bench
from autograder.cause.search import Found, find
from autograder.context import Context
from autograder.judge.judgement import Judgement
from autograder.verdict import RIGHT


def proved(context: Context, judgement: Judgement, device: str = "") -> Found:
    """No cause if no experiment proves one. `device`: of the call that decides, if it is not the submission's."""
    program = context.submission.program
    if program is None or judgement.verdict in RIGHT or not context.virtual:
        return Found()
    started = partial(context.processes.started, device=device)
    return find(Bench(context.checker, started, context.submission.runner, context.settings.seed), program, judgement)
