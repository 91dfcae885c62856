"""Every scripted strategy of negotiation in every kind of market: legal, repeatable, and honest in its words."""

from __future__ import annotations

import re
from itertools import product

import pytest

import econzoo
from econzoo.baselines.negotiation import POOLS
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import PlayerCache, new_match, play_matches
from exhaustive import long_unless
from refusals import says

SPECS = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]})
SCRIPTED = [spec for spec in SPECS if spec != "random"]
STANDARD_OR_LONG = pytest.mark.parametrize(
    "specs", long_unless(POOLS["standard"].__eq__, [POOLS["standard"], sorted({*SPECS} - {*POOLS["standard"]})])
)
GRID = [
    {
        "seller_value": v[0],
        "buyer_value": v[1],
        "horizon": t,
        "complete_information": c,
        "outside_option": o,
        "money": m,
    }
    for v, t, c, o, m in product(
        ((1.0, 1.2), (1.5, 0.8), (0.0, 2.0), (1.0, 1.0)), (1, 2, 7, None), (True, False), (True, False), (0.01, 1e9)
    )
]


def played(pairs: list[tuple[str, str]], markets: list[dict], **more: object) -> list[Record]:
    matches = [new_match("negotiation", pair, 7, **market, **more) for pair in pairs for market in markets]
    return list(play_matches(matches, PlayerCache("negotiation")))


@STANDARD_OR_LONG
def test_every_strategy_is_legal_in_both_seats_of_every_market(specs):
    for spec in specs:
        for half, pair in enumerate(((spec, "concede"), ("tough(1)", spec))):
            for record in played([pair], GRID[half::7], max_rounds=9):
                assert record.status == "finished", (pair, record.params)
                assert record.errors == record.defaults == [0, 0], (pair, record.params)
                assert record.forfeit is None, (pair, record.params)


def test_nobody_trades_or_posts_at_a_loss_but_chance():
    for spec in SCRIPTED:
        for record in played([(spec, "random"), ("random", spec)], GRID[::11], max_rounds=9):
            seat = record.players.index(spec)
            values = [record.params[name] * record.params["money"] for name in ("seller_value", "buyer_value")]
            slack = 1e-9 * max(record.params["money"], *values)
            assert record.payoffs[seat] >= -slack, spec
            for turn in (t for t in record.turns if t.seat == seat and t.action["kind"] == "offer"):
                assert (turn.action["price"] - values[seat]) * (-1 if seat else 1) >= -slack, spec


@STANDARD_OR_LONG
def test_a_match_is_the_same_every_time(specs):
    pairs = [pair for spec in specs for pair in ((spec, "random"), ("concede", spec))]
    for one, two in zip(*(played(pairs, GRID[::19]) for _ in range(2)), strict=True):
        assert [turn.reply for turn in one.turns] == [turn.reply for turn in two.turns], one.players


def test_words_name_the_price_and_nothing_that_is_not_true():
    for seat, spec in product((0, 1), SCRIPTED):
        pair = (spec, "tough(1)") if seat == 0 else ("tough(1)", spec)
        markets = [{"money": money, "seller_value": 0.8765, "buyer_value": 1.2345} for money in (100.0, 1e4, 1e6)]
        said = set()
        apart = {"seller_value": 1.2345, "buyer_value": 0.8765, "outside_option": False}  # nobody can agree
        for record in played([pair], [*markets, apart], horizon=None, max_rounds=12):
            own = record.params[("seller_value", "buyer_value")[seat]] * record.params["money"]
            for turn in [turn for turn in record.turns if turn.seat == seat and turn.action["kind"] == "offer"]:
                words = turn.action["message"]
                named = [float(x.replace(",", "")) for x in re.findall(r"\d[\d,]*(?:\.\d+)?", words)]
                allowed = (turn.action["price"], own) if spec == "honest-midpoint" else (turn.action["price"],)
                assert named, (seat, spec)
                assert all(min(abs(x - true) for true in allowed) <= 0.005 + 1e-9 for x in named), turn.action
                said.add(re.sub(r"[\d,.]+", "", words))
        assert len(said) == 3, (seat, spec, said)


def test_only_the_honest_one_tells_its_value():
    honest = econzoo.play("negotiation", ["honest-midpoint", "tough"], complete_information=False)
    says(honest.turns[0].action["message"], "$10,000")
    for spec in (one for one in SCRIPTED if one != "honest-midpoint"):
        other = econzoo.play("negotiation", [spec, "tough"], complete_information=False).turns[0].action
        assert spec == "truthful" or "$10,000" not in other["message"], spec


def test_without_messages_nobody_says_a_word():
    for spec in SPECS:
        for record in played([(spec, "tough(1)"), ("random", spec)], [{"messages": False, "horizon": 6}]):
            assert all("message" not in turn.reply for turn in record.turns), spec


def test_one_who_may_not_tell_apart_two_markets_opens_in_the_same_way():
    for seat, spec in product((0, 1), SCRIPTED):
        pair = [spec, "tough"] if seat == 0 else ["tough", spec]
        opened = set()
        for other in (0.7, 1.1, 2.0):
            seller, buyer = (0.9, other) if seat == 0 else (other, 0.9)
            hidden = {"complete_information": False, "horizon": None, "max_rounds": 3, "outside_option": False}
            turns = econzoo.play("negotiation", pair, seller_value=seller, buyer_value=buyer, **hidden).turns
            opened.add(next((str(t.action) for t in turns if t.seat == seat and t.action["kind"] == "offer"), ""))
        assert len(opened - {""}) == 1, (seat, spec)
