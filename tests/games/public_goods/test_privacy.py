"""Sealed choices: nobody learns of the contributions, points and words of a half round before all have chosen."""

from __future__ import annotations

from itertools import product
from typing import Any

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


def test_choices_and_words_are_sealed_until_all_have_chosen() -> None:
    for face, halves in product(FACES, (0, 1, 2, 3)):
        one, other = contributed(face, halves), contributed(face, halves)
        for seat in range(4):
            choose(one, Assign((1, 0, 0), "Why?") if halves % 2 else Contribute(20.0))
            choose(other, Assign((0, 1, 0)) if halves % 2 else Contribute(0.0, "Sorry."))
            assert (shown(one) == shown(other)) == (seat < 3), (face, halves)


def test_who_is_asked_last_knows_no_more_than_who_is_asked_first() -> None:
    for face in FACES:
        one, other = order_of_asking("public_goods", face)
        assert one == other, face


def test_all_seats_know_the_same_between_choices() -> None:
    """What is not sealed is public, who assigned points to whom as well."""
    for halves in (0, 1, 2, 3, 4):
        env = contributed("structured", halves)
        views = [env.view(seat)._replace(seat=0) for seat in range(4)]
        assert views == [views[0]] * 4, halves
        histories = [env.observe(agent)["history"] for agent in env.agents]
        assert histories == [histories[0]] * 4, halves
        assert len(histories[0]) == 4 * halves
