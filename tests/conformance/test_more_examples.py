"""Checks of the suite on examples that hypothesis finds, for every registered game and toy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import Game
from econzoo.testing.bad_answers import answer_invalidly
from econzoo.testing.playing import FACES, register_temporarily
from econzoo.testing.texts import Reply, check_read_back
from exhaustive import long_unless
from toy_games import GAMES

NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from([math.nan, math.inf, -math.inf, 10**400, -(10**400), 2**63, -1, 0.5, True, False]),
    st.sampled_from([np.float32("nan"), np.float64("inf"), np.bool_(True), np.str_("1"), np.array([1, 2]), 1j]),
)
SCALARS = NUMBERS | st.none() | st.text(max_size=30) | st.binary(max_size=8) | st.just(object())
KEYS = st.sampled_from(["kind", "gain", "bid", "message", "other_gain", "price", ""]) | st.text(max_size=6)
WORDS = st.sampled_from(["offer", "accept", "reject", "say", "heads", "bid", "Accept", " accept", "accept\0"])
JUNK = st.recursive(
    SCALARS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.integers(0, 3), inner, max_size=4),
    max_leaves=8,
)


PIECES = st.sampled_from([*'{}"\\\n\t\u202e\ud83d\0', "</think>", "<think>", "```json", "\U0001f469\u200d\U0001f9b0"])
MESSAGES = st.lists(PIECES | st.text(max_size=12), max_size=8).map("".join)
PROSE = st.text(st.characters(exclude_categories=("P", "S")), max_size=40)

a_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


NAMES_AND_FACES = [(name, face) for name in GAMES for face in FACES]


@pytest.mark.parametrize(
    ("name", "face"), long_unless(lambda *case: NAMES_AND_FACES.index(case) % 10 == 0, NAMES_AND_FACES)
)
@given(policy=st.sampled_from(["default", "forfeit", "raise"]), junk=JUNK, steps=st.integers(0, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_junk_is_asked_again_and_then_the_policy_decides(
    name: str, face: str, policy: str, junk: Any, steps: int
) -> None:
    with register_temporarily(GAMES[name]):
        answer_invalidly(GAMES[name], face, policy, junk, steps)


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    """Words, the prose around them, and an amount between its bounds."""
    low = draw(st.floats(-1e9, 1e9))
    high = draw(st.floats(low, 1e12))
    return Reply(draw(MESSAGES), draw(PROSE), draw(PROSE), low, draw(st.floats(low, high)), high)


@a_game
@given(reply=replies())
def test_a_reply_is_read_back_as_it_was_meant(game: Game, reply: Reply) -> None:
    check_read_back(game, reply)
