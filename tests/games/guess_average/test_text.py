"""What the players of the guessing game read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo


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
        "everybody who is in chooses a whole number from 1 to 100, all at once and unseen by the others. The target is "
        "0.8 times the mean of all these numbers, your own included, rounded to two decimal places. The number nearest "
        "to the target wins the round; of two that are equally near, the lower one. All who chose it win together. If "
        "two or more are in and all chose the same number, nobody wins. Whoever does not win a round loses one health "
        "point. With no points left you are out. After the round everybody learns all numbers, the target, and who "
        "won. Your goal is to win as many rounds as you can.\n"
        "\n"
        "Round 1 of 10. Your health points: 10. Rounds that you won: 0.\n"
        "Health: Alex 10, Bob 10, Cindy 10, David 10, Eric 10.\n"
        "Rounds won: Alex 0, Bob 0, Cindy 0, David 0, Eric 0.\n"
        "Which number do you choose?\n"
        'Answer with one JSON object: {"number":<the number that you choose, a whole number from 1 to 100>}'
    )


def test_a_round_is_told_to_everybody() -> None:
    env = after((10, 20, 35), players=3)
    assert read(env).splitlines()[2:] == [
        "Round 1 (mean 21.67, target 17.33): you chose 10 and did not win. Health 9.",
        "Round 1 (mean 21.67, target 17.33): Bob chose 20 and won. Health 10.",
        "Round 1 (mean 21.67, target 17.33): Cindy chose 35 and did not win. Health 9.",
        "Round 2 of 10. Your health points: 9. Rounds that you won: 0.",
        "Health: Alex 9, Bob 10, Cindy 9.",
        "Rounds won: Alex 0, Bob 1, Cindy 0.",
        "Which number do you choose?",
        'Answer with one JSON object: {"number":<the number that you choose, a whole number from 1 to 100>}',
    ]
    assert "you chose 20 and won. Health 10." in read(env, "player_1")
    env.step('{"number": 10}')
    assert read(env, "player_0").endswith("Round 2 of 10. The others are choosing their numbers.")


def test_exits_are_told_once() -> None:
    for face in ("text", "chat"):
        env = after((10, 20, 35), players=3, health=1, face=face)
        assert read(env).splitlines()[-4:] == [
            "Round 1 (mean 21.67, target 17.33): you chose 10, did not win, and are out.",
            "Round 1 (mean 21.67, target 17.33): Bob chose 20 and won. Health 1.",
            "Round 1 (mean 21.67, target 17.33): Cindy chose 35, did not win, and is out.",
            "You are out. Rounds that you won: 0.",
        ], face
        env.step(None)
        assert env.agent_selection == "player_2", face
        env.step(None)
        text = read(env)
        assert text.count("Alex chose 10, did not win, and is out.") == 1, face
        assert (
            "Health: Bob 1.\nRounds won: Alex 0, Bob 1, Cindy 0.\nOut: Alex (round 1), Cindy (round 1).\nWhich" in text
        ), face
        env.step('{"number": 3}')
        assert ("Alex chose" in read(env)) == (face == "text")


def test_the_end_and_a_stopped_match() -> None:
    assert read(after((1, 2), players=2, rounds=1)).endswith("The game is over. Rounds won: Alex 1, Bob 0.")
    stopped = read(after((1, 2), players=2, max_cycles=1))
    assert stopped.endswith("The match was stopped before its last round. Rounds that you won: 1.")


def test_ones_of_everything() -> None:
    text = read(after(rounds=1, health=1)) + read(after((1, 2), players=2, rounds=2, health=2), "player_1")
    assert "Your health points: 1." in text
    assert not re.search(r"\b1 (rounds|health points|points)\b", text)


def test_spectators_read_what_became_of_every_number() -> None:
    env = after((10, 20), players=2, rounds=1)
    assert env.render().splitlines() == [
        "guess_average: Alex and Bob",
        "  round   1  Alex     number 10  (target 12, won; health 10)",
        "  round   1  Bob      number 20  (target 12, not won; health 9)",
        "  payoffs    Alex 1.00, Bob 0.00",
    ]
