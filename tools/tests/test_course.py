"""docs/course.md: its table of labs says what the labs' manifests say."""

from __future__ import annotations

import re

from autograder.plan.manifest import load
from tests.test_docs import ROOT

COURSE = ROOT / "docs" / "course.md"
ROW = re.compile(
    r"^\| \[(?P<number>\d+) [^\]]+\]\(\.\./labs/(?P<folder>[\w-]+)/README\.md\) \|.*"
    r"\| (?P<core>\d+) \+ (?P<bonus>\d+) \| (?P<points>\d+) \| (?P<hours>\d+), (?P<all>\d+) \|$",
    re.MULTILINE,
)


def hours_of(row: re.Match[str]) -> list[float]:
    return [float(row["hours"]), float(row["all"])]


def test_the_table_is_that_of_the_manifests() -> None:
    said = [
        (row["folder"], int(row["core"]), int(row["bonus"]), int(row["points"]), hours_of(row))
        for row in ROW.finditer(COURSE.read_text("utf-8"))
    ]
    held = []
    for path in sorted((ROOT / "labs").glob("*/grading/lab.toml")):
        folder = path.parents[1]
        tasks = load(folder).task
        core = [task for task in tasks if task.core]
        points, hours = round(sum(task.points for task in core)), load(folder).hours
        held.append((folder.name, len(core), len(tasks) - len(core), points, hours))
    assert said == held


def test_hours_add_up_to_what_the_plans_say() -> None:
    text = COURSE.read_text("utf-8")
    hours = {int(row["number"]): (int(row["hours"]), int(row["all"])) for row in ROW.finditer(text)}
    weekend = sum(hours[number][0] for number in (1, 2))
    month = sum(hours[number][0] for number in (1, 2, 3, 4, 6, 11))
    everything = sum(both for _, both in hours.values())
    assert f"A weekend, {weekend} hours" in text
    assert f"about {month} hours" in text
    assert abs(everything - 155) <= 6 and "about 155 hours" in text
