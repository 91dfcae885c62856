"""Every scripted strategy in every kind of market: legal, the same every time, and honest in its words."""

from __future__ import annotations

import re
from itertools import product

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.baselines.bargaining import POOLS
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import PlayerCache, new_match, play_matches
from exhaustive import long_unless
from refusals import says

SPECS = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]})
STANDARD_OR_LONG = pytest.mark.parametrize(
    "specs", long_unless(POOLS["standard"].__eq__, [POOLS["standard"], sorted({*SPECS} - {*POOLS["standard"]})])
)
GRID = [
    {"delta": delta, "horizon": horizon, "complete_information": told, "messages": words, "money": money}
    for delta, horizon, told, words, money in product(
        ((1.0, 1.0), (0.8, 0.95)), (1, 2, 7, None), (True, False), (True, False), (0.01, 1e12)
    )
]


def played(pairs: list[tuple[str, str]], markets: list[dict], **more: object) -> list[Record]:
    matches = [new_match("bargaining", pair, 7, **market, **more) for pair in pairs for market in markets]
    return list(play_matches(matches, PlayerCache("bargaining")))


def offers(record: Record) -> list[tuple[float, str | None]]:
    return [
        (turn.action["gain"], turn.action.get("message")) for turn in record.turns if turn.action["kind"] == "offer"
    ]


@STANDARD_OR_LONG
def test_every_strategy_is_legal_in_every_market(specs):
    for spec in specs:
        for third, pair in enumerate(((spec, "random"), ("tit-for-tat", spec), ("greedy(1)", spec))):
            for record in played([pair], GRID[third::5], max_rounds=12):
                assert record.status == "finished", (pair, record.params)
                assert record.errors == record.defaults == [0, 0], (pair, record.params)
                assert record.forfeit is None, (pair, record.params)


@STANDARD_OR_LONG
def test_a_match_is_the_same_every_time(specs):
    pairs = [pair for spec in specs for pair in ((spec, "random"), ("linear", spec))]
    for one, two in zip(*(played(pairs, GRID[::13]) for _ in range(2)), strict=True):
        assert [turn.reply for turn in one.turns] == [turn.reply for turn in two.turns], one.players
        assert one.payoffs == two.payoffs, one.players


def test_words_name_the_two_sides_of_the_offer_and_nothing_else():
    for spec in [spec for spec in SPECS if spec != "random"]:
        markets = [{"money": money, "horizon": 12, "delta": (0.83, 0.97)} for money in (100.0, 1e4, 1e6)]
        for record in played([(spec, "greedy(1)"), ("greedy(1)", spec)], markets):
            money = record.params["money"]
            seat = record.players.index(spec)
            for turn in [turn for turn in record.turns if turn.seat == seat and turn.action["kind"] == "offer"]:
                sides = (turn.action["gain"], money - turn.action["gain"])
                said = [float(x.replace(",", "")) for x in re.findall(r"\d[\d,]*(?:\.\d+)?", turn.action["message"])]
                assert said, spec
                assert all(min(abs(x - side) for side in sides) <= 0.005 + 1e-9 for x in said), turn.action
                assert len(turn.action["message"]) <= 200, spec


def test_words_vary_but_not_by_chance():
    for spec in [spec for spec in SPECS if spec != "random"]:
        record = econzoo.play("bargaining", [spec, "greedy(1)"], horizon=12)
        said = [turn.action["message"] for turn in record.turns if turn.seat == 0 and "message" in turn.action]
        shapes = [re.sub(r"[\d,.]+", "", words) for words in said]
        assert len(set(shapes)) > 1, spec


def test_without_messages_nobody_says_a_word():
    for spec in SPECS:
        for record in played([(spec, "greedy(1)"), ("random", spec)], [{"messages": False, "horizon": 6}]):
            assert all("message" not in turn.reply for turn in record.turns), spec
            assert all(words is None for _, words in offers(record)), spec


def test_words_of_one_who_may_not_tell_apart_two_markets_are_the_same_in_both():
    for spec in [spec for spec in SPECS if spec not in ("random", "tit-for-tat")]:
        hidden = {"complete_information": False, "horizon": None, "max_rounds": 3}
        told = [econzoo.play("bargaining", [spec, "greedy(1)"], delta=(0.9, d), **hidden) for d in (0.7, 0.95)]
        assert offers(told[0])[0] == offers(told[1])[0], spec


def test_tit_for_tat_says_what_it_answers_to():
    """Other words after each kind of change, and the same after two of one kind."""
    told = {
        own: player("tit-for-tat", "bargaining").say({"round": 3, "money": 100.0, "own_ask": own}, 72.0)
        for own in (99.0, 90.0, 72.0, 63.0, 54.0)
    }
    assert told[99.0] == told[90.0] != told[72.0] != told[63.0] == told[54.0]
    says(told[90.0], "down")
    says(told[63.0], "up")
