"""A result as a table in Markdown, for the summary of a job on GitHub. The student's text is shown, never obeyed."""

from __future__ import annotations

import re
from typing import Any

from autograder.sanitize import clean
from autograder.timing.evidence import evidence_in, evidence_text
from autograder.verdict import RIGHT

_MARK = {"AC": "✅", "SLOW": "🐢", "SKIP": "▫️"}
_MOST = 300  # characters of a cell


def cell(text: str) -> str:
    """A line in which nothing is a link, a mention, a tag or the end of a cell."""
    line = " ".join(clean(text, _MOST).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = re.sub(r"([\\`*_{}\[\]()#+!|~$@:])", lambda sign: f"&#{ord(sign[1])};", line)
    return line.replace("http", "htt&#112;").replace("www.", "www&#46;")


def _at(told: dict[str, Any]) -> str:
    return f" ({told['where']})" if told.get("where") else ""


def markdown(result: dict[str, Any]) -> str:
    """`result`: as ./grader -o json writes it."""
    lab = result["lab"]
    lines = [
        f"### Lab {int(lab['number'])} · {cell(str(lab['title']))}: {result['points']:g} of {result['of']:g} points",
        "",
        f"{cell(str(result['device']))}{', times are modelled' if result['modelled'] else ''}",
        "",
        "| | task | verdict | points | what was found |",
        "|---|---|---|--:|---|",
    ]
    for task in result["tasks"]:
        said = [cell(str(task.get("reason", "")) + ("" if task["verdict"] == "SKIP" else _at(task)))]
        time = task.get("time")
        said += [f"{time['ratio']:.2f} of the reference's speed"] if time and task["verdict"] in RIGHT else []
        shown = evidence_text(evidence_in(task)) if time else ""
        said += [cell(shown)] if shown and shown not in str(task.get("reason", "")) else []
        points = f"{task['points']:g} / {task['of']:g}"
        mark = _MARK.get(task["verdict"], "❌")
        text = "<br>".join(part for part in said if part)
        lines.append(f"| {mark} | {cell(task['name'])} | {cell(task['verdict'])} | {points} | {text} |")
    if result.get("compiler"):
        text = clean(str(result["compiler"]), 4000).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        lines += ["", f"<pre>{text.replace(chr(10), '<br>')}</pre>"]
    return "\n".join(lines) + "\n\n"
