"""Configuration of a server: texts, proxy, operator's token and password."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.people.server.passwords import Password
from econzoo.people.server.sessions import Sessions
from econzoo.people.texts import ENGLISH, Texts, load_texts


class Site(NamedTuple):
    """Configuration of a server.

    Attributes:
        root: Path prefix without a trailing slash, such as ``"/econzoo"`` behind a proxy; empty: none.
        password: The operator's password for remote sign-in; None: sign-in from this machine only.
        log: Writes a line of the access log; None: no log.
        key: What visitors need to start matches; empty: only this machine reaches the server.
    """

    root: str = ""
    token: str = ""
    trust_proxy: bool = False
    texts: Texts = load_texts()
    password: Password | None = None
    log: Callable[[str], None] | None = None
    demo: bool = False
    sessions: Sessions = Sessions()
    key: str = ""


CURRENT_SITE: ContextVar[Site] = ContextVar("site", default=Site())  # noqa: B039 (an immutable tuple)
"""The site of the request that is handled now."""


def new_site(
    root: str = "",
    token: str = "",
    trust_proxy: bool = False,
    texts: str = ENGLISH,
    password: Password | None = None,
    log: Callable[[str], None] | None = None,
    sessions: Path | None = None,
) -> Site:
    """Create a site, with a random token if none is given; `texts` as in `load_texts`, `sessions` a file."""
    if root and (not root.startswith("/") or root.startswith("//") or set(root) & set("?#\\ \"'<>")):
        raise ValueError(f"invalid --root-path={root!r}: expected a path such as /econzoo")
    token = token or secrets.token_urlsafe(18)  # 144 bits
    return Site(
        root.rstrip("/"), token, trust_proxy, load_texts(texts), password, log, sessions=Sessions(token, sessions)
    )


def texts() -> Texts:
    """Texts of the pages, in the language of the server."""
    return CURRENT_SITE.get().texts


def site_path(path: str) -> str:
    """A path of the application with the site's prefix."""
    return CURRENT_SITE.get().root + path


class SiteMiddleware:
    """Middleware that sets the site of each request; a proxy may pass the path prefix or strip it."""

    def __init__(self, app: Any, site: Site) -> None:
        self._app, self._site = app, site

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = self._headers(scope["headers"])
            scope = {**scope, "root_path": self._site.root, "path": self._path(scope["path"]), "headers": headers}
        place = CURRENT_SITE.set(self._site)
        try:
            await self._app(scope, receive, send)
        finally:
            CURRENT_SITE.reset(place)

    def _path(self, path: str) -> str:
        """The path with the prefix, as the application expects it."""
        root = self._site.root
        rest = path.removeprefix(root) if path == root or path.startswith(f"{root}/") else path
        return root + (rest or "/")

    def _headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers, with the host replaced by that of a trusted proxy."""
        hosts = [value for name, value in headers if name == b"x-forwarded-host"]
        if not (self._site.trust_proxy and hosts):
            return headers
        return [(name, value) for name, value in headers if name != b"host"] + [(b"host", hosts[-1])]
