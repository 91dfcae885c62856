"""Survey items: which answers each kind takes, and which keys of a file are refused."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from zlib import compress, crc32

import pytest
from given import TEXT, text
from hypothesis import given
from hypothesis import strategies as st

from econzoo.people.study import BOX, LIKERT, SLIDER, Item
from econzoo.people.study.items import KINDS, Question
from econzoo.people.study.study_file import parse_study
from refusals import refuses


def png(width: int = 1, height: int = 1) -> bytes:
    """A grey picture."""
    parts = {
        b"IHDR": pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0),
        b"IDAT": compress((b"\0" + b"\x80" * width) * height),
        b"IEND": b"",
    }
    told = (pack(">I", len(held)) + name + held + pack(">I", crc32(name + held)) for name, held in parts.items())
    return b"\x89PNG\r\n\x1a\n" + b"".join(told)


def items(lines: str, folder: Path = Path(), table: str = "questionnaire") -> tuple[Item, ...]:
    """The questions of a file in which a table has one question of these lines."""
    return getattr(parse_study(f"{TEXT}\n[[{table}]]\n{lines}\n", folder / "pilot.toml"), table)


def item(lines: str, folder: Path = Path()) -> Item:
    return items(f'question = "Why?"\n{lines}', folder)[-1]


def test_every_kind_is_read(tmp_path: Path) -> None:
    (tmp_path / "map.png").write_bytes(png())
    assert item('kind = "multiple"\noptions = ["a", "b"]').options == ("a", "b")
    assert item('kind = "likert"\nlabels = ["low", "high"]\npoints = 5').scale == ("1", "2", "3", "4", "5")
    assert len(item('kind = "likert"\nlabels = ["low", "high"]').scale) == 7
    assert item('kind = "number"\nleast = 18').least == 18
    assert item('kind = "box"').kind == BOX
    assert item("image = 'map.png'\nalt = 'A map'", tmp_path).image == "map.png"
    shown = parse_study(
        f'{TEXT}\n[[questionnaire]]\nquestion = "A map"\nkind = "image"\nimage = "map.png"\nalt = "A map"\n',
        tmp_path / "s",
    )
    assert shown.attached_files == ("map.png",)


def test_only_texts_may_be_empty_unless_the_file_says_otherwise() -> None:
    assert [kind for kind in KINDS if Item("?", kind).may_be_empty] == ["text"]
    assert item('kind = "choice"\noptions = ["a", "b"]\noptional = true').may_be_empty
    assert not item("optional = false").may_be_empty


def test_what_says_nothing_of_a_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "map.png").write_bytes(b"<svg/>")
    (tmp_path / "large.png").write_bytes(png() + b"\0" * 2**22)
    for lines, *named in (
        ('kind = "choice"', "questionnaire[2].options", "missing"),
        ('kind = "likert"', "questionnaire[2].labels", "missing"),
        ('kind = "likert"\nlabels = ["low"]', "labels", "2 texts"),
        ('kind = "likert"\nlabels = ["low", "high"]\npoints = 12', "points", "2", "11"),
        ('kind = "slider"\nleast = 0', "questionnaire[2].most", "missing"),
        ('kind = "slider"\nleast = 0\nmost = 10\nstep = 3', "step"),
        ('kind = "slider"\nleast = 0\nmost = 10\nstep = 0', "step"),
        ('kind = "number"\nleast = 3\nmost = 3', "most", "above 3"),
        ("points = 5", "points", "likert"),
        ('options = ["a", "b"]', "options", "choice or multiple"),
        ('kind = "choice"\noptions = ["a", "a"]', "options", "distinct"),
        ("optional = 1", "optional", "True", "False"),
        ('kind = "image"', "image", "missing"),
        ('image = "map.svg"\nalt = "A map"', "image", ".png", ".webp"),
        ('image = "none.png"\nalt = "A map"', "image", "none.png"),
        ('image = "../map.png"\nalt = "A map"', "image", "beside"),
        ('image = "map.png"', "alt", "missing"),
        ('image = "map.png"\nalt = "A map"', "image", "another file format"),
        ('image = "large.png"\nalt = "A map"', "image", "large.png"),
        ('alt = "A map"', "alt", "image"),
    ):
        with refuses(ValueError, *named):
            item(lines, tmp_path)


@pytest.mark.parametrize("step", ["0.1", "0.25", "7", "1e-6"])
@given(st.integers(0, 10), st.integers(-1000, 1000))
def test_a_slider_takes_the_numbers_of_its_steps(step: str, place: int, least: int) -> None:
    """In decimals: 0.3 is a step of a tenth, though 3 times the float 0.1 is not 0.3."""
    size = float(step)
    slider = Item("?", SLIDER, least=least, most=round(least + 10 * size, 9), step=size)
    near = round(least + place * size, 9)
    assert slider.accepts_number(near)
    assert not slider.accepts_number(near + size / 2)
    assert not slider.accepts_number(least - size)


@given(st.integers(2, 11))
def test_a_scale_has_as_many_points_as_it_says(points: int) -> None:
    assert Item("?", LIKERT, points=points).scale == tuple(map(str, range(1, points + 1)))


# The quiz


def question(lines: str) -> Question:
    return items(f'question = "How many?"\n{lines}', table="quiz")[-1]  # type: ignore[return-value]


def test_a_wrong_answer_is_explained_by_one_text_or_by_that_of_its_option() -> None:
    options = 'options = ["1", "2", "3"]\nanswer = "2"'
    assert question(options).explain("1") == ""
    one = question(f'{options}\nexplanation = "Two play."')
    assert [one.explain(answer) for answer in one.options] == ["Two play.", "", "Two play."]
    each = question(f'{options}\nexplanation = ["Too few.", "", "Too many."]')
    assert [each.explain(answer) for answer in each.options] == ["Too few.", "", "Too many."]


def test_a_number_is_right_however_it_is_written() -> None:
    asked = question('kind = "number"\nanswer = 12\nexplanation = "A dozen."')
    assert [asked.accepts(answer) for answer in ("12", "12.0", "12.5")] == [True, True, False]
    assert (asked.explain("12"), asked.explain("11")) == ("", "A dozen.")


def test_questions_without_a_right_answer_are_refused() -> None:
    for lines, *named in (
        ('options = ["1", "2"]', "answer", "missing"),
        ('options = ["1", "2"]\nanswer = 1', "answer", "1, 2"),
        ('kind = "number"\nanswer = "many"', "answer", "number"),
        ('kind = "number"\nanswer = 5\nmost = 4', "answer", "bounds"),
        ('kind = "likert"\nlabels = ["a", "b"]\nanswer = "1"', "kind", "choice", "number"),
        ('options = ["1", "2"]\nanswer = "1"\noptional = true', "optional", "questionnaire"),
        ('options = ["1", "2"]\nanswer = "1"\nexplanation = ["a", "b", "c"]', "explanation", "each option"),
        ('options = ["1", "2"]\nanswer = "1"\nexplanation = 3', "explanation", "each option"),
    ):
        with refuses(ValueError, *named):
            question(lines)


def test_the_quiz_may_be_tried_without_end() -> None:
    lines = text(quiz_attempts="quiz_attempts = 0")
    read = parse_study(lines, Path("pilot.toml"))
    assert read.quiz_attempts == 0
    assert read.may_fail  # the code word still counts
    without = lines.replace('[attention]\ncode_word = "maple"\nattempts = 2\n', "")
    assert not parse_study(without, Path("pilot.toml")).may_fail
