"""The course file: what it may hold, what it does to grades, and that no rule does what it must not."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from autograder.course.course import Course, parse, read_course
from autograder.course.term import Asked, LabGrade, TermGrade, Work, rounded, term
from autograder.course.values import Extension, Span, exact, handed_in, plain, size
from autograder.errors import UsageError
from autograder.tests.class_support import ROOT, put

DUE = "deadline = 2026-10-09T23:59:00\n"
LAB = f"[[lab]]\nlab = 1\n{DUE}"


def course(text: str) -> Course:
    return parse(Path("/elsewhere/course.toml"), text)


def work(points: str = "80", bonus: str = "0", late: str = "", marked: bool = False, bonus_of: str = "0") -> Work:
    """Of a lab with 100 core points; `late` after 23:59 UTC."""
    when = handed_in("2026-10-09 23:59:00")
    assert when is not None
    due = int(when.timestamp()) + int(Span.read(late).seconds) if late else None
    came = handed_in(f"{when.fromtimestamp(due, when.tzinfo):%Y-%m-%d %H:%M:%S}") if due else None
    core, extra = Fraction(points), Fraction(bonus)
    return Work("graded", core, extra, Fraction(100), Fraction(bonus_of), came, marked)


def one(text: str, done: Work | None, asked: Asked | None = None) -> LabGrade:
    grade = term(course(text), {1: done}, {1: asked} if asked else {}).lab(1)
    assert grade is not None
    return grade


@pytest.mark.parametrize(
    ("rule", "late", "final"),
    [
        ("percent = 10", "1 s", "72"),
        ("percent = 10", "1 day", "72"),
        ("percent = 10", "24 h 1 s", "64"),
        ("percent = 10\ncap = 30", "9 days", "56"),
        ("percent = 10\ngrace = '15 min'", "15 min", "80"),
        ("percent = 10\ngrace = '15 min'", "16 min", "72"),
        ("percent = 10\ngrace = '15 min'", "1 day 15 min", "72"),
        ("percent = 1\nper = 'hour'", "90 min", "78.4"),
        ("percent = 10\nof = 'maximum'", "1 h", "70"),
        ("percent = 60\nof = 'maximum'", "2 days", "0"),
        ("percent = 10\ncloses = '2 days'", "2 days", "64"),
        ("percent = 10\ncloses = '2 days'", "2 days 1 s", "0"),
        ("steps = [{ until = '1 h', percent = 5 }, { until = '1 day', percent = 20.5 }]", "1 h", "76"),
        ("steps = [{ until = '1 h', percent = 5 }, { until = '1 day', percent = 20.5 }]", "2 h", "63.6"),
        ("steps = [{ until = '1 h', percent = 5 }, { until = '1 day', percent = 20.5 }]", "25 h", "0"),
        ("steps = [{ until = '1 h', percent = 5 }]\ncap = 40", "25 h", "48"),
    ],
)
def test_a_late_rule_takes_what_it_says(rule: str, late: str, final: str) -> None:
    grade = one(f"{LAB}[lab.late]\n{rule}\n", work(late=late))
    assert plain(grade.final) == final, grade.why
    assert grade.lost == grade.points - grade.final or "rounded" in grade.why[-1]


def test_an_extension_moves_the_deadline_of_one_student() -> None:
    rule = f"{LAB}[lab.late]\npercent = 10\n"
    assert plain(one(rule, work(late="2 days"), Asked(Extension.read("3 days"))).final) == "80"
    moved = one(rule, work(late="2 days"), Asked(Extension.read("1 day")))
    assert plain(moved.final) == "72" and "with the extension" in " ".join(moved.why)


def test_days_of_an_extension_are_days_on_the_wall() -> None:
    """Berlin's clocks go back an hour in the night to 25 October 2026."""
    read = course("time_zone = 'Europe/Berlin'\n[[lab]]\nlab = 1\ndeadline = 2026-10-24T18:00:00\n")
    due = read.deadline(read.lab(1), Extension.read("1 day"))
    assert due is not None and due.isoformat() == "2026-10-25T17:00:00+00:00"


def test_free_days_go_by_deadlines_and_only_where_they_save_something() -> None:
    text = "[free]\ndays = 3\nmost_per_lab = 2\n[late]\npercent = 10\n" + "".join(
        f"[[lab]]\nlab = {number}\ndeadline = 2026-10-{day:02}T23:59:00\n" for number, day in ((2, 16), (1, 9), (3, 23))
    )
    late = work(late="30 h")
    week = {number: handed_in(f"2026-10-{day} 06:00:00") for number, day in ((2, 18), (3, 25))}
    asked = {number: Asked(when=when) for number, when in week.items()}
    grade = term(course(text), {1: late, 2: late, 3: work(points="0")}, asked)
    assert [(one.lab, one.free_days, plain(one.final)) for one in grade.labs] == [
        (2, 1, "72"),
        (1, 2, "80"),
        (3, 0, "0"),
    ]
    assert grade.free_days_left == 0


