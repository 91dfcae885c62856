"""Players that stop answering, for tests that silence never pays, and the one that they would be if they answered.

All act on the chat face, as models do, and draw the same legal moves as ``random`` in the same seat and match, so that
``quits(3)`` and ``random-chat`` are one player for three answers. `adding_quitters` makes them specs of every game:

    with adding_quitters():
        econzoo.play("coin_game", ["quitter", "tit-for-tat"])
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from econzoo.baselines import RandomPlayer
from econzoo.envs.core import registry
from econzoo.envs.core.faces import StructuredFace
from econzoo.wrappers import SeatInfo

NO_MOVE = "hello"
"""An answer that is a move in no game."""

RANDOM, MUTE, QUITTER = "random-chat", "mute", "quitter"
"""Specs of players: random legal moves; never a legal one; random legal ones until it is losing."""


class RandomChat(RandomPlayer):
    """Plays the moves of ``random`` as text."""

    face = "chat"

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        super().reset(seat, info, seed)
        self.seat, self.wants_seen, self.answers, self.has_quit = seat, True, 0, False

    def quits_now(self, view: Any) -> bool:
        """Whether it answers no more, from this view on."""
        return False

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        seen = info["seen"]
        assert self.game is not None
        self.has_quit = self.has_quit or self.quits_now(seen.view)
        if self.has_quit:
            return NO_MOVE
        self.answers += 1
        return json.dumps(super().act(StructuredFace(self.game, seen.legal).observe(seen), info))


class Quits(RandomChat):
    """Answers so many times, and then no more."""

    def __init__(self, spec: str, answers: int = 0) -> None:
        super().__init__(spec)
        self.wanted = answers

    def quits_now(self, view: Any) -> bool:
        return self.answers >= self.wanted


class Quitter(RandomChat):
    """Answers until it is losing, and then no more."""

    def quits_now(self, view: Any) -> bool:
        assert self.game is not None
        return IS_LOSING[self.game.name](view)


def _has_less(numbers: tuple[float, ...], seat: int) -> bool:
    return numbers[seat] < max(numbers)


def _has_less_score(v: Any) -> bool:
    return v.own_score < v.other_score


def _has_less_health(v: Any) -> bool:
    return _has_less(v.healths, v.seat)


def _is_offered_less_than_half(v: Any) -> bool:
    offered, whole = (
        sum(worth * n for worth, n in zip(v.own_values, of, strict=True)) for of in (v.own_items, v.items)
    )
    return v.by == 1 - v.seat and 2 * offered < whole


IS_LOSING: Mapping[str, Callable[[Any], bool]] = {
    "bargaining": lambda v: 0 <= v.offered < v.money / 2,
    "negotiation": lambda v: v.offered >= 0 and (v.offered < v.own_value) == (v.seat == 0),
    "persuasion": lambda v: 2 * v.sold_low > v.sold >= 0 if v.seat else 2 * v.sold < v.round - 1,
    "water_allocation": _has_less_health,
    "guess_average": lambda v: _has_less(v.wins, v.seat),
    "survival_auction": _has_less_health,
    "matrix": _has_less_score,
    "program_matrix": _has_less_score,
    "program_coin": _has_less_score,
    "coin_game": _has_less_score,
    "code_reading": lambda v: v.first == 0.5,  # the only question is hard
    "double_auction": lambda v: (2 * v.value < v.money) == (v.seat < v.buyers),  # a bad hand
    "multi_issue": _is_offered_less_than_half,
    "public_goods": lambda v: _has_less(v.total, v.seat),
}
"""Game to whether a seat is behind another, or its prospects are poor, by its view."""

PLAYERS = {RANDOM: RandomChat, MUTE: Quits, "quits": Quits, QUITTER: Quitter}


@contextmanager
def adding_quitters() -> Iterator[None]:
    """Make `PLAYERS` specs of every game; a forked process knows them too."""
    before = {name: list(given) for name, given in registry._ADDED_PLAYERS.items()}
    for name in registry.games():
        registry.add_players(name, __name__)
    try:
        yield
    finally:
        registry._ADDED_PLAYERS.clear()
        registry._ADDED_PLAYERS.update(before)
