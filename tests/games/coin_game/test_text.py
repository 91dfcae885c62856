"""What the players of the Coin Game read, word by word where it matters."""

from __future__ import annotations

import json
from typing import Any

import econzoo
from econzoo.envs.games.coin_game.text import format_signed, render_board
from games.facts import facts, tells
from refusals import says

CORNERS = [(0, 0), (2, 2), (0, 1), (2, 1), (1, 1), (1, 2)]
"""A, B, red and blue; then red comes back in the middle and blue to the right of it."""


def after(*rounds: tuple[Any, Any], face: str = "text", placement: Any = CORNERS, **params: Any) -> Any:
    """An environment after these steps of A and B; a step is a name, or a name and words."""
    env = econzoo.make("coin_game", face=face, render_mode="ansi", **params)
    env.reset(seed=0, options={"placement": placement})
    for steps in rounds:
        for step in steps:
            kind, words = step if isinstance(step, tuple) else (step, None)
            env.step(json.dumps({"kind": kind, **({"message": words} if words else {})}))
    return env


def read(env: Any, agent: str | None = None) -> str:
    return env.observe(agent or env.agent_selection)["text"]


def test_the_first_thing_alice_reads() -> None:
    assert read(after()) == (
        "You are Alice, player A on a board with 3 rows and 3 columns. Bob is player B. Rows are numbered from 0 at "
        "the top, columns from 0 at the left. On the printed board a dot is an empty cell. In each round you and Bob "
        "each choose one step at the same time, without seeing the other's: up, down, left or right. You cannot stay "
        "where you are. The board has no edges: a step off one side leads to the opposite side. The two of you may "
        "stand on the same cell and may pass each other. Two coins lie on the board: a is your coin, b is Bob's coin. "
        "A player who stands on a coin after the step takes it and gets 1 point, no matter whose coin it is. If Bob "
        "takes your coin, you lose 2 points; if you take Bob's coin, Bob loses 2 points. If you both stand on a coin, "
        "you both take it, and both rules apply. A coin that was taken reappears at once on a cell drawn at random, "
        "all cells being equally likely. If it reappears where a player stands, that player takes it only by standing "
        "there after the next step. Number of rounds: 10. A step can come with a short message, which Bob reads after "
        "the round. Your goal is to have as many points as you can at the end.\n"
        "\n"
        "Round 1 of 10. Points: you 0, Bob 0.\n"
        "  0 1 2\n"
        "0 A a .\n"
        "1 . . .\n"
        "2 . b B\n"
        "You (A): row 0, column 0. Your coin (a): row 0, column 1.\n"
        "Bob (B): row 2, column 2. Bob's coin (b): row 2, column 1.\n"
        "Which step do you take?\n"
        'Answer with one JSON object: {"kind":<one of: up, down, left, right>,"message":<words to the other player, at '
        "most 500 characters>}"
    )


def test_a_round_is_told_to_both() -> None:
    env = after(("right", ("left", 'Peace, "friend"?')))
    assert [facts(line) for line in read(env).splitlines()[2:10]] == [
        "1 0 1 +1",
        '1 Bob 2 1 "Peace, \\"friend\\"?" Bob +1',
        "2 10 1 Bob 1",
        "0 1 2",
        "0",
        "1",
        "2",
        "0 1 1 1",
    ]
    told = read(env, "player_1")
    tells(told, "1 Alice 0 1")
    tells(told, '1 2 1 "Peace, \\"friend\\"?"')
    env.step('{"kind": "up"}')
    tells(read(env, "player_0").splitlines()[-1], "2 Bob")


def test_whose_coin_it_was_is_told_from_the_side_of_the_reader() -> None:
    env = after(("up", "left"), placement=[(0, 0), (0, 2), (0, 1), (2, 0), (1, 1), (1, 1)])
    tells(read(env), "2 0 Bob -1")
    tells(read(env), "Bob 0 1 Bob -1")
    told = read(env, "player_1")
    tells(told, "Alice 2 0 Alice -1")
    tells(told, "0 1 Alice -1")


def test_both_coins_and_none() -> None:
    for first, points in (("right", ("+2", "-2")), ("up", ("0", "0"))):
        env = after((first, "up"), placement=[(0, 0), (2, 2), (0, 1), (0, 1), (1, 0), (1, 0)])
        for agent, own in zip(env.possible_agents, points, strict=True):
            told = [facts(line).split() for line in read(env, agent).splitlines()[2:4]]
            assert own in next(line for line in told if line[1] not in ("Alice", "Bob")), (first, agent)


BOARDS = [
    (2, (0, 3, 1, 2), "  0 1\n0 A a\n1 b B"),
    (3, (4, 4, 4, 4), "  0    1    2\n0 .    .    .\n1 .    ABab .\n2 .    .    ."),
    (3, (8, 0, 8, 0), "  0  1  2\n0 Bb .  .\n1 .  .  .\n2 .  .  Aa"),
    (3, (None, None, 5, None), "  0 1 2\n0 . . .\n1 . . a\n2 . . ."),
]


def test_boards() -> None:
    for size, cells, shown in BOARDS:
        assert render_board(size, cells) == shown


def test_columns_stand_below_their_numbers() -> None:
    for size in (2, 3, 10, 11, 20):
        last = size * size - 1
        lines = render_board(size, (0, last, last, size)).splitlines()
        assert len(lines) == size + 1
        start = lines[0].rindex(str(size - 1))
        assert lines[-1][start:] == "Ba", size
        assert lines[1][lines[0].index("0")] == "A", size
        assert lines[2][lines[0].index("0")] == "b", size


def test_a_hidden_number_of_rounds_is_not_told() -> None:
    for face in ("text", "chat"):
        env = after(("up", "up"), face=face, known=False, rounds=7)
        brief = env.face("player_0").rules(env.view(0))
        assert "7" not in brief + read(env), face
        tells("\n" + read(env), "2 0 Bob 0")


def test_silent_matches_say_nothing_of_words() -> None:
    env = after(messages=False)
    assert "message" not in read(env)
    says(read(env).splitlines()[-1], "up", "down", "left", "right")


def test_the_end_and_a_stopped_match() -> None:
    tells(read(after(("right", "left"), rounds=1), "player_1").splitlines()[-1], "1 Alice 1 1 Alice 0 Alice Alice 1 0")
    stopped = read(after(("right", "left"), max_cycles=1))
    tells(stopped.splitlines()[-1], "1 Bob 1")


def test_points_have_a_sign() -> None:
    for points, shown in ((-2, "-2"), (0, "0"), (1, "+1"), (2, "+2")):
        assert format_signed(points) == shown


def test_spectators_read_what_became_of_every_step() -> None:
    env = after(("right", "up"), rounds=1)
    assert [facts(line) for line in env.render().splitlines()] == [
        "Alice Bob",
        "1 Alice 0 1 +1",
        "1 Bob 1 2 0",
        "Alice 1.00 Bob 0.00",
    ]
