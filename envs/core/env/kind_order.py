"""Display order of the kinds of move in answer forms, JSON schemas and feedback.

It does not change the legal moves. Playing the same match in two orders separates a model's position bias from its
preference for a move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema

DECLARED, REVERSED, SHUFFLED = ORDERS = ("declared", "reversed", "shuffled")
"""Named orders: as declared, reversed, or shuffled in every match."""

Order = str | tuple[str, ...]
"""One of `ORDERS`, or all names of kinds."""


def check_kind_order(given: Any, actions: ActionSchema) -> Order:
    """Validate the option ``kind_order``; return it in plain form.

    Raises:
        ValueError: Neither one of `ORDERS` nor a permutation of the kinds.
    """
    if isinstance(given, str) and given in ORDERS:
        return given
    names = tuple(given) if isinstance(given, list | tuple) else ()
    if all(isinstance(name, str) for name in names) and sorted(names) == sorted(actions.names):
        return names
    every = f", or all of {', '.join(actions.names)} in any order" if len(actions.names) > 1 else ""
    raise ValueError(f"invalid kind_order={given!r}: expected {', '.join(ORDERS)}{every}")


def order_kinds(actions: ActionSchema, order: Order, shuffle: Callable[[int], Sequence[int]]) -> ActionSchema:
    """Return the schema in this order; `shuffle` returns a permutation of n indices for the match."""
    if order == DECLARED:
        return actions
    kinds = len(actions.kinds)
    if order == REVERSED:
        return actions.with_order(reversed(range(kinds)))
    if order == SHUFFLED:
        return actions.with_order(shuffle(kinds))
    return actions.with_order([actions.index[name] for name in order])
