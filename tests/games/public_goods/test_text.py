"""What the players of public goods read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo

CONTRIBUTIONS = (
    "In each round each of the 4 players gets 20 tokens, chooses how many of them to contribute to a common project, "
    "and keeps the rest. All choose at once and unseen by the others. Every token in the project pays 0.4 tokens to "
    "each player, whoever contributed it. Then everybody learns all contributions. "
)
BUDGET = (
    "All your points of a round cannot cost more than your income from its contributions. Then everybody learns who "
    "assigned how many points to whom. "
)


def after(*halves: Any, face: str = "text", **params: Any) -> Any:
    """An environment after the choices of all seats: tokens, or lists of points; 7 and [0, 0, 1] come with words."""
    env = econzoo.make("public_goods", face=face, render_mode="ansi", **params)
    env.reset(seed=0)
    for half in halves:
        for own in half:
            key = '"kind": "assign", "points"' if isinstance(own, list) else '"kind": "contribute", "tokens"'
            said = ', "message": "So \\"be\\" it."' if own in (7, [0, 0, 1]) else ""
            env.step(f"{{{key}: {own}{said}}}")
    return env


def read(env: Any, agent: str | None = None) -> str:
    return env.observe(agent or env.agent_selection)["text"]


def brief(**params: Any) -> str:
    return read(after(**params)).split("\n\n")[0]


def test_the_rules_as_ann_reads_them() -> None:
    assert brief() == (
        "You are Ann. You play a game with Ben, Cleo, Dan. Number of rounds: 10. " + CONTRIBUTIONS + "After that "
        "everybody assigns points to each of the others, from 0 to 10, again all at once. It costs you 0, 1, 2, 4, 6, "
        "9, 12, 16, 20, 25, 30 tokens to assign 0, 1, 2, ... 10 points to one player. Every point takes a "
        "tenth of the income from the round's contributions away from the player who gets it: 10 points take all of "
        "it, and more points take no more. " + BUDGET + "What you choose can carry a short message, "
        "which the others read together with what everybody chose. Your goal is to earn as much as you can in all "
        "rounds together."
    )


def test_the_rules_with_linear_costs_and_in_silence() -> None:
    assert brief(cost="linear", messages=False) == (
        "You are Ann. You play a game with Ben, Cleo, Dan. Number of rounds: 10. " + CONTRIBUTIONS + "After that "
        "everybody assigns points to each of the others, from 0 to 10, again all at once. Every point costs you 1 "
        "token and takes 3 tokens from the player who gets it, but never more than that player's income from the "
        "round's contributions. " + BUDGET + "Your goal is to "
        "earn as much as you can in all rounds together."
    )


def test_the_rules_without_points() -> None:
    """Points are not spoken of; nor are words of praise or blame, in any setting."""
    assert "point" not in brief(punishment=False)
    for setting in ({}, {"cost": "linear"}, {"punishment": False}):
        assert not re.search(r"punish|free.?rid|cooperat|fair|selfish", brief(**setting), re.IGNORECASE)


def test_a_round_in_the_words_of_a_seat() -> None:
    env = after((0, 5, 7, 15), ([0, 0, 0], [1, 0, 2], [0, 0, 1], [3, 0, 0]))
    assert read(env).splitlines()[2:-1] == [
        "Round 1: you contributed 0.",
        "Round 1: Ben contributed 5.",
        'Round 1: Cleo contributed 7. Cleo said: "So \\"be\\" it."',
        "Round 1: Dan contributed 15.",
        "Round 1: you assigned no points.",
        "Round 1: Ben assigned 1 point to Ann, 2 points to Dan.",
        'Round 1: Cleo assigned 1 point to Dan. Cleo said: "So \\"be\\" it."',
        "Round 1: Dan assigned 3 points to Ann.",
        # 30.8 - 40%; 25.8 - 3; 23.8 - 1; 15.8 - 30% - 4
        "Round 2 of 10. Income so far: Ann 18.48, Ben 22.8, Cleo 22.8, Dan 7.06.",
        "How many of your 20 tokens do you contribute?",
    ]
    assert 'you contributed 7. You said: "So' in read(env, "player_2")
    assert "Round 1: you assigned 1 point to Dan. You said:" in read(env, "player_2")
    env.step('{"kind": "contribute", "tokens": 1}')
    assert read(env, "player_0").endswith("Round 2 of 10. The others are choosing.")


def test_the_question_for_points_has_the_others_in_their_order() -> None:
    env = after((0, 5, 7, 15))
    assert read(env).splitlines()[-3:-1] == [
        "Round 1 of 10. Income from the contributions: Ann 30.8, Ben 25.8, Cleo 23.8, Dan 15.8.",
        "How many points do you assign to Ben, Cleo, Dan?",
    ]
    env.step('{"kind": "assign", "points": [0, 0, 0]}')
    assert "do you assign to Ann, Cleo, Dan?" in read(env)


def test_the_end() -> None:
    for face in ("text", "chat"):
        env = after((20, 20), rounds=1, players=2, mpcr=0.7, punishment=False, face=face)
        assert read(env).endswith("The game is over. Income: Ann 28, Ben 28."), face
        stopped = after((20, 20), players=2, punishment=False, max_cycles=1, face=face)
        assert "The match was stopped" in read(stopped), face


def test_points_that_cannot_be_paid_for_are_explained() -> None:
    env = after((0, 0, 0, 0))
    env.step('{"kind": "assign", "points": [8, 8, 0]}')
    assert "the points cost more than your income of this round" in read(env)


def test_spectators_see_every_choice() -> None:
    env = after((1, 2), ([1], [0]), players=2, rounds=1)
    assert env.render().splitlines() == [
        "public_goods: Ann and Ben",
        "  round   1  Ann      contribute  tokens 1",
        "  round   1  Ben      contribute  tokens 2",
        "  round   1  Ann      assign  points 1",
        "  round   1  Ben      assign  points 0",
        "  payoffs    Ann 19.20, Ben 17.28",  # 19 + 1.2 - 1; (18 + 1.2) * 0.9
    ]
