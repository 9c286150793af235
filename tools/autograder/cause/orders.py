"""Changes of the order of two statements, of which one needs what the other stores."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.source import text_of, within
from autograder.cause.variables import names_of
from autograder.cause.writer import LAMBDA, Writer, on_one_line, short

CHECKS = "CUDA_CHECK"  # asks only whether the statement before it has failed
ANY_ORDER = re.compile(r"atomic|cuda[A-Z]|__|todo\b")  # functions of which two calls stay in their order


class Orders(Writer):
    """Writes two statements the other way round."""

    def in_other_order(self, node: Node, written: str) -> str:
        """`here = below; above = here;` as `above = here; here = below;`, and two calls of one function in turn."""
        for number in self._second.pop(node.start_byte, []):
            written = f"if (!what_if::is({number})) {written}"
        other = node.next_named_sibling
        while other is not None and (other.type == "comment" or text_of(other).startswith(CHECKS)):
            other = other.next_named_sibling
        if other is None or self._stays(node) or self._stays(other) or not self._depend(node, other):
            return written
        both = f"{on_one_line(other)} {on_one_line(node)}"
        number = self._add("statement_order", node, (f"{short(node)} {short(other)}", both))
        self._second.setdefault(other.start_byte, []).append(number)
        return f"if (what_if::is({number})) {{ {both} }} else {written}"

    def _depend(self, node: Node, other: Node) -> bool:
        """Whether one of two statements stores what the other one needs, and either may come first."""
        first, second = _assigned(node), _assigned(other)
        if first is None or second is None:
            return self._are_alike(node, other)
        (left, right), (name, value) = first, second
        if text_of(left) == text_of(name):  # x = f(x, a); x = f(x, b);
            return text_of(left) in names_of(right) & names_of(value) and short(right) != short(value)
        return self._on_device and text_of(left) in names_of(value)

    def _are_alike(self, node: Node, other: Node) -> bool:
        """Whether they call the same function, and one with an array that it may store to and the other is given."""
        calls = [_called(one) for one in (node, other)]
        (name, given), (other_name, its) = calls
        if not name or name != other_name or ANY_ORDER.match(name) or len(given) != len(its) or given == its:
            return False
        types = self._types.get(re.sub(r"\W.*", "", name), [""] * len(given))
        pairs = [*zip(types, given, strict=False), *zip(types, its, strict=False)]
        stored = {one for type_, one in pairs if not type_.startswith("const") and ("*" in type_ or not type_)}
        known = {one.name for one in self._variables if one.depth == 1 and not one.is_const and one.is_known(node)}
        return bool(stored & known & set(given) & set(its))


def _assigned(node: Node) -> tuple[Node, Node] | None:
    """The variable that a statement replaces, and its new value."""
    inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if inner is None or inner.type != "assignment_expression" or text_of(inner.children[1]) != "=":
        return None
    left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    return (left, right) if left is not None and right is not None and left.type == "identifier" else None


def _called(node: Node) -> tuple[str, list[str]]:
    """The function that a statement calls or launches, and what it is given; "": it does something else."""
    inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    function, given = (inner.child_by_field_name(one) if inner else None for one in ("function", "arguments"))
    if inner is None or inner.type != "call_expression" or function is None or given is None:
        return "", []
    if any(one.type == LAMBDA for one in within(inner)):
        return "", []
    return text_of(function), [short(one) for one in given.named_children if one.type != "comment"]
