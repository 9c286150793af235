"""Changes of keys that may be negative: their bits, in the order of their values."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.source import text_of
from autograder.cause.writer import Writer, bracketed, short

SIGN = {"int": "0x80000000", "long long": "0x8000000000000000"}
UNSIGNED = {"unsigned": "int", "unsigned int": "int", "unsigned long long": "long long"}
UNSIGNED |= {"uint32_t": "int", "std::uint32_t": "int", "uint64_t": "long long", "std::uint64_t": "long long"}
BITS_OF_FLOAT = re.compile(r"__float_as_u?int\(")
TURNED = re.compile(r"(0x8(?:0{7}|0{15}))[uUlL]*|1[uU]? << 31|\(1[uU]? << 31\)")


class Signs(Writer):
    """Writes the bits of keys."""

    def with_sign(self, node: Node, type_: str, value: Node | None, text: str) -> str:
        """The bits of a key: with another sign, or all of them others where it is negative."""
        is_float = BITS_OF_FLOAT.match(short(node)) is not None
        is_key = value is not None and value.type in ("identifier", "subscript_expression") and type_ in UNSIGNED
        if not self._on_device or not (is_float or is_key) or _is_turned(node):
            return text
        sign = SIGN["int" if is_float else UNSIGNED[type_]]
        others = [f"{short(node)} ^ {sign}", *([_of_float(short(node))] if is_float else [])]
        return self._ordered(node, text, others)

    def in_order(self, node: Node, left: Node, right: Node, text: str) -> str:
        """`bits ^ 0x80000000` of a float, and `key >> shift & mask` of a key that is an int."""
        sign, function = text_of(node.children[1]), self._function
        if not self._on_device or function is None:
            return text
        if sign == "^" and TURNED.fullmatch(text_of(right)) and BITS_OF_FLOAT.search(text_of(function.node)):
            return self._ordered(node, text, [_of_float(bracketed(left))])
        if sign != ">>" or left.type not in ("identifier", "subscript_expression") or not _is_masked(node):
            return text
        of = left.child_by_field_name("argument") if left.type == "subscript_expression" else left
        known = [one for one in self._variables if of is not None and one.name == text_of(of) and one.is_known(node)]
        if not known or known[-1].type != "int" or known[-1].depth != (of != left) or right.type == "number_literal":
            return text
        other = f"(static_cast<unsigned>({short(left)}) ^ {SIGN['int']}) >> {short(right)}"
        key = "", "sign", ""  # all digits of the file at once: they are wrong together
        if key not in self._layouts:
            self._layouts[key] = self._add("sign_bit", node, (short(node), other))
        self._made_here(self._layouts[key])
        return f"what_if::in_its_place({self._layouts[key]}, {text}, {other})"

    def _ordered(self, node: Node, text: str, others: list[str]) -> str:
        for other in others:
            number = self._add("sign_bit", node, (short(node), other))
            text = f"what_if::in_its_place({number}, {text}, {other})"
        return text


def _of_float(bits: str) -> str:
    sign = SIGN["int"]
    return f"(({bits} & {sign}) != 0 ? ~{bits} : {bits} ^ {sign})"


def _is_turned(node: Node) -> bool:
    """Whether its sign is turned already."""
    return node.parent is not None and node.parent.type == "binary_expression" and "^" in text_of(node.parent)


def _is_masked(node: Node) -> bool:
    """Whether it is a part of `... & mask`."""
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    return above is not None and above.type == "binary_expression" and text_of(above.children[1]) in ("&", "%")
