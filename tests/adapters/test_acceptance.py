"""The acceptance of adapters, shown on the environment that they build on."""

from __future__ import annotations

from functools import partial

import pytest

from adapters.acceptance import OPPONENT, Played, accept, hear, move, nothing
from econzoo.evaluate.adapters import OneSeat
from econzoo.wrappers import SingleAgentEnv


def alone(game, params, seed, seat, answer, rewarded=False):
    env = SingleAgentEnv(game, OPPONENT, seat=seat, face="text", **params)
    (seen, info), ended, reward = env.reset(seed=seed), False, 0.0
    while not ended:
        seen, reward, terminated, truncated, info = env.step(answer(seen["text"]))
        ended = terminated or truncated
    return Played(info["match_seed"], reward if rewarded else info["payoffs"], info["forfeited"] == seat)


def test_payoffs_and_rewards_of_one_seat_among_players_are_accepted():
    accept(alone, seeds=20)
    accept(partial(alone, rewarded=True), seeds=5)


def in_the_wrong_seat(game, params, seed, seat, answer):
    return alone(game, params, seed, 1 - seat, answer)


def with_another_seed(game, params, seed, seat, answer):
    return alone(game, params, seed, seat, answer)._replace(seed=seed)


def without_forfeits(game, params, seed, seat, answer):
    return alone(game, params, seed, seat, answer)._replace(forfeited=False)


def with_a_reward_of_its_own(game, params, seed, seat, answer):
    played = alone(game, params, seed, seat, answer)
    return played._replace(paid=played.paid[seat])


def against_itself(game, params, seed, seat, answer):
    """Both seats answer by the same function."""
    return alone(game, params, seed, seat, move if answer is nothing else nothing)


@pytest.mark.parametrize(
    "wrong",
    [in_the_wrong_seat, with_another_seed, without_forfeits, with_a_reward_of_its_own, against_itself],
    ids=lambda play: play.__name__,
)
def test_what_is_not_the_same_match_is_not_accepted(wrong):
    with pytest.raises(AssertionError):
        accept(wrong, seeds=5)


def without_its_ends(game, params, seed, seat, answer):
    return alone(game, params, seed, seat, lambda text: answer(text).strip())


def test_replies_that_lose_their_ends_are_not_accepted():
    hear(alone)
    with pytest.raises(AssertionError):
        hear(without_its_ends)


def test_a_remote_client_resets_with_the_same_options_in_all_seats():
    table = OneSeat("bargaining", [OPPONENT], 0, {"horizon": 2})
    table.begin(seed=1, options={"params": {"money": 77.0}})
    assert "$77 " in table.begin(seed=2, seat=1).text
    assert "$77 " not in table.fork().begin(seed=2).text, "another client"
    with pytest.raises(ValueError, match="pass options="):
        table.begin(seed=1, options={"money": 77.0})
