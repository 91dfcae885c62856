"""The order in which a player reads the kinds of move: in forms of an answer, in JSON schemas and in feedback.

It changes nothing of what can be played. A model that prefers what stands first is told from one that prefers a move by
playing the same match in two orders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema

DECLARED, REVERSED, SHUFFLED = ORDERS = ("declared", "reversed", "shuffled")
"""Words for orders: the game's own, the same from the end, and one drawn anew for every match."""

Order = str | tuple[str, ...]
"""One of `ORDERS`, or the names of all kinds."""


def check_kind_order(given: Any, actions: ActionSchema) -> Order:
    """The plain form of the option ``kind_order``.

    Raises:
        ValueError: It is neither one of `ORDERS` nor every kind of the game once.
    """
    if isinstance(given, str) and given in ORDERS:
        return given
    names = tuple(given) if isinstance(given, list | tuple) else ()
    if all(isinstance(name, str) for name in names) and sorted(names) == sorted(actions.names):
        return names
    every = f", or all of {', '.join(actions.names)} in any order" if len(actions.names) > 1 else ""
    raise ValueError(f"kind_order={given!r} is not allowed; allowed: {', '.join(ORDERS)}{every}")


def order_kinds(actions: ActionSchema, order: Order, shuffle: Callable[[int], Sequence[int]]) -> ActionSchema:
    """The kinds of move as they are told in this order; `shuffle` puts so many places in the order of a match."""
    if order == DECLARED:
        return actions
    kinds = len(actions.kinds)
    if order == REVERSED:
        return actions.with_order(reversed(range(kinds)))
    if order == SHUFFLED:
        return actions.with_order(shuffle(kinds))
    return actions.with_order([actions.index[name] for name in order])
