"""Changes of names: another variable of the same type in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from autograder.cause.fields import Fields
from autograder.cause.source import text_of, within
from autograder.cause.variables import Variable
from autograder.cause.writer import short

BUILT_IN = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
AXES = {"x": "y", "y": "x", "z": "x"}
OF_GRID = "(blockIdx.{0} * blockDim.{0} + threadIdx.{0})"
OF_THREAD = re.compile(r"(?:thread|block)Idx\.([xyz])")
_BUILT_IN = r"(?:(?:thread|block)Idx|(?:block|grid)Dim)\.[xyz]"
MADE_OF = re.compile(rf"{_BUILT_IN}(?: [-+*] {_BUILT_IN})+")
INTEGERS = ("int", "unsigned", "unsigned int", "long long", "size_t", "std::size_t")
MOST_NAMES, MOST_PARAMETERS, MOST_OWNERS = 4, 3, 2  # other variables that are tried in one place
COMPARES = ("<", "<=", ">", ">=", "==", "!=")
LANES = "32"  # threads of a warp
MADE_OF_NAMES = ("binary_expression", "argument_list", "return_statement")  # values, beside indices


def integers_in(node: Node, variables: Sequence[Variable]) -> set[str]:
    """The integers that an expression names."""
    names = {text_of(one) for one in within(node) if one.type == "identifier"}
    return {
        one.name
        for one in variables
        if one.name in names and one.depth == 0 and one.type in INTEGERS and one.is_known(node)
    }


def exchanged_names(text: str, one: str, other: str) -> str:
    """The text with two variables in each other's place; a field of the same name stays."""
    places = {one: other, other: one}
    return re.sub(r"(?<![.\w])[A-Za-z_]\w*", lambda name: places.get(name[0], name[0]), text)


def compared_with(node: Node) -> str:
    """What a sum or product is compared with that this is a part of; "": it is in no comparison.

    Compared with itself, it would always say the same.
    """
    below = node
    while below.parent is not None and below.parent.type in ("binary_expression", "parenthesized_expression"):
        above = below.parent
        if above.type == "binary_expression" and text_of(above.children[1]) in COMPARES:
            return text_of(above.children[2] if below == above.children[0] else above.children[0])
        below = above
    return ""


