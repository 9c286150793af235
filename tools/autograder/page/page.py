"""Pages from templates: every value that goes in is made printable and escaped; nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.page.svg import compact
from autograder.sanitize import clean

TEMPLATES = Path(__file__).resolve().parent / "templates"
MARK = "<!-- made by ./grader report; a new one may replace it -->"
LONGEST = 200_000  # characters of one text


def render(template: str, values: Mapping[str, Any], script: str = "") -> bytes:
    """A whole page. `script`: the one that it runs, of the files beside the templates."""
    style, code = _text("style.css"), _text(script) if script else ""
    policy = ["default-src 'none'", f"style-src '{_digest(style)}'", "base-uri 'none'", "form-action 'none'"]
    policy += [f"script-src '{_digest(code)}'"] if code else []
    page = _environment().get_template(template)
    text = page.render(
        **values, style=Markup(style), script=Markup(code), policy=Markup("; ".join(policy)), mark=Markup(MARK)
    )
    return text.encode("utf-8", "replace")


@cache
def _text(name: str) -> str:
    """A file of ours that goes into the page as it is."""
    text = (TEMPLATES / name).read_text("utf-8")
    assert "</" not in text, f"{name} would end its own element"
    return text


def _digest(text: str) -> str:
    """The digest by which a Content-Security-Policy names an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"compact": compact, "grouped": "{:,}".format}
    return made


def _printable(value: Any) -> Any:
    """What a template prints: drawings unchanged, everything else without control characters."""
    if hasattr(value, "__html__"):
        return value
    return clean(str(value), LONGEST)


def check(path: Path) -> None:
    """Refuses to overwrite a file that is not one of our pages."""
    try:
        if path.exists() and not _is_ours(path):
            raise UsageError(f"--out {path}: exists and is not a report; choose another name")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def write(path: Path, page: bytes) -> None:
    """Writes the page entirely or not at all."""
    check(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page)
    except FileExistsError:
        raise UsageError(f"{path}: a file is in the place of its folder; choose another name") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK.encode() in file.read(1000)
