"""Where a link of a page leads on the site, and what is wrong with it if it leads nowhere."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from website.tree import Page, Tree

SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
SOURCES = "source"  # the folder of the pages that show files of the repository


@dataclass(frozen=True, order=True)
class Problem:
    """What a person has to fix, and where."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}" if self.line else f"{self.path}: {self.what}"


@dataclass
class Links:
    """The links that have been resolved so far: the files they show, the anchors they expect."""

    tree: Tree
    shown: set[str] = field(default_factory=set)  # files and folders of the repository that need a page
    problems: set[Problem] = field(default_factory=set)
    slugs: dict[str, set[str]] = field(default_factory=dict)  # of each page read: the names of its headings
    _expected: list[tuple[str, int, str, str, str]] = field(default_factory=list)

    def resolve(self, page: Page, line: int, target: str) -> str:
        """The address, relative to `page`'s own; `target` itself where that is outside of the repository."""
        if SCHEME.match(target):
            return target
        path, _, anchor = unquote(target).partition("#")
        to = repository_path(page.source, path)
        if not self.tree.has(to):
            self.problems.add(Problem(page.source, line, f"the link {target} leads nowhere: {missing(to)}"))
            return target
        other = self.tree.page_of.get(to) or self.tree.page_of.get(posixpath.join(to, "README.md"))
        if other:
            if anchor:
                self._expected.append((page.source, line, target, other.source, anchor))
            return relative(page.name, f"{other.name}.html") + (f"#{quote(anchor)}" if anchor else "")
        self.shown.add(to)
        return relative(page.name, page_of_file(to)) + (f"#{quote(anchor)}" if anchor else "")

    def unmet(self) -> set[Problem]:
        """Links to headings that do not exist, once all pages have been read."""
        return {
            Problem(path, line, f"the link {target} leads nowhere: {source} has no heading #{anchor}")
            for path, line, target, source, anchor in self._expected
            if anchor not in self.slugs.get(source, set())
        }


def repository_path(source: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source


def missing(path: str) -> str:
    return "it leaves the repository" if path.startswith("..") else f"no file {path}"


def page_of_file(path: str) -> str:
    """The page that shows a file or lists a folder of the repository."""
    return quote(f"{SOURCES}/{path}.html")


def relative(page: str, address: str) -> str:
    return posixpath.relpath(address, posixpath.dirname(page) or ".")


def line_of(lines: list[str], start: int, target: str) -> int:
    """The line, counted from 1, on which a target of the paragraph that begins at `start` is written."""
    for number in range(max(start, 1), len(lines) + 1):
        if f"]({target}" in lines[number - 1] or f"(<{target}" in lines[number - 1]:
            return number
    return start
