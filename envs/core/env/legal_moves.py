"""Legal moves of the seats in a setting."""

from __future__ import annotations

from functools import partial
from typing import Generic

from econzoo.envs.core.contract import ActionSchema, Game, Legal, P, S, V, new_tuple


class LegalMoves(Generic[P, S, V]):
    """What the rules let each seat do.

    Args:
        max_message: Maximum characters of a message; None: as each kind of move declares.
    """

    def __init__(self, game: Game[P, S, V], params: P, messages: tuple[int, ...], max_message: int | None) -> None:
        rules, self._params, self._messages, self._longest = game.rules, params, messages, max_message
        self._kinds, self._bounds, self._span, self._refusal = rules.legal, rules.bounds, rules.span, rules.refusal
        self._initial, self._can_refuse, self._grid = rules.initial, rules.refuses is not None, game.grid(params)
        self._is_restricted = self._span is not None or self._can_refuse
        self._all, self._none = (True,) * len(game.actions.kinds), (False,) * len(game.actions.kinds)

    def of(self, state: S, seat: int) -> Legal:
        return self._build(self._kinds(self._params, state, seat), state, seat)

    def of_movers(self, state: S) -> dict[int, Legal]:
        """Return the legal moves of each seat that has any."""
        kinds = [self._kinds(self._params, state, seat) for seat in range(len(self._messages))]
        return {seat: self._build(own, state, seat) for seat, own in enumerate(kinds) if True in own}

    def none(self, state: S, seat: int) -> Legal:
        return self._build(self._none, state, seat)

    def widest(self, seat: int, actions: ActionSchema) -> Legal:
        """Return the moves of a seat that can ever be legal."""
        legal, seats = self._build(self._all, self._initial(self._params), seat), len(self._messages)
        marks = [mark for marks in actions.marks for mark in marks]
        bounds = tuple([mark.widest_bounds(pair, seats) for mark, pair in zip(marks, legal.bounds, strict=True)])
        # Refusals depend on the position.
        return legal._replace(bounds=bounds, refusal=None)

    def _build(self, kinds: tuple[bool, ...], state: S, seat: int) -> Legal:
        bounds = self._bounds(self._params, state, seat)
        span = refused = None
        if self._is_restricted:
            span = None if self._span is None else self._span(self._params, state, seat)
            refused = partial(self._refusal, self._params, state, seat) if self._can_refuse else None
        return new_tuple(Legal, (kinds, bounds, self._messages[seat], span, self._longest, refused, self._grid))
