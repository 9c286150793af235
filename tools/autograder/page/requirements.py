"""Whether pages can be made here. Imports none of their packages, so that everything else works without them."""

from __future__ import annotations

from importlib.util import find_spec

from autograder.errors import UsageError

PACKAGES = ("jinja2", "markupsafe")


def need() -> None:
    """Raises a UsageError, with the command that installs it, if a package is missing."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise UsageError(f"pages need the Python package {missing[0]}; to install it: make setup")
