"""A graded class, or one result, in the formats of other systems. All are made from the same rows.

docs/class.md describes the formats. Without a grade there is no number anywhere: formats that have room for a reason
say it, and formats that are a grade have nobody's file. gradebooks.py has the tables of Canvas and Moodle.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.report.markdown import markdown
from autograder.sanitize import clean
from autograder.verdict import RIGHT
from classes.overrides import Override
from classes.store import Store
from classes.student_results import Row
from classes.student_text import grade, reason, told
from classes.tables import encode, file_names, student


def _title(result: dict[str, Any]) -> str:
    return f"Lab {result['lab']['number']} {clean(str(result['lab']['title']), 80)}"


def _compiler(result: dict[str, Any]) -> list[str]:
    return [result["compiler"]] if result.get("compiler") else []


def _by_hand(one: dict[str, Any]) -> list[str]:
    return [Override("", **changed).said() for changed in one.get("overrides", [])]


def gradescope(one: dict[str, Any]) -> dict[str, Any]:
    """results.json of Gradescope's autograder."""
    result = one["result"]
    if result is None:
        return {
            "score": float(one.get("points") or 0.0),
            "output": clean("\n".join([one["why"], *_by_hand(one)])),
            "output_format": "text",
            "visibility": "visible",
            "tests": [],
        }
    return {
        "score": float(result["points"]),
        "execution_time": round(result["seconds"]),
        "output": clean("\n".join([_title(result), *_by_hand(one), *_compiler(result)]), 8000),
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": task["name"], "number": str(number), "score": task["points"], "max_score": task["of"],
                "status": "passed" if task["verdict"] in RIGHT else "failed", "output": told(task),
                "tags": ["core" if task["core"] else "bonus"], "visibility": "visible",
            }
            for number, task in enumerate(result["tasks"], 1)
        ],
        "extra_data": {"schema": result["schema"], "grader": result["grader"], "device": result["device"]},
    }  # fmt: skip


def classroom50(one: dict[str, Any]) -> dict[str, Any]:
    """classroom50/result/v1; scores are whole numbers there."""
    result, person = one["result"], one["person"]
    given = next((changed["points"] for changed in one.get("overrides", []) if not changed["task"]), None)
    tests = [
        {
            "test-name": task["name"], "passed": task["verdict"] in RIGHT,
            "score": _whole(task["points"], task["of"]), "max-score": round(task["of"]),
        }
        for task in (result or {}).get("tasks", [])
    ]  # fmt: skip
    return {
        "schema": "classroom50/result/v1",
        "classroom": "",
        "assignment": result["lab"]["folder"] if result else "",
        "usernames": [person.get("login") or person["key"]],
        "submission": one["submission"]["origin"],
        "commit": "",
        "release": "",
        "review": "",
        "datetime": (one["graded"] or {}).get("finished", ""),
        "score": sum(test["score"] for test in tests) if given is None else _whole(given, one["of"]),
        "max-score": sum(test["max-score"] for test in tests) or round(one.get("of") or 0),
        "tests": tests,
    }


def _whole(points: float, of: float) -> int:
    """The nearest whole number, but full marks for nothing less."""
    return round(points) if points == of else min(round(points), round(of) - 1)


def github_classroom(one: dict[str, Any]) -> dict[str, Any]:
    """What autograding-grading-reporter of GitHub Classroom reads: version 1 adds up `score` and `max_score`.

    In whole points, as nothing says whether Classroom takes others.
    """
    result = one["result"] or {}
    prefix = f"lab {result['lab']['number']}: " if result else ""
    tests = [
        {
            "name": prefix + task["name"], "status": "pass" if task["verdict"] in RIGHT else "fail",
            "score": _whole(task["points"], task["of"]), "message": told(task),
            "execution_time": f"{task['seconds']:.1f}s", "test_code": "", "filename": "", "line_no": 0,
        }
        for task in result.get("tasks", [])
    ]  # fmt: skip
    fault = any(task["verdict"] == "IE" for task in result.get("tasks", []))
    return {
        "version": 1, "status": "error" if fault else "pass", "max_score": round(result.get("of") or 0), "tests": tests,
    }  # fmt: skip


PER_STUDENT: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "gradescope": gradescope,
    "classroom50": classroom50,
}


