"""Moves and payoffs as a person writes them."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

import econzoo
from econzoo.evaluate.analyses import turns_of
from econzoo.evaluate.run import play_match
from econzoo.people.server import CURRENT_SITE, new_site
from econzoo.people.table import format_payoff
from econzoo.people.table.move_words import describe_move, localize_story
from econzoo.people.texts import load_texts


def test_a_move_reads_as_a_person_writes_it():
    for game, action, told in [
        ("bargaining", {"kind": "offer", "gain": 6500.0, "message": "Fair?"}, "offer to keep $6,500.00"),
        ("bargaining", {"kind": "accept"}, "accept"),
        ("negotiation", {"kind": "offer", "price": 0.5}, "offer a price of $0.50"),
        ("negotiation", {"kind": "opt_out"}, "trade with somebody else"),
        ("water_allocation", {"bid": 61.37}, "bid $61.37"),
        ("guess_average", {"number": 33.0}, "guess 33"),
        ("public_goods", {"kind": "contribute", "tokens": 20.0}, "contribute tokens: 20"),
        ("multi_issue", {"kind": "offer", "keep": [1, 0, 2]}, "offer to keep 1, 0, 2"),
        ("matrix", {"kind": "C"}, "C"),
        ("program_matrix", {"program": "def f():\n    pass\n"}, "program of 2 lines"),
    ]:
        assert describe_move(econzoo.game(game), action) == told, (game, action)
    say = {"kind": "say", "whom": 2, "claim": 40.0}
    told = describe_move(econzoo.game("double_auction"), say, seats=["Buyer 1", "Buyer 2", "Seller 1", "Seller 2"])
    assert told == "tell Seller 1: a unit is worth $40.00"


def test_payoffs_in_dollars_have_their_sign_and_others_have_none():
    assert format_payoff(econzoo.game("bargaining"), 6500.0) == "$6,500.00"
    assert format_payoff(econzoo.game("persuasion"), -20000.0) == "-$20,000.00"
    assert format_payoff(econzoo.game("matrix"), 16.0) == "16.00"


def test_moves_are_told_in_the_language_of_the_pages():
    place = CURRENT_SITE.set(new_site(texts="de"))
    try:
        told = describe_move(econzoo.game("bargaining"), {"kind": "offer", "gain": 6500.0})
        assert told == load_texts("de").games["bargaining"]["moves.offer"].format(
            gain="$6,500.00"
        )  # the page writes the number
    finally:
        CURRENT_SITE.reset(place)


def test_the_coin_game_calls_coins_as_its_rules_do():
    """A letter, and no colour: the rules say that a is the coin of player A."""
    turns = turns_of(play_match("coin_game", ["greedy", "greedy"], 1, rounds=20), format_move=describe_move)
    told = " ".join(turn["move"] for turn in turns)
    assert "took coin a" in told
    assert "took coin b" in told
    assert "red" not in told
    assert "blue" not in told


def test_a_match_that_goes_on_is_not_called_paused():
    record = play_match("matrix", ["random", "random"], 1, rounds=2)
    record.status = "paused"
    assert localize_story(record, {"seats": [], "ending": "paused", "by": None})["ending"] == "in progress"
