"""What a server is set up with, whatever the page: its texts, its place behind a proxy, the secret of its operator."""

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
    """How a server is set up.

    Attributes:
        root: Path before all of its own, without a slash at the end: ``"/econzoo"`` behind a proxy, or nothing.
        token: The secret of its operator.
        trust_proxy: Whether what a proxy says about the visitor's address is believed.
        texts: What pages say.
        password: Of the operator, who signs in with it from elsewhere; None: from this machine only.
        log: Takes the lines of the access log; None: there is none.
        demo: Whether all of it is only shown, and nothing kept.
        sessions: Browsers in which its operator is signed in.
    """

    root: str = ""
    token: str = ""
    trust_proxy: bool = False
    texts: Texts = load_texts()
    password: Password | None = None
    log: Callable[[str], None] | None = None
    demo: bool = False
    sessions: Sessions = Sessions()


CURRENT_SITE: ContextVar[Site] = ContextVar("site", default=Site())  # noqa: B039 (of a tuple, which nobody changes)
"""The site of the request that is answered now."""


def new_site(
    root: str = "",
    token: str = "",
    trust_proxy: bool = False,
    texts: str = ENGLISH,
    password: Password | None = None,
    log: Callable[[str], None] | None = None,
    sessions: Path | None = None,
) -> Site:
    """A site; without a token one is drawn; `texts` as in `load_texts`, and `sessions` the file of `Sessions`.

    Raises:
        ValueError: The root is no path, or the texts are none.
    """
    if root and (not root.startswith("/") or root.startswith("//") or set(root) & set("?#\\ \"'<>")):
        raise ValueError(f"--root-path={root!r} is not allowed; allowed: a path such as /econzoo, or nothing")
    token = token or secrets.token_urlsafe(18)
    return Site(
        root.rstrip("/"), token, trust_proxy, load_texts(texts), password, log, sessions=Sessions(token, sessions)
    )


def texts() -> Texts:
    """What pages say, in the language of the server."""
    return CURRENT_SITE.get().texts


def site_path(path: str) -> str:
    """A path of the application as a browser asks for it."""
    return CURRENT_SITE.get().root + path


class SiteMiddleware:
    """Lets every request know the site; a proxy may leave the root before the path or take it away.

    Args:
        app: What answers.
        site: The site.
    """

    def __init__(self, app: Any, site: Site) -> None:
        self._app, self._site = app, site

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""
        if scope["type"] == "http":
            headers = self._headers(scope["headers"])
            scope = {**scope, "root_path": self._site.root, "path": self._path(scope["path"]), "headers": headers}
        place = CURRENT_SITE.set(self._site)
        try:
            await self._app(scope, receive, send)
        finally:
            CURRENT_SITE.reset(place)

    def _path(self, path: str) -> str:
        """The path with the root before it, as applications expect it."""
        root = self._site.root
        rest = path.removeprefix(root) if path == root or path.startswith(f"{root}/") else path
        return root + (rest or "/")

    def _headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers, with the name under which the visitor knows the server where a trusted proxy tells it."""
        told = [value for name, value in headers if name == b"x-forwarded-host"]
        if not (self._site.trust_proxy and told):
            return headers
        return [(name, value) for name, value in headers if name != b"host"] + [(b"host", told[-1])]
