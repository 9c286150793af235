"""A copy of a file in which an array in shared or local memory is larger: no call can change a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

MORE, MORE_OF_SEVERAL = 64, 16  # elements of one dimension, or along each
MOST_BYTES = 40_000  # of one array in shared memory, which leaves some for others
MOST = 4  # arrays that are tried


@dataclass(frozen=True)
class Array:
    """An array that a kernel declares."""

    line: int
    type: str
    sizes: tuple[tuple[int, int], ...]  # from byte to byte, the last one first


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
                    type_ = node.child_by_field_name("type")
                    found.append(Array(one.start_point.row + 1, text_of(type_) if type_ else "char", sizes))
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
    return _with_sizes(text, array, [f"({text[start:end].decode()}) + {more}" for start, end in array.sizes])


def as_large_as_can_be(text: bytes, array: Array) -> bytes:
    """The same with as many elements, or as long rows, as shared memory can hold."""
    last, *others = (f"({text[start:end].decode()})" for start, end in array.sizes)
    most = f"{MOST_BYTES} / (sizeof({array.type}) * {' * '.join(others) or '1'})"
    return _with_sizes(text, array, [f"{last} > {most} ? {last} : {most}", *others])


def _with_sizes(text: bytes, array: Array, sizes: Sequence[str]) -> bytes:
    for (start, end), size in sorted(zip(array.sizes, sizes, strict=True), reverse=True):
        text = text[:start] + size.encode() + text[end:]
    return text
