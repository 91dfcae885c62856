"""Per-seat histories of games with hidden events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract import HIDDEN, OPEN, SEALED, Event, Message

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Game


class Audience:
    """Events observed by each seat, determined when they happen."""

    def __init__(self, game: Game, params: Any, seats: int, events: tuple[Event, ...] = ()) -> None:
        self._game, self._params = game, params
        self._sees, self._entry_round = game.rules.sees, game.rules.entry_round
        self.visible_events: list[tuple[Event, ...]] = [events] * seats
        self._since = [(1, 0)] * seats  # round in which its player joined, and the previous moment
        self._to = [kind.marks[kind.message].recipients if kind.message else () for kind in game.actions.kinds]

    def add_events(
        self,
        previous: Any,
        state: Any,
        moves: Mapping[int, Any],
        events: Sequence[Event],
        audiences: Sequence[tuple[bool, ...] | None],
    ) -> None:
        """Append the events of one moment to the histories of the seats that may observe them."""
        both = list(zip(events, audiences, strict=True))
        for seat in range(len(self.visible_events)):
            shown = [self._visible_event(event, seat, previous, state, moves, to) for event, to in both]
            self.visible_events[seat] += tuple(
                [self._rebase_rounds(event, seat) for event in shown if event is not None]
            )

    def _visible_event(
        self, event: Event, seat: int, previous: Any, state: Any, moves: Any, to: tuple[bool, ...] | None
    ) -> Event | None:
        """Return an event as observed by a seat, or None."""
        if to is not None and not to[seat]:
            event = event._replace(fact=None)
        if event.action is not None and event.seat != seat:
            event = self._hide_action(event, seat, previous, state, moves)
        return None if event.action is None and event.fact is None else event

    def _hide_action(self, event: Event, seat: int, previous: Any, state: Any, moves: Any) -> Event:
        level = OPEN
        if self._sees is not None:
            level = self._sees(self._params, previous, moves[event.seat], state, event.seat, seat)
        if level == HIDDEN:
            return event._replace(action=None)
        if level == SEALED:
            return event._replace(action=SEALED)
        return event._replace(action=self._hide_message(event.action, seat))

    def _hide_message(self, action: Any, seat: int) -> Any:
        """Return the action without a message that does not reach the seat."""
        actions = self._game.actions
        index = actions.move(action).kind
        to, message, groups = self._to[index], actions.kinds[index].message, actions.kinds[index].groups
        # The field holds one seat, or several if it is a group.
        for name in to:
            named = getattr(action, name)
            if seat in (named if name in groups else (named,)):
                return action
        if not to or not message:
            return action
        return action._replace(**{message: ""})

    def _rebase_rounds(self, event: Event, seat: int) -> Event:
        """Return an event with rounds and moments counted from when the seat's player joined."""
        since, moments = self._since[seat]
        return event if since <= 1 else event._replace(round=event.round - since + 1, moment=event.moment - moments)

    def reset_newcomers(self, state: Any, moment: int) -> None:
        """Clear the history of every seat with a new player."""
        if self._entry_round is not None:
            for seat, (since, _) in enumerate(self._since):
                entry = self._entry_round(self._params, state, seat)
                if entry > since:
                    self._since[seat], self.visible_events[seat] = (entry, moment), ()

    def is_newcomer(self, seat: int) -> bool:
        """Whether the seat's player joined during the game and has not moved yet."""
        return self._since[seat][0] > 1 and not any(event.seat == seat for event in self.visible_events[seat])


def audience_of(game: Game, params: Any) -> Audience | None:
    """Return an `Audience` if the rules or kinds of move can hide events, else None."""
    directed = any(
        isinstance(mark, Message) and mark.recipients for kind in game.actions.kinds for mark in kind.marks.values()
    )
    private = directed or game.rules.sees is not None or game.rules.entry_round is not None
    return Audience(game, params, game.seats(params)) if private else None
