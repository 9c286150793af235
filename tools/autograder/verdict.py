"""The verdicts, and what each means."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["AC", "WA", "SLOW", "CE", "RTE", "CHECK", "TLE", "MLE", "SKIP", "IE"]

MEANING: dict[Verdict, str] = {
    "AC": "accepted",
    "WA": "wrong answer",
    "SLOW": "right, but slow",
    "CE": "does not compile",
    "RTE": "run-time error",
    "CHECK": "right output, wrong program",
    "TLE": "took too long",
    "MLE": "used too much memory",
    "SKIP": "not started",
    "IE": "the grader's or the machine's fault",
}

COLOURS: dict[str, str] = {  # on a terminal; of the others: red
    "AC": "green",
    "SLOW": "yellow",
    "SKIP": "dim",
    "CHECK": "magenta",
    "IE": "bold red",
}

RIGHT: tuple[Verdict, ...] = ("AC", "SLOW")  # of a task whose output and program are right
