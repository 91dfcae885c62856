"""Addresses that players may connect to.

An address in a spec typed by the user is trusted and gets the API key. A spec in a file, such as a paused match, is
not: while its players are created (`restrict_connections`), each address needs a confirmation ahead of any request, and
it gets no key unless it is the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from econzoo.envs.core.contract import clean

Confirm = Callable[[str, bool], bool]
"""Returns whether the user allows a connection to an address, and the flag whether it gets the key."""


def refuse_address(address: str, with_key: bool) -> bool:
    """Refuse every address, for runs without a user to ask."""
    return False


@dataclass(frozen=True)
class _Rule:
    trusted: frozenset[str]
    ask: Confirm
    # A cache, since a player may be created several times, but the user is asked once.
    answers: dict[tuple[str, bool], bool] = field(default_factory=dict)

    def allows(self, address: str, with_key: bool) -> bool:
        if (address, with_key) not in self.answers:
            self.answers[address, with_key] = self.ask(address, with_key)
        return self.answers[address, with_key]


_RULE: ContextVar[_Rule | None] = ContextVar("_RULE", default=None)


@contextmanager
def restrict_connections(given: Collection[str] = (), ask: Confirm = refuse_address) -> Iterator[None]:
    """Restrict connections while players are created from specs in a file, except to addresses given by the user."""
    token = _RULE.set(_Rule(frozenset(address.rstrip("/") for address in given), ask))
    try:
        yield
    finally:
        _RULE.reset(token)


def may_have_key(address: str, own: str) -> bool:
    """Whether the key that belongs to the address `own` may be sent to an address, both without a trailing slash.

    Raises:
        ValueError: The address is from a file, and the user has not allowed it.
    """
    rule = _RULE.get()
    if rule is None or address in rule.trusted:
        return True
    keyed = address == own
    if not rule.allows(address, keyed):
        text = clean(address)
        raise ValueError(f"a file names the address {text}; to allow it, pass --connect {text}")
    return keyed
