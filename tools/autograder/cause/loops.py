"""Changes of loops: their steps in the reverse order."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.accumulations import DISTANCE, LEAVES
from autograder.cause.source import stored_element, text_of, within
from autograder.cause.writer import Writer, on_one_line, short

DEPENDS = re.compile(r"__sync|\.sync\(|<<<")  # one step reads what another has written
MOST_STEPS = 4096


def _moves(first: Node, update: Node) -> tuple[str, str]:
    """What moves the loop's variable on, and what else is done after each step; "": it is not clear."""
    parts = [update]
    while parts[0].type == "comma_expression":
        parts[:1] = parts[0].named_children
    declared = {text_of(one) for one in within(first) if one.type == "identifier"}
    moving = [one for one in parts if declared & {text_of(name) for name in within(one) if name.type == "identifier"}]
    if len(moving) != 1:
        return "", ""
    return short(moving[0]), " ".join(f"{short(one)};" for one in parts if one != moving[0])


def _first_parts(node: Node) -> list[str]:
    """What is asked first in `a && b`, which says that there is an element; else nothing is."""
    condition = node.child_by_field_name("condition")
    value = condition.child_by_field_name("value") if condition is not None else None
    if value is not None and value.type == "binary_expression" and text_of(value.children[1]) == "&&":
        return [on_one_line(value.children[0]), "true"]
    return ["true"]


def _stored_if(node: Node) -> tuple[Node, Node] | None:
    """The element that an if without an else stores, and its value, if it does nothing else."""
    done = node.child_by_field_name("consequence") if node.type == "if_statement" else None
    while done is not None and done.type == "compound_statement" and len(done.named_children) == 1:
        done = done.named_children[0]
    if done is None or node.child_by_field_name("alternative") is not None:
        return None
    return stored_element(done)


class Loops(Writer):
    """Writes loops."""

    def otherwise(self, node: Node) -> str:
        """`if (c) x[i] = a + b;` with an else that keeps one of the two, or 0: all elements must get a value."""
        element = _stored_if(node)
        if element is None or self._stays(node) or not self._on_device:
            return ""
        left, right = element
        kept = [right.children[0], right.children[2]] if right.type == "binary_expression" else []
        ways = [("true", short(one)) for one in kept if "=" not in text_of(right)]
        ways += [(asked, "0") for asked in _first_parts(node)] if short(right) != "0" else []
        out, beside = "", node.next_named_sibling
        both = self._second.pop(node.start_byte, [])
        if beside is not None and (next_ := _stored_if(beside)) and not self._stays(beside):
            now = f"else {short(left)} = 0; and the same for {short(next_[0])}"
            both = [*both, number := self._add("missing_else", node, ("", now))]
            self._second.setdefault(beside.start_byte, []).append(number)
        for number in both:
            out += f" else if (what_if::is({number})) {{ {short(left)} = {{}}; }}"
        for asked, value in ways:
            other = f"if ({asked}) {short(left)} = {value};".removeprefix("if (true) ")
            number = self._add("missing_else", node, ("", f"else {other}"))
            stored = "{}" if value == "0" else value  # of any type
            out += f" else if (what_if::is({number}) && ({asked})) {{ {short(left)} = {stored}; }}"
        return out

    def done_again(self, node: Node) -> str:
        """Behind `if (c) ...`: the same as a loop, until c no longer holds."""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        value = condition.child_by_field_name("value") if condition is not None else None
        if not self._on_device or value is None or body is None or self._stays(node):
            return ""
        if (
            node.child_by_field_name("alternative") is not None
            or LEAVES.search(text_of(body))
            or "<<<" in text_of(body)
        ):
            return ""
        names = {text_of(one) for one in within(value) if one.type == "identifier"}
        changed = [one for one in within(body) if one.type in ("assignment_expression", "update_expression")]
        targets = {text_of(one.named_children[0]) for one in changed if one.named_children}
        if not names & targets:  # it would never end
            return ""
        number = self._add("once", node, (f"if ({short(value)})", f"while ({short(value)})"))
        return f" while (what_if::is({number}) && ({short(value)})) {{ {on_one_line(body)} }}"

    def remaining(self, node: Node) -> str:
        """Behind `while (a < a_end && b < b_end)`: loops over what is left of either."""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        value = condition.child_by_field_name("value") if condition is not None else None
        if value is None or body is None or value.type != "binary_expression" or not self._on_device:
            return ""
        if text_of(value.children[1]) != "&&" or self._stays(node):
            return ""
        out = ""
        for part in (value.children[0], value.children[2]):
            index = re.match(r"\w+", text_of(part))
            steps = [
                one
                for one in within(body)
                if one.type == "expression_statement" and index and re.search(rf"\b{index[0]}\s*\+\+", text_of(one))
            ]
            if len(steps) == 1:
                loop = f"while ({short(part)}) {on_one_line(steps[0])}"
                number = self._add("remaining", node, ("", loop))
                out += f" while (what_if::is({number}) && ({short(part)})) {{ {on_one_line(steps[0])} }}"
        return out

    def in_reverse(self, node: Node, text: str) -> str:
        """A loop whose steps depend on each other, with the last step first."""
        parts = [node.child_by_field_name(name) for name in ("initializer", "condition", "update", "body")]
        if any(part is None for part in parts) or self._stays(node):
            return text
        first, condition, update, body = (part for part in parts if part is not None)
        if first.type not in ("declaration", "assignment_expression") or not (
            DISTANCE.search(text_of(update)) or DEPENDS.search(text_of(body))
        ):
            return text
        has_pragma = self._text[: node.start_byte].rstrip().endswith(b"unroll")
        if has_pragma or "#" in text_of(body) or "," in text_of(first):
            return text
        begin = short(first).rstrip(";") + ";"
        head = f"for ({begin} {short(condition)}; {short(update)})"
        number = self._add("loop_order", node, (head, f"{head} in reverse order"))
        moves, others = _moves(first, update)
        if not moves:
            return text
        count = f"for ({begin} steps_ < {MOST_STEPS} && ({short(condition)}); {moves}) ++steps_;"
        again = f"{begin} for (int done_ = 0; done_ < steps_; ++done_) {moves};"
        reverse = f"int steps_ = 0; {count} while (--steps_ >= 0) {{ {again} {on_one_line(body)} {others} }}"
        if first.type != "declaration":  # the variable is then what it is behind the last step
            reverse += f" for ({begin} {short(condition)}; {moves}) {{}}"
        return f"if (what_if::is({number})) {{ {reverse} }} else {text}"
