"""A match told again to all its seats: what each read before every move, also where the players read numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines.player import LeftTable, Player, SeatInfo
from econzoo.envs.core.contract.game import Event, Game
from econzoo.envs.core.faces.parse import render_reply
from econzoo.envs.core.faces.structured_face import Seen, StructuredFace, typed_event
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import EnvPool, Table, new_match

FACE = "chat"
"""The face that tells what is new; the rules come separately."""

UNHEARD = ("channel", "reasks", "on_error")
"""Options that change what a seat says into what is recorded; here that is said from the start."""


class Asked(NamedTuple):
    """A seat before one of its moves.

    Attributes:
        seen: What it knew and could do.
        advised: The move of each of the players that were seated beside it, as a plain dictionary; None: such a player
            cannot take the seat.
    """

    seen: Seen
    advised: list[dict[str, Any] | None]


class Retold(NamedTuple):
    """What every seat read.

    Attributes:
        rules: The rules brief of each seat.
        prompts: What was read before each turn of the record; None before an answer that was no move and was not
            recorded with its text.
        endings: The last text of each seat; empty where the match was broken off.
        moves: Each turn's move as compact JSON; None for an answer that was no move.
        events: What each seat could see of the match at its end, also where it was seated anew on the way.
        views: What each seat knew, the rules' ``View``, whenever it was to move; once for each round.
        asked: What each turn's seat knew and could do before its move; None before an answer that was no move.
    """

    rules: list[str]
    prompts: list[str | None]
    endings: list[str]
    moves: list[str | None]
    events: list[list[Event]]
    views: list[list[Any]]
    asked: list[Asked | None]


class _Reader(Player):
    """Makes the recorded moves of its seat and remembers the last text."""

    face: ClassVar[str] = FACE
    wants_seen = True

    def __init__(self, spec: str, moves: Iterator[Any], asked: list[Asked], beside: Sequence[Player]) -> None:
        super().__init__(spec)
        self._moves, self._asked, self._beside = moves, asked, beside
        self.last = ""
        self._before: list[Event] = []
        self._seated = -1
        self.now: tuple[Event, ...] = ()
        self.views: dict[int, Any] = {}

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """A newcomer in the seat has seen nothing of what was before, and counts rounds anew; the reader has."""
        self._teller = info.teller
        self._before, self.now, self._seated = self.events, (), self._seated + 1
        self._game, self._fit = info.game, [player.fork() if player.fits(seat) else None for player in self._beside]
        for player in self._fit:
            if player is not None:
                player.reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        view, self.now = info["seen"].view, info["seen"].events
        round = view.round + self._seated
        self.views.setdefault(round, view._replace(round=round))
        for move in self._moves:
            assert self._teller is not None
            self._asked.append(Asked(info["seen"], self._advised(info)))
            return self._teller.write(move, info["seen"].legal)
        raise LeftTable

    def _advised(self, info: dict[str, Any]) -> list[dict[str, Any] | None]:
        """What those beside this seat would do in its place."""
        seen = StructuredFace(self._game, info["seen"].legal).observe(info["seen"]) if self._fit else {}
        return [None if player is None else player.act(seen, info) for player in self._fit]

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        self.last = observation["text"]

    @property
    def events(self) -> list[Event]:
        """All that was seen in the seat, by round of the match."""
        return [*self._before, *[event._replace(round=event.round + self._seated) for event in self.now]]


def retold(record: Record, beside: Sequence[Player] = (), pool: EnvPool | None = None) -> Retold:
    """Tells a match again.

    A text that a player read turn by turn is taken from the record, word for word; any other is made anew by the
    rules from the recorded moves.

    Args:
        record: Of any game, as its rules say (`econzoo.evaluate.run.replay.misplayed`).
        beside: Scripted players that are asked what they would do in the place of each seat that they can take.
        pool: Where environments come from, if many matches are told.
    """
    game = find_game(record.game)
    typed = [_typed(game, turn.seat, turn.round, turn.action) for turn in record.turns]
    moves = [None if move is None else render_reply(game.actions, move) for move in typed]
    asked: list[Asked] = []
    made = iter([move for move in typed if move is not None])
    again, readers = _told_again(record, lambda spec: _Reader(spec, made, asked, beside), pool or EnvPool())
    ended = again.status == record.status == "finished"
    told = iter(zip([turn.prompt for turn in again.turns], asked, strict=True))
    both = [(None, None) if move is None else next(told) for move in moves]
    read = [turn.prompt if record.faces[turn.seat] == FACE else None for turn in record.turns]
    rules = [own or new or "" for own, new in zip(record.rules, again.rules, strict=True)]
    texts = [own or new for own, (new, _) in zip(read, both, strict=True)]
    endings = [reader.last if ended else "" for reader in readers]
    events, views = [reader.events for reader in readers], [list(reader.views.values()) for reader in readers]
    return Retold(rules, texts, endings, moves, events, views, [one for _, one in both])


def _typed(game: Game, seat: int, round_number: int, action: dict[str, Any] | None) -> Any:
    return None if action is None else typed_event(game, {"seat": seat, "round": round_number, **action}).action


def _told_again(record: Record, reader: Callable[[str], _Reader], pool: EnvPool) -> tuple[Record, list[_Reader]]:
    """The same moves at a table whose players all read text."""
    options = {name: value for name, value in record.options.items() if name not in UNHEARD}
    settings = {**record.params, **options}
    match = new_match(record.game, record.players, record.seed, **settings)
    readers = [reader(spec) for spec in match.players]
    table = Table(match, readers, pool, {"chance": record.chance, "rulings": record.rulings})
    again = table.played()
    for one, agent in zip(readers, table.env.possible_agents, strict=True):
        one.now = table.env.seen(agent).events
    return again, readers
