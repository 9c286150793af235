"""A graded class, or one result, in the formats of other systems. All are made from the same rows.

docs/class.md describes the formats. People without points get an empty cell and no file. Only those who were refused
get a file, with 0 points and the reason.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.classes.rows import Row
from autograder.classes.store import Store
from autograder.classes.tables import csv_text, encode, file_names, student
from autograder.classes.worksheet import WORKSHEET, from_data, number_in, plain
from autograder.plain import clean
from autograder.report.markdown import markdown
from autograder.timing.evidence import evidence_in, evidence_text
from autograder.verdict import RIGHT

_MOST_EXERCISM = 500  # characters of an output


def told(task: dict[str, Any]) -> str:
    """What a student reads about a task: verdict, reason, where, details."""
    lines = [task["verdict"] + (f": {task['reason']}" if task.get("reason") else "")]
    lines += [f"at {task['where']}"] if task.get("where") else []
    lines += [str(line) for line in task.get("details", [])]
    lines += [f"again: {task['again']}"] if task.get("again") else []
    output = task.get("output") or {}
    if task["verdict"] in RIGHT and output.get("total"):
        lines.append(f"{output['right']} of {output['total']} calls right")
    time = task.get("time")
    if time:
        kind = "modelled" if time["modelled"] else "measured"
        lines.append(f"{time['ratio']:.2f} times the reference's speed ({kind})")
        shown = evidence_text(evidence_in(task))
        lines += [shown] if shown and shown not in str(task.get("reason", "")) else []
    return clean("\n".join(lines), 4000)


def _title(result: dict[str, Any]) -> str:
    return f"Lab {result['lab']['number']} {clean(str(result['lab']['title']), 80)}"


def _compiler(result: dict[str, Any]) -> list[str]:
    return [result["compiler"]] if result.get("compiler") else []


def gradescope(one: dict[str, Any]) -> dict[str, Any]:
    """results.json of Gradescope's autograder."""
    result = one["result"]
    if result is None:
        return {
            "score": 0.0,
            "output": clean(one["why"]),
            "output_format": "text",
            "visibility": "visible",
            "tests": [],
        }
    return {
        "score": float(result["points"]),
        "execution_time": round(result["seconds"]),
        "output": clean("\n".join([_title(result), *_compiler(result)]), 8000),
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
    tests = [
        {
            "test-name": task["name"], "passed": task["verdict"] in RIGHT,
            "score": round(task["points"]), "max-score": round(task["of"]),
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
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def exercism(one: dict[str, Any]) -> dict[str, Any]:
    """Version 3 of Exercism's test runners."""
    result = one["result"]
    tasks = (result or {}).get("tasks", [])
    if not tasks or all(task["verdict"] == "CE" for task in tasks):
        said = (result or {}).get("compiler") or (tasks[0]["reason"] if tasks else one["why"])
        return {"version": 3, "status": "error", "message": clean(said, 60000), "tests": []}
    tests = []
    for number, task in enumerate(tasks, 1):
        status = "pass" if task["verdict"] in RIGHT else "error" if task["verdict"] == "IE" else "fail"
        test = {"name": task["name"], "test_code": f"./grader {result['lab']['number']} --task {task['name']}",
                "status": status, "task_id": number}  # fmt: skip
        if status != "pass":
            test["message"] = told(task)
        if task.get("printed"):
            test["output"] = clean(task["printed"], _MOST_EXERCISM)
        tests.append(test)
    return {
        "version": 3,
        "status": "pass" if all(test["status"] == "pass" for test in tests) else "fail",
        "tests": tests,
    }


def prairielearn(one: dict[str, Any]) -> dict[str, Any]:
    """results.json of PrairieLearn's external graders."""
    result = one["result"]
    if result is None:
        return {"gradable": False, "message": clean(one["why"]), "format_errors": [clean(one["why"])]}
    return {
        "gradable": True,
        "score": round(min(max(result["points"] / result["of"], 0.0), 1.0), 6) if result["of"] else 0.0,
        "message": _title(result),
        "output": clean(str(result.get("compiler") or ""), 8000),
        "tests": [
            {
                "name": task["name"], "description": "core" if task["core"] else "bonus",
                "points": task["points"], "max_points": task["of"],
                "message": told(task), "output": clean(str(task.get("printed") or ""), 2000),
            }
            for task in result["tasks"]
        ],
    }  # fmt: skip


PER_STUDENT: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "gradescope": gradescope,
    "classroom50": classroom50,
    "exercism": exercism,
    "prairielearn": prairielearn,
}


def per_student(form: str, rows: Sequence[Row], store: Store) -> Iterator[tuple[str, bytes]]:
    """A file for everybody who was graded or refused."""
    names = file_names(rows)
    for row in rows:
        if row.status in ("refused", "graded"):
            yield f"{names[row.key]}.json", encode(PER_STUDENT[form](student(row, store)))


def canvas(rows: Sequence[Row], store: Store, title: str) -> str:
    """For Canvas' gradebook. Canvas finds people by ID, then by SIS ID and login, then by name."""
    maximum = next((row.grading.maximum for row in rows if row.points is not None and row.grading), None) or 100.0
    lines: list[list[object]] = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]]
    lines.append(["    Points Possible", "", "", "", "", float(maximum)])
    for row in rows:
        if row.submission.person.known:
            fields = row.submission.person.fields
            ids = [fields.get("canvas", ""), fields.get("sid", ""), fields.get("login") or fields.get("email", "")]
            points = "" if row.points is None else row.points
            lines.append([row.submission.person.name, *ids, fields.get("section", ""), points])
    return csv_text(lines)