def test_late_by_the_platforms_word_alone_is_not_decided_by_a_guess() -> None:
    rule = f"{LAB}[lab.late]\npercent = 10\n"
    grade = term(course(rule), {1: work(marked=True)}, {})
    assert grade.labs[0].state == "undecided" and grade.total is None
    assert "handed_in of [[lab]] 1" in grade.labs[0].why[-1]
    settled = one(rule, work(marked=True), Asked(when=handed_in("2026-10-10 12:00:00")))
    assert plain(settled.final) == "72"


@pytest.mark.parametrize(
    ("rule", "final", "of"),
    [("", "110", "120"), ("counts = 'on top'", "110", "100"), ("counts = 'on top'\ncap = 105", "105", "100"),
     ("counts = 'no'", "95", "100")],
)  # fmt: skip
def test_bonus(rule: str, final: str, of: str) -> None:
    grade = one(f"{LAB}[bonus]\n{rule}\n", work("95", "15", bonus_of="20"))
    assert (plain(grade.final), plain(grade.of)) == (final, of)


def test_the_total_is_weighted_dropped_rounded_and_explained() -> None:
    text = "[drop]\nlowest = 1\n[rounding]\ndigits = 2\n" + "".join(
        f"[[lab]]\nlab = {number}\nweight = {weight}\n" for number, weight in ((1, 1), (2, 2), (3, "0.5"))
    )
    grade = term(course(text), {1: work("90"), 2: work("70"), 3: work("20")}, {})
    assert [one.state for one in grade.labs] == ["counts", "counts", "dropped"]
    assert grade.total == Fraction("76.67")
    assert grade.why == ("(90/100 x 1 + 70/100 x 2) / 3 x 100 = 76.6666…", "rounded half up: 76.67")


def test_missing_and_excused() -> None:
    text = "[[lab]]\nlab = 1\n[[lab]]\nlab = 2\n"
    both = {1: work("90"), 2: None}
    assert term(course(text), both, {}).total == 45
    assert term(course("missing = 'excused'\n" + text), both, {}).total == 90
    assert term(course(text), both, {2: Asked(excused=True)}).total == 90
    assert term(course(text), {1: work("90")}, {}).total == 90  # lab 2 is not graded yet


