"""Check that the texts of the items, in every variant, play like the library's own classes.

The rendered program and the original play the same matches with the same random numbers: against the cooperator, as in
the benchmark, and against the random player, which reaches other branches of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.items import Item
from econzoo.envs.games.code_reading.programs.axelrod_source import Place
from econzoo.envs.games.code_reading.programs.execution import import_axelrod, load_class, moves, strategy_class
from econzoo.envs.games.code_reading.programs.rendering import render_program


class Meeting(NamedTuple):
    """A match that the text and the original play.

    Attributes:
        opponent: Name of a class of the library.
        seed: Seed of the match.
        rounds: Number of rounds.
    """

    opponent: str
    seed: int
    rounds: int


MEETINGS = (
    *[Meeting("Cooperator", seed, 10) for seed in (0, 1)],
    *[Meeting("Random", seed, 50) for seed in (2, 3, 4)],
)
MEETINGS_OF_TEAMS = Meeting("Cooperator", 0, 10), Meeting("Random", 2, 10)
"""Fewer matches for players with teams, which query every member in every round."""


class Difference(NamedTuple):
    """A match in which a text and its original differ.

    Attributes:
        item: Name of the strategy.
        variant: Variant of the text.
        meeting: The match.
        wanted: Moves of the original.
        played: Moves of the text, or its error.
    """

    item: str
    variant: str
    meeting: Meeting
    wanted: str
    played: str


def differences(
    chosen: Iterable[Item], variants: Iterable[str] = VARIANTS, on_item: Callable[[], Any] = lambda: None
) -> Iterator[Difference]:
    """Yield the matches in which a text and its original differ.

    Args:
        chosen: Items to check.
        variants: Variants of the text.
        on_item: Called after each item.

    Raises:
        ImportError: The Axelrod library is not installed.
    """
    kinds = tuple(variants)
    for item in chosen:
        yield from _item_differences(Place(item.module, item.name), kinds)
        on_item()


def meetings(strategy: Any) -> tuple[Meeting, ...]:
    """Test matches of a strategy."""
    return MEETINGS_OF_TEAMS if issubclass(strategy, import_axelrod().MetaPlayer) else MEETINGS


def _item_differences(place: Place, variants: tuple[str, ...]) -> Iterator[Difference]:
    strategy = strategy_class(place)
    wanted = {meeting: _play_meeting(strategy, meeting) for meeting in meetings(strategy)}
    for variant in variants:
        text = render_program(place, variant)
        for meeting, own in wanted.items():
            found = _attempt(text, meeting)
            if found != own:
                yield Difference(place.name, variant, meeting, own, found)


def _play_meeting(strategy: Any, meeting: Meeting) -> str:
    return moves(strategy, meeting.seed, getattr(import_axelrod(), meeting.opponent), meeting.rounds)


@lru_cache(maxsize=1)
def _load_strategy(text: str) -> Any:
    """The strategy class of a text, loaded once for all its matches."""
    return load_class(text)


def _attempt(text: str, meeting: Meeting) -> str:
    """Moves of a text, or its error, which counts as a difference too."""
    try:
        return _play_meeting(_load_strategy(text), meeting)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
