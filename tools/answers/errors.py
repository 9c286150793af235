"""What is wrong in a sheet."""

from __future__ import annotations

from autograder.errors import UsageError


class FigureError(UsageError):
    """A figure that cannot be computed as written; the message says why."""
