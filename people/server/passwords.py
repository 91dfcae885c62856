"""The operator's password, for signing in from elsewhere: what was typed is kept as a hash only."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
from typing import NamedTuple

VARIABLE = "ECONZOO_PASSWORD"
"""Environment variable with the password."""

SHORTEST = 12
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
    def of(cls, typed: str) -> Password:
        """Of what was typed.

        Raises:
            ValueError: It is too short.
        """
        if len(typed.strip()) < SHORTEST:
            raise ValueError(f"the password is too short; allowed: at least {SHORTEST} characters")
        salt = secrets.token_bytes(16)
        return cls(salt, _hashed(typed, salt))

    def matches(self, typed: str) -> bool:
        """Whether something is the password."""
        return hmac.compare_digest(_hashed(typed, self.salt), self.digest)


def _hashed(typed: str, salt: bytes) -> bytes:
    return hashlib.scrypt(typed.strip().encode(), salt=salt, n=2**14, r=8, p=1)


def password_of(ask: bool) -> Password | None:
    """The password of the environment variable, or one that is asked for; None: there is none.

    Args:
        ask: Whether to ask for it in the terminal.

    Raises:
        ValueError: It is too short, or there is no terminal to ask in.
    """
    if given := os.environ.get(VARIABLE, "").strip():
        return Password.of(given)
    if not ask:
        return None
    if not sys.stdin.isatty():
        raise ValueError(f"--password needs a terminal to ask in; allowed without one: {VARIABLE} in the environment")
    from getpass import getpass

    typed = getpass("Password of the operator: ")
    if typed != getpass("Once more: "):
        raise ValueError("the two passwords are not the same; allowed: the same one twice")
    return Password.of(typed)
