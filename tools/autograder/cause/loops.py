"""Changes of loops: their steps in the reverse order."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.ends import Ends
from autograder.cause.source import text_of
from autograder.cause.writer import on_one_line, short

DEPENDS = re.compile(r"__sync|\.sync\(|<<<")  # one step reads what another has written
DISTANCE = re.compile(r"([*/]|<<|>>)=")
MOST_STEPS = 4096


class Loops(Ends):
    """Writes loops."""

    def in_reverse(self, node: Node, text: str) -> str:
        """A loop whose steps depend on each other, with the last step first."""
        parts = [node.child_by_field_name(name) for name in ("initializer", "condition", "update", "body")]
        if any(part is None for part in parts) or self._stays(node):
            return text
        first, condition, update, body = (part for part in parts if part is not None)
        if first.type != "declaration" or not (DISTANCE.search(text_of(update)) or DEPENDS.search(text_of(body))):
            return text
        has_pragma = self._text[: node.start_byte].rstrip().endswith(b"unroll")
        if has_pragma or "#" in text_of(body) or "," in text_of(first):
            return text
        head = f"for ({short(first)} {short(condition)}; {short(update)})"
        number = self._add("loop_order", node, (head, f"{head} in reverse order"))
        count = f"for ({short(first)} steps_ < {MOST_STEPS} && ({short(condition)}); {short(update)}) ++steps_;"
        again = f"{short(first)} for (int done_ = 0; done_ < steps_; ++done_) {short(update)};"
        reverse = f"int steps_ = 0; {count} while (--steps_ >= 0) {{ {again} {on_one_line(body)} }}"
        return f"if (what_if::is({number})) {{ {reverse} }} else {text}"
