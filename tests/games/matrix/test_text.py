"""What players of games of two moves read: whole texts, every length and every named game."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from econzoo.envs.games.matrix.tables import TABLES
from econzoo.envs.games.matrix.text import MEANING


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
        "get 1 and Bob gets 1. After the round both of you learn both choices. There are 10 rounds, and both of you "
        "know this. Your goal is to get as many points as you can in all rounds together.\n\n"
        "Round 1 of 10. Points so far: you 0, Bob 0. Do you choose C or D?\n"
        'Answer with one JSON object: {"kind":<one of: C, D>}'
    )


def test_rounds_are_told_to_both() -> None:
    env = after("DC", "CD", rounds=3)
    assert read(env).splitlines()[2:-1] == [
        "Round 1: you chose D (defect) and got 5.",
        "Round 1: Bob chose C (cooperate) and got 0.",
        "Round 2: you chose C (cooperate) and got 0.",
        "Round 2: Bob chose D (defect) and got 5.",
        "Round 3 of 3, the last one. Points so far: you 5, Bob 5. Do you choose C or D?",
    ]
    other = read(env, "player_1")
    assert "Round 1: Alice chose D (defect) and got 5.\nRound 1: you chose C (cooperate) and got 0." in other
    env.step('{"kind": "C"}')
    assert read(env).endswith("Round 3. Bob is choosing.")


def test_a_named_game_is_told_by_its_name_and_moves() -> None:
    for game in TABLES:
        first, second = MEANING[game]
        for seat in (0, 1):
            text = read(after("CD", stage_game=game), f"player_{seat}")
            assert "It is " in text, game
            assert f"C ({first})" in text, game
            assert f"D ({second})" in text, game
            assert all(f" {word.split()[-1]}" in text.partition("Points for")[0] for word in MEANING[game]), game


def test_a_table_of_ones_own_has_no_story() -> None:
    env = after("CD", payoffs=(((1.5, 2), (3, 4)), ((5, 6), (-7, 8))))
    text = read(env)
    assert "It is" not in text
    assert "if both choose C, you get 1.5 and Bob gets 2." in text
    assert "If both choose D, you get -7 and Bob gets 8." in text
    assert "you chose C and got 3." in text
    other = read(env, "player_1")
    assert "If you choose C and Alice chooses D, you get 6 and Alice gets 5." in other
    assert "If you choose D and Alice chooses C, you get 4 and Alice gets 3." in other


def test_a_table_of_a_named_game_is_that_game() -> None:
    assert "stag hunt" in read(after(payoffs=(((4, 4), (0, 3)), ((3, 0), (3, 3)))))


def test_one_round_is_told_as_one() -> None:
    text = read(after(rounds=1))
    assert "There is one round only." in text
    assert "Do you choose C or D?" in text
    assert not re.search(r"rounds|each round", text)


def test_a_hidden_number_of_rounds() -> None:
    text = read(after("CC", known=False, rounds=77))
    assert "Neither of you is told how many rounds there are." in text
    assert "Round 2. Points so far: you 3, Bob 3." in text
    assert "77" not in text


def test_noise_tells_what_came_out_and_nothing_else() -> None:
    env = after("CC", noise=0.05, chance=[1.0])
    text = read(env)
    assert "With a probability of 5%, a choice comes out as the other one" in text
    assert "Round 1: your choice came out as D (defect), and you got 5." in text
    assert "Round 1: the choice of Bob came out as C (cooperate), and Bob got 0." in text
    assert "Round 1: the choice of Alice came out as D (defect), and Alice got 5." in read(env, "player_1")
    assert "both of you learn both choices" not in text


def test_words_are_read_when_the_round_is_over() -> None:
    for noise in (0.0, 0.3):
        env = econzoo.make("matrix", face="text", noise=noise)
        env.reset(seed=0, options={"chance": [3.0]} if noise else None)
        assert "A choice can carry a short message, which Bob reads when the round is over." in read(env), noise
        env.step('{"kind": "C", "message": "Trust me."}')
        assert "Trust me" not in read(env, "player_1"), noise
        env.step('{"kind": "C"}')
        assert 'Alice said: "Trust me."' in read(env, "player_1"), noise
        assert 'You said: "Trust me."' in read(env), noise


def test_the_end_and_a_stopped_match() -> None:
    assert read(after("DC", rounds=1)).endswith("The game is over. Points: you 5, Bob 0.")
    stopped = read(after("DC", max_cycles=1))
    assert stopped.endswith("The match was stopped before its last round. Points: you 5, Bob 0.")


def test_an_unusable_answer_is_told_with_what_is_allowed() -> None:
    env = after()
    env.step('{"kind": "cooperate"}')
    assert 'unknown kind \'cooperate\'; allowed now: "C", "D"' in read(env)


def test_spectators_read_what_came_out() -> None:
    assert after("CD", rounds=1, noise=0.2, chance=[1.0]).render().splitlines() == [
        "matrix: Alice and Bob",
        "  round   1  Alice    D  (payoff 1)",
        "  round   1  Bob      D  (payoff 1)",
        "  payoffs    Alice 1.00, Bob 1.00",
    ]
