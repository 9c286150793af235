"""Writes the tables of docs/measured/corpus.md: the findings of both checkers, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.corpus import ROOT, TOOLS, Defect, Row
from bench.page_parts import table, write_part

PAGE = ROOT / "docs/measured/corpus.md"
VIRTUAL = "virtual GPU"
TOGETHER = "compute-sanitizer, all four"
BAD, MISSED, SILENT, FLAGGED = ("bad", True), ("bad", False), ("good", False), ("good", True)

REASONS = {
    "sum_without_start": "nvcc starts the sum at 0: the PTX has no undefined value",
    "found_or_not": "nvcc takes the value of the other path: the PTX has no undefined value",
    "output_not_filled": "the host copies bytes that were never written; it may ignore them, so this is not a finding",
}
Reports = dict[tuple[str, str, str], bool]  # whether a tool reports (topic, name, twin)


def write(defects: Sequence[Defect], virtual: Reports, rows: Sequence[Row]) -> None:
    reports = {VIRTUAL: virtual}
    for tool in TOOLS if rows else ():
        reports[tool] = {(row.topic, row.name, row.twin): row.errors > 0 for row in rows if row.tool == tool}
    sanitizers = [reports[tool] for tool in TOOLS if tool in reports]
    together = {key: any(one.get(key, False) for one in sanitizers) for key in virtual
                if any(key in one for one in sanitizers)}  # fmt: skip
    newer = len({(d.topic, d.name) for d in defects} - {(row.topic, row.name) for row in rows})
    ran = "compute-sanitizer has not been run on these programs yet."
    if rows:
        but = f", except the {newer} newest pairs" if newer else ""
        ran = f"compute-sanitizer {rows[0].version} ran the same programs{but}, on an {rows[0].gpu} on {rows[0].date}."
    all_of_them = {TOGETHER: together} if rows else {}
    lines = []
    for tool, by_key in (reports | all_of_them).items():
        counts = Counter((key[2], reported) for key, reported in by_key.items())
        lines.append([tool, *(counts[one] for one in (BAD, MISSED, SILENT, FLAGGED))])
    head = "tool | +bad: found | +bad: missed | +good: silent | +good: flagged"
    write_part(PAGE, "counts", f"{len(defects)} pairs. {ran}\n\n{table(head, lines)}")
    missed = [(f"`{d.name}`", REASONS[d.name]) for d in defects if d.kind == "missed"]
    write_part(PAGE, "missed", table("pair | why", missed))
    topics = dict.fromkeys(d.topic for d in defects)
    write_part(PAGE, "topics", "\n".join(topic_table(one, defects, reports, rows) for one in topics))


def topic_table(topic: str, defects: Sequence[Defect], reports: dict[str, Reports], rows: Sequence[Row]) -> str:
    source = f"../../virtual_gpu/tests/corpus/{topic}.cu"
    about = (PAGE.parent / source).resolve().read_text().splitlines()[0].removeprefix("// ")
    endless = {(row.name, row.twin) for row in rows if row.topic == topic and row.errors < 0}
    lines = []
    for d in defects:
        if d.topic == topic:
            said = [tool for tool in TOOLS if reports.get(tool, {}).get((topic, d.name, "bad"), False)]
            flagged = [tool for tool in reports if reports[tool].get((topic, d.name, "good"), False)]
            bad = ", ".join(said) or ("does not end" if (d.name, "bad") in endless else "-")
            kind = "-" if d.kind == "missed" else f"`{d.kind}`"
            lines.append((f"`{d.name}`", kind, bad, ", ".join(flagged) or "-"))
    head = "pair | virtual GPU | compute-sanitizer | good twin flagged by"
    return f"## [{topic}.cu]({source})\n\n{about}\n\n{table(head, lines)}"
