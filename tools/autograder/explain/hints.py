"""Which hint of lab.toml belongs to an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.errors import GraderError
from autograder.explain.explanation import Explanation
from autograder.plan.labs import suggest
from autograder.plan.manifest import Manifest
from autograder.run.protocol import Finding

MOST_OTHERS = 2  # kinds of findings beside the first that get a hint of their own
BY_CHANCE = ("nondeterministic", "last_bits")  # patterns that say nothing that a race does not


def with_hints(explanation: Explanation, manifest: Manifest, task: str) -> Explanation:
    """Adds the hints for its patterns. A finding is closer to the cause than the pattern of the output."""
    if explanation.cause:
        return explanation  # hints for patterns are guesses
    if explanation.mistakes:
        symptoms = [symptom_of(one.finding) if one.finding else one.pattern for one in explanation.mistakes]
        mistakes = tuple(
            msgspec.structs.replace(one, hint=manifest.hint_for(symptom, task))
            for one, symptom in zip(explanation.mistakes, symptoms, strict=True)
        )
        return replace(explanation, mistakes=mistakes, hint=mistakes[0].hint)
    if not explanation.findings:
        return replace(explanation, hint=manifest.hint_for(explanation.pattern, task))
    first, *others = dict.fromkeys(map(symptom_of, explanation.findings))  # in their order
    hint = manifest.hint_for(first, task)
    said = (*BY_CHANCE, *(one.kind for one in explanation.findings))
    of_output = "" if explanation.pattern in said else manifest.hint_for(explanation.pattern, task)
    details = explanation.details
    if of_output not in ("", hint):
        details = (*details, f"hint for output like this: {of_output}")
    texts = {symptom: manifest.hint_for(symptom, task) for symptom in others}
    more = [(symptom.replace("_", " "), text) for symptom, text in texts.items() if text not in ("", hint, of_output)]
    details += tuple(f"hint for the other finding, {kind}: {text}" for kind, text in more[:MOST_OTHERS])
    return replace(explanation, hint=hint, details=details)


def symptom_of(finding: Finding) -> str:
    """A lab's hint on a race is about barriers, which do not reach another block."""
    between_blocks = finding.kind == "race" and finding.block != finding.other_block
    return "race_between_blocks" if between_blocks else finding.kind


def check_symptoms(manifest: Manifest, patterns: Sequence[str], path: Path) -> None:
    """Every [[symptom]] in lab.toml must name a known pattern."""
    for symptom in manifest.symptom:
        if symptom.pattern not in patterns:
            raise GraderError(f"{path}: unknown pattern {symptom.pattern!r}{suggest(symptom.pattern, patterns)}")
