"""make site: the handouts and documents as a static site in build/site."""

from __future__ import annotations

from .console import BUILD, Command, Failure, Step, log, say, shown, stream
from .environment import PYTHON, need

PLACE = BUILD / "site"


def site() -> None:
    """make site. A link that leads nowhere ends it, and leaves the site as it was."""
    need("site")
    command: Command = [PYTHON, "-m", "website", "--to", PLACE]
    lines: list[str] = []
    with Step(f"site in {shown(PLACE)}") as step:
        step.progress("takes some ten seconds")
        if stream(command, lines.append, {"PYTHONPATH": "tools", "PYTHONDONTWRITEBYTECODE": "1"}) != 0:
            log("\n".join(lines))
            raise Failure("\n".join(lines))
    reports = len(list((PLACE / "reports").glob("*.html")))
    say(f"reports of solutions: {reports}; ./grader report 3 --solution writes one, and the next make site takes it up")
    say(f"open {shown(PLACE / 'index.html')} in a browser; the folder works on any web server, and without a network")
