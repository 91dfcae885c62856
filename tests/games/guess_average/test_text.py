"""What the players of the guessing game read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from games.facts import facts, tells


def after(*rounds: tuple[int, ...], face: str = "text", **params: Any) -> Any:
    """An environment after these numbers of those who are in."""
    env = econzoo.make("guess_average", face=face, render_mode="ansi", **params)
    env.reset(seed=0)
    for numbers in rounds:
        for chosen in numbers:
            while env.terminations[env.agent_selection]:
                env.step(None)
            env.step(f'{{"number": {chosen}}}')
    return env


def read(env: Any, agent: str | None = None) -> str:
    return env.observe(agent or env.agent_selection)["text"]


def test_the_first_thing_alex_reads() -> None:
    assert read(after()) == (
        "You are Alex. You play a guessing game with Bob, Cindy, David, Eric. Number of rounds: 10. In each round "
        "everybody still in the game chooses a whole number from 1 to 100, all at the same time and without seeing the "
        "other numbers. The target is 0.8 times the mean of all these numbers, including your own, rounded to two "
        "decimal places. The number closest to the target wins the round; if two are equally close, the lower one "
        "wins. Everybody who chose it wins. If two or more players are still in and all choose the same number, nobody "
        "wins. Anyone who does not win a round loses one health point. With no points left you are out. After each "
        "round everybody learns all the numbers, the target, and who won. Your goal is to win as many rounds as you "
        "can.\n"
        "\n"
        "Round 1 of 10. Your health points: 10. Rounds you have won: 0.\n"
        "Health: Alex 10, Bob 10, Cindy 10, David 10, Eric 10.\n"
        "Rounds won: Alex 0, Bob 0, Cindy 0, David 0, Eric 0.\n"
        "Which number do you choose?\n"
        'Answer with one JSON object: {"number":<the number that you choose, a whole number from 1 to 100>}'
    )


def test_a_round_is_told_to_everybody() -> None:
    env = after((10, 20, 35), players=3)
    assert [facts(line) for line in read(env).splitlines()[2:]] == [
        "1 21.67 17.33 10 9",
        "1 21.67 17.33 Bob 20 10",
        "1 21.67 17.33 Cindy 35 9",
        "2 10 9 0",
        "Alex 9 Bob 10 Cindy 9",
        "Alex 0 Bob 1 Cindy 0",
        "",
        '"number" 1 100',
    ]
    tells(read(env, "player_1"), "20 10")
    env.step('{"number": 10}')
    tells(read(env, "player_0").splitlines()[-1], "2 10")


def test_exits_are_told_once() -> None:
    for face in ("text", "chat"):
        env = after((10, 20, 35), players=3, health=1, face=face)
        assert [facts(line) for line in read(env).splitlines()[-4:]] == [
            "1 21.67 17.33 10",
            "1 21.67 17.33 Bob 20 1",
            "1 21.67 17.33 Cindy 35",
            "0",
        ], face
        env.step(None)
        assert env.agent_selection == "player_2", face
        env.step(None)
        text = read(env)
        tells(text, "Alex 10")
        tells(text, "Bob 1 Alex 0 Bob 1 Cindy 0 Alex 1 Cindy 1")
        env.step('{"number": 3}')
        assert ("Alex 10" in facts(read(env))) == (face == "text")


def test_the_end_and_a_stopped_match() -> None:
    tells(read(after((1, 2), players=2, rounds=1)).splitlines()[-1], "Alex 1 Bob 0")
    stopped = read(after((1, 2), players=2, max_cycles=1))
    assert facts(stopped.splitlines()[-1]) == "1"


def test_ones_of_everything() -> None:
    text = read(after(rounds=1, health=1)) + read(after((1, 2), players=2, rounds=2, health=2), "player_1")
    assert not re.search(r"\b1 (rounds|health points|points)\b", text)


def test_spectators_read_what_became_of_every_number() -> None:
    env = after((10, 20), players=2, rounds=1)
    assert [facts(line) for line in env.render().splitlines()] == [
        "Alex Bob",
        "1 Alex 10 12 10",
        "1 Bob 20 12 9",
        "Alex 1.00 Bob 0.00",
    ]
