"""./grader reset: the lab's file becomes the skeleton again, after what is in it has been saved beside it.

The skeleton is labs/NN-name/grading/skeleton.cu.txt, which is in this repository and in every archive of it. It cannot
come from Git: students commit their work, and an archive has no history.
"""

from __future__ import annotations

from pathlib import Path

from autograder.errors import GraderError, UsageError
from autograder.files import save_copy, write_whole
from autograder.plan.labs import file_of, skeleton_of
from learn import state


def reset(root: Path, lab: Path) -> list[str]:
    """Puts the skeleton back. Returns a message. UsageError: the file could not be saved, and is unchanged."""
    skeleton, file = skeleton_of(lab), file_of(root, lab.name)
    shown = file.relative_to(root)
    try:
        text = skeleton.read_bytes()
    except OSError as error:
        raise GraderError(f"{skeleton}: {error.strerror}; fetch this repository again") from None
    try:
        theirs = file.read_bytes()
    except FileNotFoundError:
        theirs = None
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror}") from None
    if theirs == text:
        return [f"{shown} is the skeleton already: nothing to do"]
    lines = []
    try:
        if theirs is not None:
            copy = save_copy(file, theirs)
            there = shown.parent / copy.name
            lines = [f"saved: {there}", f"to have it back: cp {there} {shown}"]
        write_whole(file, text)
    except OSError as error:
        raise UsageError(f"{error.filename or shown}: {error.strerror}; {shown} is as it was") from None
    trouble = state.start_over(root, lab)
    return [*lines, f"{shown} is the skeleton again", *([trouble] if trouble else [])]
