"""All rules in their order, those of a lab among them; the patterns that fit one wrong output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.errors import GraderError
from autograder.explain.evidence import Errors
from autograder.explain.explanation import Pattern
from autograder.explain.patterns import places, single, sorting, values, written
from autograder.run.protocol import FINDING_KINDS

Rule = Callable[[Errors], str | None]
Rules = tuple[Rule, ...]

# The most telling first: of several that fit equally many cases, the first is reported.
FIRST: Rules = (written.nothing_written, values.nan)
# A lab's own rules go here: they know what the numbers mean.
THEN: Rules = (
    sorting.not_stable,
    places.border_only,
    places.last_block_only,
    places.from_second_block,
    sorting.out_of_order,
    sorting.elements_lost,
    places.every_kth,
    places.wrong_tail,
    written.partly_written,
    values.wrong_identity,
    values.all_zero,
    values.shifted_by_one,
    values.doubled,
    values.overflow,
    single.first_block_only,
    single.tail_missing,
    places.single_element,
    values.constant_offset,
    sorting.order_lost,
)
FOR_NOTHING: Rules = (written.empty_input, values.wrong_identity)  # if n = 0 and the whole result is wrong
GENERAL: Rules = (*FIRST, *THEN)

# Names of patterns that no single output shows, or that are not about the output at all.
OTHERS = {
    "input_modified": "the input was changed by the call",
    "nondeterministic": "right on one run and wrong on the next with the same input",
    "last_bits": "right each time, but the last bits of a float differ from run to run",
    "powers_of_two_only": "right only where n is a power of two",
    "host_computed": "the result was computed on the host",
    "slow": "right, but slow",
    "slow_outside": "right, but slow, and most of its time passes outside of kernels",
    "race_between_blocks": "a race of two threads in different blocks",
    "crash": "the process ended",
    "cuda_error": "CUDA refused",
    "timeout": "took too long",
    "memory": "took too much memory",
}


def names_of(rules: Sequence[Rule]) -> tuple[str, ...]:
    """All patterns for which a lab with these rules may have a hint."""
    named = [rule.__name__ for rule in (*rules, *FOR_NOTHING, written.past_the_result)]
    return tuple(dict.fromkeys([*named, *OTHERS, *FINDING_KINDS]))


def rules_of(folder: Path) -> Rules:
    """The rules for the lab in this folder: the general ones, and RULES of its grading/patterns.py if it has any."""
    path = folder / "grading" / "patterns.py"
    if not path.is_file():
        return GENERAL
    module: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:  # not imported: the folder's name is not a Python name, and no compiled file should be left in it
        exec(compile(path.read_bytes(), path, "exec"), module)
        return (*FIRST, *module["RULES"], *THEN)
    except Exception as error:  # whatever a module may raise
        raise GraderError(f"{path}: {type(error).__name__}: {error}") from None


def candidates(errors: Errors, rules: Sequence[Rule] = GENERAL) -> list[Pattern]:
    """All patterns that fit one wrong output, the most telling first."""
    if errors.n != 0 and not errors.wrong.any():
        return []
    some_right = bool(errors.wrong.any() and not errors.wrong.all())  # for n = 0: of a result that has more elements
    with np.errstate(all="ignore"):
        said = [(rule.__name__, rule(errors)) for rule in (rules if errors.n or some_right else FOR_NOTHING)]
    return [Pattern(name, sentence) for name, sentence in said if sentence]
