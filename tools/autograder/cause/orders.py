"""Changes of the order of two statements, of which one needs what the other replaces."""

from __future__ import annotations

from tree_sitter import Node

from autograder.cause.source import text_of
from autograder.cause.variables import names_of
from autograder.cause.writer import Writer, on_one_line, short


class Orders(Writer):
    """Writes two statements the other way round."""

    def in_other_order(self, node: Node, written: str) -> str:
        """`here = below; above = here;` as `above = here; here = below;`."""
        for number in self._second.pop(node.start_byte, []):
            written = f"if (!what_if::is({number})) {written}"
        other = node.next_named_sibling
        if other is None or not self._on_device or self._stays(node) or self._stays(other):
            return written
        first, second = _assigned(node), _assigned(other)
        if first is None or second is None or text_of(first[0]) not in names_of(second[1]):
            return written
        if text_of(first[0]) == text_of(second[0]):
            return written
        both = f"{on_one_line(other)} {on_one_line(node)}"
        number = self._add("statement_order", node, (f"{short(node)} {short(other)}", both))
        self._second.setdefault(other.start_byte, []).append(number)
        return f"if (what_if::is({number})) {{ {both} }} else {written}"


def _assigned(node: Node) -> tuple[Node, Node] | None:
    """The variable that a statement replaces, and its new value."""
    inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if inner is None or inner.type != "assignment_expression" or text_of(inner.children[1]) != "=":
        return None
    left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    return (left, right) if left is not None and right is not None and left.type == "identifier" else None
