"""Changes of comparisons with one of several states, such as those that a look-back publishes."""

from __future__ import annotations

from functools import cached_property

from tree_sitter import Node

from autograder.cause.source import text_of, within
from autograder.cause.writer import Writer, on_one_line, short

MOST_STATES = 3  # others that are tried


class States(Writer):
    """Writes comparisons with an enumerator."""

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