def moodle(rows: Sequence[Row], store: Store, title: str) -> str:
    """Moodle's grading worksheet: the one that was the roster, or one as an English Moodle writes it."""
    kept = store.fact(WORKSHEET, "")
    points: dict[str, object] = {}
    said: dict[str, str] = {}
    lines = []
    for row in rows:
        person = row.submission.person
        if not person.known:
            continue
        given = moodle_number(row)
        number = number_in(given)
        points[number] = "" if row.points is None else row.points
        said[number] = _feedback(row)
        identifier = f"Participant {given}" if given.isdigit() else given
        email = person.fields.get("email", "")
        most = (row.grading.maximum if row.grading else None) or ""
        lines.append((identifier, person.name, email, points[number], most, said[number]))
    return csv_text(from_data(json.loads(kept)).filled(points, said) if kept else plain(lines))


def _feedback(row: Row) -> str:
    """One task after another, with the place of each failure; a compile error is given once."""
    lines = [f"{task['name']}: {_short(task)}" for task in row.tasks]
    if row.tasks and all(task["verdict"] == "CE" for task in row.tasks):
        lines = [f"does not compile: {_short(row.tasks[0])}"]
    return clean("; ".join(lines) or row.why, 900)


def _short(task: dict[str, Any]) -> str:
    where = task.get("where") if task["verdict"] != "SKIP" else ""
    return told(task).splitlines()[0] + (f" at {where}" if where else "")


def moodle_number(row: Row) -> str:
    """The number by which Moodle finds a person; from the folder's name if the roster lacks it."""
    if number := row.submission.person.fields.get("moodle"):
        return number
    before, found, _ = row.submission.origin.partition("_assignsubmission_")
    number = before.rpartition("_")[2]
    return number if found and number.isdigit() else ""


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


PER_CLASS: dict[str, Callable[[Sequence[Row], Store, str], str]] = {"canvas": canvas, "moodle": moodle, "junit": junit}
PER_RESULT = (*PER_STUDENT, "markdown")
FORMATS = (*PER_CLASS, *PER_STUDENT)  # of a class


def of_one(form: str, result: bytes, name: str) -> str:
    """A single result of `./grader -o json` in a format that is made for each student.

    Raises ValueError if it is not a result.
    """
    data = json.loads(result)
    if not isinstance(data, dict) or data.get("schema") != "cuda-labs/result/v1":
        raise ValueError("its field `schema` is not cuda-labs/result/v1")
    if form == "markdown":
        return markdown(data)
    one = {
        "person": {"key": name, "name": name}, "status": "graded", "why": "", "result": data,
        "submission": {"origin": data["source"]}, "graded": None,
    }  # fmt: skip
    return encode(PER_STUDENT[form](one)).decode()
