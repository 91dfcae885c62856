"""Browsers in which the operator is signed in: what is kept of them opens nothing."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from econzoo.envs.core.files import text_of, write_file

SECRET = 32
"""Bytes of the secret in a browser's cookie."""

LASTS = 7 * 86_400
"""Seconds after which a browser has to sign in again."""

ONCE = 60
"""Seconds for which a link that signs in once is good."""


class Sessions:
    """Browsers that are signed in, until they sign out or a week is over. Threads may share it.

    A file keeps a keyed hash of each one's secret, so that a server that is started again knows them. With another
    token of the operator nobody is signed in.

    Args:
        token: Of the operator: the key.
        path: The file; None: they end with the process.
        now: A clock, in seconds of the day's time.
    """

    def __init__(self, token: str = "", path: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._token, self._path, self._now, self._lock = token, path, now, Lock()
        self._until = self._read()
        self._once: dict[str, float] = {}

    def _read(self) -> dict[str, float]:
        lines = text_of(self._path).splitlines() if self._path and self._path.exists() else []
        pairs = [line.split() for line in lines]
        return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}

    def _write(self) -> None:
        self._until = {one: until for one, until in self._until.items() if until > self._now()}
        if self._path:
            text = "".join(f"{one} {until:.0f}\n" for one, until in self._until.items())
            write_file(self._path, text, mode=0o600)

    def _hash(self, secret: str) -> str:
        return hmac.new(self._token.encode(), secret.encode(), "sha256").hexdigest()

    def begin(self) -> str:
        """The secret of a browser that signs in now."""
        secret = secrets.token_urlsafe(SECRET)
        with self._lock:
            self._until[self._hash(secret)] = self._now() + LASTS
            self._write()
        return secret

    def known(self, secret: str) -> str:
        """What is kept of a browser that is signed in; empty: it is not."""
        kept = self._hash(secret)
        return kept if self._until.get(kept, 0.0) > self._now() else ""

    def end(self, secret: str) -> None:
        """A browser signs out."""
        with self._lock:
            if self._until.pop(self._hash(secret), None) is not None:
                self._write()

    def link(self) -> str:
        """A secret that signs one browser in, once and soon: an address is seen by other users of a machine."""
        secret = secrets.token_urlsafe(SECRET)
        self._once[secret] = self._now() + ONCE
        return secret

    def opens(self, secret: str) -> bool:
        """Whether a secret is that of a link, which is used up now."""
        return self._once.pop(secret, 0.0) > self._now()
