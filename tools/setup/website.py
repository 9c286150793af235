"""make site: the handouts and documents as a static site in build/site, with a report of each solution."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .console import BUILD, ROOT, Command, Failure, Step, log, say, shown, stream
from .environment import PYTHON, need

PLACE = BUILD / "site"
REPORTS = BUILD / "reports"


def site() -> None:
    """make site. A link that leads nowhere ends it, and leaves the site as it was."""
    need("site")
    if os.environ.get("REPORTS") != "no":
        write_reports()
    made = PLACE.with_name("site-work")
    shutil.rmtree(made, ignore_errors=True)
    command: Command = [PYTHON, "-m", "sphinx", "-qW", "--keep-going", "-c", "tools/website", ROOT, made]
    lines: list[str] = []
    with Step(f"site in {shown(PLACE)}") as step:
        step.progress("takes some ten seconds")
        if stream(command, lines.append, {"PYTHONDONTWRITEBYTECODE": "1"}) != 0:
            log("\n".join(lines))
            raise Failure("\n".join(lines))
        shutil.rmtree(made / ".doctrees")
        shutil.rmtree(PLACE, ignore_errors=True)
        made.rename(PLACE)
    say(f"open {shown(PLACE / 'index.html')} in a browser; the folder works on any web server, and without a network")


def write_reports() -> None:
    """The reports of solutions that are missing, or older than the lab or its solution."""
    labs = sorted(path.name for path in (ROOT / "solutions").glob("[0-9][0-9]-*"))
    old = [lab for lab in labs if not written_since(REPORTS / f"{lab}-solution.html", lab)]
    if old:
        say(f"grading {len(old)} solutions for their reports, half a minute each; without: make site REPORTS=no")
    for lab in old:
        lines: list[str] = []
        with Step(f"report of the solution of {lab}"):
            if stream([ROOT / "grader", "report", str(int(lab[:2])), "--solution"], lines.append) != 0:
                raise Failure("\n".join(lines))


def written_since(report: Path, lab: str) -> bool:
    """Whether a report is newer than all that it shows."""
    shows = [path for at in ("labs", "solutions") for path in (ROOT / at / lab).rglob("*") if path.suffix != ".md"]
    return report.is_file() and report.stat().st_mtime > max(path.stat().st_mtime for path in shows)
