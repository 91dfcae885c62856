"""What authors of programs for the coin game read."""

from __future__ import annotations

from typing import Any

import econzoo
from econzoo.envs.families.open_source import COIN_GAME
from games.facts import facts, tells
from games.program_matches import tape
from refusals import says

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
        assert text.index(coin) < text.index(other), seat
        assert f"'{letter}'" in text.partition("MY_ID")[2][:9], seat


def test_fault_14_the_coin_game_has_a_prompt_of_its_own_for_meta_rounds() -> None:
    text = read(after())
    says(text, 3, 1, "'UP'", "'DOWN'", "'LEFT'", "'RIGHT'")
    tells(text, "3 3")
    assert "cooperate" not in text
    assert "'C'" not in text
    assert read(after(rounds=1)) != text


def test_policies_are_told() -> None:
    assert len({read(after(**params)) for params in ({}, {"on_exception": "random"}, {"on_limit": "LEFT"})}) == 3
    told = read(after(on_limit="LEFT"))
    assert told.count("LEFT") == read(after()).count("LEFT") + 1


def test_both_read_what_became_of_both_programs() -> None:
    env = after(UP, DOWN)
    first, second = read(env), read(env, "player_1")
    assert f"```python\n{UP}```\n" in first
    tells(first.partition(UP)[2], "1 0 1 1 Bob")
    tells(first.partition(DOWN)[2], "Bob 0 1 1")
    tells(second.partition(DOWN)[2], "0 1 1")
    tells(first, "2 3 1 0 Bob")
    tells(second, "2 3 0 1 Alice")
    env.step(UP)
    assert facts(read(env).splitlines()[-1]) == "2 3 Bob"


def test_the_end_and_a_stopped_match() -> None:
    tells(read(after(UP, DOWN, rounds=1)).splitlines()[-1], "1 0 Bob")
    stopped = read(after(UP, DOWN, max_cycles=1))
    tells(stopped.splitlines()[-1], "1 0 Bob")


def test_spectators_read_what_programs_did() -> None:
    shown = after(UP, DOWN, rounds=1).render()
    tells(shown, "1 0 1")
    assert shown.endswith("  payoffs    Alice 1.00, Bob 0.00")
