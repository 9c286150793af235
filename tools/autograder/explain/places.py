"""Places: a source line, a kernel's name, the elements that a block owns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from autograder.run.protocol import KernelReport, Place
from autograder.sanitize import clean


def short_name(kernel: str) -> str:
    """A kernel's name without its parameters, the unnamed namespaces around it, and the types of its constants."""
    name = clean(kernel, 400).replace("(anonymous namespace)::", "").removeprefix("void ")
    return re.sub(r"\([\w:]+\)(?=-?\d)", "", name).split("(", 1)[0]


def short_place(place: str) -> str:
    return PurePath(place).name if place else ""


def place_text(place: Place) -> str:
    return f"{PurePath(clean(place.file, 300)).name}:{place.line}" if place.line else ""


def block_of(kernels: Sequence[KernelReport], count: int) -> int:
    """Elements of the output that one block owns, as far as the launches show; 0: not known."""
    if any(kernel.by_kernel for kernel in kernels):
        return 0
    kernel = _last_wide(kernels, count)
    if kernel is None and kernels:
        kernel = max(kernels, key=lambda one: one.blocks * one.block_threads)
    return kernel.block_threads if kernel and kernel.is_line else 0


def _last_wide(kernels: Sequence[KernelReport], count: int) -> KernelReport | None:
    """The last kernel that has a thread for every element."""
    for kernel in reversed(kernels):
        if kernel.blocks * kernel.block_threads >= count:
            return kernel
    return None
