"""The operator's password, stored as a hash, and the limits of failed sign-ins."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
import time
from asyncio import sleep
from typing import NamedTuple

from econzoo.evaluate.serving import VisitorLimit, visitor_network

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
"""Failed sign-ins allowed to an address or a known browser, and the window in seconds."""

MAX_FAILURES_OF_STRANGERS = 100
"""Failed sign-ins allowed within the window to all but known browsers."""


class GuessLimit:
    """Failed sign-ins of each guesser; beyond the limit sign-ins take turns, so that the right one waits, too.

    Args:
        most: Failures allowed within the window; then there is one turn in each such part of the window.
    """

    def __init__(self, most: int, window: float = FAILURE_WINDOW) -> None:
        self._failures, self._pause, self._waiting = VisitorLimit(most, window), window / most, most // 2
        self._turns: dict[str, float] = {}

    def count(self, guesser: str) -> None:
        """Count a failed sign-in."""
        self._failures.count(guesser)

    async def admits(self, guesser: str) -> bool:
        """Wait for the turn of a sign-in, if many have failed; False if too many wait already."""
        if not self._failures.is_reached(guesser):
            return True
        now, network = time.monotonic(), visitor_network(guesser)
        self._turns = {one: turn for one, turn in self._turns.items() if turn > now}
        turn = self._turns.get(network, now) + self._pause
        if turn > now + self._waiting * self._pause:
            return False
        self._turns[network] = turn
        await sleep(turn - now)
        return True
