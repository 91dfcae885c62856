"""What is typed wrongly: field, value and bounds are named, all that was typed stays, nothing is kept."""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from visitor import BOUNDS, HtmlForm, Page, Visitor, filled, phrase

import econzoo
from econzoo.people.bots.html_page import Input
from refusals import says

NOTE = "Typed before"
"""In the other fields."""

FAR = 1e15
"""Beyond what any field takes."""


def wrong(page: Page, one: Input) -> Iterator[tuple[str, list[str]]]:
    """What cannot be typed into a field, each with what is allowed."""
    if one.kind == "decimal":
        bounds = BOUNDS.search(page.by_id[one.described_by])
        allowed = [bound for bound in bounds.groups() if bound] if bounds else []
        for typed in ("much", "", "1;2", "nan"):
            yield typed, allowed
        if bounds is not None:
            yield f"{FAR:.0f}" if bounds[2] or bounds[4] else f"-{FAR:.0f}", allowed
        if "hole number" in page.by_id[one.described_by]:
            least = float(bounds[1].replace(",", "")) if bounds[1] else 0.0
            yield f"{least + 0.5}", allowed
    elif one.kind == "radio":
        options = [given["value"] for _, given in page.elements if given.get("name") == one.name]
        yield "none of these", options
    elif one.described_by == "source":
        yield "def strategy_function(:\n", ["1", "invalid syntax"]
    else:
        yield "x" * 100_000, ["100000"]


def typed(page: Page, form: HtmlForm, button: str) -> dict[str, str]:
    program = "def strategy_function():\n    pass\n"
    return filled(page, form, button, 0.5, NOTE, program)


def moves(folder: Path) -> int:
    return sqlite3.connect(folder / "table.sqlite").execute("SELECT count(*) FROM moves").fetchone()[0]


def stands(visitor: Visitor, form: HtmlForm, given: dict[str, str]) -> bool:
    """Whether everything that was typed is in its place."""
    page = html.unescape(visitor.text)
    values = {(given.get("name"), given.get("value")) for tag, given in visitor.page.elements if tag == "input"}
    one_line = [one for one in form.inputs if one.kind in ("decimal", "hidden")]
    longer = [one for one in form.inputs if one.kind == "textarea"]
    return all((one.name, given[one.name]) in values for one in one_line) and all(
        f"{given[one.name]}</textarea>" in page for one in longer
    )


def asked(visitor: Visitor) -> bool:
    return bool(visitor.page.move_forms)


@pytest.mark.parametrize("game", econzoo.games())
def test_wrong_input_of_each_field_is_named_and_kept(visit, tmp_path, game):
    visitor = visit()
    page = visitor.start(game, player_1="random")
    assert asked(visitor), "the first seat begins"
    tried = 0
    for form in page.move_forms:
        assert "novalidate" in visitor.text
        for one in [one for one in form.inputs if one.kind != "hidden"]:
            for text, allowed in wrong(page, one):
                given = typed(page, form, form.buttons[0]) | {one.name: text}
                visitor.post(given)
                assert visitor.status == 422
                assert visitor.problems
                says(visitor.problems, *allowed)
                assert not text or text[:20] in visitor.problems or len(text) > 1000 or one.described_by == "source"
                assert stands(visitor, form, given)
                tried += 1
        visitor.post({"number": "0", "kind": "nothing of this game"})
        assert visitor.status == 422
        assert "nothing of this game" in visitor.problems
    assert tried or not any(one.kind != "hidden" for form in page.move_forms for one in form.inputs)
    assert moves(tmp_path) == 0


# A program is checked before it is submitted


ENDLESS = "def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):\n    return 1 / 0\n"
GOOD = ENDLESS.replace("1 / 0", '"C"')


