"""When a match is over: the best response in hindsight, and what its seats could not know."""

from __future__ import annotations

import html
import re
import time

import pytest

from econzoo.envs.core import dollars
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import public_text, replay_texts
from econzoo.evaluate.analyses.regret import Question, best_values
from econzoo.evaluate.run import play_match

pytest.importorskip("starlette", reason="the web table needs the extra web")

from visitor import phrase

from econzoo.people.table import end_card, hindsight
from econzoo.people.table.debrief import find_hidden_information
from econzoo.people.table.hindsight import BestResponse, find_search, search_question


def against(opponent: str, game: str = "bargaining", me: str = "acceptor", **params: object) -> Record:
    return play_match(game, [me, opponent], 1, **params)


# The best response in hindsight


def test_the_best_response_is_that_of_regret(monkeypatch):
    """In a process of its own, which is given long enough here."""
    monkeypatch.setattr(hindsight, "SEARCH_SECONDS", 60.0)
    record = against("fair", delta=[0.8, 0.95], horizon=4)
    asked = Question(public_text(record.params), 0, "fair")
    value, exact = best_values(find_game("bargaining"), {asked}, 60.0)[asked]
    assert find_search(record, 0).result() == BestResponse(value, exact == 1)


def test_a_search_that_takes_too_long_is_ended_and_told_as_not_computed(monkeypatch):
    monkeypatch.setattr(hindsight, "SEARCH_SECONDS", 0.05)
    record, begun = against("fair"), time.monotonic()
    assert find_search(record, 0).result() is None
    assert time.monotonic() - begun < 5
    assert end_card(record, 0).hindsight == phrase("end.best_unknown")


@pytest.mark.parametrize(
    ("opponent", "found", "name"),
    [
        ("boulware(0.2)", BestResponse(7777.0, True), "best"),
        ("tit-for-tat", BestResponse(7777.0, False), "best_least"),
        ("fair", BestResponse(0.0, True), "best_yours"),
        ("fair", BestResponse(0.0, False), "best_none"),
        ("fair", None, "best_unknown"),
    ],
)
def test_the_best_response_is_told_beside_what_was_got(monkeypatch, opponent, found, name):
    record = against(opponent)
    monkeypatch.setattr(hindsight, "_run_search", lambda game, question: found)
    card = end_card(record, 0)
    find_search(record, 0).result()
    more = dollars(max(0.0, (found.value if found else 0.0) - record.payoffs[0]), cents=True)
    assert card.hindsight == phrase(f"end.{name}", best="$7,777.00", more=f"${more}")
    assert not card.is_searching


def test_nothing_is_told_where_there_is_no_best_response(visit):
    """A game that has none; and people, whose behaviour nobody knows."""
    record = against("random", "matrix", "tit-for-tat", rounds=2)
    assert search_question(record, 0) is None
    assert end_card(record, 0).hindsight == ""
    alice, bob = visit(), visit()
    alice.start("bargaining", player_1="human")
    bob.open(alice.invitations[0])
    alice.move("offer", gain="6000")
    bob.look()
    bob.move("accept")
    assert 'data-testid="payoff"' in bob.text
    assert phrase("end.best", best="|", more="|").partition("|")[0] not in bob.text


def test_a_distribution_is_asked_for_as_it_was_drawn():
    record = against("boulware(e~uniform(0.1, 0.3))")
    assert search_question(record, 0).opponent == record.sampled_players[1]


def test_the_page_says_that_it_searches_and_then_what_was_found(visit, monkeypatch):
    visitor = visit()
    visitor.start("bargaining", player_1="acceptor")
    monkeypatch.setattr(hindsight, "_run_search", lambda *given: time.sleep(0.3) or BestResponse(10000.0, True))
    visitor.move("offer", gain="6000")
    assert phrase("end.best_searched") in visitor.text
    assert '<noscript><meta http-equiv="refresh"' in visitor.text
    before = re.search(r'data-state="([^"]*)" data-number', visitor.text)[1]
    time.sleep(0.4)
    visitor.look()
    assert phrase("end.best", best="$10,000.00", more="$4,000.00") in visitor.text
    assert "refresh" not in visitor.text
    assert re.search(r'data-state="([^"]*)" data-number', visitor.text)[1] != before


# What a seat could not know


def told_to(seat: int, record: Record) -> str:
    found = find_hidden_information(record, replay_texts(record), seat).unread_sentences
    return " ".join(sentence for _, sentences in found for sentence in sentences)


def test_the_value_of_the_other_trader_is_revealed():
    values = {"money": 1000, "seller_value": 0.987, "buyer_value": 0.999, "horizon": 2}
    record = against("tough", "negotiation", "tough", complete_information=False, **values)
    assert "999" in told_to(0, record)
    assert "987" not in told_to(0, record)
    assert "987" in told_to(1, record)
    assert "999" not in told_to(1, record)


def test_values_that_were_drawn_and_those_that_are_counted_are_revealed():
    record = against("random", "double_auction", "random")
    assert re.findall(r"\d[\d.]*\d|\d", told_to(0, record)) == [f"{record.chance[1]:.2f}"]
    record = against("fair", "multi_issue", "fair")
    worth = re.findall(r"\b(book|hat|ball)\b\D*?(\d)", told_to(0, record))
    assert worth[:3] == [("book", "2"), ("hat", "1"), ("ball", "2")]


def test_nothing_is_revealed_where_nothing_was_hidden():
    for game in ("bargaining", "negotiation", "matrix", "coin_game", "persuasion"):
        record = against("random", game, "random")
        assert told_to(0, record) == told_to(1, record) == "", game
        assert find_hidden_information(record, replay_texts(record), 0).unseen_turns == set(), game


def test_what_was_said_to_others_is_marked_as_hidden():
    record = play_match("double_auction", ["random"] * 4, 1, buyers=2, sellers=2)
    to = [(turn.seat, turn.action.get("whom")) for turn in record.turns]
    expected = {number for number, (by, whom) in enumerate(to) if whom is not None and 0 not in (by, whom)}
    unseen = find_hidden_information(record, replay_texts(record), 0).unseen_turns
    assert expected
    assert expected <= unseen
    assert all(to[number][0] != 0 for number in unseen)


def test_the_card_shows_what_was_hidden(visit):
    seller, buyer = visit(), visit()
    values = {"param_money": "1000", "param_seller_value": "0.987", "param_buyer_value": "0.999", "param_horizon": "1"}
    seller.start("negotiation", player_1="human", param_complete_information="false", **values)
    buyer.open(seller.invitations[0])
    seller.move("offer", gain="", price="995")
    buyer.look()
    buyer.move("accept")
    seller.look()
    for page, secret in ((seller, "999"), (buyer, "987")):
        (card,) = re.findall(r'data-testid="hidden">.*?</details>', page.text, re.DOTALL)
        assert f"${secret}" in html.unescape(card)
        assert phrase("end.hidden") in card
    assert phrase("end.verified") in seller.text
