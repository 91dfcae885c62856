"""The operator's password, stored as a hash, and rate limiting of failed sign-ins."""

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
"""Minimum characters of a password."""


class Password(NamedTuple):
    """A hashed password.

    Attributes:
        digest: scrypt hash of the password (16 MiB, about 50 ms).
    """

    salt: bytes
    digest: bytes

    @classmethod
    def from_text(cls, typed: str) -> Password:
        """Hash a password."""
        if len(typed.strip()) < MIN_LENGTH:
            raise ValueError(f"the password is too short: expected at least {MIN_LENGTH} characters")
        salt = secrets.token_bytes(16)
        return cls(salt, _hash_password(typed, salt))

    def matches(self, typed: str) -> bool:
        # Its time does not depend on where the hashes differ.
        return hmac.compare_digest(_hash_password(typed, self.salt), self.digest)


def _hash_password(typed: str, salt: bytes) -> bytes:
    return hashlib.scrypt(typed.strip().encode(), salt=salt, n=2**14, r=8, p=1)


def read_password(ask: bool) -> Password | None:
    """Return the password of the environment variable, or prompt for one if `ask`; None: no password."""
    if given := os.environ.get(PASSWORD_VARIABLE, "").strip():
        return Password.from_text(given)
    if not ask:
        return None
    if not sys.stdin.isatty():
        raise ValueError(f"--password needs a terminal; without one, set {PASSWORD_VARIABLE} in the environment")
    from getpass import getpass

    typed = getpass("Operator password: ")
    if typed != getpass("Repeat password: "):
        raise ValueError("the passwords do not match")
    return Password.from_text(typed)


MAX_FAILURES, FAILURE_WINDOW = 10, 60.0
"""Failed sign-ins allowed per address, and the window in seconds."""

MAX_ADDRESSES = 10_000
"""Addresses remembered; the oldest are dropped."""


class FailedSignIns:
    """Failed sign-ins by address; IPv6 by /64 network, since one visitor owns all of its addresses.

    Args:
        now: Clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def is_blocked(self, address: str) -> bool:
        """Whether an address has reached the limit."""
        address = visitor_network(address)
        with self._lock:
            # A check stores nothing: visitors without failures take no memory.
            times = self._failures.get(address, deque())
            while times and self._now() - times[0] > FAILURE_WINDOW:
                times.popleft()
            return len(times) >= MAX_FAILURES

    def record_failure(self, address: str) -> None:
        address = visitor_network(address)
        with self._lock:
            self._failures.setdefault(address, deque()).append(self._now())
            # The oldest entry is the address whose last failure is longest ago.
            self._failures.move_to_end(address)
            if len(self._failures) > MAX_ADDRESSES:
                self._failures.popitem(last=False)


def visitor_network(address: str) -> str:
    """Return the /64 network of an IPv6 address; any other address unchanged."""
    try:
        return str(IPv6Network((address, 64), strict=False))
    except ValueError:
        return address
