"""What a player has seen, said and been told so far: everything that its parts may use.

What happened can be looked up by day or player, and as a compact table: a function of what the seat saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from econzoo.envs.core.contract.events import SEALED
from econzoo.envs.core.contract.game import Event, Game
from econzoo.envs.core.faces.markup import break_markup
from econzoo.envs.core.faces.prompts import Prompts, load_templates
from econzoo.envs.core.faces.structured_face import InformationState
from econzoo.envs.core.faces.text_face import Teller
from econzoo.envs.core.faces.transcript import describe_action, describe_fact

if TYPE_CHECKING:
    from econzoo.baselines.models.chat import Message
    from econzoo.wrappers.seating import SeatInfo


@dataclass
class Diary:
    """One match as its player knows it.

    Attributes:
        info: What the player was told when it sat down.
        seat: Where it sits.
        texts: What the parts say to the model, by ``"table.name"``.
        transcript: The system message, then in turn what was read and what was answered.
        rounds: Round of each message of the transcript; 0 for the system message.
        seen: What the seat may know now; None where the player is not told.
    """

    info: SeatInfo
    seat: int
    texts: Prompts
    transcript: list[Message] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    seen: InformationState | None = None

    @property
    def game(self) -> Game:
        """The game."""
        return self.info.game

    @property
    def round(self) -> int:
        """Round of the game, 1-based; 0 where the player is not told."""
        return self.seen.view.round if self.seen else 0

    @property
    def roles(self) -> Sequence[str]:
        """A name for each seat."""
        teller = self.info.teller
        return teller.roles if teller else self.game.roles(self.info.seats)

    @property
    def teller(self) -> Teller:
        """Puts the game into words for this seat."""
        return self.info.teller or teller(self, self.info.messages, self.seat)

    def write(self, role: str, content: str) -> None:
        """Adds a message of the round that is played."""
        self.transcript.append({"role": role, "content": content})
        self.rounds.append(0 if role == "system" else self.round)

    def require_seen(self) -> InformationState:
        """What the seat may know now.

        Raises:
            ValueError: The player is not told.
        """
        if self.seen is None:
            raise ValueError("this player needs info['seen'], what env.seen(agent) says; econzoo.play fills it in")
        return self.seen

    def messages_before(self, round: int) -> int:
        """How many messages at the beginning of the transcript are from earlier rounds, the system message included."""
        return next((i for i, of in enumerate(self.rounds) if of >= round and i), len(self.rounds))


def teller(diary: Diary, messages: int, seat: int) -> Teller:
    """Puts the game into words for any seat, with the templates that this one reads.

    Args:
        diary: Of the own seat.
        messages: Whether that seat may send words.
        seat: Which one it is.
    """
    own = diary.info.teller
    prompts, actions = (own.prompts, own.actions) if own else (load_templates(diary.game.package), None)
    return Teller(diary.game, prompts, messages, tuple(diary.roles), actions, seat)


MAX_CELL_LENGTH = 80
"""Characters of a cell of the table; words that are longer are cut."""


def seat_of(diary: Diary, player: str | int) -> int:
    """The seat of a role or number.

    Raises:
        ValueError: Nobody is called that.
    """
    if isinstance(player, int) and not isinstance(player, bool) and 0 <= player < len(diary.roles):
        return player
    names = [role.lower() for role in diary.roles]
    if not isinstance(player, str) or player.strip().lower() not in names:
        raise ValueError(f"player {player!r} is not at this table; allowed: {', '.join(diary.roles)}")
    return names.index(player.strip().lower())


def recall(diary: Diary, day: int | None = None, player: str | int | None = None) -> list[str]:
    """The lines of what happened, as the seat read them, oldest first.

    Args:
        diary: Of the seat.
        day: A round of the game, 1-based; None: all.
        player: Name of a role or number of a seat; None: all.

    Raises:
        ValueError: The day is no whole number above 0, or nobody is called that.
    """
    if day is not None and (isinstance(day, bool) or not isinstance(day, int) or day < 1):
        raise ValueError(f"day={day!r} is not allowed; allowed: a whole number from 1")
    seat = None if player is None else seat_of(diary, player)
    seen, teller = diary.require_seen(), diary.teller
    chosen = [e for e in seen.events if day in (None, e.round) and seat in (None, e.seat)]
    return [teller.event(seen.view, event) for event in chosen]


def table(diary: Diary) -> str:
    """The table of the earlier rounds; empty in the first round."""
    events = [event for event in diary.require_seen().events if event.round < diary.round]
    return _align_columns(rows_of(diary.game, diary.roles, events))


def rows_of(
    game: Game, roles: Sequence[str], events: Iterable[Event], longest: int = MAX_CELL_LENGTH
) -> list[list[str]]:
    """Heads and cells: one row for each round, one column a seat, with what came to light; nothing without events.

    Args:
        game: Of the events.
        roles: A name for each seat.
        events: In their order.
        longest: Characters of what one event is told in.
    """
    by_round: dict[int, list[Event]] = {}
    for event in events:
        by_round.setdefault(event.round, []).append(event)
    seats = sorted({event.seat for of in by_round.values() for event in of})
    head = ["round", *[roles[seat] for seat in seats]]
    rows = [[str(number), *[_cell(game, of, seat, longest) for seat in seats]] for number, of in by_round.items()]
    return [head, *rows] if rows else []


def _cell(game: Game, events: Sequence[Event], seat: int, longest: int) -> str:
    told = [_describe_event(game, event) for event in events if event.seat == seat]
    return "; ".join(one if len(one) <= longest else one[: longest - 3] + "..." for one in told) or "-"


def _describe_event(game: Game, event: Event) -> str:
    made = SEALED if event.action == SEALED else break_markup(describe_action(game, event.action))
    return f"{made}{describe_fact(game, event)}"


def _align_columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