@pytest.mark.parametrize(
    ("mode", "values"),
    [("half up", "0.1 0.2 0.3"), ("half even", "0.0 0.2 0.2"), ("down", "0.0 0.1 0.2"), ("up", "0.1 0.2 0.3")],
)
def test_rounding_is_exact(mode: str, values: str) -> None:
    rule = course(f"[rounding]\nmode = '{mode}'\n[[lab]]\nlab = 1\n").file.rounding
    assert [rounded(exact(x), rule) for x in (0.05, 0.15, 0.25)] == [Fraction(x) for x in values.split()]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[lab]]\nlab = 1\ndeadlin = 2\n", "[[lab]] 1: deadlin: no such key; did you mean 'deadline'"),
        ("[[lab]]\nlab = 'one'\n", "[[lab]] one: lab: expected int, got str"),
        ("[[lab]]\nweight = 1\n", "lab: is missing"),
        ("course = 'x'\n", "lab: is missing"),
        ("[[lab]]\nlab = 1\nweight = -1\n", "weight: expected a number of at least 0, not -1"),
        ("[[lab]]\nlab = 1\nweight = nan\n", "nan is not a number"),
        ("[[lab]]\nlab = 1\ndeadline = 2026-10-09\n", "has no time of day; write 2026-10-09T23:59:59"),
        ("[late]\npercent = 120\n" + LAB, "late.percent: expected a number of at least 0 and at most 100, not 120"),
        ("[late]\ngrace = '15'\npercent = 1\n" + LAB, "late.grace: '15' is not a length of time"),
        ("[late]\ngrace = '1 day'\n" + LAB, "late: give either percent"),
        ("[late]\nper = 'week'\npercent = 1\n" + LAB, "late.per: Invalid enum value 'week'; choose from: day, hour"),
        ("[[lab]]\nlab = 1\n[[lab]]\nlab = 1\n", "[[lab]] 1: is there twice"),
        ("[drop]\nlowest = 1\n" + LAB, "drop.lowest = 1 drops all of 1 labs"),
        ("time_zone = 'Mars'\n" + LAB, "time_zone: 'Mars' is not known"),
        (LAB + "[lab.extensions]\nada = 'soon'\n", "extensions: 'soon' is neither a new deadline"),
        (LAB + "[[lab.private]]\nname = 'a'\n", "private 'a': give either sizes"),
        (LAB + "[[lab.private]]\nname = 'a'\nsizes = ['2^x']\n", "'2^x' is not a size"),
        (LAB + "[[lab.private]]\nname = 'a'\nsizes = [1]\nshow = 'no'\n", "private 'a'.show"),
        ("lab = [", "not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        course(text)
    assert said in str(error.value) and "/elsewhere/course.toml" in str(error.value)


def test_a_course_file_in_the_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lies in the repository"):
        read_course(ROOT / "docs" / "course.toml", ROOT)
    with pytest.raises(UsageError, match="No such file"):
        read_course(tmp_path / "none.toml", ROOT)
    with pytest.raises(UsageError, match="not UTF-8"):
        read_course(put(tmp_path / "bad.toml", b"\xff\xfe\x00"), ROOT)


def test_sizes_as_people_write_them() -> None:
    assert [size(text) for text in (7, "2^20 + 1", "1e6 - 1", "1,000,003")] == [7, 2**20 + 1, 999_999, 1_000_003]
    for text in ("1.5", -1, True, "2^20^2", "1 - 2"):
        with pytest.raises(ValueError, match=r"size|less than 0"):
            size(text)


def random_course(rng: random.Random) -> tuple[str, dict[int, Work | None]]:
    late = rng.choice(
        ["", "[late]\npercent = {p}\nper = '{u}'\n", "[late]\nsteps = [{{ until = '5 h', percent = {p} }}]\n"]
    )
    text = late.format(p=rng.randint(0, 100), u=rng.choice(["day", "hour"]))
    text += f"[free]\ndays = {rng.randint(0, 4)}\n[drop]\nlowest = DROP\n"
    text += f"[rounding]\ndigits = {rng.randint(0, 3)}\nmode = '{rng.choice(['half up', 'half even', 'down', 'up'])}'\n"
    text += f"[bonus]\ncounts = '{rng.choice(['in', 'on top', 'no'])}'\n"
    works: dict[int, Work | None] = {}
    for number in range(1, rng.randint(3, 6)):
        weight, keep = rng.choice(["1", "2", "0.3"]), rng.choice(["true", "false"])
        text += f"[[lab]]\nlab = {number}\n{DUE}weight = {weight}\ndroppable = {keep}\n"
        hours = rng.choice([0, rng.randint(1, 200)])
        works[number] = rng.choice([None, *[work(f"{rng.randint(0, 1000) / 10}", f"{rng.randint(0, 20)}",
                                                 f"{hours} h" if hours else "", bonus_of="20")] * 5])  # fmt: skip
    return text, works


def total(text: str, works: dict[int, Work | None], drop: int = 0) -> TermGrade:
    return term(course(text.replace("DROP", str(drop))), works, {})


def test_no_rule_does_what_it_must_not() -> None:
    """Over random courses: lateness never raises a grade, dropping never lowers a total, more points never cost any."""
    rng = random.Random(149)
    for _ in range(150):
        text, works = random_course(rng)
        plain_grade = total(text, works)
        assert plain_grade.total is not None and 0 <= plain_grade.total <= 100
        in_time = {number: one and Work(**{**one.__dict__, "when": None}) for number, one in works.items()}
        assert (total(text, in_time).total or 0) >= plain_grade.total
        for one, same in zip(plain_grade.labs, total(text, in_time).labs, strict=True):
            assert 0 <= one.final <= same.final and 0 <= one.lost <= one.points
        dropped = total(text, works, drop=1)
        assert dropped.total is not None and dropped.total >= plain_grade.total
        assert sum(one.state == "dropped" for one in dropped.labs) <= 1
        number = rng.choice(list(works))
        done = works[number]
        if done is not None:
            better = works | {number: Work(**{**done.__dict__, "core": min(Fraction(100), done.core + 5)})}
            assert (total(text, better).total or 0) >= plain_grade.total
        assert sum(one.free_days for one in plain_grade.labs) <= course(text.replace("DROP", "0")).file.free.days


def test_a_later_hand_in_never_has_more_points() -> None:
    rng = random.Random(7)
    for _ in range(40):
        text, _ = random_course(rng)
        finals = [total(text, {1: work(late=f"{hours} h")}).labs[0].final for hours in range(1, 120, 7)]
        assert finals == sorted(finals, reverse=True)
