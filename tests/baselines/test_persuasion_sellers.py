"""What each scripted seller of persuasion recommends, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import player
from econzoo.envs.games.persuasion.solution import persuasion_rate
from econzoo.wrappers import seat_info
from refusals import refuses


def signals(spec: str, qualities: str, words: str = "binary", seed: int = 0, **market: Any) -> str:
    """What a seller says of products of these qualities: ``+`` recommended, ``-`` advised against."""
    params = {"rounds": len(qualities), "message_type": words, "high_value": 2.0, **market}
    env = econzoo.make("persuasion", face="structured", **params)
    env.reset(seed=seed, options={"chance": [float(q == "H") for q in qualities]})
    seller = player(spec, "persuasion").fork()
    seller.reset(0, seat_info(env, 0), seed)
    said = []
    while not env.over:
        move = seller.act(env.observe("player_0"), env.infos["player_0"])
        if "signal" not in spec and "bayes" not in spec:  # without chance, asked again it says the same
            assert move == seller.act(env.observe("player_0"), {})
        said.append("+" if move["kind"] == "recommend" or "I recommend" in move.get("message", "") else "-")
        env.step(move)
        env.step({"kind": "decline"})
    return "".join(said)


def test_what_is_said_by_hand() -> None:
    for words in ("binary", "text"):
        for spec, qualities, said in [
            ("honest", "HLHHLL", "+-++--"),
            ("always", "HLHHLL", "++++++"),
            ("signal(0)", "HLHHLL", "+-++--"),
            ("signal(1)", "HLHHLL", "++++++"),
            ("signal(low=1, high=0)", "HLHHLL", "-+--++"),  # the perfect liar
            ("signal(0, 0)", "HLHHLL", "------"),
            ("trust-builder(0)", "HLHHLL", "++++++"),
            ("trust-builder(2)", "LLLLHH", "--++++"),
            ("trust-builder(4)", "HLHLLL", "+-+-++"),
            ("trust-builder", "L" * 12, "-" * 10 + "++"),
            ("bayes-persuader(1)", "HLHHLL", "+-++--"),  # so careful that it is honest
            # worth 2 or 0: every recommended high product pays for one low
            ("quota", "LHLLHHLLL", "-++-++++-"),
            ("quota", "HHHLLLL", "++++++-"),
        ]:
            assert signals(spec, qualities, words) == said, (spec, qualities, said, words)


def test_a_quota_is_what_the_record_bears() -> None:
    for high, low, qualities, said in [
        (1.25, 0.0, "HHHLHLL", "+++-++-"),  # four high products for one low
        (1.25, 0.5, "HHLLH", "+++-+"),  # two for one
        (2.0, 1.0, "LLLH", "++++"),  # low quality costs the buyer nothing
        (1.0, 0.0, "HHLL", "++--"),
    ]:
        assert signals("quota", qualities, high_value=high, low_value=low) == said, (high, low, qualities, said)


def test_sellers_who_do_not_know_the_values_are_honest() -> None:
    for spec in ("quota", "bayes-persuader"):
        assert signals(spec, "HHHLLHL", high_value=9.0, seller_knows_value=False) == "+++--+-", spec


@pytest.mark.slow
def test_chance_has_the_right_frequency() -> None:
    for spec, market, rate in [
        ("bayes-persuader", {"prior": 0.5, "high_value": 1.25}, 0.25),
        ("bayes-persuader", {"prior": 1 / 3, "high_value": 2.0}, 0.5),
        ("bayes-persuader(0.2)", {"prior": 1 / 3, "high_value": 2.0}, 0.4),
        ("bayes-persuader", {"prior": 0.5, "high_value": 1.25, "low_value": 0.5}, 0.5),
        ("bayes-persuader", {"prior": 0.8, "high_value": 2.0}, 1.0),
        ("signal(0.3)", {}, 0.3),
    ]:
        said = signals(spec, "L" * 1000, **market)
        near = pytest.approx(rate, abs=4 * (rate * (1 - rate) / 1000) ** 0.5)
        assert np.mean([s == "+" for s in said]) == near, (spec, market)
        assert signals(spec, "H" * 50, **market) == "+" * 50, (spec, market)


def test_a_persuader_is_the_same_again_with_its_seed() -> None:
    first, again, other = (signals("bayes-persuader", "L" * 60, seed=seed, high_value=1.5) for seed in (1, 1, 2))
    assert first == again != other


@given(qualities=st.text("HL", min_size=1, max_size=30), high=st.floats(1, 5), low=st.floats(0, 1))
def test_a_quota_keeps_its_record_worth_the_price(qualities: str, high: float, low: float) -> None:
    said = signals("quota", qualities, high_value=high, low_value=low)
    worth = 0.0
    for quality, signal in zip(qualities, said, strict=True):
        gain = (high if quality == "H" else low) - 1
        if signal == "+":
            worth += gain
        else:
            assert worth + gain < 0, "it never advises against a product that its record bears"
        assert worth >= -1e-6


def test_in_the_long_run_a_quota_is_the_persuasion_rate() -> None:
    qualities = "".join(np.random.default_rng(0).choice(list("HL"), 2000, p=[1 / 3, 2 / 3]))
    said = signals("quota", qualities, high_value=2.0, prior=1 / 3)
    of_low = [s == "+" for q, s in zip(qualities, said, strict=True) if q == "L"]
    assert np.mean(of_low) == pytest.approx(persuasion_rate(1 / 3, 2.0, 0.0), abs=0.04)


def test_bad_arguments_are_refused() -> None:
    for spec, *named in [
        ("signal(1.5)", "low=1.5", "0 <= low <= 1"),
        ("signal(0.5, -1)", "high=-1"),
        ("bayes-persuader(2)", "margin=2"),
        ("trust-builder(-1)", "rounds=-1"),
        ("trust-builder(1.5)", "rounds=1.5", "0 <= rounds"),
        ("trust-builder('x')", "rounds='x'"),
        ("honest(1)", "honest"),
    ]:
        with refuses(ValueError, spec, *named):
            player(spec, "persuasion")
