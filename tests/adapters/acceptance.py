"""What every adapter is held to: matches played through it pay what the same matches pay here.

The moves are a fixed function of the text that the seat reads, so that they can be made anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.record import Record
from econzoo.train.reward import Reward

GAMES: dict[str, dict[str, Any]] = {
    "bargaining": {"horizon": 5},
    "negotiation": {"horizon": 5},
    "matrix": {"rounds": 3},
}
"""Their parameters; in the last one both move at once."""

OPPONENT = "random"

Answer = Callable[[str], str]
"""From all that a seat reads, or its end at least, to what it says."""


class Played(NamedTuple):
    """A match as an adapter tells of it.

    Attributes:
        seed: Of the match.
        paid: The payoffs of all seats, or the reward of the own one alone, which is its gain.
        forfeited: Whether the own seat forfeited the match.
    """

    seed: int
    paid: Sequence[float] | float
    forfeited: bool


def rewards_of(record: Record) -> list[float]:
    """The gains; of a seat that forfeited less than any result."""
    gains = enumerate(record.metrics["gains"])
    return [Reward().compute(record, seat) if record.forfeit == seat else gain for seat, gain in gains]


Play = Callable[[str, dict[str, Any], int, int, Answer], Played]
"""Plays a match of a game with parameters, from a seed, in a seat, by an answer."""


def move(text: str) -> str:
    """A usable move: which one depends on what was last asked for, and on nothing before it."""
    asked, form = re.findall(r"(Round \d.*)\nAnswer with one JSON object: (\{.*)", text)[-1]
    chance = crc32(asked.encode())
    if kinds := re.search(r'"kind":<one of: ([^>]*)>', form):
        names = kinds[1].split(", ")
        return f'{{"kind":"{names[chance % len(names)]}"}}'
    field = re.search(r'"(gain|price)":<', form)
    assert field, form
    return f'Here you are: {{"kind":"offer","{field[1]}":{4000 + chance % 6001}}}'


def nothing(text: str) -> str:
    """No move in any game."""
    return "I would rather not say."


BLANKS = ["", " ", "\n", "  No.\t\n\n", "No.\r\n"]
JSON = ['{"kind": "x", "kind": "y"}', '{ "kind" : null }\n', '{"kind":"\\u00e9"}', "[1.0]", "null", "1e999", '"no"']
MARKS = ["[No.]", "[ [No] ]", "</s>", "<think>No.</think> No."]
REPLIES = st.text(max_size=30) | st.sampled_from([*BLANKS, *JSON, *MARKS])
"""Texts that are no move at the beginning of a match."""


class Answerer(Player):
    """Sits here as the answer sits there."""

    face = "text"

    def __init__(self, answer: Answer) -> None:
        super().__init__("answerer")
        self._answer = answer

    def act(self, observation: Any, info: dict[str, Any], /) -> Any:
        return self._answer(observation["text"])


def accept(play: Play, opponent: str | Answer = OPPONENT, seeds: int = 50) -> None:
    """Holds an adapter to the payoffs of `econzoo.play`, in both seats of three games, and to their forfeits.

    Args:
        play: Through the adapter.
        opponent: Who has the other seat there: a player's spec, or an answer of its own.
        seeds: Of each game and seat.
    """
    for game, params in GAMES.items():
        for seat in (0, 1):
            paid = {hold(play, game, params, seed, seat, move, opponent) for seed in range(seeds)}
            assert seeds < 10 or len(paid) > 1, f"{game}, seat {seat}: every match paid {paid}"
            hold(play, game, params, 0, seat, nothing, opponent)


def hold(
    play: Play, game: str, params: dict[str, Any], seed: int, seat: int, answer: Answer, opponent: str | Answer
) -> tuple[float, ...]:
    """Plays a match there and here, and holds one to the other; the payoffs of all seats."""
    seen = Played(*play(game, params, seed, seat, answer))
    other = opponent if isinstance(opponent, str) else Answerer(opponent)
    players: list[str | Player] = [Answerer(answer), other]
    record = econzoo.play(game, players if seat == 0 else players[::-1], seed=seen.seed, **params)
    paid = tuple(record.payoffs)
    case = f"{game}, seed {seed}, seat {seat}, {answer.__name__}"
    if isinstance(seen.paid, float | int):
        assert seen.paid == rewards_of(record)[seat], case
    else:
        assert tuple(seen.paid) == paid, case
    assert seen.forfeited == (record.forfeit == seat) == (answer is nothing), case
    return paid


def hear(play: Play, examples: int = 50, known: Callable[[str], bool] = lambda reply: True) -> None:
    """Holds an adapter to replies that arrive as they were given, to the last sign.

    Args:
        play: Through the adapter.
        examples: How many replies.
        known: Whether a reply may arrive, as far as the other library lets it.
    """

    @settings(max_examples=examples, deadline=None)
    @given(REPLIES.filter(known))
    def arrives(reply: str) -> None:
        heard: list[Any] = []

        def step(env: GameEnv[Any, Any, Any], action: Any) -> None:
            heard.append(action)
            original(env, action)

        original = GameEnv.step
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(GameEnv, "step", step)
            play("bargaining", GAMES["bargaining"], 0, 0, lambda text: reply)
        assert heard[:3] == [reply] * 3

    arrives()