class Names(Fields):
    """Writes identifiers, fields and the built-in indices."""

    def is_address(self, node: Node) -> bool:
        """Whether it is a pointer, or a pointer and what is added to it."""
        if node.type in ("binary_expression", "parenthesized_expression"):
            return any(self.is_address(one) for one in node.named_children)
        known = [one for one in self._variables if one.name == text_of(node) and one.is_known(node)]
        is_field = not known and re.match(r"[ds]_", text_of(node)) is not None
        return node.type == "identifier" and (is_field or any(one.depth for one in known))

    def _like(self, node: Node) -> list[Variable]:
        """Other variables of the same type that are known here; not numbers for arrays."""
        known = {one.name: one for one in self._variables if one.is_known(node)}
        own = known.get(text_of(node)) if node.type == "identifier" else None
        if own is None or own.type == "auto":
            return []
        kind = own.type, own.depth, own.row
        same = [one for one in known.values() if (one.type, one.depth, one.row) == kind]
        others = [one for one in reversed(same) if one.name != own.name]
        return sorted(
            others, key=lambda one: one.declaration != own.declaration
        )  # what is declared together is mixed up

    def integers_at(self, node: Node) -> list[str]:
        """The integers that are known here and that this expression does not name, the latest first."""
        own = {text_of(one) for one in within(node) if one.type == "identifier"}
        known = [one for one in self._variables if one.depth == 0 and one.type in INTEGERS and one.is_known(node)]
        return [one for one in dict.fromkeys(one.name for one in reversed(known)) if one not in own]

    def indices_at(self, node: Node) -> list[str]:
        """The arrays of integers that are known here and only read: they may hold indices or offsets."""
        known = [one for one in self._variables if one.depth == 1 and one.type in INTEGERS and one.is_known(node)]
        return [one.name for one in known if one.is_const]

    def _of_threads(self, node: Node) -> list[Variable]:
        """Indices that were made of the thread's, and are known here."""
        known = [one for one in self._variables if one.depth == 0 and one.type in INTEGERS and one.is_known(node)]
        return [one for one in reversed(known) if "threadIdx" in one.value][:MOST_PARAMETERS]

    def _other_array(self, node: Node) -> str:
        """An array that is read: another one of its type."""
        text = self.write(node)
        for other in self._like(node)[:MOST_NAMES] if self._on_device else []:
            number = self._add("name", node, (text_of(node), other.name))
            text = f"(what_if::is({number}) ? {other.name} : {text})"
        return text

    def _other_target(self, node: Node, base: Node) -> str:
        """An array that is written to: another one of its type, which may be a field."""
        text, above = self.write(base), node.parent
        if above is None or above.type != "assignment_expression" or base.type != "identifier" or not self._on_device:
            return text
        for other in [one.name for one in self._like(base) if one.depth == 1 and not one.is_const][:MOST_OWNERS]:
            number = self._add("name", base, (text_of(base), other))
            text = f"(what_if::is({number}) ? {other} : {text})"
        for field in self.arrays_at(base)[:MOST_OWNERS]:
            number = self._add("name", base, (text_of(base), field))
            text = f"what_if::in_its_place({number}, {text}, {field})"
        return text

    def _identifier(self, node: Node) -> str:
        """A variable of which a value, an index or a comparison is made: another one of its type."""
        text, above = text_of(node), node.parent
        if self._is_target or not self._on_device or above is None:
            return text
        if not self._in_index and above.type not in MADE_OF_NAMES:
            return text
        others = self._like(node)
        if above.type == "argument_list":  # it may be a reference to a variable
            others = [one for one in others if not one.is_const]
        parameters = [one for one in others if one.name in self._parameters][:MOST_PARAMETERS]
        names = [one.name for one in [*others[:MOST_NAMES], *parameters] if one.depth == 0]
        beside = above if above.type == "binary_expression" else None
        if re.fullmatch(r"k[A-Z]\w*", text) and beside and text_of(beside.children[1]) in ("<", "<=", ">", ">="):
            names = self.integers_at(beside)[:MOST_NAMES]  # a constant as a bound
        known, other_side = {one.name: one for one in others}, compared_with(node)
        for name in dict.fromkeys(one for one in names if one != other_side):
            kind = self.name_kind(known[name]) if name in known else "name"
            number = self._add(kind, node, (text_of(node), name))
            text = f"(what_if::is({number}) ? {name} : {text})"
        return self._subtracted(node, text)

    def _subtracted(self, node: Node, text: str) -> str:
        """j - i as j - offsets[i], the number of j in its group."""
        own, above = text_of(node), node.parent
        if above is None or above.type != "binary_expression" or text_of(above.children[1]) != "-":
            return text
        if node != above.children[2] or not any(one.name == own and one.type in INTEGERS for one in self._variables):
            return text
        for array in self.indices_at(node)[:MOST_PARAMETERS]:
            number = self._add("looked_up", node, (own, f"{array}[{own}]"))
            text = f"(what_if::is({number}) ? {array}[{own}] : {text})"
        return text

    def name_kind(self, other: Variable) -> str:
        """The kind of a change that puts this variable in another one's place: likelier if nobody uses it yet."""
        assert self._function is not None
        uses = re.findall(rf"(?<![.\w]){re.escape(other.name)}\b", text_of(self._function.node))
        return "unused" if len(uses) == 1 else "name"

    def _field_expression(self, node: Node) -> str:
        of, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if of is None or name is None:
            return self._plain(node)
        if text_of(of) in BUILT_IN:
            return self._built_in(node, text_of(of), text_of(name))
        text = written = short(node)
        is_called = node.parent is not None and node.parent.type == "call_expression"
        if self._is_target or of.type != "identifier" or is_called or not self._on_device:
            return self._plain(node)
        is_given = text_of(of) in self._parameters  # what a function is given is mixed up with what else it is given
        owners = [one for one in self._like(of) if not one.depth]
        for other in sorted(owners, key=lambda one: (one.name in self._parameters) != is_given)[:MOST_OWNERS]:
            number = self._add("name", node, (text, f"{other.name}.{text_of(name)}"))
            both = self._add("one_side", node, (text, f"{other.name}.{text_of(name)} | {text}"))
            rest = f"what_if::either({both}, {written}, {other.name}.{text_of(name)})"
            written = f"(what_if::is({number}) ? {other.name}.{text_of(name)} : {rest})"
        for field in self.other_fields(of, text_of(name)):
            number = self._add("name", node, (text, f"{text_of(of)}.{field}"))
            written = f"what_if::in_its_place({number}, {written}, {text_of(of)}.{field})"
        return written

    def of_whole_grid(self, node: Node, text: str) -> str:
        """`blockIdx.x + threadIdx.x`, or another sum or product of these: the thread's index in the grid."""
        axes = set(OF_THREAD.findall(short(node)))
        if len(axes) != 1 or not self._on_device or not MADE_OF.fullmatch(short(node)):
            return text
        whole = OF_GRID.format(*axes)
        if "blockIdx" not in short(node) or _terms(short(node)) == _terms(whole[1:-1]):
            return text
        number = self._add("thread_index", node, (short(node), whole[1:-1]))
        return f"what_if::in_its_place({number}, {text}, {whole})"

    def _built_in(self, node: Node, built_in: str, axis: str) -> str:
        others = [f"{BUILT_IN[built_in]}.{axis}"]
        if axis in AXES and self._function is not None and f".{AXES[axis]}" in text_of(self._function.node):
            others.append(f"{built_in}.{AXES[axis]}")
        of_block = "blockIdx" in short(node.parent) if node.parent else False  # blockIdx.x * blockDim.x
        if built_in == "blockDim" and not of_block:
            others.append(f"(gridDim.{axis} * blockDim.{axis})")
            if axis == "x":
                others.append(LANES)
        elif built_in in ("threadIdx", "blockIdx"):
            others.append(OF_GRID.format(axis))
        number = self._add("thread_index", node, *((text_of(node), other) for other in others))
        text = text_of(node)
        for one in self._of_threads(node) if built_in == "threadIdx" else []:
            also = self._add("name", node, (text_of(node), one.name))
            text = f"(what_if::is({also}) ? {one.name} : {text})"
        for at, other in enumerate(others):
            text = f"(what_if::is({number + at}) ? {other} : {text})"
        return text


def _terms(text: str) -> list[list[str]]:
    """The products of a sum, in any order."""
    return sorted(sorted(one.split(" * ")) for one in text.split(" + "))
