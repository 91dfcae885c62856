"""The operator's password, kept as a hash only, and the wait of who has typed many wrong ones."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Network
from threading import Lock
from typing import NamedTuple

PASSWORD_VARIABLE = "ECONZOO_PASSWORD"
"""Environment variable with the password."""

MIN_LENGTH = 12
"""Characters of a password at least."""


class Password(NamedTuple):
    """A password that can be checked and not read.

    Attributes:
        salt: Of the hash.
        digest: scrypt of the password, with 16 MiB and some 50 ms.
    """

    salt: bytes
    digest: bytes

    @classmethod
    def from_text(cls, typed: str) -> Password:
        """Of what was typed.

        Raises:
            ValueError: It is too short.
        """
        if len(typed.strip()) < MIN_LENGTH:
            raise ValueError(f"the password is too short; allowed: at least {MIN_LENGTH} characters")
        salt = secrets.token_bytes(16)
        return cls(salt, _hash_password(typed, salt))

    def matches(self, typed: str) -> bool:
        """Whether something is the password."""
        return hmac.compare_digest(_hash_password(typed, self.salt), self.digest)


def _hash_password(typed: str, salt: bytes) -> bytes:
    return hashlib.scrypt(typed.strip().encode(), salt=salt, n=2**14, r=8, p=1)


def read_password(ask: bool) -> Password | None:
    """The password of the environment variable, or one that is asked for; None: there is none.

    Args:
        ask: Whether to ask for it in the terminal.

    Raises:
        ValueError: It is too short, or there is no terminal to ask in.
    """
    if given := os.environ.get(PASSWORD_VARIABLE, "").strip():
        return Password.from_text(given)
    if not ask:
        return None
    if not sys.stdin.isatty():
        raise ValueError(
            f"--password needs a terminal to ask in; allowed without one: {PASSWORD_VARIABLE} in the environment"
        )
    from getpass import getpass

    typed = getpass("Password of the operator: ")
    if typed != getpass("Once more: "):
        raise ValueError("the two passwords are not the same; allowed: the same one twice")
    return Password.from_text(typed)


MAX_FAILURES, FAILURE_WINDOW = 10, 60.0
"""Wrong tokens that an address may send within so many seconds."""

MAX_ADDRESSES = 10_000
"""Addresses, the latest ones."""


class FailedSignIns:
    """Counts wrong tokens by address; of long addresses by their first half, as one visitor has all the others.

    Args:
        now: A clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def is_blocked(self, address: str) -> bool:
        """Whether an address has to wait."""
        address = _visitor_network(address)
        with self._lock:
            found = self._failures.get(address, deque())
            while found and self._now() - found[0] > FAILURE_WINDOW:
                found.popleft()
            return len(found) >= MAX_FAILURES

    def record_failure(self, address: str) -> None:
        """One more from an address."""
        address = _visitor_network(address)
        with self._lock:
            self._failures.setdefault(address, deque()).append(self._now())
            self._failures.move_to_end(address)
            if len(self._failures) > MAX_ADDRESSES:
                self._failures.popitem(last=False)


def _visitor_network(address: str) -> str:
    """What addresses of one visitor have in common: 64 bits of an IPv6 address."""
    try:
        return str(IPv6Network((address, 64), strict=False))
    except ValueError:
        return address
