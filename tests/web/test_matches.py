"""Matches in the browser, from the first page to the end card, and the records that they leave."""

from __future__ import annotations

import json
import math
import re
import threading
from pathlib import Path

import pytest

import econzoo
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import shares_of_equilibrium
from econzoo.evaluate.run import replay
from econzoo.evaluate.show import format_number, format_percent
from econzoo.evaluate.stats import nan_if_none

pytest.importorskip("starlette", reason="the web table needs the extra web")

from visitor import Visitor, phrase

from econzoo.people.table import Tables, format_payoff

STEPS = (0.0, 1.0, 0.5)
"""Where between its bounds a number is filled: low, high, middle."""

MOST_MOVES = 400


def play_to_the_end(visitor: Visitor) -> Record:
    program = next(iter(programs(visitor)), "")
    for step in range(MOST_MOVES):
        if visitor.over:
            break
        visitor.move(button=step // 3, part=STEPS[step % 3], words=f"word {step}", program=program)
        if visitor.status == 422:  # each number fits, but not all together
            visitor.move(button=step // 3, part=0.0, words=f"word {step}", program=program)
        assert visitor.status == 200, re.findall(r'id="problems">.*?</div>', visitor.text, re.DOTALL)
    return Record.from_json(visitor.record().text)


def programs(visitor: Visitor) -> list[str]:
    """Texts that are moves of the game, if it has any."""
    found = [one["value"] for tag, one in visitor.page.elements if one.get("name") == "game"]
    name = found[0] if found else visitor.game
    source = econzoo.game(name).actions.source
    return list(source[1].library()) if source else []


def started(visit, game: str, **given: str) -> Visitor:
    visitor = visit()
    visitor.game = game
    visitor.start(game, **given)
    assert visitor.status == 200, visitor.text
    return visitor


def check_end_card(visitor: Visitor, record: Record) -> None:
    """The card shows what the record says, and the record is what the rules say."""
    assert replay(record) == []
    game = econzoo.game(record.game)
    assert f'data-testid="payoff">{format_payoff(game, record.payoffs[0])}<' in visitor.text
    card = visitor.text.partition('aria-labelledby="end"')[2]
    cell = r'<td class="{}"[^>]*>([^<]*)</td>'
    cells = f"{cell.format('n') * 2}(?:{cell.format('n share')})?</tr>"
    shares = shares_of_equilibrium(record)
    expected = [
        (
            format_payoff(game, payoff),
            dash(nan_if_none(gain), format_number(nan_if_none(gain), 2)),
            dash(share, format_percent(share)),
        )
        for payoff, gain, share in zip(record.payoffs, record.metrics["gains"], shares, strict=True)
    ]
    none = all(map(math.isnan, shares))  # a column of dashes is left out
    assert re.findall(cells, card) == [(*rest, "" if none else share) for *rest, share in expected]


def dash(value: float, text: str) -> str:
    return "\u2013" if math.isnan(value) else text


@pytest.mark.parametrize(
    ("game", "given"),
    [
        ("bargaining", {"param_horizon": "3"}),
        ("guess_average", {"param_rounds": "3"}),
        ("multi_issue", {"param_horizon": "4"}),
    ],
)
def test_a_person_plays_to_the_end_card(visit, game, given):
    visitor = started(visit, game, **given)
    check_end_card(visitor, play_to_the_end(visitor))


@pytest.mark.long
@pytest.mark.parametrize("game", econzoo.games())
def test_a_person_plays_every_game_as_it_is_offered(visit, game):
    visitor = started(visit, game)
    check_end_card(visitor, play_to_the_end(visitor))


def test_the_record_lies_in_the_file_of_records(visit, tmp_path: Path):
    record = play_to_the_end(started(visit, "matrix", param_rounds="2"))
    (line,) = (tmp_path / "matches.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == json.loads(record.to_json())
    assert record.players[0] == "human"


def test_a_board_keeps_its_columns(visit):
    visitor = started(visit, "coin_game", seed="1")
    for _ in range(3):
        visitor.move("up")
    assert visitor.text.count('<pre class="drawn">') == 3  # of the rounds before; the last one is the table
    assert visitor.text.count("<td") == 9
    assert visitor.text.count('<button type="submit" name="kind"') == 4  # the cells beside one's own


def test_two_people_play_by_invitation(visit):
    alice, bob = started(visit, "bargaining", player_1="human", param_horizon="1"), visit()
    bob.open(alice.invitations[0])
    assert bob.over
    assert phrase("table.to_move", count=1, who="Alice") in bob.text
    alice.move("offer", gain="7000", words="Take it")
    assert phrase("table.to_move", count=1, who="Bob") in alice.text
    bob.look()
    assert "$3,000" in bob.text
    bob.move("accept")
    alice.look()
    assert (alice.record().status_code, bob.record().status_code) == (200, 200)
    assert Record.from_json(alice.record().text).payoffs == [7000.0, 3000.0]
    assert 'data-testid="payoff">$7,000.00<' in alice.text
    assert 'data-testid="payoff">$3,000.00<' in bob.text


def test_only_the_host_gets_the_links(visit):
    alice, bob = started(visit, "bargaining", player_1="human"), visit()
    bob.open(alice.invitations[0])
    assert bob.invitations == []
    assert alice.path not in "".join(bob.received)


@pytest.mark.parametrize("leaver", [0, 1])
def test_who_leaves_ends_the_match_and_the_record_says_so(visit, leaver):
    alice, bob = started(visit, "bargaining", player_1="human", param_horizon="2"), visit()
    bob.open(alice.invitations[0])
    if leaver == 1:
        alice.move("offer", gain="5000")
    who = (alice, bob)[leaver]
    who.client.post(f"{who.path}/leave")
    record = Record.from_json(alice.record().text)
    assert (record.status, record.forfeit) == ("abandoned", leaver)
    assert replay(record) == []


def test_the_same_match_can_be_played_again(visit):
    records = []
    for move in ("C", "D"):
        visitor = started(visit, "matrix", param_rounds="1", seed="5")
        visitor.move(move)
        records.append(Record.from_json(visitor.record().text))
    assert records[0].id == records[1].id
    assert [record.turns[0].action["kind"] for record in records] == ["C", "D"]


def test_play_again_offers_what_was_chosen(visit):
    """Seat, players, parameters and time; and with one press more the same begins once more."""
    chosen = {"player_0": "tit-for-tat", "param_rounds": "1", "param_noise": "0.25", "param_messages": "false"}
    limits = {
        "terms_person_seconds": "90",
        "terms_player_seconds": "",
        "terms_policy": "replace",
        "terms_substitute": "grudger",
    }
    visitor = started(visit, "matrix", seat="1", **chosen, **limits)
    visitor.move("C")
    (link,) = (given["href"] for tag, given in visitor.page.elements if given.get("href", "").startswith("/?game="))
    page = visitor._take(visitor.client.get(link))
    typed = {one.name: one.value for one in page.forms[0].inputs if one.kind != "radio"}
    given = {name.replace("_", ".", 1): value for name, value in (chosen | limits).items()}
    assert {name: typed[name] for name in given if typed[name]} == {
        name: value for name, value in given.items() if value and name not in ("param.messages", "terms.policy")
    }
    assert '<option value="false" selected>false</option>' in visitor.text
    assert '<option value="replace" selected>' in visitor.text
    assert '<input type="radio" name="seat" value="1" checked>' in visitor.text


def test_an_error_of_a_player_ends_the_match_and_is_told(visit, monkeypatch):
    def broken(*given: object) -> None:
        raise ValueError("the model does not answer; see <http://10.0.0.1/v1>")

    visitor = visit()
    monkeypatch.setattr("econzoo.baselines.random_and_mock.RandomPlayer.act", broken)
    visitor.start("bargaining", player_1="random")
    visitor.move("offer", gain="5000")
    assert phrase("table.cannot_go_on", problem="random: the model does not answer").rstrip(".") in visitor.text
    assert Record.from_json(visitor.record().text).status == "failed"


def test_a_page_is_shown_while_a_player_still_thinks(visit, monkeypatch):
    done = threading.Event()
    monkeypatch.setattr(Tables.advance, "__defaults__", (0.0,))
    monkeypatch.setattr(
        "econzoo.baselines.random_and_mock.RandomPlayer.act", lambda *given: done.wait(10) and {"kind": "accept"}
    )
    visitor = started(visit, "bargaining", player_1="random")
    while visitor.over:  # until the question is there
        visitor.look()
    visitor.move("offer", gain="5000")
    thinking = re.escape(phrase("table.thinking", who="Bob", seconds="SECONDS"))
    thinking = thinking.replace("SECONDS", r'<span data-count="(\d+)">\1</span>')
    while not re.search(thinking, visitor.text):
        visitor.look()
    done.set()
    while 'data-testid="payoff"' not in visitor.text:
        visitor.look()
    assert 'data-testid="payoff">$5,000.00<' in visitor.text
