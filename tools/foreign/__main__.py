"""python -m foreign: what public CUDA programs do on the virtual GPU.

    python -m foreign CHECKOUTS                       all recipes; writes the rows and docs/measured/public-programs.md
    python -m foreign CHECKOUTS --repo rodinia        the repositories whose owner/name contains the word
    python -m foreign CHECKOUTS --repo rodinia lud    of these, the programs whose path contains lud; shows the output
    python -m foreign --page                          only writes the page again
    python -m foreign CHECKOUTS --list                the programs that would be measured, and where a clone is missing

CHECKOUTS is a folder of git checkouts, one folder a repository: owner+name, owner-name, owner/name or name. Programs
are built there and run there, with the rights of whoever starts this: use clones that you can throw away.

tools/foreign/recipes says what is known of each repository. Exit status 1: a finding that nobody has looked at, a false
one, a wrong result, or a program without end.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.csv_rows import write_csv
from foreign.discover import programs
from foreign.page import write
from foreign.recipes import Recipe, all_recipes, checkout_of
from foreign.survey import Options, Row, merged, read_rows, survey

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs/data/public_programs.csv"
BAD = ("wolf", "new", "wrong", "endless")


def parsed(words: Sequence[str] | None = None) -> argparse.Namespace:
    about, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        "foreign", description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=Path, nargs="?", help="a folder of git checkouts")
    parser.add_argument("words", nargs="*", help="only programs whose path contains one of these")
    parser.add_argument("--repo", default="", help="a word of owner/name")
    parser.add_argument("--jobs", "-j", type=int, default=1, help="programs at a time; default 1")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of processor time; default 60")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of a run; default 8")
    parser.add_argument("--library", type=Path, default=ROOT / "build/virtual_gpu", help="of libcudart.so.13")
    parser.add_argument("--work", type=Path, default=ROOT / "build/foreign", help="for executables and outputs")
    parser.add_argument("--rows", type=Path, default=ROWS, help="the CSV file of all results")
    parser.add_argument("--only", default="", help="of the rows of --rows, measure those with these results again")
    parser.add_argument("--kept", action="store_true", help="judge again what earlier runs have done; runs nothing")
    parser.add_argument("--missing", action="store_true", help="measure only programs that --rows does not have yet")
    parser.add_argument("--list", action="store_true", help="only list the programs")
    parser.add_argument("--page", action="store_true", help="only write the page")
    return parser.parse_intermixed_args(words)


def main(words: Sequence[str] | None = None) -> int:
    asked = parsed(words)
    recipes = all_recipes(asked.repo)
    if asked.page:
        write(read_rows(asked.rows), all_recipes())
        return 0
    if asked.checkouts is None:
        print("where are the checkouts? python -m foreign CHECKOUTS; python -m foreign --help")
        return 2
    there = [(one, checkout_of(one, asked.checkouts.resolve())) for one in recipes]
    for recipe, checkout in there:
        if checkout is None:
            print(f"{recipe.repository}: no checkout; git clone https://github.com/{recipe.repository}")
    here = [(recipe, checkout) for recipe, checkout in there if checkout is not None]
    if asked.list:
        return list_all(here)
    rows = measure_all(here, asked)
    if asked.rows == ROWS:
        write(read_rows(ROWS), all_recipes())
    print(", ".join(f"{count} {result}" for result, count in Counter(row.result for row in rows).most_common()))
    return 1 if any(row.result in BAD for row in rows) else 0


def list_all(here: Sequence[tuple[Recipe, Path]]) -> int:
    for recipe, checkout in here:
        found = programs(recipe, checkout)
        print(f"{recipe.repository}: {len(found)} programs")
        for one in found:
            extra = [path.name for path in one.sources[1:]]
            print(f"    {one.path}{' with ' + ', '.join(extra) if extra else ''}")
    return 0


def measure_all(here: Sequence[tuple[Recipe, Path]], asked: argparse.Namespace) -> list[Row]:
    """Writes the rows after each program, so that a run that is interrupted keeps what it has."""
    again = set(asked.only.split(",")) if asked.only else set()
    rows: list[Row] = []
    for recipe, checkout in here:
        old = {row.program: row.result for row in read_rows(asked.rows) if row.repository == recipe.repository}
        chosen = [
            one
            for one in programs(recipe, checkout)
            if (not asked.words or any(word in one.path for word in asked.words))
            and (not again or old.get(one.path) in again)
            and not (asked.missing and one.path in old)
        ]
        options = Options(
            asked.library.resolve(),
            asked.work.resolve(),
            asked.jobs,
            asked.limit,
            int(asked.memory * (1 << 30)),
            asked.kept,
        )
        for row in survey(recipe, checkout, chosen, options):
            rows.append(row)
            print(f"{row.result:9} {row.seconds:6.1f} s  {row.repository} {row.program}  {row.detail}", flush=True)
            asked.rows.parent.mkdir(parents=True, exist_ok=True)
            write_csv(Row, merged(read_rows(asked.rows), [row]), asked.rows)
    return rows


if __name__ == "__main__":
    os.nice(5)
    raise SystemExit(main())
