"""What is typed wrongly: field, value and bounds are named, all that was typed stays, nothing is kept."""

from __future__ import annotations

import html
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from visitor import BOUNDS, HtmlForm, Input, Page, Visitor, filled

import econzoo

NOTE = "Typed before"
"""In the other fields."""

FAR = 1e15
"""Beyond what any field takes."""


def wrong(page: Page, one: Input) -> Iterator[tuple[str, str]]:
    """What cannot be typed into a field, each with what must be told of it."""
    if one.kind == "decimal":
        bounds = BOUNDS.search(page.by_id[one.described])
        for typed in ("much", "", "1;2", "nan"):
            yield typed, "lease type a"
        if bounds is not None:
            yield f"{FAR:.0f}" if bounds[2] or bounds[4] else f"-{FAR:.0f}", "out of range"
        if "hole number" in page.by_id[one.described]:
            low, high = (float(bound.replace(",", "")) for bound in bounds.groups()[:2]) if bounds[1] else (0.0, 1.0)
            yield f"{low + 0.5}", "whole number" if high > low else "out of range"
    elif one.kind == "radio":
        yield "none of these", "is none of"
    elif one.described == "source":
        yield "def strategy_function(:\n", "Line 1: invalid syntax"
    else:
        yield "x" * 100_000, "at most"


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
    return bool(visitor.page.moves)


@pytest.mark.parametrize("game", econzoo.games())
def test_wrong_input_of_each_field_is_named_and_kept(visit, tmp_path, game):
    visitor = visit()
    page = visitor.start(game, player_1="random")
    assert asked(visitor), "the first seat begins"
    tried = 0
    for form in page.moves:
        assert "novalidate" in visitor.text
        for one in [one for one in form.inputs if one.kind != "hidden"]:
            for text, told in wrong(page, one):
                given = typed(page, form, form.buttons[0]) | {one.name: text}
                visitor.post(given)
                assert visitor.status == 422
                problems = html.unescape(visitor.text.partition('id="problems">')[2].partition("</div>")[0])
                assert told in problems
                assert not text or text[:20] in problems or len(text) > 1000 or one.described == "source"
                assert stands(visitor, form, given)
                tried += 1
        visitor.post({"number": "0", "kind": "nothing of this game"})
        assert "is no move that can be played now; allowed:" in visitor.text
    assert tried or not any(one.kind != "hidden" for form in page.moves for one in form.inputs)
    assert moves(tmp_path) == 0


# A program is checked before it is submitted


ENDLESS = "def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):\n    return 1 / 0\n"
GOOD = ENDLESS.replace("1 / 0", '"C"')


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("def f(:\n", "Line 1: invalid syntax"),
        ("x = 1\n", "The program does not define def strategy_function("),
        (ENDLESS, "Against its own copy:"),
        (GOOD.replace('"C"', '"E"'), "returned 'E'; allowed: 'C', 'D'"),
    ],
)
def test_an_error_of_a_program_is_told_and_nothing_is_submitted(visit, tmp_path, program, told):
    pytest.importorskip("pydantic_monty", reason="the sandbox of programs needs the extra programs")
    visitor = visit()
    begun = visitor.start("program_matrix")
    visitor.check(filled(begun, begun.moves[0], "program", 0.5, program=program))
    assert visitor.status == 422
    page = html.unescape(visitor.text)
    assert told in page
    assert f"{program}</textarea>" in page
    assert 'aria-invalid="true"' in page
    assert moves(tmp_path) == 0


def test_the_line_of_an_error_in_a_program_is_told(visit):
    pytest.importorskip("pydantic_monty", reason="the sandbox of programs needs the extra programs")
    visitor = visit()
    page = visitor.start("program_matrix")
    visitor.check(filled(page, page.moves[0], "program", 0.5, program="\n\n" + ENDLESS))
    assert "line 4" in visitor.text.partition('id="problems">')[2].partition("</div>")[0]


def test_a_program_without_errors_is_told_so_and_stays(visit, tmp_path):
    pytest.importorskip("pydantic_monty", reason="the sandbox of programs needs the extra programs")
    visitor = visit()
    page = visitor.start("program_matrix", param_turns="2")
    visitor.check(filled(page, page.moves[0], "program", 0.5, program=GOOD))
    assert visitor.status == 200
    assert "No error was found: this program can be played." in visitor.text
    assert moves(tmp_path) == 0
    visitor.move(program=GOOD)
    assert moves(tmp_path) == 1
