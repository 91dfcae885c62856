"""Exactly one move: whatever is typed, pressed twice, reloaded, or killed."""

from __future__ import annotations

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import Visitor, filled, phrase

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.table import LiveMatch
from econzoo.people.table_server import build_folder_app
from econzoo.people.texts import load_texts
from refusals import says


def moves(folder: Path) -> list[tuple[int, int]]:
    """(seat, number) of all answers of people that are kept."""
    return sqlite3.connect(folder / "table.sqlite").execute("SELECT seat, number FROM moves").fetchall()


# Wrong input


def test_a_wrong_amount_names_field_value_and_bounds_and_keeps_what_was_typed(visit, tmp_path):
    visitor = visit()
    visitor.start("bargaining")
    (label,) = re.findall(r'<label for="[^"]*">([^<]*)</label>\s*<input [^>]*name="move.gain"', visitor.text)
    for typed, *named in (("50000", 50000), ("-1", -1), ("much", "much"), ("",), ("nan", "nan"), ("1e999",)):
        visitor.move("offer", gain=typed, words="Half & half")
        assert visitor.status == 422, typed
        says(visitor.problems, label, *named, 0, "10,000")
        assert f'name="move.gain" value="{typed}"' in visitor.text
        assert "Half &amp; half</textarea>" in visitor.text
        assert moves(tmp_path) == []


def test_words_that_are_too_long_are_kept_and_counted(visit, tmp_path):
    visitor = visit()
    visitor.start("bargaining")
    visitor.move("offer", gain="1", words="x" * 501)
    says(visitor.problems, 501, 500)
    assert "x" * 501 + "</textarea>" in visitor.text
    assert moves(tmp_path) == []


def test_a_kind_of_move_that_is_not_legal_now_is_refused(visit, tmp_path):
    visitor = visit()
    visitor.start("bargaining")
    visitor.post({"number": "0", "kind": "accept"})
    assert phrase("move.unknown", move="'accept'", allowed="Offer") in visitor.text
    assert moves(tmp_path) == []


def test_a_program_that_is_none_is_refused_with_its_line(visit, tmp_path):
    visitor = visit()
    visitor.start("program_matrix")
    visitor.move(program="def f(:\n")
    assert visitor.status == 422
    says(visitor.problems, "invalid syntax")  # in Python's words
    assert moves(tmp_path) == []


# One move


def test_a_move_that_is_posted_twice_is_played_once(visit, tmp_path):
    visitor = visit()
    page = visitor.start("matrix", param_rounds="5")
    posted = filled(page, page.move_forms[0], "C", 0.5)
    visitor.post(posted)
    visitor.post(posted | {"kind": "D"})
    assert phrase("table.late") in visitor.text
    assert moves(tmp_path) == [(0, 0)]
    assert visitor.text.count(f"{phrase('table.you')}</span>") == 1


def test_reloading_and_going_back_plays_nothing(visit, tmp_path):
    visitor = visit()
    visitor.start("matrix", param_rounds="5")
    visitor.move("C")
    for _ in range(3):
        visitor.look()
    assert moves(tmp_path) == [(0, 0)]


def test_two_tabs_of_a_seat_make_one_move(visit, tmp_path):
    one, other = visit(), visit()
    page = one.start("matrix", param_rounds="5")
    other.open(one.path)
    one.move("C")
    other.post(filled(page, page.move_forms[0], "D", 0.5))
    assert moves(tmp_path) == [(0, 0)]
    assert phrase("table.late") in other.text


def test_many_answers_at_once_make_one_move(visit, tmp_path):
    visitor = visit()
    page = visitor.start("matrix", param_rounds="5")
    posted, others = filled(page, page.move_forms[0], "C", 0.5), [visit() for _ in range(6)]
    for other in others:
        other.path = visitor.path
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda other: other.post(posted), others))
    assert moves(tmp_path) == [(0, 0)]
    assert sum(phrase("table.late") in other.text for other in others) == 5


def test_pages_that_are_loaded_while_a_move_is_made_change_nothing(visit, tmp_path):
    visitor, before, after = visit(), [visit() for _ in range(4)], [visit() for _ in range(4)]
    page = visitor.start("matrix", param_rounds="5")
    for other in (*before, *after):
        other.path = visitor.path
    with ThreadPoolExecutor(5) as pool:
        seen = [pool.submit(other.look) for other in before]
        pool.submit(visitor.post, filled(page, page.move_forms[0], "C", 0.5))
        seen += [pool.submit(other.look) for other in after]
    assert {len(one.result().move_forms) for one in seen} <= {0, 1}  # the question before, the one after, or none
    assert moves(tmp_path) == [(0, 0)]


def test_nobody_moves_for_another_seat(visit, tmp_path):
    alice, bob = visit(), visit()
    alice.start("bargaining", player_1="human")
    bob.open(alice.invitations[0])
    bob.post({"number": "0", "kind": "offer", "move.gain": "1", "seat": "0"})
    assert moves(tmp_path) == []


def test_a_token_moves_its_own_seat_alone(visit, tmp_path):
    """Both are asked; whatever the form of one says, it moves for the one whose address it is sent to."""
    alice, bob = visit(), visit()
    page = alice.start("matrix", player_1="human", param_rounds="1")
    bob.open(alice.invitations[0])
    bob.post(filled(page, page.move_forms[0], "C", 0.5) | {"seat": "0", "token": alice.path.removeprefix("/s/")})
    assert moves(tmp_path) == [(1, 0)]
    assert alice.look().move_forms


