"""Sealed choices: nobody learns of the contributions, points and words of a half round before all have chosen."""

from __future__ import annotations

from typing import Any

import pytest

import econzoo
from econzoo.envs.games.public_goods import Assign, Contribute
from econzoo.testing.playing import FACES, encode
from games.sealed import order_of_asking, shown


def choose(env: Any, move: Any) -> None:
    agent = env.agent_selection
    env.step(encode(env, agent, move if env.face(agent).name != "numeric" else move._replace(message="")))


def contributed(face: str, halves: int) -> Any:
    """An environment in which all have chosen in so many halves of rounds."""
    env = econzoo.make("public_goods", face=face, grid=21, render_mode="ansi")
    env.reset(seed=0)
    for half in range(halves):
        for seat in range(4):
            choose(env, Assign((1, 0, seat), "Well.") if half % 2 else Contribute(4.0 * seat, "Hello."))
    return env


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("halves", [0, 1, 2, 3])
def test_choices_and_words_are_sealed_until_all_have_chosen(face: str, halves: int) -> None:
    one, other = contributed(face, halves), contributed(face, halves)
    for seat in range(4):
        choose(one, Assign((1, 0, 0), "Why?") if halves % 2 else Contribute(20.0))
        choose(other, Assign((0, 1, 0)) if halves % 2 else Contribute(0.0, "Sorry."))
        assert (shown(one) == shown(other)) == (seat < 3)


@pytest.mark.parametrize("face", FACES)
def test_who_is_asked_last_knows_no_more_than_who_is_asked_first(face: str) -> None:
    one, other = order_of_asking("public_goods", face)
    assert one == other


@pytest.mark.parametrize("halves", [0, 1, 2, 3, 4])
def test_all_seats_know_the_same_between_choices(halves: int) -> None:
    """What is not sealed is public, who assigned points to whom as well."""
    env = contributed("structured", halves)
    views = [env.view(seat)._replace(seat=0) for seat in range(4)]
    assert views == [views[0]] * 4
    histories = [env.observe(agent)["history"] for agent in env.agents]
    assert histories == [histories[0]] * 4
    assert len(histories[0]) == 4 * halves
