"""Changes of who leaves a kernel at its beginning: threads beyond a bound, one of two that have the same pair."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, permutations, product

from tree_sitter import Node

from autograder.cause.accumulations import axes_of
from autograder.cause.names import INTEGERS
from autograder.cause.source import stored_element, text_of, within
from autograder.cause.values import Values
from autograder.cause.variables import Variable, names_of
from autograder.cause.writer import short

OF_GRID = re.compile(r"\b(?:thread|block)Idx\.([xyz])")


class Leaving(Values):
    """Writes what may be missing behind the indices of a thread."""

    def left_behind(self, node: Node) -> list[str]:
        """Behind a thread's index: threads beyond a bound leave."""
        if node.type != "declaration" or self._function is None or "void" not in self._function.head:
            return []
        of = node.child_by_field_name("type")
        if of is None or text_of(of) not in (*INTEGERS, "auto"):
            return []
        out = []
        for condition in self._beyond_either(node):
            number = self._add("guard", node, ("", f"if ({condition}) return;"))
            out.append(f" if (what_if::is({number}) && ({condition})) return;")
        for one in node.named_children:
            name, value = one.child_by_field_name("declarator"), one.child_by_field_name("value")
            if name is None or name.type != "identifier" or value is None or "threadIdx" not in text_of(value):
                continue
            for bound in self.bounds_at(node):
                condition = f"{text_of(name)} >= {bound}"
                number = self._add("guard", one, ("", f"if ({condition}) return;"))
                out.append(f" if (what_if::is({number}) && {condition}) return;")
        return out + self.one_of_two(node)

    def stays_and_stores(self, body: Node) -> None:
        """`if (i >= n) return; s[t] = d_in[i];` before a barrier: these threads stay, and store what adds nothing."""
        neutral = [other for _, other in self._neutral()][:1]
        for one in within(body) if self._on_device else ():
            condition, then = one.child_by_field_name("condition"), one.child_by_field_name("consequence")
            value = condition.child_by_field_name("value") if condition is not None else None
            stored = stored_element(one.next_named_sibling)
            if one.type != "if_statement" or then is None or value is None or stored is None:
                continue
            left, right = stored
            waits = b"__syncthreads()" in self._text[right.end_byte : body.end_byte]
            if waits and re.fullmatch(r"\{?\s*return;\s*\}?", text_of(then)):
                other = (*neutral, f"std::remove_cvref_t<decltype({short(left)})>{{}}")[0]
                now = f"{short(left)} = {short(value)} ? {(*neutral, '0')[0]} : {short(right)}"
                parts = [(value, "false"), (right, f"({short(value)}) ? {other} : {short(right)}")]
                self.at_once("stays", one, now, parts)

    def stored_first(self, node: Node) -> str:
        """`return;` before `x[i] = y[i] + z;`: x[i] = y[i] first, or 0, since each element must get a value."""
        body = self._function.node.child_by_field_name("body") if self._function is not None else None
        if body is None or not self._on_device or text_of(node) != "return;":
            return ""
        known = {one.name for one in self._variables if one.is_known(node)}
        out = ""
        for one in body.named_children:
            stored = stored_element(one) if one.start_byte > node.end_byte else None
            if stored is None or not names_of(stored[0]) <= known:
                continue
            left, index = short(stored[0]), short(stored[0]).partition("[")[2]
            kept = [short(part) for part in _operands(stored[1]) if part.type == "subscript_expression"]
            for value in [*dict.fromkeys(part for part in kept if part.partition("[")[2] == index), "0"]:
                number = self._add("stays", node, ("return;", f"{left} = {value}; return;"))
                out += f"if (what_if::is({number})) {left} = {'{}' if value == '0' else value}; "
        return out

    def _beyond_either(self, node: Node) -> Iterator[str]:
        """Behind the second of two indices: conditions by which threads leave that are beyond a grid's edges."""
        own = [one for one in self._integers_behind(node) if "threadIdx" in one.value]
        for one, other in combinations(own, 2):
            if one.is_known(node) and other.is_known(node):
                continue
            if axes_of(one).isdisjoint(axes_of(other)):
                for a, b in product(self.bounds_at(node), repeat=2):
                    yield f"{one.name} >= {a} || {other.name} >= {b}"

    def _integers_behind(self, node: Node) -> list[Variable]:
        """The integers that are known behind a declaration, its own among them."""
        known = [one for one in self._variables if one.is_known(node) or one.declaration == node.end_byte]
        return [one for one in known if one.type in INTEGERS and not one.depth]

    def gone_on(self, node: Node) -> str:
        """In a binary search, where it ends at an equal element: it goes on, to the first or the last of these."""
        loop = self._loops[-1] if self._loops else None
        found = self._ifs[-1] if self._ifs else None
        body = loop.child_by_field_name("body") if loop is not None else None
        asked = [one.child_by_field_name("condition") for one in (loop, found) if one is not None]
        if loop is None or found is None or body is None or not self._on_device or "==" not in short(asked[-1] or node):
            return ""
        ends = {text_of(one) for one in within(asked[0] or node) if one.type == "identifier"}
        if loop.type != "while_statement" or found.start_byte < body.start_byte:
            return ""
        steps = [one for one in within(body) if one.type == "expression_statement" and _moves(one, ends)]
        out = ""
        for step in dict.fromkeys(short(one) for one in steps):
            number = self._add("first_found", node, (short(node), f"{step} continue;"))
            out += f"if (what_if::is({number})) {{ {step} continue; }} "
        return out

    def one_of_two(self, node: Node) -> list[str]:
        """Behind two indices of different axes: the one leaves of two threads, or blocks, that have the same pair."""
        known = self._integers_behind(node)
        axes = {one.name: set(OF_GRID.findall(one.value)) for one in known}
        here = [one.name for one in known if one.declaration == node.end_byte and axes.get(one.name)]
        out = []
        for a, b in permutations(axes, 2):
            if b in here and axes[a] and axes[a].isdisjoint(axes[b]) and (a not in here or a < b):
                for condition in (f"{a} > {b}", f"{b} > {a}", f"{a} >= {b}", f"{b} >= {a}"):
                    number = self._add("halves", node, ("", f"if ({condition}) return;"))
                    out.append(f" if (what_if::is({number}) && {condition}) return;")
        return out


def _operands(node: Node) -> Iterator[Node]:
    """What an expression adds up or multiplies, without what it hands to functions."""
    if node.type in ("binary_expression", "parenthesized_expression"):
        for one in node.named_children:
            yield from _operands(one)
    else:
        yield node


def _moves(statement: Node, ends: set[str]) -> bool:
    """Whether it moves one of a search's two ends."""
    left = statement.named_children[0].child_by_field_name("left") if statement.named_children else None
    return left is not None and text_of(left) in ends