def per_student(form: str, rows: Sequence[Row], store: Store) -> Iterator[tuple[str, bytes]]:
    """A file for everybody who has a grade."""
    names = file_names(rows)
    for row in rows:
        if row.points is not None:
            yield f"{names[row.key]}.json", encode(PER_STUDENT[form](student(row, store)))


def junit(rows: Sequence[Row], store: Store, title: str) -> str:
    """A test suite for each student, a test case for each task."""
    top = ET.Element("testsuites", name=title)
    for row in rows:
        one = student(row, store)
        result = one["result"] if row.status in ("graded", "fault") else None
        tasks = (result or {}).get("tasks", [])
        suite = ET.SubElement(top, "testsuite", name=_xml(row.key))
        if not tasks:
            kind = "skipped" if row.status in ("missing", "waiting") else "error"
            case = ET.SubElement(suite, "testcase", name="submission", classname=_xml(row.key), time="0")
            ET.SubElement(case, kind, message=_xml(one["why"]))
        for task in tasks:
            case = ET.SubElement(
                suite, "testcase", name=_xml(task["name"]), classname=_xml(row.key), time=f"{task['seconds']:.3f}"
            )
            kind = {"AC": "", "SLOW": "", "SKIP": "skipped", "IE": "error"}.get(task["verdict"], "failure")
            if kind:
                found = ET.SubElement(case, kind, message=_xml(f"{task['verdict']} {task['reason']}"))
                if kind != "skipped":
                    found.set("type", task["verdict"])
                    found.text = _xml(told(task))
        cases = list(suite)
        suite.set("tests", str(len(cases)))
        for name, word in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(name, str(sum(case.find(word) is not None for case in cases)))
        suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
    ET.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(top, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Removes characters that `clean` lets pass and XML 1.0 cannot hold."""
    return "".join(letter for letter in clean(text) if letter not in "\ufffe\uffff")


def whole_class(rows: Sequence[Row], store: Store, title: str) -> str:
    """All students' files as one list of JSON."""
    return encode({"title": title, "students": [student(row, store) for row in rows]}).decode()


def table(rows: Sequence[Row], store: Store, title: str) -> str:
    """The class as a table of Markdown: points, verdicts, and why somebody has none."""
    names = list(dict.fromkeys(task["name"] for row in rows for task in row.tasks))
    lines = [f"### {_md(title)}", "", "| " + " | ".join(["person", "points", *map(_md, names), "remarks"]) + " |"]
    lines.append("|---|--:|" + "---|" * len(names) + "---|")
    for row in rows:
        verdicts = {task["name"]: task["verdict"] for task in row.tasks}
        said = "; ".join([*(one.said() for one in row.overrides), *([reason(row)] if reason(row) else [])])
        cells = [row.key, grade(row) if row.points is not None else "", *(verdicts.get(name, "") for name in names)]
        lines.append("| " + " | ".join(map(_md, [*cells, said])) + " |")
    return "\n".join(lines) + "\n"


def _md(text: str) -> str:
    plain = clean(text, 300).replace("\n", " ")
    return "".join(f"\\{letter}" if letter in "\\|*_`<>[]" else letter for letter in plain)


# The file's ending, and what makes its text.
PER_CLASS: dict[str, tuple[str, Callable[[Sequence[Row], Store, str], str]]] = {
    "junit": ("xml", junit),
    "json": ("json", whole_class),
    "markdown": ("md", table),
}
# Of one result, as for a student; github-classroom is in the workflow that students' repositories have.
PER_RESULT: dict[str, Callable[[dict[str, Any]], dict[str, Any] | str]] = {
    **PER_STUDENT,
    "markdown": lambda one: markdown(one["result"]),
    "github-classroom": github_classroom,
}


def of_one(form: str, result: bytes, name: str) -> str:
    """A single result of `./grader -o json` in a format of PER_RESULT.

    Raises ValueError if it is not a result.
    """
    data = json.loads(result)
    if not isinstance(data, dict) or data.get("schema") != "cuda-labs/result/v1":
        raise ValueError("its field `schema` is not cuda-labs/result/v1")
    one = {
        "person": {"key": name, "name": name}, "status": "graded", "why": "", "result": data,
        "submission": {"origin": data["source"], "digest": ""}, "graded": None,
    }  # fmt: skip
    made = PER_RESULT[form](one)
    return made if isinstance(made, str) else encode(made).decode()
