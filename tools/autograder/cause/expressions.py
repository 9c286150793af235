"""Changes of expressions: comparisons, operators, indices."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from autograder.cause.bits import Bits
from autograder.cause.carried import Carried
from autograder.cause.choices import Choices, may_mean_other
from autograder.cause.conversions import cast
from autograder.cause.edges import Edges
from autograder.cause.layouts import Layouts
from autograder.cause.masks import Masks
from autograder.cause.missing import COLLECTIVE
from autograder.cause.names import BUILT_IN, MOST_PARAMETERS, integers_in
from autograder.cause.source import text_of
from autograder.cause.states import States
from autograder.cause.values import FIRST
from autograder.cause.writer import bracketed, on_one_line, short

# An operator's function in what_if.h and its alternatives, in their order there.
COMPARISONS = {
    "<": ("less", ("<=", ">", ">=")),
    "<=": ("less_equal", ("<", ">=", ">")),
    ">": ("greater", (">=", "<", "<=")),
    ">=": ("greater_equal", (">", "<=", "<")),
    "==": ("equal", ("!=", "<=", ">=")),
    "!=": ("not_equal", ("==", "<", ">")),
}
ARITHMETIC = {
    "+": ("plus", ("{a} - {b}", "{a} * {b}", "{a}")),
    "-": ("minus", ("{a} + {b}", "{b} - {a}", "{a}")),
    "*": ("times", ("{a} + {b}", "{a}", "{b}")),
    "/": ("over", ("{a} / {b}, rounded up", "{a} * {b}", "{a}")),
    "<<": ("shifted_left", ("{a} >> {b}", "{a} << ({b} + 1)")),
    ">>": ("shifted_right", ("{a} << {b}", "{a} >> ({b} + 1)")),
    "%": ("remainder", ("{a} / {b}", "{a}")),
    "&": ("bits_and", ("{a} | {b}", "{a}")),
    "|": ("bits_or", ("{a} & {b}", "{a} ^ {b}")),
    "^": ("bits_xor", ("{a} | {b}", "{a} & {b}")),
}


# What binds less tightly than one reads it, and what then binds first.
BINDS_LESS = {"+": ("*", "/", "%"), "-": ("*", "/", "%"), "<<": ("+", "-"), ">>": ("+", "-")}
BINDS_LESS |= dict.fromkeys("&|^", ("==", "!=", "<", "<=", ">", ">="))
COMPOUND = {"+=": "-=", "-=": "+=", "*=": "+=", "/=": "-=", "<<=": ">>=", ">>=": "<<="}
MOST_CONSTANTS, MOST_SIZES = 2, 4
NAMED = re.compile(r"k[A-Z]\w*")


def _is_part(comparison: Node) -> bool:
    """Whether it is one of several that are joined."""
    above = comparison.parent
    return above is not None and above.type == "binary_expression" and text_of(above.children[1]) in ("&&", "||")


def _is_of_loop(comparison: Node) -> bool:
    return comparison.parent is not None and comparison.parent.type == "for_statement"


class Expressions(Carried, States, Layouts, Choices, Edges, Bits, Masks):
    """Writes assignments, operators and subscripts."""

    def _assignment_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self._plain(node)
        between = self._text[left.end_byte : right.start_byte].decode()
        if (other := COMPOUND.get(between.strip())) and left.type == "identifier" and self._on_device:
            changed = f"{short(left)} {other} {short(right)}"
            number = self._add("arithmetic", node, (short(node), changed))
            usual = f"{self._target(self.write, left)}{between}{self.write(right)}"
            usual = self.combined(node, left, right, usual) if between.strip() == "+=" else usual
            if between.strip() == "+=" and not self.is_address(left):
                stored = f"{short(left)} = {short(right)}"
                usual = f"what_if::is({self._add('stored', node, (short(node), stored))}) ? ({stored}) : ({usual})"
            return f"(what_if::is({number}) ? ({changed}) : ({usual}))"
        is_stored = between.strip() == "="
        type_ = f"decltype({short(left)})"
        value = self._value(right, type_) if is_stored else self.write(right)
        if is_stored and FIRST.fullmatch(text_of(right)):
            value = self.element_for(right, value, type_, self.stored_beside(left))
        if is_stored and left.type == "identifier" and right.type != "initializer_list" and self._on_device:
            number = self._add("summed", node, (short(node), f"{short(left)} += {short(right)}"))
            value = f"what_if::summed({number}, {short(left)}, {value})"
        value = self.of_last_lane(node, right, value) if is_stored and left.type == "identifier" else value
        written = self._target(self.write, left) + between + value
        return self.gathered(node, left, right, written) if is_stored else written

    def _binary_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return self._plain(node)
        sign = text_of(operator)
        write = self._of_index if sign in COMPARISONS else self.write
        a, b = write(left), write(right)
        if sign in COMPARISONS:
            name, others = COMPARISONS[sign]
            one, two = short(left), short(right)
            wordings = [(f"{one} {sign} {two}", f"{one} {other} {two}") for other in others]
            number = self._add("comparison", node, *wordings)
            more = ""
            if self._has_unsigned:
                wording = f"{one} {sign} {two}", f"int({one}) {sign} int({two})"
                more = f", {self._add('comparison', node, wording)}"
            if may_mean_other(node, sign, left, right):
                number_of_other = self._add("unequal", node, (f"{one} {sign} {two}", f"{one} != {two}"))
                more = f"{more or ', -1'}, {number_of_other}"
            if right.type in ("identifier", "binary_expression", "number_literal") and text_of(right) != "nullptr":
                b = self._scaled(right, self._beside(right, b, "bound"), "bound", any_name=_is_of_loop(node))
                b = self._other_bound(node, right, b)
                a = self._less_a_constant(left, a) if sign in ("<", "<=", ">", ">=") else a
            text = self.inside_row(node, left, right, sign, f"what_if::{name}({number}, {a}, {b}{more})")
            if sign not in ("==", "!="):
                return text
            text = self.with_other_state(node, left, right, text)
            return text if _is_part(node) else self.with_places(node, text)
        if sign == "*" and not self._on_device:  # elements of an array that is too small, in bytes
            a = self._larger(left, a) if "sizeof" in text_of(right) else a
            b = self._larger(right, b) if "sizeof" in text_of(left) else b
        if sign in ARITHMETIC:
            name, patterns = ARITHMETIC[sign]
            words = {"a": bracketed(left), "b": bracketed(right)}
            number = self._add("arithmetic", node, *((short(node), one.format(**words)) for one in patterns))
            if sign in ("/", "%") and self._on_device:
                b = self.other_constant(right, b)
            if sign in ("/", "%") and left.type in ("identifier", "field_expression"):
                a = self.with_origin(left, a)
            if sign == "+":
                b = self._twice(left, right, b)
                a, b = self.with_factor(left, a), self.with_factor(right, b)
            if sign == "^":
                a, b = self._swizzled(left, a), self._swizzled(right, b)
            if sign == "*" and self._on_device:
                a, b = self._pitch(left, a), self._pitch(right, b)
            text = f"what_if::{name}({number}, {a}, {b})"
            text = self._converted(node, left, right, sign, self._never_negative(node, left, right, sign, text))
            text = self._exchanged(node, left, right, self._bracketed(node, left, right, sign, text))
            text = self.of_bits(node, left, right, sign, self.of_lanes(node, text))
            return self.in_order(node, left, right, self.by_operation(node, left, right, sign, text))
        if sign in ("&&", "||"):
            number = self._add("part_of_condition", node, (short(node), short(right)), (short(node), short(left)))
            add = "|| what_if::is({})" if sign == "&&" else "&& !what_if::is({})"
            text = f"((({a}) {add.format(number)}) {sign} (({b}) {add.format(number + 1)}))"
            text = self._compared_crosswise(node, left, right, text)
            if COLLECTIVE.search(text_of(right)) and self._on_device:
                other = f"{on_one_line(right)} {sign} {on_one_line(left)}"
                text = f"(what_if::is({self._add('in_branch', node, (short(node), other))}) ? ({other}) : {text})"
            return self.with_places(node, self.joined(node, left, right, sign, text))
        return self._plain(node)

    def _swizzled(self, node: Node, text: str) -> str:
        """x ^ y, where x ^ (y + k) is meant."""
        if node.type != "identifier" or not self._on_device:
            return text
        terms = self.integers_at(node)[:MOST_SIZES]
        return self._one_of("missing_term", "plus_one_of", node, text, terms, " + ", " - ")

    def _less_a_constant(self, node: Node, text: str) -> str:
        """first < n, where first + kTile < n is meant."""
        if node.type not in ("identifier", "binary_expression") or not self._on_device:
            return text
        constants = [one for one in self.constants_here() if one not in short(node)][:MOST_CONSTANTS]
        return self._one_of("missing_term", "plus_one_of", node, text, constants, " + ", " - ")

    def _never_negative(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """a % b that must not be below 0."""
        if sign != "%":
            return text
        a, b = bracketed(left), bracketed(right)
        if "unsigned" in f"{a} {b}":  # which is never below 0, and wraps at 2^32
            a, b = f"static_cast<int>({a})", f"static_cast<int>({b})"
        other = f"({a} % {b} + {b}) % {b}"
        number = self._add("negative_remainder", node, (short(node), other))
        return f"what_if::in_its_place({number}, {text}, {other})"

    def _converted(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """T(a) * b as T(a * b)."""
        type_, inner, value = cast(left)
        if not type_ or self._is_target or (inner is not None and self._is_enum(inner)):
            return text
        other = f"static_cast<{type_}>(({value}) {sign} {bracketed(right)})"
        number = self._add("conversion", node, (short(node), other))
        return f"what_if::in_its_place({number}, {text}, {other})"

    def _is_enum(self, node: Node) -> bool:
        """Whether it is a variable of a type that has a name of the program's own, and no template's."""
        known = [one for one in self._variables if one.name == text_of(node) and one.is_known(node)]
        return bool(known) and re.match(r"[A-Z]\w", known[-1].type) is not None

    def _pitch(self, node: Node, text: str) -> str:
        """What something is multiplied by, such as the length of a row: by one, or another integer."""
        if short(node) == "blockDim.x":  # of a block that has so many rows or warps
            return self._of_sizes(node, text, self.constants_before()[:MOST_SIZES])
        if node.type not in ("identifier", "field_expression") or short(node).partition(".")[0] in BUILT_IN:
            return text
        if node.type == "field_expression":
            text = self._other_integer(node, text)
        elif not self._in_index:
            text = self._of_index(node)
        return self._beside(node, self.other_constant(node, self.other_size(node, text)), "value")

    def _twice(self, size: Node, node: Node, text: str) -> str:
        """kTile + radius, where the file elsewhere has 2 * radius: there are two sides."""
        name = text_of(node)
        is_known = name in integers_in(node, self._variables) or NAMED.fullmatch(name)
        is_size = size.type == "number_literal" or NAMED.fullmatch(text_of(size))
        if not is_known or not is_size or not re.search(rf"\b2 \* {name}\b", self._text.decode()):
            return text
        number = self._add("both_sides", node, (name, f"2 * {name}"))
        return f"what_if::in_its_place({number}, {text}, 2 * {name})"

    def other_constant(self, node: Node, text: str) -> str:
        """kTile for kBlock, where an index is multiplied or divided."""
        if node.type != "identifier" or not NAMED.fullmatch(text_of(node)):
            return text
        local = {one.name for one in self._variables if not one.is_known(node)}
        others = [one for one in self.constants_here() if one != text_of(node) and one not in local]
        return self._of_sizes(node, text, others)

    def _of_sizes(self, node: Node, text: str, others: Sequence[str]) -> str:
        for other in others:
            number = self._add("size", node, (short(node), other))
            text = f"what_if::in_its_place({number}, {text}, {other})"
        return text

    def _bracketed(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """a + b / c as (a + b) / c, a * b + c as a * (b + c), and a & b == c as (a & b) == c."""
        if sign not in BINDS_LESS or self.is_address(left) or self.is_address(right) or not self._on_device:
            return text
        for part, is_right in ((left, False), (right, True)):
            if part.type == "binary_expression" and (inner := text_of(part.children[1])) in BINDS_LESS[sign]:
                a, b = short(part.children[0]), short(part.children[2])
                other = (
                    f"({short(left)} {sign} {a}) {inner} {b}"
                    if is_right
                    else f"{a} {inner} ({b} {sign} {short(right)})"
                )
                number = self._add("brackets", node, (short(node), other))
                text = f"what_if::in_its_place({number}, {text}, {f'int({other})' if inner in COMPARISONS else other})"
        return text

    def _other_bound(self, comparison: Node, bound: Node, text: str) -> str:
        """A loop's bound: one of the file's constants in its place."""
        if comparison.parent is None or comparison.parent.type != "for_statement" or not self._on_device:
            return text
        for other in [one for one in self.constants_before() if one != text_of(bound)][:MOST_PARAMETERS]:
            number = self._add("name", bound, (short(bound), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _subscript_expression(self, node: Node) -> str:
        indices = node.child_by_field_name("indices")
        base = node.child_by_field_name("argument")
        if indices is None or base is None or len(indices.named_children) != 1:
            return self._plain(node)
        index = indices.named_children[0]
        is_target, self._is_target = self._is_target, False
        array = self._other_target(node, base) if is_target else self._other_array(base)
        inner = self._beside(index, self._swapped(index, self._of_index(index)), "index")
        inner = self.clamped(index, self.with_term(index, self.with_factor(index, inner)))
        inner = self.reversed_index(index, self.with_unused(index, inner))
        self._is_target = is_target  # also of what stands behind the index: (x[i] < y ? a : b) = c
        text = f"{array}[{self._looked_up(base, index, self.mapped(base, index, inner))}]"
        return self.padded(node, self._turned(node, base, index, text))

    def _looked_up(self, base: Node, index: Node, text: str) -> str:
        """x[k] as x[indices[k]]."""
        if not self._on_device or index.type not in ("identifier", "binary_expression"):
            return text
        for other in [f"{one}[{short(index)}]" for one in self.arrays_in_fields(base)[:MOST_PARAMETERS]]:
            number = self._add("looked_up", index, (short(index), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        if index.type != "identifier":
            return text
        for name in [one for one in self.indices_at(index) if one != text_of(base)][:MOST_PARAMETERS]:
            other = f"{name}[{text_of(index)}]"
            number = self._add("looked_up", index, (text_of(index), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _pointer_expression(self, node: Node) -> str:
        """&x[i]: an address, which may be written to."""
        if not text_of(node).startswith("&"):
            return self._plain(node)
        return self._target(self._plain, node)

    def _update_expression(self, node: Node) -> str:
        return self._target(self._plain, node)
