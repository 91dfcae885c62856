"""What players of games of two moves read: whole texts, every length and every named game."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from econzoo.envs.games.matrix.tables import TABLES
from econzoo.envs.games.matrix.text import MOVE_MEANINGS
from games.facts import facts, tells
from refusals import says


def after(*rounds: str, face: str = "text", chance: list[float] | None = None, **params: Any) -> Any:
    """A match after these choices, seat 0's first."""
    env = econzoo.make("matrix", face=face, render_mode="ansi", **params)
    env.reset(seed=0, options={"chance": chance} if chance else None)
    for pair in rounds:
        for letter in pair:
            env.step(f'{{"kind": "{letter}"}}')
    return env


def read(env: Any, agent: str = "player_0") -> str:
    return env.observe(agent)["text"]


def test_the_whole_text_of_a_silent_first_round() -> None:
    assert read(after(messages=False)) == (
        "You are Alice. You and Bob play a game: in each round you both choose C or D at the same time, and neither "
        "sees the other's choice before both have chosen. It is the prisoner's dilemma: C means to cooperate, D to "
        "defect. Points for a round: if both choose C, you get 3 and Bob gets 3. If you choose C and Bob chooses D, "
        "you get 0 and Bob gets 5. If you choose D and Bob chooses C, you get 5 and Bob gets 0. If both choose D, you "
        "get 1 and Bob gets 1. When a round is over, you both learn both choices. There are 10 rounds, and you both "
        "know this. Your goal is to get as many points as you can over all rounds.\n"
        "\n"
        "Round 1 of 10. Points so far: you 0, Bob 0. Do you choose C or D?\n"
        'Answer with one JSON object: {"kind":<one of: C, D>}'
    )


def test_rounds_are_told_to_both() -> None:
    env = after("DC", "CD", rounds=3)
    assert [facts(line) for line in read(env).splitlines()[2:-1]] == [
        "1 D 5",
        "1 Bob C 0",
        "2 C 0",
        "2 Bob D 5",
        "3 3 5 Bob 5 C D",
    ]
    other = read(env, "player_1")
    tells(other, "1 Alice D 5 1 C 0")
    env.step('{"kind": "C"}')
    tells(read(env).splitlines()[-1], "3 Bob")


def test_a_named_game_is_told_by_its_name_and_moves() -> None:
    for game in TABLES:
        first, second = MOVE_MEANINGS[game]
        for seat in (0, 1):
            text = read(after("CD", stage_game=game), f"player_{seat}")
            assert f"C ({first})" in text, game
            assert f"D ({second})" in text, game
            assert all(f" {word.split()[-1]}" in text.partition("Points for")[0] for word in MOVE_MEANINGS[game]), game


def test_a_table_of_ones_own_has_no_story() -> None:
    env = after("CD", payoffs=(((1.5, 2), (3, 4)), ((5, 6), (-7, 8))))
    text = read(env)
    assert not any(word in text for words in MOVE_MEANINGS.values() for word in words)
    tells(text, "C 1.5 Bob 2")
    tells(text, "D -7 Bob 8")
    tells(text, "C 3")
    other = read(env, "player_1")
    tells(other, "C Alice D 6 Alice 5")
    tells(other, "D Alice C 4 Alice 3")


def test_a_table_of_a_named_game_is_that_game() -> None:
    assert "stag hunt" in read(after(payoffs=(((4, 4), (0, 3)), ((3, 0), (3, 3)))))


def test_one_round_is_told_as_one() -> None:
    text = read(after(rounds=1))
    tells(text, "C D")
    assert not re.search(r"rounds|each round", text)


def test_a_hidden_number_of_rounds() -> None:
    text = read(after("CC", known=False, rounds=77))
    tells(text, "2 3 Bob 3")
    assert "77" not in text


def test_noise_tells_what_came_out_and_nothing_else() -> None:
    env = after("CC", noise=0.05, chance=[1.0])
    text = read(env)
    tells(text, "5%")
    tells(text, "1 D 5")
    tells(text, "1 Bob C Bob 0")
    tells(read(env, "player_1"), "1 Alice D Alice 5")


def test_words_are_read_when_the_round_is_over() -> None:
    for noise in (0.0, 0.3):
        env = econzoo.make("matrix", face="text", noise=noise)
        env.reset(seed=0, options={"chance": [3.0]} if noise else None)
        assert "message" in read(env), noise
        env.step('{"kind": "C", "message": "Trust me."}')
        assert "Trust me" not in read(env, "player_1"), noise
        env.step('{"kind": "C"}')
        tells(read(env, "player_1"), 'Alice "Trust me."')
        tells(read(env), '"Trust me."')


def test_the_end_and_a_stopped_match() -> None:
    tells(read(after("DC", rounds=1)).splitlines()[-1], "5 Bob 0")
    stopped = read(after("DC", max_cycles=1))
    tells(stopped.splitlines()[-1], "5 Bob 0")


def test_an_unusable_answer_is_told_with_what_is_allowed() -> None:
    env = after()
    env.step('{"kind": "cooperate"}')
    says(read(env), "cooperate", "C", "D")


def test_spectators_read_what_came_out() -> None:
    assert [facts(line) for line in after("CD", rounds=1, noise=0.2, chance=[1.0]).render().splitlines()] == [
        "Alice Bob",
        "1 Alice D 1",
        "1 Bob D 1",
        "Alice 1.00 Bob 1.00",
    ]
