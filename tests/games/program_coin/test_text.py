"""What authors of programs for the coin game read."""

from __future__ import annotations

from typing import Any

import econzoo
from econzoo.envs.families.open_source.interfaces import COIN_GAME
from games.program_matches import tape

UP, DOWN = tape(COIN_GAME, ["UP"]), tape(COIN_GAME, ["DOWN"])
RULING = {
    "moves": [[-1, 0], [-1, 4], [-1, 6], [-1, 2], [0, 0], [4, 5], [-1, 8]],
    "results": [
        {
            "moves": "U",
            "against": "S",
            "payoff": 1.0,
            "own": 1,
            "others": 0,
            "failed": 0,
            "failure": "",
            "problem": "",
        },
        {
            "moves": "S",
            "against": "U",
            "payoff": 0.0,
            "own": 0,
            "others": 0,
            "failed": 1,
            "failure": "limit exceeded",
            "problem": "took longer than 1 seconds",
        },
    ],
}
"""A meta-round of one turn: A goes up from the top left cell to its coin, B fails."""


def after(*sources: str, **params: Any) -> Any:
    env = econzoo.make("program_coin", face="text", render_mode="ansi", turns=1, **params)
    env.reset(seed=0, options={"rulings": [RULING] * 3})
    for source in sources:
        env.step(f"```python\n{source}```")
    return env


def read(env: Any, agent: str = "player_0") -> str:
    return env.observe(agent)["text"]


def test_each_author_reads_its_own_letter_and_coin() -> None:
    """Fault of the public code: the state is not mirrored, so a program must know its letter."""
    for seat, letter, coin, other in ((0, "A", "red", "blue"), (1, "B", "blue", "red")):
        text = read(after(), f"player_{seat}")
        role = ("Bob", "Alice")[seat]
        assert f"Your player is {letter}, and your coin is {coin}." in text, (seat, other)
        assert (
            f"If {role} takes a {coin} coin, you lose 2 points; if you take a {other} coin, {role} loses 2." in text
        ), (seat, letter)
        assert f"MY_ID ('{letter}' for you)" in text, (seat, coin, other)


def test_fault_14_the_coin_game_has_a_prompt_of_its_own_for_meta_rounds() -> None:
    text = read(after())
    assert "There are 3 meta-rounds." in text
    assert "the two programs play 1 turn on a new board" in text
    assert "returns 'UP', 'DOWN', 'LEFT' or 'RIGHT'" in text
    assert "board has 3 rows and 3 columns" in text
    assert "cooperate" not in text
    assert "'C'" not in text
    assert "Both hand in a program at once." in read(after(rounds=1))


def test_policies_are_told() -> None:
    assert "the turn is forfeited: your player stays where it is." in read(after())
    assert "exception: a move is drawn for it at random" in read(after(on_exception="random"))
    assert "limit exceeded: LEFT is played for it" in read(after(on_limit="LEFT"))


def test_both_read_what_became_of_both_programs() -> None:
    env = after(UP, DOWN)
    first, second = read(env), read(env, "player_1")
    assert (
        f"your program:\n```python\n{UP}```\nIt went U against S, took 1 coin of its own colour and 0 coins of" in first
    )
    assert "and got you 1 point.\n" in first
    told = " It gave no answer in 1 turn (limit exceeded: took longer than 1 seconds)."
    assert f"and got Bob 0 points.{told}" in first
    assert f"and got you 0 points.{told}" in second
    assert "Meta-round 2 of 3. Points so far: 1 for you, 0 for Bob." in first
    assert "Meta-round 2 of 3. Points so far: 0 for you, 1 for Alice." in second
    env.step(UP)
    assert read(env).endswith("Meta-round 2 of 3. Bob is writing a program.")


def test_the_end_and_a_stopped_match() -> None:
    assert read(after(UP, DOWN, rounds=1)).endswith("The game is over. Points: 1 for you, 0 for Bob.")
    stopped = read(after(UP, DOWN, max_cycles=1))
    assert stopped.endswith("The match was stopped before its last meta-round. Points: 1 for you, 0 for Bob.")


def test_spectators_read_what_programs_did() -> None:
    shown = after(UP, DOWN, rounds=1).render()
    assert "It went U, took 1 coin of its own colour and 0 of the other's, and got 1 point." in shown
    assert shown.endswith("  payoffs    Alice 1.00, Bob 0.00")
