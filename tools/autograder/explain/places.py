"""Places: a source line, a kernel's name, the block and thread that should have written an element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from autograder.plain import clean
from autograder.run.protocol import KernelReport, Place


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


def owner(index: int, still_poison: bool, kernels: Sequence[KernelReport], count: int) -> str:
    """Who should have written an element, as far as the launches show."""
    if any(kernel.by_kernel for kernel in kernels):  # each of them works on a part of the output
        return "nobody (still poisoned)" if still_poison else ""
    kernel = _last_wide(kernels, count) if count > 1 else None
    if kernel is None:
        launched = max((k.blocks * k.block_threads for k in kernels), default=0)
        if count > 1 and 0 < launched <= index and still_poison:
            return f"nobody (still poisoned); {launched:,} threads were launched"
    if kernel is None or not kernel.is_line:
        return "nobody (still poisoned)" if still_poison else ""
    block, thread = divmod(index, kernel.block_threads)
    place = f"block {block:,}, thread {thread:,}"
    return f"nobody (still poisoned); {place} would own it" if still_poison else place


def _last_wide(kernels: Sequence[KernelReport], count: int) -> KernelReport | None:
    """The last kernel that has a thread for every element."""
    for kernel in reversed(kernels):
        if kernel.blocks * kernel.block_threads >= count:
            return kernel
    return None
