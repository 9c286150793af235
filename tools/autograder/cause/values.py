"""Changes of values: first values, padding, numbers by one or by a factor."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.change import FAR_MORE
from autograder.cause.conversions import Conversions
from autograder.cause.missing import Missing
from autograder.cause.names import MOST_NAMES, integers_in
from autograder.cause.source import text_of
from autograder.cause.writer import bracketed, short

FIRST = re.compile(r"[01](\.0?f?|[uUlL]+)?|\w+(<\w+>)?\{\}|\w+\(0?\)")
VALUES = (
    "identifier", "number_literal", "binary_expression", "call_expression", "parenthesized_expression",
    "subscript_expression", "field_expression", "cast_expression",
)  # fmt: skip
ANSWERS = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
EXTREMES = ("0", "1", "the greatest value", "the least value")


def begins_loop(node: Node) -> bool:
    """Whether it is what a loop's variable begins with."""
    declaration = node.parent.parent if node.parent else None
    loop = declaration.parent if declaration else None
    return loop is not None and loop.type == "for_statement"


def _is_cleared(node: Node) -> bool:
    """Whether it is a part of a memset's size."""
    while node.parent is not None and node.type != "call_expression":
        node = node.parent
    return node.type == "call_expression" and "emset" in text_of(node.children[0])


