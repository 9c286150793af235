"""Gradescope's submission_metadata.yml, of which three fields of each submission are wanted.

It is YAML with Ruby's symbols as keys and sometimes Ruby's objects as values, which YAML readers reject by default.
Its shape is fixed, so it is read line by line.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

METADATA = "submission_metadata.yml"
_FIELD = re.compile(r"^\s*(- )?:?(name|sid|email): *(.*?)\s*$")
_TIME = r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.\d+)? *([+-]\d\d:?\d\d)?"
_CREATED = re.compile(rf"^ *:?created_at: *(?:!\S+ *)?['\"]?(?:{_TIME})?")
_UTC = re.compile(rf"^ +utc: *(?:&\S+ *)?{_TIME}")
_ESCAPE = re.compile(r'\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|["\\/])')


def submitters(text: str) -> dict[str, tuple[list[dict[str, str]], str]]:
    """For each folder, its people (name, sid, email) and when it was handed in, with its offset, or ""."""
    found: dict[str, tuple[list[dict[str, str]], str]] = {}
    folder, indent, when, waiting = "", -1, "", False
    people: list[dict[str, str]] = []
    for line in text.splitlines():
        top = re.match(r"^['\"]?(\w[^:'\"]*)['\"]?:\s*$", line)
        if top:
            folder, people, indent, when, waiting = top[1], [], -1, "", False
            found[folder] = (people, "")
            continue
        heading = re.match(r"^( *):?submitters:\s*$", line)
        if heading and folder and indent == -1:
            indent = len(heading[1])
            continue
        depth = len(line) - len(line.lstrip())
        if indent >= 0 and line.strip() and (depth < indent or (depth == indent and not line.lstrip().startswith("-"))):
            indent = -2  # the list has ended; histories further down have submitters of their own
        entry = _FIELD.match(line) if indent >= 0 else None
        if entry:
            if entry[1]:
                people.append({"name": "", "sid": "", "email": ""})
            if people:
                people[-1][entry[2]] = _scalar(entry[3])
        created = _CREATED.match(line) or (_UTC.match(line) if waiting else None)
        if created and folder and not when and depth <= 6:
            when, waiting = _with_offset(created[1] or "", created[2] or ""), not created[1]
            found[folder] = (people, when)
    return found


def _with_offset(time: str, offset: str) -> str:
    """The time as it was written, with its offset; without one it is UTC."""
    try:
        return datetime.fromisoformat(f"{time.replace(' ', 'T')}{offset or '+00:00'}").isoformat() if time else ""
    except ValueError:
        return ""


def moment(when: str) -> datetime:
    """To compare times of different offsets; the first moment of all for "", and for what is no time."""
    try:
        found = datetime.fromisoformat(when)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _scalar(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(lambda at: at[1] if at[1] in '"\\/' else chr(int(at[1][1:], 16)), text[1:-1])
    return "" if text in ("~", "null") else text
