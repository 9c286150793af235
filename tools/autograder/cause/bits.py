"""Changes of bits: a bit's number where the bit is meant, a digit that is not moved down, or not cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.missing import Missing
from autograder.cause.names import INTEGERS
from autograder.cause.source import text_of, within
from autograder.cause.writer import bracketed, short

OF_BITS = ("&", "|", "^")
PLACE = re.compile(r"(\w*\.)?\w*(bit|shift|begin|first|low|digit)\w*")  # from which bit on a digit stands
MASK = re.compile(r">> [\w.]+\)? & (\w+|\([^()]*(?:\([^()]*\)[^()]*)?\))")
POWER = re.compile(r"2|4|8|16|32|64|128|256")  # whose remainder may be meant
MOST_PLACES = 2


class Bits(Missing):
    """Writes operations on the bits of keys."""

    def of_bits(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """`key & bit` as key & (1u << bit), `key & mask` as key >> bit & mask, `key >> bit` as key >> bit & mask."""
        others: list[str] = []
        if self._on_device and sign in OF_BITS:
            others += [f"{bracketed(left)} {sign} (1u << {one})" for one in self._number_of_bit(right)]
        if self._on_device and sign == "&" and (power := POWER.fullmatch(text_of(right))):
            others.append(f"{bracketed(left)} & {int(power[0]) - 1}")
        if self._on_device and sign == "&" and left.type in ("identifier", "subscript_expression"):
            others += [f"({short(left)} >> {one}) & {bracketed(right)}" for one in self._places(node)]
        if self._on_device and sign == ">>" and right.type != "number_literal" and not _is_cut(node):
            others += [f"({short(node)}) & {one}" for one in self._masks(node)]
        for other in others:
            number = self._add("bits", node, (short(node), other))
            text = f"what_if::in_its_place({number}, {text}, {other})"
        return text

    def _number_of_bit(self, node: Node) -> list[str]:
        names = [one.name for one in self._variables if one.is_known(node) and one.type in INTEGERS and not one.depth]
        return [text_of(node)] if node.type == "identifier" and text_of(node) in names else []

    def _places(self, node: Node) -> list[str]:
        """Where the digit may begin that is asked for."""
        every = [*self.integers_at(node), *self.fields_at(node)]
        return [one for one in every if PLACE.fullmatch(one)][:MOST_PLACES]

    def _masks(self, node: Node) -> Iterator[str]:
        """What cuts a digit off elsewhere in this function; or one bit."""
        assert self._function is not None
        found = dict.fromkeys(MASK.findall(" ".join(text_of(self._function.node).split())))
        yield from list(found)[: MOST_PLACES - 1] or ["1"]


def _is_cut(node: Node) -> bool:
    """Whether something is done with its bits already, or it is no key of which a digit is taken."""
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    is_part = above is not None and above.type == "binary_expression" and text_of(above.children[1]) in (*OF_BITS, "%")
    return is_part or any(one.type == "number_literal" for one in within(node.children[0]))
