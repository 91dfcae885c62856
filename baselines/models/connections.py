"""Connections of models: what a user's own specs may open, and what those in a file of somebody else's may.

Whoever types a spec names its address, and the key goes there. A spec in a file (a paused match) is the word of whoever
wrote the file: while its players are made (`restrict_connections`), an address is asked about before anything is sent
to it, and it gets no key unless the user gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from econzoo.envs.core.contract.validation import clean

Confirm = Callable[[str, bool], bool]
"""Whether the user lets a file connect to an address; the flag: whether with the user's key."""


def refuse_address(address: str, with_key: bool) -> bool:
    """Nobody is there to ask."""
    return False


@dataclass(frozen=True)
class _Rule:
    trusted: frozenset[str]
    ask: Confirm
    answers: dict[str, bool] = field(default_factory=dict)

    def allows(self, address: str, with_key: bool) -> bool:
        if address not in self.answers:
            self.answers[address] = self.ask(address, with_key)
        return self.answers[address]


_RULE: ContextVar[_Rule | None] = ContextVar("_RULE", default=None)


@contextmanager
def restrict_connections(given: Collection[str] = (), ask: Confirm = refuse_address) -> Iterator[None]:
    """While players are made from specs that a file names.

    Args:
        given: Addresses that the user gave besides; they are not asked about, and get the key.
        ask: See `Confirm`; asked once for each address.
    """
    token = _RULE.set(_Rule(frozenset(address.rstrip("/") for address in given), ask))
    try:
        yield
    finally:
        _RULE.reset(token)


def may_have_key(address: str, own: str) -> bool:
    """Whether the user's key may go to an address that a model is about to be asked at.

    Args:
        address: Without a slash at its end.
        own: Where the user's key belongs: the address that the environment names, or the provider's.

    Raises:
        ValueError: A file names the address, and the user has not allowed it.
    """
    rule = _RULE.get()
    if rule is None or address in rule.trusted:
        return True
    keyed = address == own
    if not rule.allows(address, keyed):
        shown = clean(address)
        raise ValueError(f"it would connect to {shown}, which a file names; allowed: what you give, --connect {shown}")
    return keyed