def test_an_error_of_a_program_is_told_and_nothing_is_submitted(visit, tmp_path):
    pytest.importorskip("pydantic_monty", reason="the sandbox of programs needs the extra programs")
    visitor = visit()
    begun = visitor.start("program_matrix")
    for program, *named in (
        ("def f(:\n", 1, "invalid syntax"),
        ("x = 1\n", "strategy_function"),
        (ENDLESS, 2, "ZeroDivisionError"),
        (GOOD.replace('"C"', '"E"'), "'E'", "'C'", "'D'"),
    ):
        visitor.check(filled(begun, begun.move_forms[0], "program", 0.5, program=program))
        assert visitor.status == 422
        says(visitor.problems, *named)
        assert f"{program}</textarea>" in html.unescape(visitor.text)
        assert 'aria-invalid="true"' in visitor.text
        assert moves(tmp_path) == 0


def test_the_line_of_an_error_in_a_program_is_told(visit):
    pytest.importorskip("pydantic_monty", reason="the sandbox of programs needs the extra programs")
    visitor = visit()
    page = visitor.start("program_matrix")
    visitor.check(filled(page, page.move_forms[0], "program", 0.5, program="\n\n" + ENDLESS))
    says(visitor.problems, 4)


def test_a_program_without_errors_is_told_so_and_stays(visit, tmp_path):
    pytest.importorskip("pydantic_monty", reason="the sandbox of programs needs the extra programs")
    visitor = visit()
    page = visitor.start("program_matrix", param_turns="2")
    visitor.check(filled(page, page.move_forms[0], "program", 0.5, program=GOOD))
    assert visitor.status == 200
    assert phrase("editor.checked") in visitor.text
    assert moves(tmp_path) == 0
    visitor.move(program=GOOD)
    assert moves(tmp_path) == 1


# -- amounts that may be slips ---------------------------------------------------------------------------------


def questioned(visitor: Visitor, kind: str, **own: str) -> list[str]:
    """Posts a move, with the hidden fields of its form; gives what is asked about it."""
    (form,) = [form for form in visitor.page.move_forms if kind in form.buttons]
    given = {one.name: one.value for one in form.inputs if one.kind == "hidden"}
    visitor.post({**given, "kind": kind, **{f"move.{key}": value for key, value in own.items()}})
    return [html.unescape(told) for told in re.findall(r'<div class="note doubt"[^>]*><p>(.*?)</p>', visitor.text)]


def test_a_point_before_three_digits_is_asked_about_once(visit):
    visitor = visit()
    visitor.start("bargaining", player_1="human")
    (told,) = questioned(visitor, "offer", gain="4.000")
    assert told == phrase("doubt.two_readings", low="4", high="4,000", typed="4.000")
    (other,) = questioned(visitor, "offer", gain="10000")  # another doubt is another question
    assert other == phrase("doubt.all")
    assert questioned(visitor, "offer", gain="4.000") == [told]
    assert questioned(visitor, "offer", gain="4.000") == []
    assert "offer to keep $4.00" in visitor.text


def test_a_number_that_has_one_reading_is_not_asked_about(visit):
    for typed in ("4000", "4,000", "4.00", "4.5", "40.001"):
        visitor = visit()
        visitor.start("bargaining", player_1="human", param_money="10000")
        assert questioned(visitor, "offer", gain=typed) == [], typed  # 40,001 are more than there are


def test_amounts_that_hardly_anybody_means_are_confirmed_once(visit):
    for game, kind, own, told in (
        ("bargaining", "offer", {"gain": "10000"}, phrase("doubt.all")),
        ("bargaining", "offer", {"gain": "0"}, phrase("doubt.nothing")),
        ("negotiation", "offer", {"price": "9000"}, phrase("doubt.loss", loss="$1,000")),
        ("water_allocation", "bid", {"bid": "71"}, phrase("doubt.void")),
    ):
        visitor = visit()
        visitor.start(game)
        assert questioned(visitor, kind, **own) == [told], game
        assert questioned(visitor, kind, **own) == [], game
