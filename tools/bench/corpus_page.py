"""Writes virtual_gpu/docs/corpus.md: the corpus of defects, the findings of both checkers side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.corpus import ENDLESS, ROOT, TOOLS, Defect, Row

PAGE = ROOT / "virtual_gpu/docs/corpus.md"
VIRTUAL = "virtual GPU"
TOGETHER = "compute-sanitizer, all four"

HEAD = """# The corpus of defects

[virtual_gpu/tests/corpus](../tests/corpus) has {pairs} pairs of small programs. One of each
pair has a mistake that students and researchers make; its twin is the same program without it. `make test` runs all of
them on the virtual GPU, which must find each mistake with its kind, at the marked line, and nothing in a twin.
{sanitizer}

`python -m bench.corpus` writes this page; `python -m bench.corpus --device gpu` runs compute-sanitizer (both with
`PYTHONPATH=tools`).{rule}

| tool | bad: found | bad: missed | good: silent | good: flagged |
|---|--:|--:|--:|--:|
"""

RULE = """

compute-sanitizer's rows are in [data/corpus_h200.csv](data/corpus_h200.csv). It has found a mistake if a tool reports
any error in the bad twin. A run that does not end within {endless:.0f} seconds counts as missed."""

MISSED = """
## What the virtual GPU misses

| pair | why |
|---|---|
"""
REASONS = {
    "sum_without_start": "nvcc starts the sum at 0: the PTX has no undefined value",
    "found_or_not": "nvcc takes the value of the other path: the PTX has no undefined value",
    "output_not_filled": "the host copies bytes that were never written; it may ignore them, so this is not a finding",
}


def page(defects: Sequence[Defect], virtual: dict[tuple[str, str, str], bool], rows: Sequence[Row]) -> str:
    """`virtual`: whether the virtual GPU reports (topic, name, twin)."""
    reports = {VIRTUAL: virtual}
    for tool in TOOLS:
        reports[tool] = {(row.topic, row.name, row.twin): row.errors > 0 for row in rows if row.tool == tool}
    seen = [key for key in virtual if any(key in reports[tool] for tool in TOOLS)]
    reports[TOGETHER] = {key: any(reports[tool].get(key, False) for tool in TOOLS) for key in seen}
    if not rows:
        reports = {VIRTUAL: virtual}
    sanitizer = "compute-sanitizer has not been run on these programs yet."
    if rows:
        ran = {(row.topic, row.name) for row in rows}
        newer = len({(d.topic, d.name) for d in defects} - ran)
        but = f", except the {newer} newest pairs" if newer else ""
        sanitizer = (
            f"compute-sanitizer {rows[0].version} ran the same programs{but}, on an {rows[0].gpu} on {rows[0].date}."
        )
    parts = [HEAD.format(pairs=len(defects), sanitizer=sanitizer, rule=RULE.format(endless=ENDLESS) if rows else "")]
    for tool, by_key in reports.items():
        counts = Counter(
            (twin, by_key[d.topic, d.name, twin])
            for d in defects
            for twin in ("bad", "good")
            if (d.topic, d.name, twin) in by_key
        )
        cells = (counts["bad", True], counts["bad", False], counts["good", False], counts["good", True])
        parts.append(f"| {tool} | " + " | ".join(map(str, cells)) + " |\n")
    parts.append(MISSED)
    for d in defects:
        if d.kind == "missed":
            parts.append(f"| `{d.name}` | {REASONS[d.name]} |\n")
    for topic in dict.fromkeys(d.topic for d in defects):
        parts.append(topic_table(topic, [d for d in defects if d.topic == topic], reports, rows))
    return "".join(parts)


def topic_table(
    topic: str, defects: Sequence[Defect], reports: dict[str, dict[tuple[str, str, str], bool]], rows: Sequence[Row]
) -> str:
    source = f"../tests/corpus/{topic}.cu"
    first = (Path(PAGE).parent / source).resolve().read_text().splitlines()[0].removeprefix("// ")
    endless = {(row.name, row.twin) for row in rows if row.topic == topic and row.errors < 0}
    lines = [
        f"\n## [{topic}.cu]({source})\n\n{first}\n\n| pair | virtual GPU | compute-sanitizer | good twin flagged by |\n"
    ]
    lines.append("|---|---|---|---|\n")
    for d in defects:
        said = [tool for tool in TOOLS if reports.get(tool, {}).get((topic, d.name, "bad"), False)]
        bad = ", ".join(said) or ("does not end" if (d.name, "bad") in endless else "-")
        flagged = [tool for tool in (VIRTUAL, *TOOLS) if reports.get(tool, {}).get((topic, d.name, "good"), False)]
        lines.append(
            f"| `{d.name}` | {'-' if d.kind == 'missed' else f'`{d.kind}`'} | {bad} | {', '.join(flagged) or '-'} |\n"
        )
    return "".join(lines)


def write(defects: Sequence[Defect], virtual: dict[tuple[str, str, str], bool], rows: Sequence[Row]) -> None:
    PAGE.write_text(page(defects, virtual, rows))
