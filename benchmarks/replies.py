"""How much longer the host is busy with the worst replies of 100,000 characters than with an ordinary one.

    python benchmarks/replies.py [--json] [--games matrix program_matrix] [--repeats 3]

A match of every game is played with the moves of random players, put into words, and then once for each shape of
long reply, which every seat gives each time that it is asked; each of these matches is then replayed. See README.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import econzoo
from econzoo.baselines import Player
from econzoo.baselines.random_and_mock import MockPlayer
from econzoo.envs.core.faces import render_reply
from econzoo.envs.families.open_source.source import extract_program, outline_of
from econzoo.evaluate.run import EnvPool, replay

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from core.long_replies import SHAPES, longest

MOST = 20
"""Times that the worst reply may take as long as an ordinary one."""

POOL = EnvPool()
"""Environments of replays."""


class Ratio(NamedTuple):
    """What the replies of a shape took in a game.

    Attributes:
        game: Name.
        shape: Name.
        microseconds: Of the host's CPU time for one answer, all that a match brings with it included.
        ratio: To an ordinary answer of the game in the same run.
        again: Microseconds to replay it.
        ratio_again: To those of an ordinary answer.
    """

    game: str
    shape: str
    microseconds: float
    ratio: float
    again: float
    ratio_again: float

    @property
    def worst(self) -> float:
        """The greater of the ratios."""
        return max(self.ratio, self.ratio_again)


class Saying(Player):
    """Says what others did, in words."""

    face = "text"

    def __init__(self, replies: Iterator[str]) -> None:
        super().__init__("saying")
        self._replies = replies

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """The next of the replies, which all seats share."""
        return next(self._replies)


def ordinary(game: str, seats: int) -> list[Player]:
    """Players that play a match of random players over again."""
    schema = econzoo.game(game).actions
    turns = econzoo.play(game, ["random"] * seats, seed=1).turns
    replies = iter([render_reply(schema, schema.from_plain(turn.action)) for turn in turns])
    return [Saying(replies) for _ in range(seats)]


def answer_times(game: str, players: list[Player]) -> tuple[float, float]:
    """Microseconds of this process for one answer of a match, and to replay it; programs compute in others."""
    start = time.process_time()
    record = econzoo.play(game, players, seed=1)
    played = time.process_time()
    for remembered in (outline_of, extract_program):
        remembered.cache_clear()  # as in another process
    assert replay(record, POOL) == []
    ended = time.process_time()
    return (played - start) / len(record.turns) * 1e6, (ended - played) / len(record.turns) * 1e6


def ratios(game: str, shapes: list[str], repeats: int) -> list[Ratio]:
    """The worst first."""
    seats = len(econzoo.make(game).possible_agents)
    count = max(3, repeats)
    usual, usual_again = (sorted(times)[1] for times in _times(game, count, lambda: ordinary(game, seats)))
    found = [Ratio(game, "ordinary", usual, 1.0, usual_again, 1.0)]
    for shape in shapes:
        players: list[Player] = [MockPlayer("mock", longest(shape))] * seats
        took, again = map(min, _times(game, repeats, lambda players=players: players))  # type: ignore[misc]
        found.append(Ratio(game, shape, took, took / usual, again, again / usual_again))
    return sorted(found, key=lambda one: -one.worst)


def _times(game: str, repeats: int, players: Callable[[], list[Player]]) -> Iterable[tuple[float, ...]]:
    """The times of so many matches: all to play, all to replay."""
    return zip(*[answer_times(game, players()) for _ in range(repeats)], strict=True)


def table(found: dict[str, list[Ratio]], shown: int) -> str:
    """The ordinary reply of every game and its worst."""
    lines = [f"{'game':18} {'reply':32} {'us':>8} {'ratio':>7} {'replay us':>10} {'ratio':>7}"]
    for game, every in found.items():
        usual = next(one for one in every if one.shape == "ordinary")
        for one in (usual, *every[:shown]):
            note = "" if one.worst <= MOST else f"  over {MOST}"
            times = f"{one.microseconds:8,.0f} {one.ratio:7.2f} {one.again:10,.0f} {one.ratio_again:7.2f}"
            lines.append(f"{game:18} {one.shape:32} {times}{note}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--games", nargs="*", default=sorted(econzoo.games()), metavar="GAME", help="default: all")
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), metavar="SHAPE", help="default: all")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="of which the least counts (default: 3)")
    parser.add_argument("--shown", type=int, default=3, metavar="N", help="shapes shown for each game (default: 3)")
    args = parser.parse_args()
    found = {game: ratios(game, args.shapes, max(1, args.repeats)) for game in args.games}
    rows = {game: [one._asdict() for one in every] for game, every in found.items()}
    print(json.dumps(rows, indent=2) if args.json else table(found, args.shown))


if __name__ == "__main__":
    main()
