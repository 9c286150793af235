"""Changes of masks: the lanes of a warp before one of them, behind it, with itself or without."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.source import text_of
from autograder.cause.writer import Writer, short

_LANE = r"(?P<lane>\w+(?:\.\w+)?(?: [%&] \w+)?|\(\w+(?:\.\w+)? [%&] \w+\))"
# (1u << lane) - 1, (2u << lane) - 1, and all lanes moved up or down
BELOW = re.compile(rf"\(?(?P<one>[12](?P<type>[uUlL]*)) << {_LANE}\)? - 1[uUlL]*")
FROM = re.compile(rf"(?:0x[fF]{{8}}[uU]?|~0[uU]?|-1|k\w*(?:All|Full)\w*) << {_LANE}")
UPTO = re.compile(r"(?:0x[fF]{8}[uU]?|~0[uU]?|k\w*(?:All|Full)\w*) >> \(3[12] - (?P<lane>\w+(?:\.\w+)?)\)")
MASKS = (
    "(1{type} << {lane}) - 1",
    "(2{type} << {lane}) - 1",
    "~((2{type} << {lane}) - 1)",
    "~((1{type} << {lane}) - 1)",
)
OWN_LANE = "threadIdx.x % 32"


def _inner(node: Node) -> str:
    """The text without brackets around it, and without ~ before them."""
    text = short(node).removeprefix("~")
    while text.startswith("(") and _closes(text) == len(text) - 1:
        text = text[1:-1]
    return text


def _closes(text: str) -> int:
    """Where the first bracket is closed."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at
    return -1


def lane_masks(node: Node) -> list[str]:
    """The masks that may stand in the place of this one; none if it is no mask of lanes."""
    text = _inner(node)
    found = next((one for one in (each.fullmatch(text) for each in (BELOW, FROM, UPTO)) if one), None)
    if found is None:
        return []
    known = found.groupdict()
    type_, lane = known.get("type") or "u", known["lane"]
    whole = f"~({text})" if short(node).startswith("~") else text
    return [mask for mask in (one.format(type=type_, lane=lane) for one in MASKS) if mask != whole]


class Masks(Writer):
    """Writes masks of lanes."""

    def of_lanes(self, node: Node, text: str) -> str:
        """A mask of lanes as another one. Of `~mask` it is the whole, not what stands behind `~`."""
        above = node.parent
        while above is not None and above.type == "parenthesized_expression":
            above = above.parent
        is_inner = above is not None and text_of(above).startswith("~") and node.type != "unary_expression"
        for other in lane_masks(node) if self._on_device and not is_inner else []:
            number = self._add(self._kind_of_lanes(node, other), node, (short(node), other))
            text = f"what_if::in_its_place({number}, {text}, {other})"
        return text

    def _kind_of_lanes(self, node: Node, other: str) -> str:
        """A mask that is none of the lanes before is seldom meant, but where the own lane is taken off again."""
        above = node
        while above.parent is not None and above.type not in ("call_expression", "compound_statement"):
            above = above.parent
        outer = above.parent
        takes_off = outer is not None and outer.type == "binary_expression" and text_of(outer.children[1]) == "-"
        return "lanes" if re.match(r"\(1[uUlL]* <<", other) and not takes_off else "other_lanes"

    def _unary_expression(self, node: Node) -> str:
        text = self._plain(node)
        return self.of_lanes(node, text) if short(node).startswith("~") else text

    def counted_lanes(self, node: Node) -> str:
        """__popc(votes): of the lanes before this one only; "" where a mask is there."""
        return "" if "&" in text_of(node) else f"({short(node)} & ((1u << ({OWN_LANE})) - 1))"
