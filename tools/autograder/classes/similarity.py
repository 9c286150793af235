"""The command `similarity`: pairs of files in a class that are alike, as a page and in the class's summary."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.classes.likeness import Likeness, Pair, Stretch, compare, stretches, without_skeleton
from autograder.classes.rows import ALIKE, Row, rows_of
from autograder.classes.store import Store
from autograder.classes.tables import csv_text, write_folder
from autograder.errors import UsageError
from autograder.plain import clean
from autograder.plan.labs import find
from autograder.plan.manifest import load

FOLDER = "similarity"
_OWN = {"index.html", "pairs.csv"}
MOST_PAIRS = 50  # that are shown line by line
_STYLE = """
:root { color-scheme: light dark; --mark: #f6d77a; --line: #8886; }
@media (prefers-color-scheme: dark) { :root { --mark: #6b5410; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem;
  overflow-wrap: anywhere; }
table { border-collapse: collapse; }
td, th { padding: .2rem .8rem .2rem 0; text-align: left; border-top: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; }
.both { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
pre { font: .8rem/1.4 ui-monospace, monospace; overflow-x: auto; border: 1px solid var(--line); padding: .5rem; }
mark { background: var(--mark); color: inherit; }
@media (max-width: 50rem) { .both { grid-template-columns: minmax(0, 1fr); } }
"""


def run_similarity(root: Path, results: Path, out: Path | None, least: int, seconds: float, people: Console) -> None:
    """Compares all files of a class; the report replaces that of an earlier run."""
    to = out or results / FOLDER
    if out is not None and out.exists() and (not out.is_dir() or not {p.name for p in out.iterdir()} <= _OWN):
        raise UsageError(f"--out {out}: holds other files, which would be lost; choose an empty folder")
    with Store(results, create=False).opened() as store:
        rows = rows_of(store)
        lab = find(root, store.fact("lab", ""))
        manifest = load(lab)
        skeleton = (lab / "grading" / "skeleton.cu.txt").read_text("utf-8")
        people_of, texts = _files(rows, store, manifest.file, skeleton)
        found = compare(texts, least, seconds)
        store.set_fact(ALIKE, json.dumps([[pair.one, pair.other, pair.share] for pair in found.pairs]))
        title = f"Similarity: lab {manifest.number}, {manifest.title}"
        page = report(title, found, people_of, texts, least)
        write_folder(to, [("index.html", page.encode("utf-8", "replace")),
                          ("pairs.csv", pairs_csv(found, people_of).encode("utf-8", "replace"))])  # fmt: skip
    compared = len(texts) - len(found.left_out)
    alike = f"{len(found.pairs)} pairs of which {least} % or more of one is in the other"
    people.print(Text(f"  {compared} different files compared: {alike}"))
    for pair in found.pairs[:20]:
        people.print(Text(clean(f"  {pair.share:>4} %  {people_of[pair.one]}  and  {people_of[pair.other]}", 300)
                          .replace("\n", " ")), soft_wrap=True)  # fmt: skip
    if found.left_out:
        whys = ", ".join(f"{number} {why}" for why, number in Counter(found.left_out.values()).most_common())
        people.print(Text(f"  not compared: {whys}; the page names them"), soft_wrap=True)
    people.print(Text(f"  {to}/index.html · look at each pair: similarity proves nothing"), soft_wrap=True)


def _files(rows: Sequence[Row], store: Store, file: str, skeleton: str) -> tuple[dict[str, str], dict[str, str]]:
    """By the first digest of files that differ at most in white space: their people, and the text."""
    given = sorted((row for row in rows if row.submission.digest), key=lambda row: row.submission.alike)
    people_of, texts = {}, {}
    for _, same in groupby(given, key=lambda row: row.submission.alike):
        group = list(same)
        digest = group[0].submission.digest
        names = [row.key for row in group]
        people_of[digest] = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        source = store.source(digest, file)
        if source.is_file():
            texts[digest] = without_skeleton(source.read_bytes().decode("utf-8-sig", "replace"), skeleton)
    return people_of, texts


def pairs_csv(found: Likeness, people_of: Mapping[str, str]) -> str:
    lines: list[list[object]] = [["one", "other", "percent_of_one", "percent_of_other"]]
    lines += [[people_of[pair.one], people_of[pair.other], pair.of_one, pair.of_other] for pair in found.pairs]
    return csv_text(lines)


def report(title: str, found: Likeness, people_of: Mapping[str, str], texts: Mapping[str, str], least: int) -> str:
    """One page without outside resources. Everything that students wrote is escaped."""
    rows = [_row(number, pair, people_of) for number, pair in enumerate(found.pairs, 1)]
    shown = [_pair(number, pair, people_of, texts) for number, pair in enumerate(found.pairs[:MOST_PAIRS], 1)]
    compared = len(texts) - len(found.left_out)
    left = [f"<li>{_text(people_of[name])}: {_text(why)}</li>" for name, why in found.left_out.items()]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body><h1>{_text(title)}</h1>",
        f"<p>{compared} different files were compared token by token, whatever things are called, without the "
        f"skeleton's lines and without comments. {len(found.pairs)} pairs have {least} % or more of one file in the "
        "other. Similarity proves nothing: short programs for one task are alike. Look at each pair.</p>",
        "<table><tr><th></th><th>one</th><th>other</th><th>of one</th><th>of the other</th></tr>",
        *rows,
        "</table>",
        *(["<h2>Not compared</h2><ul>", *left, "</ul>"] if left else []),
        *shown,
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _row(number: int, pair: Pair, people_of: Mapping[str, str]) -> str:
    name = f'<a href="#pair-{number}">{number}</a>' if number <= MOST_PAIRS else str(number)
    sides = "".join(f"<td>{_text(people_of[side])}</td>" for side in (pair.one, pair.other))
    shares = "".join(f'<td class="number">{share} %</td>' for share in (pair.of_one, pair.of_other))
    return f"<tr><td>{name}</td>{sides}{shares}</tr>"


def _pair(number: int, pair: Pair, people_of: Mapping[str, str], texts: Mapping[str, str]) -> str:
    alike = stretches(texts[pair.one], texts[pair.other])
    one = _source(people_of[pair.one], texts[pair.one], [stretch.one for stretch in alike])
    other = _source(people_of[pair.other], texts[pair.other], [stretch.other for stretch in alike])
    return (
        f'<details id="pair-{number}"{" open" if number == 1 else ""}><summary>{number}: {_text(people_of[pair.one])} '
        f"and {_text(people_of[pair.other])}, {pair.share} %, {_lines(alike)} lines alike</summary>"
        f'<div class="both">{one}{other}</div></details>'
    )


def _lines(alike: Sequence[Stretch]) -> int:
    return len({line for stretch in alike for line in range(stretch.one[0], stretch.one[1] + 1)})


def _source(who: str, text: str, alike: Sequence[tuple[int, int]]) -> str:
    marked = {line for first, last in alike for line in range(first, last + 1)}
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            plain = f"{number:>4}  {_text(line)}"
            lines.append(f"<mark>{plain}</mark>" if number in marked else plain)
    return f"<div><h3>{_text(who)}</h3><pre>" + "\n".join(lines) + "</pre></div>"


def _text(text: str) -> str:
    return html.escape(clean(text, 2000))
