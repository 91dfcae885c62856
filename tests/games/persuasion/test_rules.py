"""Rules of persuasion: turns, payoffs by hand, what a seat sees, and equality of scalar and vector environment."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, UNKNOWN, Move
from econzoo.envs.core.env import GameEnv
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.rules import BUY, DECLINE, DISCOURAGE, HIGH, LOW, RECOMMEND, SAY

GAME = econzoo.game("persuasion")
KINDS = {"+": RECOMMEND, "-": DISCOURAGE, "?": SAY, "b": BUY, "d": DECLINE}


def params(**public: Any) -> rules.Params:
    return GAME.params(**{"message_type": "binary", **public})[1]


def after(p: rules.Params, story: str) -> rules.State:
    """The position after rounds such as ``H+b L-d``: quality, signal, decision; the last may be unfinished."""
    state = rules.initial(p)
    for sign in story.replace(" ", ""):
        move = Move(CHANCE, (HIGH if sign == "H" else LOW,)) if sign in "HL" else Move(KINDS[sign], (0.0,))
        state = rules.apply(p, state, (move,))
    return state


# turns


def test_nature_the_seller_and_the_buyer_take_turns() -> None:
    for story, turn, round in [
        ("", CHANCE, 1),
        ("H", 0, 1),
        ("H+", 1, 1),
        ("H+b", CHANCE, 2),
        ("H+b L", 0, 2),
        ("H+b L+d", DONE, 2),
    ]:
        p = params(rounds=2)
        state = after(p, story)
        assert (rules.to_act(p, state), state.round) == (turn, round), story


def test_what_each_seat_may_do() -> None:
    for story, words, seller, buyer in [
        ("H", "binary", "recommend discourage", ""),
        ("H", "text", "say", ""),
        ("H+", "binary", "", "buy decline"),
        ("H?", "text", "", "buy decline"),
        ("H+b", "binary", "", ""),
    ]:
        p = params(rounds=1, message_type=words)
        state = after(p, story)
        for seat, expected in enumerate((seller, buyer)):
            legal = rules.legal(p, state, seat)
            assert [n for n, ok in zip(GAME.actions.names, legal, strict=True) if ok] == expected.split(), story


def test_nature_draws_high_quality_with_the_prior() -> None:
    for prior in (0.0, 1 / 3, 1.0):
        drawn: list[float] = []
        for seed in range(10):
            env = econzoo.make("persuasion", face="structured", prior=prior, rounds=100, message_type="binary")
            env.reset(seed=seed)
            while not env.over:
                env.step({"kind": "decline" if env.agent_selection == "player_1" else "discourage"})
            drawn += env.chance_draws
        assert len(drawn) == 1000, prior
        assert np.mean(drawn) == pytest.approx(prior, abs=4 * math.sqrt(prior * (1 - prior) / 1000))


# payoffs


def test_payoffs() -> None:
    for story, market, payoffs in [
        # price 100; high is worth 125 and low 0 unless said otherwise
        ("H+b", {}, (100.0, 25.0)),
        ("H-b", {}, (100.0, 25.0)),  # signals cost nothing
        ("L+b", {}, (100.0, -100.0)),
        ("H+d", {}, (0.0, 0.0)),
        ("L+d", {}, (0.0, 0.0)),
        ("L+b", {"low_value": 0.5}, (100.0, -50.0)),
        ("L+b", {"low_value": 1.0}, (100.0, 0.0)),
        ("H+b", {"high_value": 4.0}, (100.0, 300.0)),
        ("H+b", {"high_value": 1.0}, (100.0, 0.0)),
        ("H+b L+b L-d H-d", {}, (200.0, -75.0)),  # 25 - 100
        ("H+b H+b H+b H+b L+b", {}, (500.0, 0.0)),  # 4 * 25 - 100
        ("H+b L+b", {"buyer": "myopic"}, (200.0, -75.0)),  # of all buyers together
    ]:
        p = params(price=100.0, rounds=len(story.split()), **market)
        state = after(p, story)
        assert state.over, (story, market)
        assert rules.payoffs(p, state) == pytest.approx(payoffs), (story, market)
        rounds = len(story.split())
        assert rules.gains(p, state) == pytest.approx([x / 100 / rounds for x in payoffs]), (story, market)


ROUNDS = st.lists(
    st.tuples(st.sampled_from("HL"), st.sampled_from("+-"), st.sampled_from("bd")), min_size=1, max_size=9
)


@given(rounds=ROUNDS, high=st.floats(1, 1000), low=st.floats(0, 1), price=st.floats(0.01, 1e12))
def test_what_the_seller_gets_the_buyer_pays(rounds: list[Any], high: float, low: float, price: float) -> None:
    """Together they earn the worth of what was bought; the counts of the state are those of the rounds."""
    p = params(price=price, high_value=high, low_value=low, rounds=len(rounds))
    state = after(p, "".join("".join(one) for one in rounds))
    bought = [quality for quality, _, decision in rounds if decision == "b"]
    worth = price * (bought.count("H") * high + bought.count("L") * low)
    assert sum(rules.payoffs(p, state)) == pytest.approx(worth, abs=price * 1e-9)
    counts = {(q, d): sum(one[0] == q and one[2] == d for one in rounds) for q, d in product("HL", "bd")}
    told = (state.sold_high, state.sold_low, state.declined_high, state.declined_low)
    assert told == (counts["H", "b"], counts["L", "b"], counts["H", "d"], counts["L", "d"])
    said = [sum(one[:2] == (q, "+") for one in rounds) for q in "HL"]
    assert [state.recommended_high, state.recommended_low] == said


# what is seen


def test_the_seller_sees_the_quality_and_the_buyer_does_not() -> None:
    p = params()
    for story, quality in (("H", HIGH), ("L", LOW), ("H+", HIGH)):
        state = after(p, story)
        assert rules.observe(p, state, 0).quality == quality
        assert rules.observe(p, state, 1).quality == UNKNOWN


def test_a_decision_brings_the_quality_to_light_bought_or_not() -> None:
    p = params()
    for story, light in (("H+b", HIGH), ("H+d", HIGH), ("L-d", LOW)):
        assert rules.facts(p, after(p, story[:-1]), (), after(p, story)) == ((1, (light,), None),)
    for story in ("H", "H+"):
        assert rules.facts(p, after(p, ""), (), after(p, story)) == ()
    assert rules.observe(p, after(p, "L+d H+"), 1).last_quality == LOW


def test_a_myopic_buyer_has_seen_its_own_round_only() -> None:
    for buyer, since in [("long-living", [1, 1, 1]), ("myopic", [1, 2, 3])]:
        p = params(buyer=buyer, rounds=3)
        stories = ("H+", "H+b L+", "H+b L+b H+")
        assert [rules.entry_round(p, after(p, story), 1) for story in stories] == since, buyer
        assert [rules.entry_round(p, after(p, story), 0) for story in stories] == [1, 1, 1], buyer


def test_the_record_as_features() -> None:
    # bought, bought low, high recommended, low recommended, were high, quality before
    for story, features in [
        ("H", (0, 0, -1, -1, -1, -1)),
        ("H+b L", (1, 0, 1, -1, 1, 1)),
        ("H+b L+b H-d H", (2 / 3, 1 / 3, 1 / 2, 1, 2 / 3, 1)),
        ("H+b L+b H-d L-d", (2 / 4, 1 / 4, 1 / 2, 1 / 2, 1 / 2, 0)),  # the end: all four rounds count
    ]:
        p = params(rounds=4)
        for seat in (0, 1):
            assert rules.features(rules.observe(p, after(p, story), seat))[10:] == pytest.approx(features)


SETTINGS = st.fixed_dictionaries(
    {
        "price": st.floats(0.01, 1e12),
        "prior": st.floats(0, 1),
        "high_value": st.floats(1, 1000),
        "low_value": st.floats(0, 1),
        "rounds": st.integers(1, 5),
        "seller_knows_value": st.booleans(),
        "buyer_knows_prior": st.booleans(),
        "message_type": st.sampled_from(("text", "binary")),
        "buyer": st.sampled_from(("long-living", "myopic")),
    }
)


@settings(max_examples=60)
@given(market=SETTINGS, seed=st.integers(0, 2**32))
def test_features_stay_in_range(market: dict[str, Any], seed: int) -> None:
    env = GameEnv(GAME, face="structured", **market)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while True:
        for seat in (0, 1):
            features = rules.features(rules.observe(env.params, env.game_state, seat))
            assert len(features) == len(rules.FEATURES)
            assert all(-1.0 <= x <= 1.0 for x in features)
        if env.over:
            break
        env.step({"kind": str(rng.choice(env.infos[env.agent_selection]["legal_actions"]))})


@pytest.mark.usefixtures("interpreted")
@given(markets=st.lists(SETTINGS, min_size=1, max_size=5), seed=st.integers(0, 2**32))
def test_many_games_at_once_are_equal_to_the_scalar_rules(markets: list[dict[str, Any]], seed: int) -> None:
    """To the last bit, unusable moves included; nature's draws are taken from the batch."""
    from econzoo.envs.core.vector import GameBatch

    batch = GameBatch("persuasion", len(markets), markets, seed=seed % 1000, autoreset=False)
    rng = np.random.default_rng(seed)
    states = [
        rules.apply(p, rules.initial(p), (Move(CHANCE, (s.quality,)),))
        for p, s in map(batch.position, range(len(markets)))
    ]
    for _ in range(10):
        kinds = rng.choice([0, 1, 2, 3, 4, 3, 4, 9], size=len(markets))
        payoffs, done = batch.step(kinds, np.zeros(len(markets)))
        for i, before in enumerate(states):
            p, state = batch.position(i)
            if before.over:
                continue
            expected = rules.apply(p, before, (Move(usable(p, before, int(kinds[i])), (0.0,)),))
            if rules.to_act(p, expected) == CHANCE:
                expected = rules.apply(p, expected, (Move(CHANCE, (state.quality,)),))
            assert state == expected
            assert done[i] == expected.over
            if done[i]:
                assert tuple(payoffs[i]) == rules.payoffs(p, expected)
                assert tuple(batch.gains()[i]) == GAME.metrics.outcome(p, expected).gains
            for seat in (0, 1):
                told = batch.observe(seat, np.array([i]))[0]
                assert np.array_equal(told, np.array(rules.features(rules.observe(p, state, seat)), np.float32))
            states[i] = expected


def usable(p: rules.Params, state: rules.State, kind: int) -> int:
    """The move, or the default one where it is not legal."""
    seat = rules.to_act(p, state)
    if 0 <= kind < 5 and rules.legal(p, state, seat)[kind]:
        return kind
    return DECLINE if seat else DISCOURAGE if p.binary else SAY
