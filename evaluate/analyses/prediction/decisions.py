"""Decisions of recorded players, with the information available before each.

A decision is a move without amounts, chosen among at least two kinds of move: to accept an offer or not, to buy or not.
It is coded as yes or no; yes is the first legal kind in the order of the game's declaration. Offers, bids and messages
are excluded, and so are default moves and moves of replacement players.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import Player, is_person
from econzoo.baselines import player as make_player
from econzoo.envs.core import LARGE_FILE_BYTES, read_text
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, setting_of, setting_parameters
from econzoo.envs.core.faces import InformationState
from econzoo.envs.core.record import Record, split_name
from econzoo.evaluate.analyses import places, replay_texts
from econzoo.evaluate.analyses.regression import levels
from econzoo.evaluate.run import EnvPool, replay_error

SEATS = "seats.csv"
"""Table of participants by seat in an exported study."""

ANONYMOUS = "human"
"""Name of a person without an id."""


class Decision(NamedTuple):
    """Decision of a player.

    Attributes:
        turn: Index of the turn, from 0.
        task: Prediction task, such as ``"bargaining: accept"``; each has its own predictors and tables.
        allowed_kinds: Legal kinds of move; the first is yes.
        person: Participant of a study or player; for anonymous people the seat of the match.
        configuration: All parameters that can be disclosed to players.
        cluster: Setting, as a hash, and seed, which determine the random numbers.
        round: Round of the game, 1-based.
        numbers: Numeric observation of the seat, each in [-1, 1].
        script_answers: Whether each scripted player would choose yes; None if it cannot take the seat.
        yes: 1 for yes, 0 for any other move.
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
        return self.task.partition(":")[0]


class DecisionSet(NamedTuple):
    """Decisions of records, and the matches that fail to replay, each with the reason."""

    decisions: list[Decision]
    exclusions: list[str]


def decisions_of(
    records: Iterable[Record],
    players: Sequence[str] = (),
    scripts: Sequence[str] = (),
    people: Mapping[tuple[str, int], str] | None = None,
    on_progress: Callable[[int], Any] = lambda count: None,
) -> DecisionSet:
    """Extract the decisions of players.

    Args:
        players: Labels or specs of the players; empty: all.
    """
    reader, found, exclusions = _DecisionReader(players, scripts, people or {}), list[Decision](), list[str]()
    for record in records:
        if record.status not in ("failed", "paused") and any(reader.selected_seats(record)):
            if (why := replay_error(record, reader.pool)) is None:
                found += reader.decisions(record)
            else:
                exclusions.append(f"match {record.id}: {why}")
        on_progress(1)
    return DecisionSet(found, exclusions)


class _DecisionReader:
    def __init__(self, of: Sequence[str], scripts: Sequence[str], people: Mapping[tuple[str, int], str]) -> None:
        self._selected, self._scripts, self._people = set(of), scripts, people
        self.pool = EnvPool()
        self._scripts_by_game: dict[str, list[Player | None]] = {}

    def selected_seats(self, record: Record) -> list[bool]:
        """Return whether each seat has a selected player."""
        both = zip(record.labels, record.players, strict=True)
        return [not self._selected or label in self._selected or spec in self._selected for label, spec in both]

    def decisions(self, record: Record) -> Iterator[Decision]:
        """Yield the decisions of a match that replays."""
        game, selected, replaced = find_game(record.game), self.selected_seats(record), _replacements(record)
        scripts = self._script_players(record.game)
        texts = replay_texts(record, [player for player in scripts if player is not None], self.pool)
        own, setting = setting_parameters(game.parameters, record.params), setting_of(game, record.params)
        place, configuration = places(record), ", ".join(f"{name}={value}" for name, value in levels(own).items())
        for at, (turn, context) in enumerate(zip(record.turns, texts.contexts, strict=True)):
            seat = turn.seat
            if context is None or turn.default or not selected[seat] or at >= replaced.get(seat, at + 1):
                continue
            allowed = choices(game, context.seen)
            if len(allowed) < 2:
                continue
            # Only the scripts that can play the game were asked; the others keep their place.
            moves = iter(context.advice)
            advice = [None if player is None else next(moves) for player in scripts]
            chosen = (turn.action or {}).get("kind", game.actions.names[0])
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
                numbers=tuple(map(float, game.rules.features(context.seen.view))),
                script_answers=tuple(None if move is None else move["kind"] == allowed[0] for move in advice),
                yes=int(chosen == allowed[0]),
            )

    def _script_players(self, game: str) -> list[Player | None]:
        """Return the scripted players; None for those that cannot play the game."""
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
    """Return a scripted player of a game; None if the game does not have it."""
    try:
        return make_player(spec, game)
    except ValueError:
        return None


def choices(game: Game, seen: InformationState) -> tuple[str, ...]:
    """Return the legal kinds of move; empty if one of them has a number, a text or a seat."""
    kinds = [kind for kind, ok in zip(game.actions.kinds, seen.legal.kinds, strict=True) if ok]
    plain = all(set(kind.marks) <= {kind.message} for kind in kinds)
    return tuple(kind.name for kind in kinds) if plain else ()


def format_kind(kind: str) -> str:
    """Format a kind of move: ``"opt out"``."""
    return kind.replace("_", " ")


class PlayerKnowledge(NamedTuple):
    """Texts available to a player before a decision, with names of players hidden.

    Attributes:
        past: Prompts and replies before the decision, without reasoning, and the prompt of the decision.
    """

    rules: str
    past: str


def _replacements(record: Record) -> dict[int, int]:
    """Return the first turn of the replacement player by seat."""
    # Backwards, so that of several replacements of a seat the first one stays.
    return {one["seat"]: one["turn"] for one in reversed(record.replacements or ())}


def participants(folder: Path) -> dict[tuple[str, int], str]:
    """Read the participants of a study by match and seat; empty without its table beside the records."""
    path = folder / SEATS
    if not path.is_file():
        return {}
    rows = csv.DictReader(io.StringIO(read_text(path, LARGE_FILE_BYTES), newline=""))
    seated = [row for row in rows if {"match", "seat", "participant"} <= row.keys() and row["match"]]
    return {(row["match"], int(row["seat"])): row["participant"] for row in seated if row["participant"]}
