"""Changes of expressions: comparisons, operators, indices."""

from __future__ import annotations

from tree_sitter import Node

from autograder.cause.source import text_of
from autograder.cause.values import Values
from autograder.cause.writer import bracketed, short

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


class Expressions(Values):
    """Writes assignments, operators and subscripts."""

    def _assignment_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self._plain(node)
        between = self._text[left.end_byte : right.start_byte].decode()
        is_stored = between.strip() == "="
        value = self._value(right, f"decltype({short(left)})") if is_stored else self.write(right)
        return self._target(self.write, left) + between + value

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
            signed = ""
            if self._has_unsigned:
                wording = f"{one} {sign} {two}", f"int({one}) {sign} int({two})"
                signed = f", {self._add('comparison', node, wording)}"
            if right.type in ("identifier", "binary_expression", "number_literal") and text_of(right) != "nullptr":
                b = self._scaled(right, self._beside(right, b, "bound"), "bound")
            return f"what_if::{name}({number}, {a}, {b}{signed})"
        if sign in ARITHMETIC:
            name, patterns = ARITHMETIC[sign]
            words = {"a": bracketed(left), "b": bracketed(right)}
            number = self._add("arithmetic", node, *((short(node), one.format(**words)) for one in patterns))
            text = f"what_if::{name}({number}, {a}, {b})"
            return self._exchanged(node, left, right, text) if sign == "+" else text
        if sign in ("&&", "||"):
            number = self._add("part_of_condition", node, (short(node), short(right)), (short(node), short(left)))
            add = "|| what_if::is({})" if sign == "&&" else "&& !what_if::is({})"
            return f"((({a}) {add.format(number)}) {sign} (({b}) {add.format(number + 1)}))"
        return self._plain(node)

    def _exchanged(self, node: Node, left: Node, right: Node, text: str) -> str:
        """x * height + y: rows and columns exchanged, with another size."""
        parts = [left.child_by_field_name(name) for name in ("left", "operator", "right")]
        if (
            left.type != "binary_expression"
            or parts[1] is None
            or text_of(parts[1]) != "*"
            or right.type != "identifier"
        ):
            return text
        for factor, old in ((parts[0], parts[2]), (parts[2], parts[0])):
            if factor is None or old is None or factor.type != "identifier" or text_of(factor) in self._bounds:
                continue
            for size in self._bounds:
                other = f"{text_of(right)} * {size} + {text_of(factor)}"
                # All of a function at once: they are wrong together.
                key = self._function.label if self._function else "", text_of(old), size
                if key not in self._layouts:
                    self._layouts[key] = self._add("layout", node, (short(node), other))
                self._again.append((self._layouts[key], len(self.changes)))
                text = f"(what_if::is({self._layouts[key]}) ? {other} : {text})"
        return text

    def _subscript_expression(self, node: Node) -> str:
        indices = node.child_by_field_name("indices")
        base = node.child_by_field_name("argument")
        if indices is None or base is None or len(indices.named_children) != 1:
            return self._plain(node)
        index = indices.named_children[0]
        is_target, self._is_target = self._is_target, False
        array = self.write(base) if is_target else self._other_array(base)
        return f"{array}[{self._beside(index, self._of_index(index), 'index')}]"

    def _of_index(self, node: Node) -> str:
        """What an index or a comparison is made of."""
        before, self._in_index = self._in_index, True
        text = self.write(node)
        self._in_index = before
        return text

    def _pointer_expression(self, node: Node) -> str:
        """&x[i]: an address, which may be written to."""
        if not text_of(node).startswith("&"):
            return self._plain(node)
        return self._target(self._plain, node)

    def _update_expression(self, node: Node) -> str:
        return self._target(self._plain, node)
