"""What the items are worth to the other stays with the other."""

from __future__ import annotations

from itertools import product

import pytest

import econzoo
from econzoo.testing.playing import FACES
from games.watching import told

OWN, OTHER = (17, 0, 0), (23, 0, 0)
"""Points that stand out wherever they, or what follows from them, are told."""

PLAY = [
    {"kind": "offer", "keep": [2, 0, 0]},
    {"kind": "offer", "keep": [1, 1, 1]},
    {"kind": "talk"},
    {"kind": "offer", "keep": [0, 1, 0]},
    {"kind": "accept"},
]
TRACES = {"text": "a book is worth {} points", "chat": "a book is worth {} points", "structured": "({}, 0, 0)"}


def test_a_seat_is_told_its_own_values_and_the_others_only_if_it_may() -> None:
    for face, seat, complete, messages in [*product(FACES[1:], (0, 1), (True, False), (True, False))]:
        values = (OWN, OTHER) if seat == 0 else (OTHER, OWN)
        env = econzoo.make("multi_issue", face=face, values=values, complete_information=complete, messages=messages)
        shown = told(env, seat, PLAY)
        assert TRACES[face].format(OWN[0]) in shown, (seat, messages)
        assert (TRACES[face].format(OTHER[0]) in shown) == complete, (seat, messages)


def test_numbers_for_learning_hide_the_others_values() -> None:
    """Of each kind: how many, own value, the other's value, share offered; 23 * 3 are all the points of the other."""
    for complete in (True, False):
        env = econzoo.make("multi_issue", values=(OWN, OTHER), complete_information=complete)
        env.reset(seed=0)
        numbers = env.last()[0]["observation"].tolist()
        assert numbers[7::4] == (pytest.approx([1 / 3, 0.0, 0.0]) if complete else [-1.0, -1.0, -1.0])


def test_payoffs_are_told_to_their_owner_only() -> None:
    """From the other's payoff, a seat could tell what the items are worth to it."""
    for seat in (0, 1):
        env = econzoo.make("multi_issue", face="structured", values=(OWN, OTHER))
        env.reset(seed=0)
        for move in PLAY:
            env.step(move)
        agent = env.possible_agents[seat]
        assert env.payoffs == (17.0 * 3, 0.0), seat
        assert env.infos[agent]["payoff"] == env.payoffs[seat]
        assert str(env.payoffs[1 - seat]) not in f"{env.infos[agent]['payoff']} {env.rewards[agent]}"