# Another process on the same folder


def test_a_new_server_goes_on_where_the_killed_one_was(tmp_path):
    first = Visitor(TestClient(build_folder_app(tmp_path)))
    first.start("bargaining", param_horizon="4", player_1="boulware(0.2)", seed="3")
    first.move("offer", gain="9000", words="Mine")
    second = Visitor(TestClient(build_folder_app(tmp_path)))
    second.open(first.path)
    assert second.received[-1] == first.received[-1].replace("?late", "")
    second.move("reject")
    second.move("offer", gain="4000")
    second.move("accept") if not second.over else None
    record = Record.from_json(second.record().text)
    assert replay(record) == []
    assert moves(tmp_path)[0] == (0, 0)


def test_an_answer_to_a_server_that_is_just_opening_the_match_is_not_too_late(tmp_path, monkeypatch):
    """Open pages come back to a new server together: one loads the match while another already answers."""
    first = Visitor(TestClient(build_folder_app(tmp_path)))
    page = first.start("matrix", param_rounds="2", player_1="tit-for-tat")
    given, opening, go, advance = filled(page, page.move_forms[0], "C", 0.5), Event(), Event(), LiveMatch.advance

    def slowly(live: LiveMatch) -> None:
        opening.set()
        go.wait(5)
        advance(live)

    monkeypatch.setattr(LiveMatch, "advance", slowly)
    app = build_folder_app(tmp_path)
    one, other = (Visitor(TestClient(app)) for _ in range(2))
    one.path = other.path = first.path
    with ThreadPoolExecutor(2) as pool:
        loaded = pool.submit(one.look)
        assert opening.wait(5)
        answered = pool.submit(other.post, given)
        answered_early = not wait([answered], 0.3).not_done
        go.set()
        loaded.result(), answered.result()
    assert not answered_early
    assert moves(tmp_path) == [(0, 0)]
    assert phrase("table.late") not in other.text


def test_an_answer_that_was_kept_and_not_played_is_played(tmp_path):
    """The server was killed between the two."""
    first = Visitor(TestClient(build_folder_app(tmp_path)))
    first.start("matrix", param_rounds="2")
    with sqlite3.connect(tmp_path / "table.sqlite") as kept:
        kept.execute('INSERT INTO moves (match, seat, number, reply) SELECT id, 0, 0, \'{"kind":"D"}\' FROM matches')
    second = Visitor(TestClient(build_folder_app(tmp_path)))
    second.open(first.path)
    assert "Round 2 of 2" in second.text
    assert moves(tmp_path) == [(0, 0)]


def test_a_match_that_has_ended_shows_its_end_card_in_a_new_server(tmp_path):
    first = Visitor(TestClient(build_folder_app(tmp_path)))
    first.start("matrix", param_rounds="1")
    first.move("C")
    second = Visitor(TestClient(build_folder_app(tmp_path)))
    second.open(first.path)
    assert second.text == first.text
    assert len((tmp_path / "matches.jsonl").read_text(encoding="utf-8").splitlines()) == 1


# The first page


def test_a_match_that_cannot_be_is_refused_in_words(visit):
    visitor = visit()
    for given, *named in (
        ({"param_horizon": "0"}, "Horizon", 0, 1, 10000),
        ({"param_money": "gold"}, "Money", "gold", 0.01),
        ({"player_1": "nobody"}, "nobody", "bargaining", "spe", "fair"),
        ({"player_1": "program:/etc/passwd"}, "program:/etc/passwd", "--players"),
        ({"player_1": "hf:x"}, "hf:x", "--players"),
        ({"seat": "7"}, 7, 0, 1),
        ({"seed": "x"}, phrase("choose.seed"), "x"),
    ):
        visitor.start("bargaining", **given)
        assert visitor.status == 422, given
        says(visitor.problems, *named)


def test_with_more_players_there_are_more_seats_to_fill(visit):
    visitor = visit()
    page = visitor.start("guess_average", param_players="7")
    assert phrase("choose.more_seats", count=7) in visitor.text
    assert [given["value"] for _, given in page.elements if given.get("type") == "radio"] == [*"0123456", "none"]


def test_fields_for_each_of_the_others_name_them_and_rules_come_in_paragraphs(visit):
    visitor = visit()
    page = visitor.start("public_goods", param_rounds="1").raw
    rules = page.partition('<details class="card rules"')[2].partition("</details>")[0]
    assert rules.count("<p>") == 4
    visitor.move(0)
    label = load_texts().games["public_goods"]["others.points"].format
    told = [f"{label(who=who)} (".casefold() in visitor.text.casefold() for who in ["Ann", "Ben", "Cleo", "Dan"]]
    assert told == [False, True, True, True]


@pytest.mark.parametrize(("messages", "button"), [("false", phrase("table.go_on")), ("true", "Say")])
def test_who_has_nothing_to_choose_goes_on(visit, tmp_path, messages, button):
    visitor = visit()
    page = visitor.start("persuasion", param_messages=messages, param_rounds="1")
    assert f'value="say">{button}</button>' in page.raw
    visitor.move(0, words="It is good.")
    assert moves(tmp_path)[0] == (0, 0)
