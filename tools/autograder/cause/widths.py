"""A copy of a file in which sums of 32 bits have 64, or those of integers fractions: no call can switch on a type."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

NARROW = ("int", "unsigned", "unsigned int", "std::int32_t", "int32_t")
INTEGERS = ("long long", "long", "std::int64_t", "int64_t")  # of 64 bits
WIDE = "long long"
SHORT = ("char", "signed char", "unsigned char", "short", "unsigned short")
SIZED = tuple(f"{space}{sign}int{bits}_t" for space in ("", "std::") for sign in ("", "u") for bits in (8, 16))
WIDER = dict.fromkeys((*SHORT, *SIZED), "int") | dict.fromkeys(("half", "__half", "__nv_bfloat16"), "float")
MOST = 4  # places that are widened one by one


@dataclass(frozen=True)
class Place:
    """A type in the text."""

    line: int
    start: int
    end: int
    other: str  # what stands there instead


def _of_elements(function: Function) -> str:
    """The type of the elements that a function works on, if they have fractions: its template's, or the first named."""
    parent = function.node.parent
    declared = parent.child_by_field_name("parameters") if parent is not None else None
    names = re.findall(r"\b(?:class|typename) (\w+)", text_of(declared)) if declared is not None else []
    of_template = [name for name in names if re.search(rf"\b{name}\b[^,;(]*\*", function.head)]
    named = re.search(r"\b(float|double)\b", text_of(function.node))
    return of_template[0] if of_template else named[1] if named else "float"


def narrow_sums(functions: Sequence[Function], *, fractions: bool = False) -> list[Place]:
    """Variables, arrays and casts of integers in kernels that hold values, and are no index; of 32 bits, to be wider.

    `fractions`: to have the type of elements with fractions.
    """
    found = []
    narrow = (*NARROW, *INTEGERS) if fractions else NARROW
    for function in functions:
        other = _of_elements(function) if fractions else WIDE
        body = function.node.child_by_field_name("body")
        if not function.on_device or body is None:
            continue
        indices = _indices(body)
        for node in within(body):
            of = node.child_by_field_name("type")
            if of is None or text_of(of) not in narrow:
                continue
            is_value = node.type == "declaration" and not _is_index(node, indices)
            if is_value or node.type == "cast_expression":
                found.append(Place(of.start_point.row + 1, of.start_byte, of.end_byte, other))
        for cast in re.finditer(rb"static_cast<(int|unsigned)>", body.text or b""):
            line = body.start_point.row + 1 + (body.text or b"").count(b"\n", 0, cast.start())
            found.append(Place(line, body.start_byte + cast.start(1), body.start_byte + cast.end(1), other))
    return found


def narrow_types(functions: Sequence[Function]) -> list[Place]:
    """Variables and casts in kernels whose type has less than 32 bits, and sums of the elements' own type."""
    found = []
    for function in functions:
        body = function.node.child_by_field_name("body")
        if not function.on_device or body is None:
            continue
        text = text_of(body)
        for node in within(body):
            of = node.child_by_field_name("type")
            if of is None or node.type not in ("declaration", "cast_expression"):
                continue
            name, declared = text_of(of), node.children_by_field_name("declarator")
            other = WIDER.get(name, "")
            if any(
                one.type in ("pointer_declarator", "reference_declarator") for part in declared for one in within(part)
            ):
                continue
            if not other and re.fullmatch(r"T|Value|Element", name) and any(_is_sum(one, text) for one in declared):
                other = f"decltype({name}{{}} + {name}{{}})"
            if other:
                found.append(Place(of.start_point.row + 1, of.start_byte, of.end_byte, other))
    return found


def _is_sum(declarator: Node, text: str) -> bool:
    """Whether something is added to a variable."""
    name = next((text_of(one) for one in within(declarator) if one.type == "identifier"), "")
    return re.search(rf"\b{name} (\+=|= {name} \+)", text) is not None


def widened(text: bytes, places: Collection[Place]) -> bytes:
    """The text with wider types at these places; its lines stay."""
    for place in sorted(places, key=lambda one: -one.start):
        text = text[: place.start] + place.other.encode() + text[place.end :]
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
