"""Changes of conversions: before an operation, where they come too late."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.signs import Signs
from autograder.cause.source import text_of
from autograder.cause.writer import bracketed, short

WIDE = ("long long", "std::size_t", "size_t", "std::int64_t", "int64_t", "unsigned long long", "std::uint64_t")
WIDER = (*WIDE, "float", "double")
CAST = re.compile(r"static_cast<([\w: ]+)>\((.*)\)", re.DOTALL)
GROWS = ("*", "<<")
RETURNS = re.compile(rf"\b({'|'.join(WIDE)})\s+[\w:]+\s*\(")


def cast(node: Node) -> tuple[str, Node | None, str]:
    """Type, node and text of what a conversion converts; no type: it is none."""
    if node.type == "cast_expression":
        type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        return (text_of(type_), value, short(value)) if type_ is not None and value is not None else ("", None, "")
    found = CAST.fullmatch(short(node)) if node.type == "call_expression" else None
    arguments = node.child_by_field_name("arguments") if found else None
    given = arguments.named_children[0] if arguments is not None and len(arguments.named_children) == 1 else None
    return (found[1], given, found[2]) if found else ("", None, "")


def _operation(node: Node | None) -> Node | None:
    while node is not None and node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    return node if node is not None and node.type == "binary_expression" else None


class Conversions(Signs):
    """Writes conversions."""

    def converted_first(self, node: Node, text: str) -> str:
        """T(a * b) as T(a) * b."""
        type_, value, _ = cast(node)
        text = self.with_sign(node, type_, value, text)
        inner = _operation(value)
        if type_ not in WIDER or inner is None or self._is_target:
            return text
        sign = text_of(inner.children[1])
        if sign not in (*GROWS, "/") or (sign == "/") == (type_ in WIDE):
            return text
        return self._wide(node, inner, type_, text)

    def in_wide(self, node: Node, type_: str, text: str) -> str:
        """A product that is kept in 64 bits: `long long x = a * b;`."""
        inner = _operation(node)
        if type_ not in WIDE or inner is None or text_of(inner.children[1]) not in GROWS or "_cast" in text_of(node):
            return text
        return self._wide(node, inner, type_, text)

    def returned_type(self) -> str:
        """The type of what the function returns, if it is one of 64 bits."""
        found = RETURNS.search(self._function.head) if self._function is not None else None
        return found[1] if found else ""

    def _wide(self, node: Node, inner: Node, type_: str, text: str) -> str:
        a, sign, b = bracketed(inner.children[0]), text_of(inner.children[1]), bracketed(inner.children[2])
        other = f"static_cast<{type_}>({short(inner.children[0])}) {sign} {b}"
        number = self._add("converted_late", node, (short(node), other))
        return f"(what_if::is({number}) ? static_cast<{type_}>(static_cast<{type_}>({a}) {sign} {b}) : {text})"
