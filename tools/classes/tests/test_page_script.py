"""The class page's own script, run by Node on as much of a page as it looks at."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from autograder.page.page import TEMPLATES

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
PAGE = """
const rows = ROWS.map((data) => ({ dataset: data, hidden: false }));
const listeners = {};
const heading = (key) => {
  const th = { attributes: {}, setAttribute(name, value) { this.attributes[name] = value; },
               removeAttribute(name) { delete this.attributes[name]; } };
  return { dataset: { sort: key }, closest: () => th, th,
           addEventListener(kind, call) { listeners[key] = call; } };
};
const buttons = ["name", "section", "points", "took"].map(heading);
const body = { rows, replaceChildren(...all) { this.rows = all; } };
const table = { tBodies: [body], querySelectorAll: (what) => what === "th button" ? buttons
  : buttons.map((one) => one.th).filter((th) => "aria-sort" in th.attributes) };
const names = ["search", "verdict", "section", "least", "most"];
const parts = Object.fromEntries(names.map((name) => [name, { value: "" }]));
const output = { textContent: "" };
const form = { hidden: true, querySelector: (what) => what === "output" ? output : parts[what.match(/=(\\w+)/)[1]],
               addEventListener(kind, call) { listeners[kind] = call; } };
globalThis.document = { querySelector: (what) => what === "table.people" ? table : form };
"""
TELL = """
const out = () => ({ shown: body.rows.filter((row) => !row.hidden).map((row) => row.dataset.name),
  said: output.textContent, sorted: buttons.map((one) => one.th.attributes["aria-sort"] ?? "") });
"""
PEOPLE = [
    {"name": name, "search": f"{name} {key} {section}", "section": section, "points": points, "verdicts": verdicts,
     "took": took}
    for name, key, section, points, verdicts, took in (
        ("Søren Å", "soren", "B", "9.5", "AC WA ", "3.0"), ("Ada", "ada", "A", "100", "AC ", "10.0"),
        ("Élodie", "el", "A", "", " missing", ""), ("Bob", "bob", "B", "20", "RTE SKIP ", "1.0"),
    )
]  # fmt: skip


def run(*steps: str) -> list[dict[str, Any]]:
    """What is shown after each step."""
    script = PAGE.replace("ROWS", json.dumps(PEOPLE)) + (TEMPLATES / "class.js").read_text("utf-8") + TELL
    script += "const all = [];" + "".join(f"{step}; all.push(out());" for step in ("", *steps))
    done = subprocess.run(
        ["node", "-e", script + "console.log(JSON.stringify(all))"], capture_output=True, text=True, check=True
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def filtered(**parts: str) -> list[str]:
    steps = "; ".join(f"parts.{name}.value = {json.dumps(value)}" for name, value in parts.items())
    return list(run(f"{steps}; listeners.input()")[-1]["shown"])


def test_search_and_filters() -> None:
    assert run()[0]["said"] == "4 of 4"
    assert filtered(search="soren") == ["Søren Å"] and filtered(search="elodie") == ["Élodie"]
    assert filtered(search="b b") == ["Søren Å", "Bob"] and filtered(section="A") == ["Ada", "Élodie"]
    assert filtered(verdict="WA") == ["Søren Å"] and filtered(verdict="missing") == ["Élodie"]
    assert filtered(least="9.5", most="20") == ["Søren Å", "Bob"] and filtered(most="5") == []
    assert filtered(search="b", verdict="RTE", least="1") == ["Bob"]


def test_sorting() -> None:
    names = [one["shown"] for one in run("listeners.points()", "listeners.points()", "listeners.name()")]
    assert names[1] == ["Ada", "Bob", "Søren Å", "Élodie"] and names[2] == names[1][::-1]
    assert names[3] == ["Ada", "Bob", "Élodie", "Søren Å"]
    assert run("listeners.took()")[-1]["sorted"] == ["", "", "", "descending"]
