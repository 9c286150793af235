"""What the site adds to the README to make it the front page: the ways in, one for each kind of reader."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

# Who you are, what you find, and where you start: texts and files of the repository.
WAYS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "You want to learn CUDA",
        "Write a kernel, see at once what is wrong and why. C or C++ is enough to begin; no GPU is needed.",
        (("Lab 1", "labs/01-square/README.md"), ("The course", "docs/course.md"), ("Working", "docs/working.md")),
    ),
    (
        "You teach it",
        "From a folder of submissions to a graded class, on a laptop or a cluster.",
        (("Instructors", "docs/instructors.md"), ("Grading", "docs/grading.md"), ("Mistakes", "course/mistakes.md")),
    ),
    (
        "You want to see inside",
        "A virtual GPU that runs PTX and finds races; an autograder; labs to add to.",
        (
            ("Virtual GPU", "virtual_gpu/README.md"),
            ("Architecture", "docs/architecture.md"),
            ("A new lab", "docs/adding-a-lab.md"),
        ),
    ),
)


def ways(address: Callable[[str], str | None]) -> str:
    """The ways in as HTML. `address` says where a file's page is, None if there is none."""
    return '<div class="ways">' + "".join(way(*one, address) for one in WAYS) + "</div>"


def way(who: str, what: str, links: tuple[tuple[str, str], ...], address: Callable[[str], str | None]) -> str:
    there = [(text, to) for text, source in links if (to := address(source))]
    anchors = " · ".join(f'<a href="{escape(to)}">{escape(text)}</a>' for text, to in there)
    return f'<div class="way"><strong>{escape(who)}</strong><p>{escape(what)}</p><p>{anchors}</p></div>'
