"""Every scripted seller against every scripted buyer in every kind of market: legal, repeatable, the same in words."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.baselines.persuasion import PLAYERS, POOLS
from econzoo.baselines.persuasion.hindsight import rounds_of
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.record import Record
from econzoo.envs.games.persuasion import solution
from econzoo.envs.games.persuasion.solution import Round
from econzoo.evaluate.run import EnvPool, MatchTable, PlayerCache, new_match, play_matches, replay
from refusals import refuses

SPECS = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]})
PAIRS = [
    (s, b)
    for s in SPECS
    for b in SPECS
    if player(s, "persuasion").can_take_seat(0) and player(b, "persuasion").can_take_seat(1)
]
GRID: list[dict[str, Any]] = [
    {"message_type": words, "buyer": buyer, "seller_knows_value": knows, "buyer_knows_prior": told, "rounds": 6}
    for words, buyer, knows, told in product(
        ("text", "binary"), ("long-living", "myopic"), (True, False), (True, False)
    )
]
EDGES: list[dict[str, Any]] = [
    {"prior": 0.0, "message_type": "binary"},
    {"prior": 1.0, "low_value": 1.0, "high_value": 1.0},
    {"rounds": 1, "price": 0.01},
    {"messages": False, "rounds": 5},
    {"messages": False, "rounds": 5, "buyer": "myopic", "buyer_messages": True},
    {"high_value": 1000.0, "low_value": 1.0, "price": 1e12, "buyer": "myopic"},
]


def played(pairs: list[tuple[str, str]], markets: list[dict[str, Any]], seed: int = 7, **more: Any) -> list[Record]:
    matches = [new_match("persuasion", pair, seed, **market, **more) for pair in pairs for market in markets]
    return list(play_matches(matches, PlayerCache("persuasion")))


def test_pools_have_sellers_and_buyers() -> None:
    for name in ("standard", "training", "validation", "test"):
        pool = POOLS[name]
        assert len(set(pool)) == len(pool)
        for seat in (0, 1):
            able = [spec for spec in pool if spec != "random" and player(spec, "persuasion").can_take_seat(seat)]
            assert len(able) >= 3, f"{name}: {able} in seat {seat}"


def test_nobody_of_the_validation_pool_is_met_in_training() -> None:
    assert not set(POOLS["validation"]) & set(POOLS["training"])
    named = {spec.partition("(")[0] for spec in POOLS["training"]}
    assert {spec for spec in POOLS["validation"] if spec.partition("(")[0] not in named} >= {"quota", "tit-for-tat"}


def test_the_standard_pool_has_one_of_every_strategy() -> None:
    assert {spec.partition("(")[0] for spec in POOLS["standard"]} == {*PLAYERS, "random"} - {"receiver"}


@pytest.mark.slow
def test_every_strategy_is_legal_in_every_market() -> None:
    for record in played(PAIRS[::5], EDGES) + played(PAIRS[::11], GRID):
        assert record.status == "finished"
        assert record.errors == record.defaults == [0, 0]


def test_a_match_is_the_same_every_time_and_replays() -> None:
    first, again = (played(PAIRS[::13], GRID[::5], seed=11) for _ in range(2))
    for one, two in zip(first, again, strict=True):
        assert [turn.reply for turn in one.turns] == [turn.reply for turn in two.turns]
        assert one.chance == two.chance
        assert replay(one) == []


@pytest.mark.parametrize("buyer", ["long-living", "myopic"])
def test_scripted_players_do_the_same_in_words_as_without(buyer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameEnv, "setting", "the same")  # and so the same qualities
    pairs = [pair for pair in PAIRS if "random" not in pair][::3]
    market = {"buyer": buyer, "rounds": 6, "high_value": 2.0, "prior": 0.4}
    worded, binary = (played(pairs, [{**market, "message_type": kind}], seed=3) for kind in ("text", "binary"))
    for one, two in zip(worded, binary, strict=True):
        assert one.payoffs == two.payoffs
        assert rounds_of(one) == rounds_of(two)


def test_pairs_by_hand() -> None:
    for players, sold, surplus in [
        # 2 high, 2 low: H L L H, worth 125 and 0 at a price of 100
        (["always", "always"], 4, -150.0),
        (["honest", "trust"], 2, 50.0),
        (["honest", "grim"], 2, 50.0),
        (["honest", "never"], 0, 0.0),
        (["always", "grim"], 2, -75.0),  # buys H, is deceived by L, never again
        (["always", "tit-for-tat"], 2, -75.0),  # H, L, then no, and the lie of round 3 is remembered in round 4
        (["trust-builder(1)", "trust(0)"], 4, -150.0),
        (["trust-builder(2)", "trust(0)"], 3, -50.0),
        (["signal(1, 0)", "trust(0)"], 2, -200.0),  # recommends exactly the low ones
    ]:
        for words in ("text", "binary"):
            match = new_match("persuasion", players, 0, rounds=4, price=100.0, message_type=words)
            table = MatchTable(match, [PlayerCache("persuasion")(spec).fork() for spec in players], EnvPool())
            table.env.reset(seed=0, options={"chance": [1.0, 0.0, 0.0, 1.0]})
            table.look()
            while not table.is_over:
                table.answer(table.player.act(table.observation, table.info))
            assert table.env.payoffs == (sold * 100.0, surplus), (players, sold, surplus)


def test_a_record_is_read_as_signals_qualities_and_purchases() -> None:
    for words in ("text", "binary"):
        record = econzoo.play("persuasion", ["honest", "grim"], seed=5, rounds=8, message_type=words)
        expected = [Round(RECOMMENDED if q else DISCOURAGED, bool(q), bool(q)) for q in record.chance]
        assert rounds_of(record) == expected
        params = econzoo.game("persuasion").params(**record.params)[1]
        assert solution.buyer_regret(params, rounds_of(record)) == 0.0
        assert solution.hindsight_payoff(params, rounds_of(record)) == record.payoffs[1]


def test_sellers_and_buyers_keep_to_their_seats() -> None:
    with refuses(ValueError, "'bayes'", 0, 1):
        econzoo.play("persuasion", ["bayes", "honest"])
    assert player("always", "persuasion").can_take_seat(0)
    assert player("always", "persuasion").can_take_seat(1)


def test_every_strategy_cites_its_source() -> None:
    for name, strategy in PLAYERS.items():
        assert "Source:" in (strategy.__doc__ or ""), name
