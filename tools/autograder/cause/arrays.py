"""A copy of a file in which an array in shared or local memory is larger: no call can change a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

MORE, MORE_OF_SEVERAL = 64, 16  # elements of one dimension, or along each
MOST = 4  # arrays that are tried


@dataclass(frozen=True)
class Array:
    """An array that a kernel declares."""

    line: int
    sizes: tuple[tuple[int, int], ...]  # from byte to byte


def arrays_of(functions: Sequence[Function], space: str) -> list[Array]:
    """The arrays that kernels declare in this space: shared, or local."""
    found = []
    for function in functions:
        for node in within(function.node) if function.on_device else []:
            if node.type != "declaration" or ("__shared__" in text_of(node)) != (space == "shared"):
                continue
            for one in node.children_by_field_name("declarator"):
                sizes = tuple((size.start_byte, size.end_byte) for size in _sizes(one))
                if sizes and "extern" not in text_of(node):
                    found.append(Array(one.start_point.row + 1, sizes))
    return found[:MOST]


def _sizes(declarator: Node) -> list[Node]:
    found: list[Node] = []
    node: Node | None = declarator
    while node is not None and node.type == "array_declarator":
        if size := node.child_by_field_name("size"):
            found.append(size)
        node = node.child_by_field_name("declarator")
    return found


def enlarged(text: bytes, array: Array) -> bytes:
    """The text with this array larger; its lines stay."""
    more = MORE if len(array.sizes) == 1 else MORE_OF_SEVERAL
    for start, end in sorted(array.sizes, reverse=True):
        text = text[:start] + b"(" + text[start:end] + b") + %d" % more + text[end:]
    return text
