"""What platforms do with a file that they are given, as far as their sources say it. For tests of exports.

Canvas: lib/gradebook_importer.rb and app/models/assignment.rb of canvas-lms. Moodle: mod/assign/feedback/offline and
mod/assign/feedback/file.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import dataclass, field


@dataclass
class Canvas:
    """A course with one assignment. `students`: by ID, their SIS ID and login."""

    title: str  # with the assignment's number
    maximum: float
    students: dict[str, tuple[str, str]]
    grades: dict[str, str] = field(default_factory=dict)
    attachments: dict[str, str] = field(default_factory=dict)  # number of an attachment, and whose it is
    feedback: dict[str, bytes] = field(default_factory=dict)

    def take(self, text: str) -> int:
        """The number of grades that it has changed."""
        heading, *rows = csv.reader(io.StringIO(text))
        assert "Student" in heading[0] and "ID" in heading[1] and len(heading) > 3, "Invalid header row"
        section = heading.index("Section")
        assert heading[2:section] == ["SIS User ID", "SIS Login ID"]
        assert heading[section + 1 :] == [self.title], "any other title makes a new assignment"
        changed = 0
        for row in rows:
            if "Points Possible" in row[0]:
                self.maximum = float(row[-1])  # which is a change of the assignment
                continue
            assert row[1] in self.students and self.students[row[1]] == (row[2], row[3]), "another student"
            before = self.grades.get(row[1], "")
            if before != row[-1]:
                self.grades[row[1]] = row[-1]  # also an empty cell over a grade
                changed += 1
        return changed

    def take_feedback(self, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                user, attachment = [part for part in name.split("_") if part.isdigit()][:2]
                assert self.attachments[attachment] == user
                self.feedback[user] = archive.read(name)


@dataclass
class Moodle:
    """An assignment in a language with decimal commas."""

    maximum: float
    participants: set[str]
    grades: dict[str, float] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    feedback: dict[str, bytes] = field(default_factory=dict)
    heading = ("ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung",
               "Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)", "Zuletzt geändert (Bewertung)",
               "Feedback als Kommentar")  # fmt: skip
    hidden_user = "Teilnehmer/in "

    def worksheet(self, names: dict[str, tuple[str, str]]) -> str:
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(self.heading)
        for number, (name, address) in names.items():
            grade = f"{self.grades[number]:.2f}".replace(".", ",") if number in self.grades else ""
            most = f"{self.maximum:.2f}".replace(".", ",")
            writer.writerow([f"{self.hidden_user}{number}", name, address, "-", grade, most, "Ja", "-", "-",
                             self.comments.get(number, "")])  # fmt: skip
        return out.getvalue()

    def take(self, text: str) -> int:
        """The number of grades that it has changed; it skips without a word what it cannot take."""
        heading, *rows = csv.reader(io.StringIO(text))
        places = [heading.index(name) for name in ("ID", "Bewertung", "Zuletzt geändert (Bewertung)")]
        comment, changed = heading.index("Feedback als Kommentar"), 0
        for row in rows:
            number = row[places[0]][len(self.hidden_user) :]
            assert number in self.participants
            grade = row[places[1]].replace(" ", "").replace(",", ".")
            assert re.fullmatch(r"\d*(\.\d+)?", grade)
            if grade and float(grade) <= self.maximum and self.grades.get(number) != float(grade):
                self.grades[number] = float(grade)
                changed += 1
            self.comments[number] = row[comment]
        return changed

    def take_feedback(self, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                parts = name.split("/")[0].split("_", 4)
                assert parts[1] in self.participants and parts[2:4] == ["assignfeedback", "file"]
                self.feedback[parts[1]] = archive.read(name)
