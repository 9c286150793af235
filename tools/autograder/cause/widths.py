"""A copy of a file in which sums that are kept in 32 bits are kept in 64: a type cannot be switched on in a call."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

NARROW = ("int", "unsigned", "unsigned int", "std::int32_t", "int32_t")
WIDE = "long long"
MOST = 4  # places that are widened one by one


@dataclass(frozen=True)
class Place:
    """A type in the text."""

    line: int
    start: int
    end: int


def narrow_sums(functions: Sequence[Function]) -> list[Place]:
    """Variables, arrays and casts of 32 bits in kernels that hold values, and are no index."""
    found = []
    for function in functions:
        body = function.node.child_by_field_name("body")
        if not function.on_device or body is None:
            continue
        indices = _indices(body)
        for node in within(body):
            of = node.child_by_field_name("type")
            if of is None or text_of(of) not in NARROW:
                continue
            is_value = node.type == "declaration" and not _is_index(node, indices)
            if is_value or node.type == "cast_expression":
                found.append(Place(of.start_point.row + 1, of.start_byte, of.end_byte))
        for cast in re.finditer(rb"static_cast<(int|unsigned)>", body.text or b""):
            line = body.start_point.row + 1 + (body.text or b"").count(b"\n", 0, cast.start())
            found.append(Place(line, body.start_byte + cast.start(1), body.start_byte + cast.end(1)))
    return found


def widened(text: bytes, places: Collection[Place]) -> bytes:
    """The text with 64 bits at these places; its lines stay."""
    for place in sorted(places, key=lambda one: -one.start):
        text = text[: place.start] + WIDE.encode() + text[place.end :]
    return text


def _indices(body: Node) -> set[str]:
    """Names that an index, a condition of a loop or a shift is made of."""
    names: set[str] = set()
    for node in within(body):
        part = node.child_by_field_name("indices" if node.type == "subscript_expression" else "condition")
        if part is not None and node.type in ("subscript_expression", "for_statement", "while_statement"):
            names |= {text_of(one) for one in within(part) if one.type == "identifier"}
    return names


def _is_index(declaration: Node, indices: set[str]) -> bool:
    if re.search(r"threadIdx|blockIdx", text_of(declaration)):
        return True
    for one in declaration.children_by_field_name("declarator"):
        name = next((text_of(part) for part in within(one) if part.type == "identifier"), "")
        if name in indices and not any(part.type == "array_declarator" for part in within(one)):
            return True
    return False
