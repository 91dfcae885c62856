"""Decisions of recorded players: what the player knew and read before it, and what it did.

A decision is a move that names no number, where there were two kinds of move or more: an offer is accepted or not, a
product is bought or not. It is told as yes or no; yes is the first of the kinds that were allowed, in the order in
which the game declares them. Offers, bids and words are no decisions here, nor are moves of the game in the place of an
answer, or of somebody who took over a seat.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.streams import setting_of, setting_parameters
from econzoo.envs.core.faces.structured_face import Seen
from econzoo.envs.core.files import LARGE, text_of
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import named
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.regression.families import levels
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.transcript import retold
from econzoo.evaluate.run.replay import misplayed
from econzoo.evaluate.run.table import EnvPool

SEATS = "seats.csv"
"""Table of an exported study that says which participant sat where."""

NOBODY = "human"
"""A person whose name nobody wrote down."""


class Decision(NamedTuple):
    """One decision.

    Attributes:
        match: Id of the match.
        turn: Its number in the match, from 0.
        seat: Who decided.
        role: Name of the seat.
        task: What is predicted, for example ``"bargaining: accept"``; tasks have predictors and tables of their own.
        allowed: Kinds of move that were allowed; the first is yes.
        person: Who decided, as far as it is known: a participant of a study, a player; else the seat of the match.
        player: What tables call the player.
        configuration: All parameters that players can be told.
        cluster: What shares its random numbers: the setting, as a hash, and the seed.
        round: Of the game, 1-based.
        numbers: What the seat knew, as the numeric face of the game tells it, each in [-1, 1].
        advised: For each scripted player whether it would have said yes; None: it cannot take the seat.
        yes: What was done: 1 yes, 0 anything else.
    """

    match: str
    turn: int
    seat: int
    role: str
    task: str
    allowed: tuple[str, ...]
    person: str
    player: str
    configuration: str
    cluster: str
    round: int
    numbers: tuple[float, ...]
    advised: tuple[bool | None, ...]
    yes: int

    @property
    def id(self) -> str:
        """``MATCH:TURN``."""
        return f"{self.match}:{self.turn}"

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.task.partition(":")[0]


class Found(NamedTuple):
    """The decisions of records.

    Attributes:
        decisions: In the order of the matches.
        left_out: Matches that are not as the rules say, each with the reason.
    """

    decisions: list[Decision]
    left_out: list[str]


def decisions_of(
    records: Iterable[Record],
    of: Sequence[str] = (),
    scripts: Sequence[str] = (),
    people: Mapping[tuple[str, int], str] | None = None,
    done: Callable[[int], Any] = lambda count: None,
) -> Found:
    """The decisions of some players.

    Args:
        records: The matches.
        of: Labels or specs of these players; empty: all.
        scripts: Specs of scripted players that say what they would do.
        people: See `participants`.
        done: Told of every match.
    """
    reading, found, left_out = _Reading(of, scripts, people or {}), list[Decision](), list[str]()
    for record in records:
        if record.status not in ("failed", "paused") and any(reading.seats(record)):
            if (why := misplayed(record, reading.pool)) is None:
                found += reading.decisions(record)
            else:
                left_out.append(f"match {record.id}: {why}")
        done(1)
    return Found(found, left_out)


class _Reading:
    """Reads one match after the other."""

    def __init__(self, of: Sequence[str], scripts: Sequence[str], people: Mapping[tuple[str, int], str]) -> None:
        self._of, self._scripts, self._people = set(of), scripts, people
        self.pool = EnvPool()
        self._beside: dict[str, list[Player | None]] = {}

    def seats(self, record: Record) -> list[bool]:
        """Whether the player of each seat is one of those that are asked for."""
        both = zip(record.labels, record.players, strict=True)
        return [not self._of or label in self._of or spec in self._of for label, spec in both]

    def decisions(self, record: Record) -> Iterator[Decision]:
        """The decisions of a match that is as the rules say."""
        game, wanted, gone = find_game(record.game), self.seats(record), _replaced(record)
        beside = self._players(record.game)
        told = retold(record, [player for player in beside if player is not None], self.pool)
        own, setting = setting_parameters(game.parameters, record.params), setting_of(game, record.params)
        place, configuration = places(record), ", ".join(f"{name}={value}" for name, value in levels(own).items())
        for at, (turn, asked) in enumerate(zip(record.turns, told.asked, strict=True)):
            seat = turn.seat
            if asked is None or turn.default or not wanted[seat] or at >= gone.get(seat, at + 1):
                continue
            allowed = choices(game, asked.seen)
            if len(allowed) < 2:
                continue
            moves = iter(asked.advised)
            advice = [None if player is None else next(moves) for player in beside]
            did = (turn.action or {}).get("kind", game.actions.names[0])
            yield Decision(
                match=record.id,
                turn=at,
                seat=seat,
                role=place[seat]["role"],
                task=f"{record.game}: {in_words(allowed[0])}",
                allowed=allowed,
                person=self._person(record, seat),
                player=place[seat]["player"],
                configuration=f"{record.game}, {configuration}",
                cluster=f"{setting}#{record.seed}",
                round=turn.round,
                numbers=tuple(map(float, game.rules.features(asked.seen.view))),
                advised=tuple(None if move is None else move["kind"] == allowed[0] for move in advice),
                yes=int(did == allowed[0]),
            )

    def _players(self, game: str) -> list[Player | None]:
        """The scripted players, None where the game does not know one."""
        if game not in self._beside:
            self._beside[game] = [script_of(spec, game) for spec in self._scripts]
        return self._beside[game]

    def _person(self, record: Record, seat: int) -> str:
        known = self._people.get((record.id, seat))
        if known is not None:
            return f"participant {known}"
        spec = record.players[seat]
        return f"{record.id}:{seat}" if is_person(spec) and named(spec) == ("", NOBODY) else record.labels[seat]


def script_of(spec: str, game: str) -> Player | None:
    """A scripted player of a game; None: the game does not know it."""
    try:
        return make_player(spec, game)
    except ValueError:
        return None


def choices(game: Game, seen: Seen) -> tuple[str, ...]:
    """The kinds of move that a seat can choose from; none where one of them names a number, a text or a seat."""
    kinds = [kind for kind, ok in zip(game.actions.kinds, seen.legal.kinds, strict=True) if ok]
    plain = all(set(kind.marks) <= {kind.message} for kind in kinds)
    return tuple(kind.name for kind in kinds) if plain else ()


def in_words(kind: str) -> str:
    """A kind of move: ``"opt out"``."""
    return kind.replace("_", " ")


class Shown(NamedTuple):
    """What a player knew before a decision, in words. Names of players are hidden.

    Attributes:
        rules: What it was told before the match.
        past: What it read and answered until the decision, nothing from after it, and nothing that models thought.
    """

    rules: str
    past: str


def _replaced(record: Record) -> dict[int, int]:
    """Seats that somebody else took over, and after how many turns."""
    return {one["seat"]: one["turn"] for one in reversed(record.replaced or ())}


def participants(folder: Path) -> dict[tuple[str, int], str]:
    """Who sat where in the matches of a study, by match and seat, if its table lies beside the records."""
    path = folder / SEATS
    if not path.is_file():
        return {}
    rows = csv.DictReader(io.StringIO(text_of(path, LARGE), newline=""))
    told = [row for row in rows if {"match", "seat", "participant"} <= row.keys() and row["match"]]
    return {(row["match"], int(row["seat"])): row["participant"] for row in told if row["participant"]}
