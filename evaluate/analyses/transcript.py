"""A match told again to all its seats: what each read before every move, also where the players read numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines.player import Player, PlayerLeft, SeatInfo
from econzoo.envs.core.contract.game import Event, Game
from econzoo.envs.core.faces.parse import render_reply
from econzoo.envs.core.faces.structured_face import InformationState, StructuredFace, event_from_plain
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import EnvPool, MatchTable, new_match

FACE = "chat"
"""The face that tells what is new; the rules come separately."""

CHANNEL_OPTIONS = ("channel", "max_retries", "on_error")
"""Options that change what a seat says into what is recorded; here that is said from the start."""


class TurnContext(NamedTuple):
    """A seat before one of its moves.

    Attributes:
        seen: What it knew and could do.
        advice: The move of each of the players that were seated beside it, as a plain dictionary; None: such a player
            cannot take the seat.
    """

    seen: InformationState
    advice: list[dict[str, Any] | None]


class MatchTexts(NamedTuple):
    """What every seat read.

    Attributes:
        rules: The rules brief of each seat.
        prompts: What was read before each turn of the record; None before an answer that was no move and was not
            recorded with its text.
        endings: The last text of each seat; empty where the match was broken off.
        moves: Each turn's move as compact JSON; None for an answer that was no move.
        events: What each seat could see of the match at its end, also where it was seated anew on the way.
        views: What each seat knew, the rules' ``View``, whenever it was to move; once for each round.
        contexts: What each turn's seat knew and could do before its move; None before an answer that was no move.
    """

    rules: list[str]
    prompts: list[str | None]
    endings: list[str]
    moves: list[str | None]
    events: list[list[Event]]
    views: list[list[Any]]
    contexts: list[TurnContext | None]


class _Reader(Player):
    """Makes the recorded moves of its seat and remembers the last text."""

    face: ClassVar[str] = FACE
    wants_seen = True

    def __init__(self, spec: str, moves: Iterator[Any], asked: list[TurnContext], beside: Sequence[Player]) -> None:
        super().__init__(spec)
        self._moves, self._contexts, self._advisers = moves, asked, beside
        self.last_text = ""
        self._earlier_events: list[Event] = []
        self._seating = -1
        self.current_events: tuple[Event, ...] = ()
        self.views: dict[int, Any] = {}

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """A newcomer in the seat has seen nothing of what was before, and counts rounds anew; the reader has."""
        self._teller = info.teller
        self._earlier_events, self.current_events, self._seating = self.events, (), self._seating + 1
        self._game, self._seated_advisers = (
            info.game,
            [player.fork() if player.can_take_seat(seat) else None for player in self._advisers],
        )
        for player in self._seated_advisers:
            if player is not None:
                player.reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        view, self.current_events = info["seen"].view, info["seen"].events
        round = view.round + self._seating
        self.views.setdefault(round, view._replace(round=round))
        for move in self._moves:
            assert self._teller is not None
            self._contexts.append(TurnContext(info["seen"], self._advice(info)))
            return self._teller.write(move, info["seen"].legal)
        raise PlayerLeft

    def _advice(self, info: dict[str, Any]) -> list[dict[str, Any] | None]:
        """What those beside this seat would do in its place."""
        seen = StructuredFace(self._game, info["seen"].legal).observe(info["seen"]) if self._seated_advisers else {}
        return [None if player is None else player.act(seen, info) for player in self._seated_advisers]

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        self.last_text = observation["text"]

    @property
    def events(self) -> list[Event]:
        """All that was seen in the seat, by round of the match."""
        return [
            *self._earlier_events,
            *[event._replace(round=event.round + self._seating) for event in self.current_events],
        ]


def replay_texts(record: Record, advisers: Sequence[Player] = (), pool: EnvPool | None = None) -> MatchTexts:
    """Tells a match again.

    A text that a player read turn by turn is taken from the record, word for word; any other is made anew by the
    rules from the recorded moves.

    Args:
        record: Of any game, as its rules say (`econzoo.evaluate.run.replay.replay_error`).
        advisers: Scripted players that are asked what they would do in the place of each seat that they can take.
        pool: Where environments come from, if many matches are told.
    """
    game = find_game(record.game)
    typed = [_typed_action(game, turn.seat, turn.round, turn.action) for turn in record.turns]
    moves = [None if move is None else render_reply(game.actions, move) for move in typed]
    asked: list[TurnContext] = []
    made = iter([move for move in typed if move is not None])
    again, readers = _replay_match(record, lambda spec: _Reader(spec, made, asked, advisers), pool or EnvPool())
    ended = again.status == record.status == "finished"
    told = iter(zip([turn.prompt for turn in again.turns], asked, strict=True))
    both = [(None, None) if move is None else next(told) for move in moves]
    read = [turn.prompt if record.faces[turn.seat] == FACE else None for turn in record.turns]
    rules = [own or new or "" for own, new in zip(record.rules, again.rules, strict=True)]
    texts = [own or new for own, (new, _) in zip(read, both, strict=True)]
    endings = [reader.last_text if ended else "" for reader in readers]
    events, views = [reader.events for reader in readers], [list(reader.views.values()) for reader in readers]
    return MatchTexts(rules, texts, endings, moves, events, views, [one for _, one in both])


def _typed_action(game: Game, seat: int, round_number: int, action: dict[str, Any] | None) -> Any:
    return None if action is None else event_from_plain(game, {"seat": seat, "round": round_number, **action}).action


def _replay_match(record: Record, reader: Callable[[str], _Reader], pool: EnvPool) -> tuple[Record, list[_Reader]]:
    """The same moves at a table whose players all read text."""
    options = {name: value for name, value in record.options.items() if name not in CHANNEL_OPTIONS}
    settings = {**record.params, **options}
    match = new_match(record.game, record.players, record.seed, **settings)
    readers = [reader(spec) for spec in match.players]
    table = MatchTable(match, readers, pool, {"chance": record.chance, "rulings": record.rulings})
    again = table.play()
    for one, agent in zip(readers, table.env.possible_agents, strict=True):
        one.current_events = table.env.information_state(agent).events
    return again, readers
