"""Sessions of the operator's browsers, stored as hashes that cannot sign in."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from econzoo.envs.core import read_text, write_file

SECRET_BYTES = 32
"""Bytes of the secret in the cookie."""

SESSION_SECONDS = 7 * 86_400
"""Lifetime of a session in seconds."""

LINK_SECONDS = 60
"""Lifetime of a single-use link in seconds."""


class Sessions:
    """Signed-in browsers, until they sign out or a week passes. Thread-safe.

    A file stores a keyed hash of each secret, so that sessions survive a restart. Changing the operator's token ends
    all sessions.

    Args:
        path: The file; None: sessions end with the process.
        now: Clock in seconds since 1970.
    """

    def __init__(self, token: str = "", path: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._token, self._path, self._now, self._lock = token, path, now, Lock()
        self._expiry = self._load()
        self._links: dict[str, float] = {}

    def _load(self) -> dict[str, float]:
        lines = read_text(self._path).splitlines() if self._path and self._path.exists() else []
        pairs = [line.split() for line in lines]
        return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}

    def _save(self) -> None:
        # Expired sessions go whenever the file is written, so that it stays short.
        self._expiry = {one: until for one, until in self._expiry.items() if until > self._now()}
        if self._path:
            text = "".join(f"{one} {until:.0f}\n" for one, until in self._expiry.items())
            write_file(self._path, text, mode=0o600)

    def _hash(self, secret: str) -> str:
        return hmac.new(self._token.encode(), secret.encode(), "sha256").hexdigest()

    def begin(self) -> str:
        """Start a session and return its secret."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        with self._lock:
            self._expiry[self._hash(secret)] = self._now() + SESSION_SECONDS
            self._save()
        return secret

    def find_session(self, secret: str) -> str:
        """Return the hash of a valid session's secret; empty: no session."""
        digest = self._hash(secret)
        return digest if self._expiry.get(digest, 0.0) > self._now() else ""

    def end(self, secret: str) -> None:
        with self._lock:
            if self._expiry.pop(self._hash(secret), None) is not None:
                self._save()

    def new_link(self) -> str:
        """Return a single-use, short-lived sign-in secret, as other users of the machine can see the URL."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        with self._lock:
            self._links = {one: end for one, end in self._links.items() if end > self._now()}
            self._links[secret] = self._now() + LINK_SECONDS
        return secret

    def redeem_link(self, secret: str) -> bool:
        """Whether a secret is that of a valid link; uses the link up."""
        return self._links.pop(secret, 0.0) > self._now()
