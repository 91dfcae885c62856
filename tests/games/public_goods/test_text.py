"""What the players of public goods read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from games.facts import facts, tells

CONTRIBUTIONS = (
    "In each round each of the 4 players gets 20 tokens, chooses how many of them to contribute to a common project, "
    "and keeps the rest. All choose at the same time, without seeing the other choices. Every token in the project "
    "pays 0.4 tokens to each player, no matter who contributed it. Then everybody learns all the contributions. "
)
BUDGET = (
    "The points you assign in a round cannot cost more than your income from its contributions. Then everybody learns "
    "who assigned how many points to whom. "
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
        "everybody assigns from 0 to 10 points to each of the others, again all at the same time. It costs you 0, 1, "
        "2, 4, 6, 9, 12, 16, 20, 25, 30 tokens to assign 0, 1, 2, ... 10 points to one player. Every point takes a "
        "tenth of the income from the round's contributions away from the player who gets it: 10 points take all of "
        "it, and further points take nothing more. " + BUDGET + "Your choice can come with a short message, "
        "which the others read together with everybody's choices. Your goal is to earn as much as you can over all "
        "rounds."
    )


def test_the_rules_with_linear_costs_and_in_silence() -> None:
    told = brief(cost="linear", messages=False)
    tells(told, "4 20 0.4 0 10 1 3")
    assert "message" not in told


def test_the_rules_without_points() -> None:
    """Points are not spoken of; nor are words of praise or blame, in any setting."""
    assert "point" not in brief(punishment=False)
    for setting in ({}, {"cost": "linear"}, {"punishment": False}):
        assert not re.search(r"punish|free.?rid|cooperat|fair|selfish", brief(**setting), re.IGNORECASE)


def test_a_round_in_the_words_of_a_seat() -> None:
    env = after((0, 5, 7, 15), ([0, 0, 0], [1, 0, 2], [0, 0, 1], [3, 0, 0]))
    assert [facts(line) for line in read(env).splitlines()[2:-1]] == [
        "1 0",
        "1 Ben 5",
        '1 Cleo 7 Cleo "So \\"be\\" it."',
        "1 Dan 15",
        "1",
        "1 Ben 1 Ann 2 Dan",
        '1 Cleo 1 Dan Cleo "So \\"be\\" it."',
        "1 Dan 3 Ann",
        "2 10 Ann 18.48 Ben 22.8 Cleo 22.8 Dan 7.06",  # 30.8 - 40%; 25.8 - 3; 23.8 - 1; 15.8 - 30% - 4
        "20",
    ]
    tells(read(env, "player_2"), '1 7 "So \\"be\\" it."')
    tells(read(env, "player_2"), "1 1 Dan")
    env.step('{"kind": "contribute", "tokens": 1}')
    tells(read(env, "player_0").splitlines()[-1], "2 10")


def test_the_question_for_points_has_the_others_in_their_order() -> None:
    env = after((0, 5, 7, 15))
    assert [facts(line) for line in read(env).splitlines()[-3:-1]] == [
        "1 10 Ann 30.8 Ben 25.8 Cleo 23.8 Dan 15.8",
        "Ben Cleo Dan",
    ]
    env.step('{"kind": "assign", "points": [0, 0, 0]}')
    tells(read(env), "Ann Cleo Dan")


def test_the_end() -> None:
    for face in ("text", "chat"):
        env = after((20, 20), rounds=1, players=2, mpcr=0.7, punishment=False, face=face)
        tells(read(env).splitlines()[-1], "Ann 28 Ben 28")
        stopped = after((20, 20), players=2, punishment=False, max_cycles=1, face=face)
        assert "Round 2" not in read(stopped), face


def test_points_that_cannot_be_paid_for_are_explained() -> None:
    env = after((0, 0, 0, 0))
    env.step('{"kind": "assign", "points": [8, 8, 0]}')
    assert env.infos["player_0"]["error"] in read(env)
    assert env.infos["player_0"]["error_code"] == "refused"


def test_spectators_see_every_choice() -> None:
    env = after((1, 2), ([1], [0]), players=2, rounds=1)
    assert [facts(line) for line in env.render().splitlines()] == [
        "Ann Ben",
        "1 Ann 1",
        "1 Ben 2",
        "1 Ann 1",
        "1 Ben 0",
        "Ann 19.20 Ben 17.28",  # 19 + 1.2 - 1; (18 + 1.2) * 0.9
    ]