class Values(Conversions, Missing):
    """Writes what is stored, returned or given."""

    def _value(self, node: Node, variable: str = "") -> str:
        """A value that is stored in `variable`: another first value, or one beside it."""
        inner = self._of_index(node) if node.type == "identifier" else self.write(node)
        text = text_of(node)
        if variable == "bool":
            return self.with_part(node, node, lambda _: inner)
        if node.type == "binary_expression" and text_of(node.children[1]) in ANSWERS:
            return inner
        if variable and node.type == "binary_expression" and text_of(node.children[1]) == "/":
            inner = self._real_quotient(node, inner, variable)
        if FIRST.fullmatch(text):
            return self._incomplete(node, self._first("first_value", node, inner, variable or f"decltype({text})"))
        inner = self.in_wide(node, variable, inner)
        if node.type in VALUES and not self._is_fraction(node):
            return self._incomplete(node, self._scaled(node, self._beside(node, inner), "value"))
        return inner

    def _is_fraction(self, node: Node) -> bool:
        """Whether it is known to be a float, of which nothing is by one, and which is no index."""
        of = node.child_by_field_name("argument") if node.type == "subscript_expression" else node
        depth = 1 if node.type == "subscript_expression" else 0
        known = [one for one in self._variables if of is not None and one.name == text_of(of) and one.is_known(node)]
        return bool(known) and known[-1].type in ("float", "double") and known[-1].depth == depth

    def _incomplete(self, node: Node, text: str) -> str:
        """A value of which a part is missing. Loops begin at 0 too often for that."""
        text = self._other_integer(node, text) if node.type == "field_expression" else text
        if begins_loop(node):
            return text if node.type == "number_literal" else self.with_term(node, text, self.constants_here())
        return self.with_limit(node, self.with_term(node, self.with_factor(node, text)))

    def _other_integer(self, node: Node, text: str) -> str:
        """A field of a struct: an integer that is known here in its place."""
        for other in self.integers_at(node)[:MOST_NAMES] if self._on_device else []:
            number = self._add("name", node, (short(node), other))
            text = f"what_if::in_its_place({number}, {text}, {other})"
        return text

    def _real_quotient(self, node: Node, inner: str, variable: str) -> str:
        """A quotient of integers that is stored as a float."""
        a, b = short(node.children[0]), short(node.children[2])
        number = self._add("integer_division", node, (short(node), f"static_cast<float>({a}) / {b}"))
        return f"what_if::real_quotient<{variable}>({number}, {a}, {b}, {inner})"

    def _first(self, kind: str, node: Node, inner: str, variable: str) -> str:
        text = short(node)
        number = self._add(kind, node, *((text, other) for other in EXTREMES))
        inner = f"what_if::first_value<{variable}>({number}, {inner})"
        for operation, neutral in self._neutral():
            number = self._add(kind, node, (text, neutral))
            inner = f"what_if::or_neutral<{operation}, {variable}>({number}, {inner})"
        return inner

    def _neutral(self) -> list[tuple[str, str]]:
        """The operators that the function is a template for, and what each adds without effect, or puts last."""
        body = self._template + (text_of(self._function.node) if self._function is not None else "")
        found = []
        for name in re.findall(r"\b(?:class|typename) (\w+)", self._template):
            uses = rf"\b{name}(\(\)|\{{\}})(\(|\.before\b)|\b{name}::(identity|last|type)\b"
            if name in ("Op", "Order") or re.search(uses, body):
                is_order = name == "Order" or re.search(rf"\b{name}(\(\)|\{{\}})\.before\b|\b{name}::last\b", body)
                found.append((name, f"{name}::last()" if is_order else f"{name}::identity()"))
        return found

    def _operations(self) -> list[str]:
        """The operations that the function is a template for."""
        return [name for name, neutral in self._neutral() if neutral.endswith("identity()")] if self._on_device else []

    def by_operation(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """a + b, where the template's operation is meant."""
        parts = (left, right)
        if sign != "+" or self._in_index or any(one.type == "number_literal" or self.is_address(one) for one in parts):
            return text
        if all(integers_in(one, self._variables) or "Idx" in short(one) for one in parts):  # an index
            return text
        for op in self._operations():
            number = self._add("operation", node, (short(node), f"{op}()({short(left)}, {short(right)})"))
            text = f"what_if::combined<{op}>({number}, {text}, {short(left)}, {short(right)})"
        return text

    def combined(self, node: Node, left: Node, right: Node, text: str) -> str:
        """a += b, where the template's operation is meant."""
        a, b = short(left), short(right)
        for op in self._operations():
            number = self._add("operation", node, (short(node), f"{a} = {op}()({a}, {b})"))
            value = f"what_if::combined<{op}>({number}, {a}, {a}, {b})"
            text = f"what_if::is({number}) ? ({a} = {value}) : ({text})"
        return text

    @property
    def _template(self) -> str:
        """`template <...>` before the function."""
        parent = self._function.node.parent if self._function is not None else None
        declared = parent.child_by_field_name("parameters") if parent is not None else None
        return text_of(declared) if declared is not None else ""

    def _beside(self, node: Node, inner: str, kind: str = "value") -> str:
        text = short(node)
        number = self._add(kind, node, (text, f"{bracketed(node)} + 1"), (text, f"{bracketed(node)} - 1"))
        return f"what_if::beside({number}, {inner})"

    def _larger(self, node: Node, inner: str) -> str:
        """How many elements an array has: one more, twice as many, as many more as a warp has lanes, or far more."""
        text, kind = short(node), "cleared" if _is_cleared(node) else "array_size"
        words = (f"{bracketed(node)} + 1", f"2 * {bracketed(node)}", f"{bracketed(node)} + 32")
        number = self._add(kind, node, *((text, one) for one in words))
        if kind == "cleared":
            return f"what_if::larger({number}, {inner})"
        far = self._add(kind, node, (text, f"{FAR_MORE} {text}"))
        return f"what_if::larger({number}, {inner}, {far})"

    def _scaled(self, node: Node, inner: str, kind: str, any_name: bool = False) -> str:
        """A number, or a constant by its name: twice or half as large. `any_name`: or a variable."""
        text = text_of(node)
        if not re.fullmatch(r"([1-9]\d+|[2-9])[uUlL]*|k[A-Z]\w*" + r"|[A-Za-z_]\w*" * any_name, text):
            return inner
        number = self._add(kind, node, (text, f"2 * {text}"), (text, f"{text} / 2"))
        return f"what_if::scaled({number}, {inner})"
