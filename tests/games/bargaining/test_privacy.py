"""Incomplete information in bargaining does not leak (in GLEE's code the other's discount did, from round 2 on)."""

from __future__ import annotations

import re
from itertools import product

import econzoo
from econzoo.testing.playing import FACES
from games.watching import told

OWN, OTHER, HORIZON = 0.8765, 0.4321, 37
"""Numbers that stand out wherever they, or what follows from them, are told."""

PLAY = [{"kind": "offer", "gain": 6000.0}, {"kind": "reject"}] * 3


def traces(number: float) -> list[str]:
    """How the other's discount factor can show: itself, as a loss, and as the discount so far."""
    powers = [number**k for k in range(1, 4)]
    return [f"{x:.4f}"[1:] for x in powers] + [f"{100 * (1 - x):.2f}" for x in powers]


SETTINGS = [
    {"complete_information": complete, "horizon": horizon, "max_rounds": HORIZON, "messages": messages}
    for complete, horizon, messages in product((True, False), (HORIZON, None), (True, False))
]


def test_a_seat_is_told_what_it_may_know_and_nothing_else() -> None:
    for seat, face, setting in product((0, 1), FACES, SETTINGS):
        delta = (OWN, OTHER) if seat == 0 else (OTHER, OWN)
        env = econzoo.make("bargaining", face=face, delta=delta, **setting)
        words = {"message": "Fine?"} if setting["messages"] else {}
        shown = told(env, seat, [*PLAY, {"kind": "offer", "gain": 6000.0, **words}, {"kind": "accept"}])
        own, other = ([t for t in traces(number) if t in shown] for number in (OWN, OTHER))
        assert own, "a seat knows its own discount factor"
        assert bool(other) == setting["complete_information"], f"traces of the other's discount factor: {other}"
        if face != "numeric":
            assert bool(re.search(rf"(?<![\d.]){HORIZON}(?!\.?\d)", shown)) == (setting["horizon"] is not None), seat


def test_numbers_for_learning_hide_the_horizon() -> None:
    for horizon in (HORIZON, None):
        env = econzoo.make("bargaining", horizon=horizon, max_rounds=HORIZON)
        env.reset()
        _, _, _, one_over_horizon, progress, *_ = env.last()[0]["observation"]
        hidden = one_over_horizon == progress == -1.0
        assert hidden == (horizon is None)


def test_the_offer_on_the_table_is_for_the_one_who_answers() -> None:
    env = econzoo.make("bargaining", face="structured")
    env.reset()
    env.step({"kind": "offer", "gain": 6000.0})
    assert env.observe("player_1")["offered"] == 4000.0
    assert env.observe("player_0")["offered"] is None


def test_payoffs_are_told_to_their_owner_only() -> None:
    """From the other's payoff, a seat could compute its discount factor."""
    for seat in (0, 1):
        env = econzoo.make("bargaining", face="structured", delta=(0.9, 0.7), complete_information=False)
        env.reset()
        for move in (*PLAY[:2], {"kind": "offer", "gain": 5000.0}, {"kind": "accept"}):
            env.step(move)
        agent = env.possible_agents[seat]
        assert env.infos[agent]["payoff"] == env.payoffs[seat]
        assert str(env.payoffs[1 - seat]) not in f"{env.infos[agent]} {env.observe(agent)} {env.rewards[agent]}"
