"""Replays in the browser: every turn, payoffs that the rules pay again, and records that are not as they should be."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable

import pytest

import econzoo
from econzoo.envs.core import MissingLibraryError, dollars
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import play_match, recompute_record, replay
from econzoo.people.table import format_payoff

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import Visitor, phrase

from econzoo.people.server import new_site
from econzoo.people.table_server import build_folder_app

SHORT = {"bargaining": {"horizon": 3}, "water_allocation": {"days": 3}, "persuasion": {"rounds": 3}}


def played(game: str, **params: object) -> Record:
    seats = econzoo.game(game).facts.seats
    try:
        return play_match(game, ["random"] * seats, 3, **{**SHORT.get(game, {}), **params})
    except MissingLibraryError as missing:
        pytest.skip(str(missing))


def verdict(text: str) -> str:
    """The name of its text."""
    told = re.search(r'data-testid="verdict">([^<]*)<', text)[1]
    return {phrase(f"replay.{name}"): name for name in ("verified", "not_verified")}[told]


def numbers(text: str) -> list[str]:
    """Of the turns that are shown."""
    return re.findall(rf'title="{phrase("replay.link")}">#(\d+)</a>', text)


@pytest.mark.parametrize("game", econzoo.games())
def test_every_turn_is_shown_and_every_payoff_is_recomputed(visit, keep, game):
    record = played(game)
    text = visit().client.get(f"/replay/{keep(record)}").text
    assert replay(record) == []
    assert verdict(text) == "verified"
    turns = len(record.turns)
    assert numbers(text) == [str(number) for number in range(max(0, turns - 60) + 1, turns + 1)]
    cell = r'<td class="n"[^>]*>([^<]*)</td>'
    shown = [pair[:2] for pair in re.findall(cell * 3, text)]
    again = [format_payoff(econzoo.game(game), payoff) for payoff in recompute_record(record).payoffs]
    assert shown == list(zip(again, again, strict=True))


def test_a_match_that_was_cut_shows_what_its_position_would_pay_as_that(visit, keep):
    record = played("matrix", rounds=9, max_cycles=2)
    assert record.is_truncated
    text = visit().client.get(f"/replay/{keep(record)}").text
    assert verdict(text) == "verified"
    assert "<span>Cut</span>" in text
    assert text.count(phrase("end.column_position")) == 3
    assert 'data-head="Payoff"' not in text
    assert text.count(format_payoff(econzoo.game("matrix"), record.position_payoffs[0])) >= 2


def test_a_link_leads_to_one_turn_and_from_there_to_the_next_ones(visit, keep):
    record = played("matrix", rounds=3)
    path = f"/replay/{keep(record)}"
    text = visit().client.get(f"{path}?turn=4").text
    assert numbers(text) == ["1", "2", "3", "4"]
    keys = dict(re.findall(r'href="([^"]*)" aria-label="[^"]*" data-key="(\w+)"', text))
    assert {key: href for href, key in keys.items()} == {
        "Home": "?turn=0#now",
        "ArrowLeft": "?turn=3#now",
        "ArrowRight": "?turn=5#now",
        "End": "?turn=6#now",
    }
    assert numbers(visit().client.get(f"{path}?turn=0").text) == []
    assert numbers(visit().client.get(f"{path}?turn=99999").text)[-1] == "6"


def test_prompts_and_raw_replies_are_folded(visit, keep):
    record = play_match("bargaining", ["mock('I keep all, and say why.')", "fair"], 1, horizon=2)
    text = visit().client.get(f"/replay/{keep(record)}").text
    folded = "".join(re.findall(r"<details>.*?</details>", text, re.DOTALL))
    open_text = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert ">I keep all, and say why.</pre>" in folded
    assert ">I keep all" not in open_text
    prompt = html.escape(record.turns[0].prompt.splitlines()[0])
    assert prompt in folded
    assert prompt not in open_text
    assert phrase("turn.invalid", problem="|").partition("|")[0] in open_text


def changed_payoff(given: dict) -> None:
    given["payoffs"][0] += 1.0


def changed_move(given: dict) -> None:
    given["turns"][2]["action"]["kind"] = {"C": "D", "D": "C"}[given["turns"][2]["action"]["kind"]]


def left_out(given: dict) -> None:
    del given["turns"][-1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (changed_payoff, r"\bpayoffs: "),
        (changed_move, r'<a href="\?turn=3#now">'),
        (left_out, r"\b(match|status): "),
    ],
)
def test_a_record_that_was_tampered_with_is_shown_as_not_verified_with_where_it_differs(
    visit, keep, change: Callable[[dict], None], told
):
    record = played("matrix", rounds=3)
    given = json.loads(record.to_json())
    change(given)
    answer = visit().client.get(f"/replay/{keep(record, json.dumps(given))}")
    assert answer.status_code == 200
    assert verdict(answer.text) == "not_verified"
    assert re.search(told, answer.text)


def test_a_payoff_that_was_changed_stands_beside_the_one_that_the_rules_pay(visit, keep):
    record = played("bargaining")
    given = json.loads(record.to_json())
    changed_payoff(given)
    text = visit().client.get(f"/replay/{keep(record, json.dumps(given))}").text
    recorded, right = (dollars(payoff, cents=True) for payoff in (given["payoffs"][0], record.payoffs[0]))
    assert re.search(rf'<td class="n"[^>]*>\${recorded}</td><td class="n bad"[^>]*>\${right}</td>', text)


def test_a_line_that_is_no_record_is_told_so(visit, keep):
    answer = visit().client.get(f"/replay/{keep(played('matrix'), '{}')}")
    assert answer.status_code == 422
    assert phrase("error.title") in answer.text


def test_a_match_that_goes_on_is_not_replayed(visit):
    visitor = visit()
    visitor.start("bargaining", player_1="human")
    watch = re.search(r'value="[^"]*/watch/([^"]+)"', visitor.text)[1]
    for path in (f"/replay/{watch}", f"/replay/{watch}/record.jsonl"):
        answer = visitor.client.get(path)
        assert answer.status_code == 409
        assert phrase("replay.goes_on") in answer.text
    assert visitor.client.get("/replay/AAAAAAAAAAAAAAAAAAAAAAAA").status_code == 404


def test_the_operator_replays_a_match_that_goes_on_as_far_as_it_was_played(tmp_path):
    client = TestClient(build_folder_app(tmp_path, site=new_site(token="the operator's")))
    visitor = Visitor(client)
    visitor.start("negotiation", player_1="human", param_seller_value="0.987", param_horizon="3")
    visitor.move("offer", price="9000")
    match = re.search(r'value="[^"]*/watch/([^"]+)"', visitor.text)[1]
    client.get("/operator", params={"token": "the operator's"})
    text = client.get(f"/replay/{match}").text
    assert verdict(text) == "verified"
    assert phrase("transcripts.goes_on")[1:] in text
    assert "$9,000.00" in text
    assert f'href="/replay/{match}"' in client.get(f"/watch/{match}").text
    record = Record.from_json(client.get(f"/replay/{match}/record.jsonl").text)
    assert (record.status, len(record.turns)) == ("paused", 1)


def test_the_end_card_leads_to_the_replay(visit):
    visitor = visit()
    visitor.start("matrix", param_rounds="1")
    visitor.move("C")
    (link,) = re.findall(r'href="(/replay/[^"]+)"', visitor.text)
    assert verdict(visitor.client.get(link).text) == "verified"
    record = visitor.client.get(f"{link}/record.jsonl").text
    assert record == visitor.record().text
