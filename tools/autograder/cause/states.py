"""Changes of comparisons of what is equal: one of several states, such as a look-back publishes, or an element."""

from __future__ import annotations

import re
from functools import cached_property

from tree_sitter import Node

from autograder.cause.source import text_of, within
from autograder.cause.writer import Writer, on_one_line, short

MOST_STATES = 3  # others that are tried
ELEMENT = re.compile(r"(\w+)\[(\w+)\]")


class States(Writer):
    """Writes comparisons of what is equal."""

    def with_other_state(self, node: Node, left: Node, right: Node, text: str) -> str:
        """status != Status::empty as status == Status::done, and == as == with another."""
        state = text_of(right)
        of, colons, name = state.rpartition("::")
        for names in self._enums if self._on_device else []:
            for other in [one for one in names if one != name][:MOST_STATES] if name in names else []:
                whole = f"{on_one_line(left)} == {of}{colons}{other}"
                number = self._add("state", node, (short(node), whole))
                text = f"(what_if::is({number}) ? ({whole}) : {text})"
        return text

    def with_places(self, node: Node, text: str) -> str:
        """`d[j].x == d[i].x && d[j].y == d[i].y`, where the element itself is meant, as `j == i`."""
        sign = text_of(node.children[1])
        joined = [one for one in within(node) if one.type == "binary_expression" and text_of(one.children[1]) != sign]
        places = {self._indices_of(one) for one in (joined if sign in ("&&", "||") else [node])}
        if not self._on_device or len(places) != 1 or (found := places.pop()) is None:
            return text
        number = self._add("identity", node, (short(node), found))
        return f"(what_if::is({number}) ? ({found}) : {text})"

    def _indices_of(self, node: Node) -> str | None:
        """`j == i` for a comparison of what stands at j with what stands at i of the same array."""
        sign, sides = text_of(node.children[1]), [node.children[0], node.children[2]]
        if sign not in ("==", "!="):
            return None
        found = [ELEMENT.fullmatch(self._value_of(one)) for one in sides]
        if not found[0] or not found[1] or found[0][1] != found[1][1] or found[0][2] == found[1][2]:
            return None
        return f"{found[0][2]} {sign} {found[1][2]}"

    def _value_of(self, node: Node) -> str:
        """The element that it is, or of which it is a field."""
        inner = node.child_by_field_name("argument") if node.type == "field_expression" else node
        name = text_of(inner) if inner is not None else ""
        known = [one for one in self._variables if one.name == name and one.is_known(node)]
        return known[-1].value if known else name

    @cached_property
    def _enums(self) -> list[list[str]]:
        """The names that each enum of the file has."""
        assert self._function is not None
        root = self._function.node
        while root.parent is not None:
            root = root.parent
        enums = [one for one in within(root) if one.type == "enumerator_list"]
        return [
            [text_of(one.named_children[0]) for one in enum.named_children if one.type == "enumerator"]
            for enum in enums
        ]
