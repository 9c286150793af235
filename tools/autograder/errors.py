"""Errors that end a run without a verdict."""

from __future__ import annotations


class UsageError(Exception):
    """The command line asks for something that does not exist; exit status 2, one clear line."""


class GraderError(Exception):
    """The grader's, the lab's or the machine's fault: verdict IE, exit status 3, never costs points."""


class CompileError(Exception):
    """The submission does not compile. Holds the compiler's text, with short paths."""

    def __init__(self, text: str, where: str = "", first: str = "") -> None:
        super().__init__(first or text)
        self.text = text
        self.where = where
        self.first = first
