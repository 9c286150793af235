"""Checks the site as it was made: every link, anchor and picture, nothing loaded from elsewhere, a search for all."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from website.links import SOURCES, Problem

LOADS = {
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
}
NO_LOADS = {"canonical", "next", "prev", "index", "search", "author", "license"}  # a <link> that only names
OUTSIDE_CSS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")]+)")

COLOURS = re.compile(r'</span>|<span(?: class="[^"]*")?>')  # most tags of a page with source; they refer to nothing


@dataclass
class Found(HTMLParser):
    """What a page refers to: addresses that a reader may follow, those that the browser loads, and its own anchors."""

    follows: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attributes}
        self.anchors.update(has[name] for name in ("id", "name") if has.get(name))
        if tag == "a" and "href" in has:
            self.follows.append(has["href"])
        elif tag == "link" and not NO_LOADS.intersection(has.get("rel", "").split()):
            self.loads.append(has.get("href", ""))
        elif tag in LOADS and LOADS[tag] in has:
            self.loads.append(has[LOADS[tag]])
        for part in has.get("srcset", "").split(","):
            self.loads.extend(part.split()[:1])
        self.loads.extend(OUTSIDE_CSS.findall(has.get("style", "")))


def problems(site: Path, names: Iterable[str]) -> Iterator[Problem]:
    """What is wrong with the site. `names` are the pages that search must find."""
    pages = {
        path.relative_to(site).as_posix(): read(path) for path in sorted(site.rglob("*.html")) if is_ours(site, path)
    }
    for page, found in pages.items():
        for to in [*found.follows, *found.loads]:
            if what := broken(site, pages, page, to):
                yield Problem(page, 0, what)
        for to in found.loads:
            if is_outside(to):
                yield Problem(page, 0, f"loads {to}: nothing may come from outside")
    for sheet in sorted(site.rglob("*.css")):
        for to in OUTSIDE_CSS.findall(sheet.read_text("utf-8")):
            yield Problem(sheet.relative_to(site).as_posix(), 0, f"loads {to}: nothing may come from outside")
    missing = sorted(set(names) - searched(site))
    yield from (Problem(f"{name}.html", 0, "is not in the search index") for name in missing)


def is_ours(site: Path, path: Path) -> bool:
    """Not a file of the repository that happens to be HTML."""
    return path.relative_to(site).parts[:2] != (SOURCES, "raw")


def read(path: Path) -> Found:
    found = Found()
    found.feed(COLOURS.sub("", path.read_text("utf-8")))
    return found


def is_outside(to: str) -> bool:
    parts = urlsplit(to)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def broken(site: Path, pages: dict[str, Found], page: str, to: str) -> str:
    """Why an address leads nowhere; nothing if it leads somewhere, or outside."""
    parts = urlsplit(to)
    if parts.scheme or parts.netloc:
        return ""
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path))) if parts.path else page
    if name.startswith("..") or not (site / name).is_file():
        return f"{to} leads nowhere: no file {name}"
    if parts.fragment and name in pages and unquote(parts.fragment) not in pages[name].anchors:
        return f"{to} leads nowhere: {name} has no #{parts.fragment}"
    return ""


def searched(site: Path) -> set[str]:
    """The pages that the search index knows."""
    index = site / "searchindex.js"
    text = index.read_text("utf-8") if index.exists() else ""
    found = re.fullmatch(r"Search\.setIndex\((\{.*\})\)\s*", text, re.DOTALL)
    return set(json.loads(found[1])["docnames"]) if found else set()
