"""Browsers in which the operator is signed in: what is kept of them opens nothing."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from econzoo.envs.core.files import read_text, write_file

SECRET_BYTES = 32
"""Bytes of the secret in a browser's cookie."""

SESSION_SECONDS = 7 * 86_400
"""Seconds after which a browser has to sign in again."""

LINK_SECONDS = 60
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
        self._expiry = self._load()
        self._links: dict[str, float] = {}

    def _load(self) -> dict[str, float]:
        lines = read_text(self._path).splitlines() if self._path and self._path.exists() else []
        pairs = [line.split() for line in lines]
        return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}

    def _save(self) -> None:
        self._expiry = {one: until for one, until in self._expiry.items() if until > self._now()}
        if self._path:
            text = "".join(f"{one} {until:.0f}\n" for one, until in self._expiry.items())
            write_file(self._path, text, mode=0o600)

    def _hash(self, secret: str) -> str:
        return hmac.new(self._token.encode(), secret.encode(), "sha256").hexdigest()

    def begin(self) -> str:
        """The secret of a browser that signs in now."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        with self._lock:
            self._expiry[self._hash(secret)] = self._now() + SESSION_SECONDS
            self._save()
        return secret

    def find_session(self, secret: str) -> str:
        """What is kept of a browser that is signed in; empty: it is not."""
        kept = self._hash(secret)
        return kept if self._expiry.get(kept, 0.0) > self._now() else ""

    def end(self, secret: str) -> None:
        """A browser signs out."""
        with self._lock:
            if self._expiry.pop(self._hash(secret), None) is not None:
                self._save()

    def new_link(self) -> str:
        """A secret that signs one browser in, once and soon: an address is seen by other users of a machine."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        self._links[secret] = self._now() + LINK_SECONDS
        return secret

    def redeem_link(self, secret: str) -> bool:
        """Whether a secret is that of a link, which is used up now."""
        return self._links.pop(secret, 0.0) > self._now()
