"""Changes of choices, conditions and lists: the arms of `?:` and what stands in braces are values as any other."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.names import MOST_NAMES
from autograder.cause.source import text_of, within
from autograder.cause.values import VALUES, Values
from autograder.cause.writer import asked, on_one_line, short

_TYPE = (
    r"(?:static_cast<[\w: ]+>|[A-Za-z_]\w*(?:::\w+)*(?:<\w+>)?)"  # of a value that is made of nothing, or of a number
)
_NUMBER = r"-?\d[\d.]*[fFuUlL]*"
# What stands in for a value that does not exist: a number, in any type, or a value with a name of its own.
PADDING = re.compile(
    rf"{_NUMBER}|{_TYPE}\((?:{_NUMBER})?\)|{_TYPE}\{{(?:{_NUMBER})?\}}|\([\w: ]+\)\s*{_NUMBER}"
    r"|\w+<\w+>|\w+::(?:identity|last)\(\)|\w*(?:INT|FLT)\w*_M(?:AX|IN)"
)
CONSTANT = re.compile(r"\d+[uUlL]*|k[A-Z]\w*|[A-Z]")
ASKS = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
LOOPS = ("for_statement", "while_statement", "do_statement")
REAL = re.compile(r"\d*\.\d*[fF]?|\d+(\.\d*)?[fF]")
COMBINED = re.compile(r"[)}](\.\w+)?$")  # Op()(a, b), Op{}(a, b): what calls it is no name


def elements_in(node: Node) -> list[Node]:
    """The elements that an expression adds, combines or converts; not those that an index is made of."""
    if node.type == "subscript_expression":
        return [node]
    arguments = node.child_by_field_name("arguments") if node.type == "call_expression" else None
    parts = arguments.named_children if arguments is not None else node.named_children
    combined = ("binary_expression", "call_expression", "cast_expression", "parenthesized_expression")
    return [element for part in parts for element in elements_in(part)] if node.type in combined else []


def _above(node: Node, *parts: str) -> str:
    """The type of what a condition belongs to. `parts`: types of what it may be a part of."""
    above = node.parent
    while above is not None and above.type in ("parenthesized_expression", "condition_clause", *parts):
        above = above.parent
    return above.type if above is not None else ""


def may_mean_other(comparison: Node, sign: str, left: Node, right: Node) -> bool:
    """Whether `>` or `<` may stand for `!=`: of values and numbers, or of two values. No loop ends so."""
    if sign not in ("<", ">") or _above(comparison, "binary_expression") in LOOPS:
        return False
    are_elements = left.type == right.type == "subscript_expression"
    return are_elements or any(PADDING.fullmatch(text_of(one)) for one in (left, right))


def is_condition(node: Node) -> bool:
    """Whether an operator asks something."""
    return node.type == "binary_expression" and text_of(node.children[1]) in ASKS


class Choices(Values):
    """Writes what is chosen or listed."""

    def _conditional_expression(self, node: Node) -> str:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        if any(part is None for part in parts):
            return self._plain(node)
        condition_, yes, no = (part for part in parts if part is not None)
        text = short(condition_)
        swapped = f"{text} ? {short(no)} : {short(yes)}"
        number = self._add("choice", node, (short(node), short(yes)), (short(node), short(no)), (short(node), swapped))
        condition = f"({asked(number, self._not_as_target(condition_))})"
        return f"({condition} ? {self._arm(yes, no)} : {self._arm(no, yes)})"

    def _true(self, node: Node) -> str:
        """true for false, where it is given or stored."""
        text, above = text_of(node), _above(node)
        if above not in ("argument_list", "return_statement", "init_declarator", "assignment_expression"):
            return text
        other = "false" if text == "true" else "true"
        return f"({text} != what_if::is({self._add('flag', node, (text, other))}))"

    _false = _true

    def _not_as_target(self, node: Node) -> str:
        """What is asked where something is stored to the one or the other."""
        is_target, self._is_target = self._is_target, False
        text = self.write(node)
        self._is_target = is_target
        return text

    def _arm(self, node: Node, other: Node) -> str:
        """An arm of a choice. Its type stays, or that of the choice would be another one."""
        text = text_of(node)
        if PADDING.fullmatch(text) and not PADDING.fullmatch(text_of(other)) and self._on_device:
            padded = self._first("padding", node, text, f"decltype({short(other)})")
            parts = elements_in(other) if other.type != "subscript_expression" else []  # or nothing is chosen
            return self.element_for(node, padded, f"decltype({short(other)})", parts)
        if node.type == "number_literal" and (text in ("0", "1") or REAL.fullmatch(text)):
            return text
        return self._part(node, self._of_index(node) if node.type == "identifier" else self.write(node))

    def _part(self, node: Node, text: str) -> str:
        """A value that is a part of another one: one more, one less, with a term, a limit or a factor."""
        if node.type not in VALUES or self._is_target or self._is_no_integer(node):
            return text
        return self._incomplete(node, self._scaled(node, self._beside(node, text), "value"))

    def _is_no_integer(self, node: Node) -> bool:
        """Whether it is known to be an address or a fraction, or what an operator makes of two values."""
        name = text_of(node)
        if node.type == "call_expression":
            return COMBINED.search(text_of(node.children[0])) is not None
        if node.type == "number_literal":
            return REAL.fullmatch(name) is not None
        known = [one for one in self._variables if one.name == name and one.is_known(node)]
        return any(one.depth > 0 or one.type in ("float", "double", "bool") for one in known)

    def element_for(self, node: Node, text: str, type_: str, elements: list[Node]) -> str:
        """A constant: an element that the same choice names in its place, as if a sum has but one of its parts."""
        plain = f"std::remove_cvref_t<{type_}>"
        for one in elements[:MOST_NAMES]:
            number = self._add("element", node, (short(node), short(one)))
            text = f"(what_if::is({number}) ? static_cast<{plain}>({short(one)}) : static_cast<{plain}>({text}))"
        return text

    def _initializer_list(self, node: Node) -> str:
        """Values of a struct or a table."""
        return self._plain(node, self._listed_value)

    def _listed_value(self, node: Node) -> str:
        if not node.is_named or node.type not in VALUES:
            return self.write(node)
        if not CONSTANT.fullmatch(text_of(node)):
            return self._part(node, self.write(node))
        if node.parent is not None and len(node.parent.named_children) < 2 and node.type == "number_literal":
            return text_of(node)  # {0} clears all of a table
        changed = self._beside(node, text_of(node))
        changed = self.with_limit(node, changed) if node.type == "identifier" else changed
        return f"what_if::listed({changed})"  # a constant may become any type of numbers, a value may not

    def stored_beside(self, target: Node) -> list[Node]:
        """The elements that the same `if ... else if ...` stores to this target in its other branches."""
        if not self._ifs or not self._on_device:
            return []
        chain = self._ifs[-1]
        while chain.parent is not None and chain.parent.type == "else_clause" and chain.parent.parent is not None:
            chain = chain.parent.parent
        found: dict[str, Node] = {}
        for one in within(chain):
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            if one.type != "assignment_expression" or left is None or right is None or left == target:
                continue
            if short(left) == short(target):
                found |= {short(part): part for part in elements_in(right)}
        return list(found.values())

    def joined(self, node: Node, left: Node, right: Node, sign: str, text: str) -> str:
        """a && b as a || b, and where b is asked only if a holds: !a || b. Of a loop's condition, they never end."""
        if _above(node) in (*LOOPS, "binary_expression"):
            return text
        a, b = f"({on_one_line(left)})", f"({on_one_line(right)})"
        others = [f"{a} || {b}", f"!{a} || {b}"] if sign == "&&" else [f"{a} && {b}"]
        number = self._add("joined", node, *((short(node), one) for one in others))
        for at, other in enumerate(others):
            text = f"(what_if::is({number + at}) ? ({other}) : {text})"
        return text
