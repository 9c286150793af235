"""Whose source is shown."""

from __future__ import annotations

from pathlib import Path

from autograder.page.sources import Sources, of_lab


def test_sources_of_others_are_not_shown(tmp_path: Path) -> None:
    """`#line 1 "/etc/secret.h"` makes a compiler say anything."""
    secret = tmp_path / "secret.h"
    secret.write_text("the answer\n")
    link = tmp_path / "labs/03-scan/link.h"
    link.parent.mkdir(parents=True)
    link.symlink_to(secret)
    own = tmp_path / "scan.cu"
    own.write_text("one\ntwo\n")
    (tmp_path / "labs/03-scan/scan.h").write_text("contract\n")
    (tmp_path / "solutions/03-scan").mkdir(parents=True)
    solution = tmp_path / "solutions/03-scan/naive.cu"
    solution.write_text("the solution\n")
    sources = Sources("scan.cu", own, of_lab(tmp_path, "03-scan", False))
    for file in (secret, link, solution, tmp_path / "labs/03-scan/../../solutions/03-scan/naive.cu", Path("secret.h")):
        assert sources.lines(str(file), {}) == []
    assert sources.lines(str(tmp_path / "labs/03-scan/scan.h"), {})[0] == "contract"
    assert sources.lines("/anywhere/scan.cu", {2: "two"})[1] == "two" and not sources.stale
    assert Sources("scan.cu", None, of_lab(tmp_path, "03-scan", True)).lines(str(solution), {})[0] == "the solution"
