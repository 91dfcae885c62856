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
from econzoo.envs.core.faces.structured_face import InformationState
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import split_name
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.regression.families import levels
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.transcript import replay_texts
from econzoo.evaluate.run.replay import replay_error
from econzoo.evaluate.run.table import EnvPool

SEATS = "seats.csv"
"""Table of an exported study that says which participant sat where."""

ANONYMOUS = "human"
"""A person whose name nobody wrote down."""


class Decision(NamedTuple):
    """One decision.

    Attributes:
        match: Id of the match.
        turn: Its number in the match, from 0.
        seat: Who decided.
        role: Name of the seat.
        task: What is predicted, for example ``"bargaining: accept"``; tasks have predictors and tables of their own.
        allowed_kinds: Kinds of move that were allowed; the first is yes.
        person: Who decided, as far as it is known: a participant of a study, a player; else the seat of the match.
        player: What tables call the player.
        configuration: All parameters that players can be told.
        cluster: What shares its random numbers: the setting, as a hash, and the seed.
        round: Of the game, 1-based.
        numbers: What the seat knew, as the numeric face of the game tells it, each in [-1, 1].
        script_answers: For each scripted player whether it would have said yes; None: it cannot take the seat.
        yes: What was done: 1 yes, 0 anything else.
    """

    match: str
    turn: int
    seat: int
    role: str
    task: str
    allowed_kinds: tuple[str, ...]
    person: str
    player: str
    configuration: str
    cluster: str
    round: int
    numbers: tuple[float, ...]
    script_answers: tuple[bool | None, ...]
    yes: int

    @property
    def id(self) -> str:
        """``MATCH:TURN``."""
        return f"{self.match}:{self.turn}"

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.task.partition(":")[0]


class DecisionSet(NamedTuple):
    """The decisions of records.

    Attributes:
        decisions: In the order of the matches.
        exclusions: Matches that are not as the rules say, each with the reason.
    """

    decisions: list[Decision]
    exclusions: list[str]


def decisions_of(
    records: Iterable[Record],
    players: Sequence[str] = (),
    scripts: Sequence[str] = (),
    people: Mapping[tuple[str, int], str] | None = None,
    on_progress: Callable[[int], Any] = lambda count: None,
) -> DecisionSet:
    """The decisions of some players.

    Args:
        records: The matches.
        players: Labels or specs of these players; empty: all.
        scripts: Specs of scripted players that say what they would do.
        people: See `participants`.
        on_progress: Told of every match.
    """
    reading, found, left_out = _DecisionReader(players, scripts, people or {}), list[Decision](), list[str]()
    for record in records:
        if record.status not in ("failed", "paused") and any(reading.selected_seats(record)):
            if (why := replay_error(record, reading.pool)) is None:
                found += reading.decisions(record)
            else:
                left_out.append(f"match {record.id}: {why}")
        on_progress(1)
    return DecisionSet(found, left_out)


class _DecisionReader:
    """Reads one match after the other."""

    def __init__(self, of: Sequence[str], scripts: Sequence[str], people: Mapping[tuple[str, int], str]) -> None:
        self._selected, self._scripts, self._people = set(of), scripts, people
        self.pool = EnvPool()
        self._scripts_by_game: dict[str, list[Player | None]] = {}

    def selected_seats(self, record: Record) -> list[bool]:
        """Whether the player of each seat is one of those that are asked for."""
        both = zip(record.labels, record.players, strict=True)
        return [not self._selected or label in self._selected or spec in self._selected for label, spec in both]

    def decisions(self, record: Record) -> Iterator[Decision]:
        """The decisions of a match that is as the rules say."""
        game, wanted, gone = find_game(record.game), self.selected_seats(record), _replacements(record)
        beside = self._script_players(record.game)
        told = replay_texts(record, [player for player in beside if player is not None], self.pool)
        own, setting = setting_parameters(game.parameters, record.params), setting_of(game, record.params)
        place, configuration = places(record), ", ".join(f"{name}={value}" for name, value in levels(own).items())
        for at, (turn, asked) in enumerate(zip(record.turns, told.contexts, strict=True)):
            seat = turn.seat
            if asked is None or turn.default or not wanted[seat] or at >= gone.get(seat, at + 1):
                continue
            allowed = choices(game, asked.seen)
            if len(allowed) < 2:
                continue
            moves = iter(asked.advice)
            advice = [None if player is None else next(moves) for player in beside]
            did = (turn.action or {}).get("kind", game.actions.names[0])
            yield Decision(
                match=record.id,
                turn=at,
                seat=seat,
                role=place[seat]["role"],
                task=f"{record.game}: {format_kind(allowed[0])}",
                allowed_kinds=allowed,
                person=self._person(record, seat),
                player=place[seat]["player"],
                configuration=f"{record.game}, {configuration}",
                cluster=f"{setting}#{record.seed}",
                round=turn.round,
                numbers=tuple(map(float, game.rules.features(asked.seen.view))),
                script_answers=tuple(None if move is None else move["kind"] == allowed[0] for move in advice),
                yes=int(did == allowed[0]),
            )

    def _script_players(self, game: str) -> list[Player | None]:
        """The scripted players, None where the game does not know one."""
        if game not in self._scripts_by_game:
            self._scripts_by_game[game] = [script_of(spec, game) for spec in self._scripts]
        return self._scripts_by_game[game]

    def _person(self, record: Record, seat: int) -> str:
        known = self._people.get((record.id, seat))
        if known is not None:
            return f"participant {known}"
        spec = record.players[seat]
        return f"{record.id}:{seat}" if is_person(spec) and split_name(spec) == ("", ANONYMOUS) else record.labels[seat]


def script_of(spec: str, game: str) -> Player | None:
    """A scripted player of a game; None: the game does not know it."""
    try:
        return make_player(spec, game)
    except ValueError:
        return None


def choices(game: Game, seen: InformationState) -> tuple[str, ...]:
    """The kinds of move that a seat can choose from; none where one of them names a number, a text or a seat."""
    kinds = [kind for kind, ok in zip(game.actions.kinds, seen.legal.kinds, strict=True) if ok]
    plain = all(set(kind.marks) <= {kind.message} for kind in kinds)
    return tuple(kind.name for kind in kinds) if plain else ()


def format_kind(kind: str) -> str:
    """A kind of move: ``"opt out"``."""
    return kind.replace("_", " ")


class PlayerKnowledge(NamedTuple):
    """What a player knew before a decision, in words. Names of players are hidden.

    Attributes:
        rules: What it was told before the match.
        past: What it read and answered until the decision, nothing from after it, and nothing that models thought.
    """

    rules: str
    past: str


def _replacements(record: Record) -> dict[int, int]:
    """Seats that somebody else took over, and after how many turns."""
    return {one["seat"]: one["turn"] for one in reversed(record.replaced or ())}


def participants(folder: Path) -> dict[tuple[str, int], str]:
    """Who sat where in the matches of a study, by match and seat, if its table lies beside the records."""
    path = folder / SEATS
    if not path.is_file():
        return {}
    rows = csv.DictReader(io.StringIO(read_text(path, LARGE_FILE_BYTES), newline=""))
    told = [row for row in rows if {"match", "seat", "participant"} <= row.keys() and row["match"]]
    return {(row["match"], int(row["seat"])): row["participant"] for row in told if row["participant"]}
