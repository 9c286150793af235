"""Changes of expressions: comparisons, operators, indices, values, names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from autograder.cause.source import text_of
from autograder.cause.variables import Variable
from autograder.cause.writer import Writer, asked, bracketed, short

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
BUILT_IN = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
AXES = {"x": "y", "y": "x", "z": "x"}
OTHER = {"min": "max", "max": "min", "std::min": "std::max", "std::max": "std::min"}
OTHER |= {"__shfl_up_sync": "__shfl_down_sync", "__shfl_down_sync": "__shfl_up_sync"}
OTHER |= {"shuffle_up": "shuffle_down", "shuffle_down": "shuffle_up"}
COPIES = ("cudaMemcpy", "cudaMemset", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol")
MOST_NAMES = 4  # other variables that are tried in one place


class Expressions(Writer):
    """Writes expressions."""

    def _value(self, node: Node) -> str:
        """A value that is stored: another first value, or one beside it."""
        inner = self.write(node)
        text = text_of(node)
        if re.fullmatch(r"[01](\.0?f?)?|T(\{\}|\(0?\))", text):
            if text[0] != "T":
                number = self._add("first_value", node, (text, "0"), (text, "1"))
                inner = f"what_if::first_value({number}, {inner})"
            if self._function is not None and re.search(r"\bclass Op\b|\btypename Op\b", self._function.head):
                number = self._add("first_value", node, (text, "Op::identity()"))
                inner = f"(what_if::is({number}) ? Op::identity() : {inner})"
            return inner
        if node.type in (
            "identifier",
            "number_literal",
            "binary_expression",
            "call_expression",
            "parenthesized_expression",
        ):
            return self._beside(node, inner)
        return inner

    def _beside(self, node: Node, inner: str, kind: str = "value") -> str:
        text = short(node)
        number = self._add(kind, node, (text, f"{bracketed(node)} + 1"), (text, f"{bracketed(node)} - 1"))
        return f"what_if::beside({number}, {inner})"

    def _assignment_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self._plain(node)
        between = self._text[left.end_byte : right.start_byte].decode()
        value = self._value(right) if between.strip() == "=" else self.write(right)
        return self._target(self.write, left) + between + value

    def _binary_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return self._plain(node)
        sign, a, b = text_of(operator), self.write(left), self.write(right)
        if sign in COMPARISONS:
            name, others = COMPARISONS[sign]
            one, two = short(left), short(right)
            wordings = [(f"{one} {sign} {two}", f"{one} {other} {two}") for other in others]
            wordings.append((f"{one} {sign} {two}", f"int({one}) {sign} int({two})"))
            number = self._add("comparison", node, *wordings)
            if right.type in ("identifier", "binary_expression", "number_literal") and text_of(right) != "nullptr":
                b = self._beside(right, b, "bound")
            return f"what_if::{name}({number}, {a}, {b})"
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
        return f"{array}[{self._beside(index, self.write(index), 'index')}]"

    def _other_array(self, node: Node) -> str:
        """An array that is read: another one of its type."""
        text = self.write(node)
        for other in self._like(node)[:MOST_NAMES] if self._on_device else []:
            number = self._add("name", node, (text_of(node), other.name))
            text = f"(what_if::is({number}) ? {other.name} : {text})"
        return text

    def _like(self, node: Node) -> list[Variable]:
        """Other variables of the same type that are known here; not numbers for arrays."""
        known = {one.name: one for one in self._variables if one.at <= node.start_byte}
        own = known.get(text_of(node)) if node.type == "identifier" else None
        if own is None:
            return []
        same = (one for one in known.values() if one.type == own.type and one.depth == own.depth)
        return [one for one in same if one.name != own.name]

    def _conditional_expression(self, node: Node) -> str:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        if any(part is None for part in parts):
            return self._plain(node)
        condition_, yes, no = (part for part in parts if part is not None)
        text = short(condition_)
        swapped = f"{text} ? {short(no)} : {short(yes)}"
        number = self._add("choice", node, (short(node), short(yes)), (short(node), short(no)), (short(node), swapped))
        condition = f"({asked(number, self.write(condition_))})"
        return f"({condition} ? {self._same(yes)} : {self._same(no)})"

    def _same(self, node: Node) -> str:
        """An arm of a choice. A changed one may have another type, so numbers stay as they are."""
        return text_of(node) if node.type == "number_literal" else self.write(node)

    def _pointer_expression(self, node: Node) -> str:
        """&x[i]: an address, which may be written to."""
        if not text_of(node).startswith("&"):
            return self._plain(node)
        return self._target(self._plain, node)

    def _update_expression(self, node: Node) -> str:
        return self._target(self._plain, node)

    def _field_expression(self, node: Node) -> str:
        of, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if of is None or name is None or text_of(of) not in BUILT_IN:
            return self._plain(node)
        built_in, axis = text_of(of), text_of(name)
        others = [f"{BUILT_IN[built_in]}.{axis}"]
        if axis in AXES:
            others.append(f"{built_in}.{AXES[axis]}")
        if built_in == "blockDim":
            others.append(f"(gridDim.{axis} * blockDim.{axis})")
        number = self._add("thread_index", node, *((text_of(node), other) for other in others))
        text = text_of(node)
        for at, other in enumerate(others):
            text = f"(what_if::is({number + at}) ? {other} : {text})"
        return text

    def _call_expression(self, node: Node) -> str:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self._plain(node)
        given = [one for one in arguments.named_children if one.type != "comment"]
        name = re.sub(r"<.*", "", text_of(function), flags=re.DOTALL)
        if any(child.type == "kernel_call_syntax" for child in node.children) or name.removesuffix("Async") in COPIES:
            return self.of_runtime(node, name, given)
        written = [self._argument(name, one) for one in given]
        text = f"{self.write(function)}({', '.join(written)})"
        if name in OTHER:
            other = text_of(node).replace(name, OTHER[name], 1)
            number = self._add("function", node, (short(node), " ".join(other.split())))
            return f"(what_if::is({number}) ? {' '.join(other.split())} : {text})"
        if re.fullmatch(r"op|\w*(Op|Order)\(\)(\.\w+)?", name) and len(given) == 2:
            other = f"{text_of(function)}({short(given[1])}, {short(given[0])})"
            number = self._add("operands", node, (short(node), other))
            return f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _argument(self, name: str, node: Node) -> str:
        inner = self.write(node)
        is_number = node.type == "number_literal" and not text_of(node).lower().startswith("0x")
        if is_number or node.type == "binary_expression" or name in ("ceil_div", "work.get"):
            return self._beside(node, inner, "argument") if node.type != "lambda_expression" else inner
        return inner

    def _lambda_expression(self, node: Node) -> str:
        return text_of(node)

    def of_runtime(self, node: Node, name: str, given: Sequence[Node]) -> str:
        """A launch or a copy: see Launches."""
        return self._plain(node)
