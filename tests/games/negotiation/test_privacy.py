"""Incomplete information in negotiation does not leak: neither by words, nor by usual amounts, nor by results."""

from __future__ import annotations

import re
from itertools import product

import econzoo
from econzoo.testing.playing import FACES
from games.watching import told

OWN, OTHER, HORIZON = 0.8765, 0.4321, 37
"""Numbers that stand out wherever they, or what follows from them, are told."""

PRICE = 7000.0
PLAY = [{"kind": "offer", "price": PRICE}, {"kind": "reject"}] * 3


def values(seat: int) -> dict[str, float]:
    own, other = ("seller_value", "buyer_value") if seat == 0 else ("buyer_value", "seller_value")
    return {own: OWN, other: OTHER}


def traces(value: float) -> list[str]:
    """How a value can show: itself, in dollars, in features, and as what a price wins."""
    dollars = (10_000 * value, abs(PRICE - 10_000 * value))
    shares = (value, value / (value + 1))
    return [*(f"{x:.4f}"[1:] for x in shares), *(f"{x:{how}}" for x in dollars for how in (".0f", ",.0f"))]


SETTINGS = [
    {"complete_information": complete, "horizon": horizon, "max_rounds": HORIZON, "messages": messages}
    for complete, horizon, messages in product((True, False), (HORIZON, None), (True, False))
]


def test_a_seat_is_told_what_it_may_know_and_nothing_else() -> None:
    for seat, face, setting in product((0, 1), FACES, SETTINGS):
        env = econzoo.make("negotiation", face=face, **values(seat), **setting)
        words = {"message": "Fine?"} if setting["messages"] else {}
        shown = told(env, seat, [*PLAY, {"kind": "offer", "price": PRICE, **words}, {"kind": "accept"}])
        own, other = ([t for t in traces(number) if t in shown] for number in (OWN, OTHER))
        assert own, "a seat knows its own value"
        assert bool(other) == setting["complete_information"], f"traces of the other's value: {other}"
        if face != "numeric":
            assert bool(re.search(rf"(?<![\d.]){HORIZON}(?!\.?\d)", shown)) == (setting["horizon"] is not None), seat


LAST = "whether this seat proposes in the last round"


def test_numbers_for_learning_hide_what_is_hidden() -> None:
    for horizon, complete in product((HORIZON, None), (True, False)):
        env = econzoo.make("negotiation", horizon=horizon, max_rounds=HORIZON, complete_information=complete)
        env.reset()
        told = dict(zip(env.game.rules.FEATURES, env.last()[0]["observation"], strict=True))
        hidden = {name for name, value in told.items() if value == -1.0}
        assert {name.partition(" as ")[0].partition(":")[0] for name in hidden} == (
            (set() if horizon else {"last round T", "round over last round", "rounds left n, this one included,", LAST})
            | (set() if complete else {"other's value v of the good"})
        )


def test_usual_prices_depend_on_the_own_value_only() -> None:
    """The grid of prices and the moves of chance are made from them."""
    for seat in (0, 1):
        spans = set()
        for other in (0.0, 0.5, 1.0, 7.0, 1000.0):
            mine = (
                {"seller_value": 0.9, "buyer_value": other}
                if seat == 0
                else {"seller_value": other, "buyer_value": 0.9}
            )
            env = econzoo.make("negotiation", **mine)
            env.reset()
            spans.add(env.game.rules.span(env.params, env.game_state, seat))
        assert len(spans) == 1, seat


def test_payoffs_are_told_to_their_owner_only() -> None:
    """From the other's payoff, a seat could compute its value."""
    for seat in (0, 1):
        env = econzoo.make("negotiation", face="structured", complete_information=False, **values(seat))
        env.reset()
        for move in ({"kind": "offer", "price": 7777.0}, {"kind": "accept"}):
            env.step(move)
        agent = env.possible_agents[seat]
        assert env.infos[agent]["payoff"] == env.payoffs[seat]
        assert str(env.payoffs[1 - seat]) not in f"{env.infos[agent]} {env.observe(agent)} {env.rewards[agent]}"
