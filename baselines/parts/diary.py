"""Diary of a match for the parts of a player: transcript, observations and public history.

The history can be looked up by day or player, and as a compact table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from econzoo.envs.core.contract import SEALED, Event, Game
from econzoo.envs.core.faces import InformationState, Prompts, Teller, break_markup, describe_action, describe_fact
from econzoo.envs.core.faces import load_templates

if TYPE_CHECKING:
    from econzoo.baselines.models import Message
    from econzoo.wrappers import SeatInfo


@dataclass
class Diary:
    """One match as observed by its player.

    Attributes:
        texts: Texts of the parts for the model, by ``"table.name"``.
        rounds: Round of each message of the transcript; 0 for the system message.
        seen: Current information state; None if not provided.
    """

    info: SeatInfo
    seat: int
    texts: Prompts
    transcript: list[Message] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    seen: InformationState | None = None

    @property
    def game(self) -> Game:
        return self.info.game

    @property
    def round(self) -> int:
        """Round of the game from 1; 0 if not provided."""
        return self.seen.view.round if self.seen else 0

    @property
    def roles(self) -> Sequence[str]:
        """Role names by seat."""
        teller = self.info.teller
        return teller.roles if teller else self.game.roles(self.info.seats)

    @property
    def teller(self) -> Teller:
        """Renders the game as text for this seat."""
        return self.info.teller or teller(self, self.info.messages, self.seat)

    def write(self, role: str, content: str) -> None:
        """Append a message of the current round."""
        self.transcript.append({"role": role, "content": content})
        self.rounds.append(0 if role == "system" else self.round)

    def require_seen(self) -> InformationState:
        if self.seen is None:
            raise ValueError("missing info['seen']: this player needs env.seen(agent), as in econzoo.play")
        return self.seen

    def messages_before(self, round: int) -> int:
        """Return the number of messages from earlier rounds, including the system message."""
        # The system message is of round 0 and always counts, also for a round below 1.
        return next((i for i, of in enumerate(self.rounds) if of >= round and i), len(self.rounds))


def teller(diary: Diary, messages: int, seat: int) -> Teller:
    """Render the game as text for any seat, with this seat's templates."""
    own = diary.info.teller
    prompts, actions = (own.prompts, own.actions) if own else (load_templates(diary.game.package), None)
    return Teller(diary.game, prompts, messages, tuple(diary.roles), actions, seat)


MAX_CELL_LENGTH = 80
"""Maximum characters of a cell of the table."""


def seat_of(diary: Diary, player: str | int) -> int:
    """Return the seat of a role or number."""
    if isinstance(player, int) and not isinstance(player, bool) and 0 <= player < len(diary.roles):
        return player
    names = [role.lower() for role in diary.roles]
    if not isinstance(player, str) or player.strip().lower() not in names:
        raise ValueError(f"player {player!r} is not at this table; allowed: {', '.join(diary.roles)}")
    return names.index(player.strip().lower())


def recall(diary: Diary, day: int | None = None, player: str | int | None = None) -> list[str]:
    """Return the history as the seat read it, oldest first.

    Args:
        day: Round of the game from 1; None: all.
        player: Role or seat; None: all.
    """
    if day is not None and (isinstance(day, bool) or not isinstance(day, int) or day < 1):
        raise ValueError(f"invalid day={day!r}: expected an integer from 1")
    seat = None if player is None else seat_of(diary, player)
    seen, teller = diary.require_seen(), diary.teller
    chosen = [e for e in seen.events if day in (None, e.round) and seat in (None, e.seat)]
    return teller.event_lines(seen.view, chosen)


def table(diary: Diary) -> str:
    """Return the table of the earlier rounds; empty in the first round."""
    events = [event for event in diary.require_seen().events if event.round < diary.round]
    return _align_columns(rows_of(diary.game, diary.roles, events))


def rows_of(
    game: Game,
    roles: Sequence[str],
    events: Iterable[Event],
    longest: int = MAX_CELL_LENGTH,
    edit: Callable[[str], str] = str,
) -> list[list[str]]:
    """Return header and rows of a table of rounds by seats, with revealed facts; empty without events.

    Args:
        edit: Changes the text of an event before it is cut.
    """
    by_round: dict[int, list[Event]] = {}
    for event in events:
        by_round.setdefault(event.round, []).append(event)
    seats = sorted({event.seat for of in by_round.values() for event in of})
    head = ["round", *[roles[seat] for seat in seats]]
    rows = [[str(number), *[_cell(game, of, seat, longest, edit) for seat in seats]] for number, of in by_round.items()]
    return [head, *rows] if rows else []


def _cell(game: Game, events: Sequence[Event], seat: int, longest: int, edit: Callable[[str], str]) -> str:
    texts = [edit(_describe_event(game, event)) for event in events if event.seat == seat]
    return "; ".join(one if len(one) <= longest else one[: longest - 3] + "..." for one in texts) or "-"


def _describe_event(game: Game, event: Event) -> str:
    # The table is part of the prompt, and moves may quote what other players wrote.
    action = SEALED if event.action == SEALED else break_markup(describe_action(game, event.action))
    return f"{action}{describe_fact(game, event)}"


def _align_columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
