"""Changes of branches: conditions, and votes and shuffles that not all lanes reach."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.everywhere import Everywhere
from autograder.cause.loops import Loops
from autograder.cause.missing import COLLECTIVE
from autograder.cause.source import text_of, within
from autograder.cause.writer import asked, on_one_line, short

VOTE = re.compile(r"(__(?:ballot|any)_sync)\(")
MOST_HOISTED = 2


class Branches(Everywhere, Loops):
    """Writes ifs."""

    def _if_statement(self, node: Node) -> str:
        if "constexpr" in text_of(node).split("(")[0]:
            condition = node.child_by_field_name("condition")
            return self._plain(node, lambda child: text_of(child) if child == condition else self.write(child))
        self._ifs.append(node)
        before, (again, end) = self._before_branch(node), self.repetition(node)
        text = self._plain(node, lambda child: self._branch(node, child)) + self.otherwise(node)
        text = f"{again}{self.again_by_threads(node)}{text}{self.done_again(node)}{end}"
        self._ifs.pop()
        return f"{{ {before}{text} }}" if before else text

    def _branch(self, parent: Node, child: Node) -> str:
        if child == parent.child_by_field_name("condition"):
            return self._condition(child)
        if child == parent.child_by_field_name("consequence") and child.type == "return_statement":
            return f"{{ {self.write(child)} }}"
        return self.write(child)

    def _condition(self, node: Node) -> str:
        value = node.child_by_field_name("value")
        declares = node.child_by_field_name("initializer") is not None
        if value is None or declares or value.type == "declaration" or self._stays(value):
            return self._plain(node)
        text = text_of(value)
        ways = (text, "true"), (text, "false"), (text, f"!({text})")
        number = self._add("condition", value, *ways, decides=node.parent)
        about = node.parent if node.parent is not None and node.parent.type == "if_statement" else node
        written = self.with_part(value, about, self.write)
        changed = self._only_if_tried(value, number, asked(number, written))
        before, after = value.start_byte - node.start_byte, value.end_byte - node.start_byte
        whole = node.text or b""
        return whole[:before].decode() + changed + whole[after:].decode()

    def _before_branch(self, node: Node) -> str:
        """What is declared before an if, where a vote or a shuffle inside it may be made by all lanes."""
        condition, done = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        value = condition.child_by_field_name("value") if condition is not None else None
        if value is None or done is None or not self._on_device or self._stays(node) or "constexpr" in text_of(node):
            return ""
        if value.type == "declaration" or (condition and condition.child_by_field_name("initializer") is not None):
            return ""
        out = ""
        for call in [one for one in within(done) if self._may_be_hoisted(one, node, done)][:MOST_HOISTED]:
            given = short(call)
            if vote := VOTE.match(given):  # lanes for which the condition does not hold have no vote
                mask, _, votes = given[vote.end() : -1].partition(", ")
                given = f"{vote[0]}{mask}, ({on_one_line(value)}) && ({votes}))"
            was = f"if ({short(value)}) ... {short(call)}"
            number = self._add("in_branch", call, (was, f"{given}, before the if"))
            self._instead.setdefault((call.start_byte, call.end_byte), []).append((number, f"hoisted_{number}"))
            plain = f"std::remove_cvref_t<decltype({short(call)})>"
            kept = self._kept_before(call, node)  # lanes that do not come here keep it as well
            out += f"{plain} hoisted_{number}{{}}; if (what_if::is({number})) {kept}hoisted_{number} = {given}; "
        return out

    def _kept_before(self, call: Node, node: Node) -> str:
        """`votes = ` if that is where a vote is stored, and was known before the if."""
        assignment = call.parent
        left = assignment.child_by_field_name("left") if assignment is not None else None
        if left is None or assignment is None or assignment.type != "assignment_expression" or left == call:
            return ""
        is_known = any(one.name == text_of(left) and one.is_known(node) for one in self._variables)
        return f"{text_of(left)} = " if is_known and text_of(assignment.children[1]) == "=" else ""

    def _may_be_hoisted(self, call: Node, node: Node, done: Node) -> bool:
        """Whether it is a vote or a shuffle of what is known before the if, of which this is the innermost."""
        if (
            call.type != "call_expression"
            or not COLLECTIVE.match(text_of(call))
            or re.search(r"[\[=]|\+\+|--", text_of(call))
        ):
            return False
        above = call.parent
        while above is not None and above != node:
            if above.type in ("if_statement", "for_statement", "while_statement", "lambda_expression"):
                return False
            above = above.parent
        names = {text_of(one) for one in within(call) if one.type == "identifier"}
        return not any(one.name in names and done.start_byte <= one.at < done.end_byte for one in self._variables)
