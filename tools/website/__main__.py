"""`python -m website`: makes the site in build/site. The site of before stays until the new one is whole."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from website.build import Site
from website.check import problems

ROOT = Path(__file__).resolve().parents[2]


def make(root: Path, to: Path, reports: Path | None = None) -> list[str]:
    """The site in `to`; or, where anything is wrong, sentences that say what."""
    site = Site(root, to.with_name(f"{to.name}-work"), reports)
    wrong = site.make()
    wrong = wrong or list(problems(site.out, [page.name for page in site.tree.pages]))
    if not wrong:
        shutil.rmtree(to, ignore_errors=True)
        site.out.rename(to)
        shutil.rmtree(site.work)
    return [str(problem) for problem in wrong]


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m website", description=__doc__)
    arguments.add_argument("--to", type=Path, default=ROOT / "build/site", metavar="DIR")
    arguments.add_argument(
        "--reports", type=Path, default=ROOT / "build/reports", metavar="DIR", help="of the solutions"
    )
    given = arguments.parse_args()
    wrong = make(ROOT, given.to, given.reports)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
