"""What keeps a page to itself: headers, what may be posted from where, who may be a player, who is the operator."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import wraps
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from anyio import fail_after
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from econzoo.baselines.factory import PREFIXES, describe_allowed
from econzoo.people.server import connection_limits
from econzoo.people.server.site import CURRENT_SITE, site_path, texts

HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Of every answer: nothing from elsewhere, no script in a page, no address of a seat given away."""

MAX_FORM_BYTES = 200_000
"""Bytes that a form may have."""

MAX_FIELDS = 300

PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip")
"""Headers of a proxy that hands on what somebody elsewhere asks."""

LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")
"""Names of this machine for itself."""


class SecureHeaders:
    """Puts `HEADERS` on every answer.

    Args:
        app: What answers.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""

        async def send_message(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        await self._app(scope, receive, send_message)


async def read_form(request: Request) -> dict[str, str]:
    """What a form of these pages has sent; read once, however often it is asked for.

    Raises:
        HTTPException: It comes from another site, is too large, or does not come.
    """
    if not hasattr(request.state, "posted"):
        request.state.posted = await _parse_form(request)
    return dict(request.state.posted)


async def _parse_form(request: Request) -> dict[str, str]:
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
        origin not in (None, "null") and urlsplit(origin).netloc != request.headers.get("host")
    ):
        raise HTTPException(403, texts().say("error.other_site"))
    try:
        with fail_after(connection_limits.BODY_TIMEOUT):
            body = await _read_body(request)
    except TimeoutError:
        raise HTTPException(408, texts().say("error.too_slow"), headers={"connection": "close"}) from None
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        raise HTTPException(400, texts().say("error.too_many", most=MAX_FIELDS)) from None


async def _read_body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413, texts().say("error.too_long", most=f"{MAX_FORM_BYTES:,}"))
    return body


def check_player(spec: str, game: str, offered_players: Sequence[str]) -> str:
    """A player that a stranger may choose: scripts without files, models and addresses, or one that is offered.

    Raises:
        ValueError: It is another one.
    """
    spec = spec.strip()
    if spec in offered_players or not _EXTERNAL_SPEC.search(spec):
        return spec
    names = ", ".join(offered_players) or "none"
    raise ValueError(
        f"player {spec[:80]!r} is not offered here; {describe_allowed(game)}; offered by --players: {names}"
    )


_EXTERNAL_SPEC = re.compile(rf"\b({'|'.join(map(re.escape, PREFIXES))})\s*:")
"""A model, a file or an address, in whatever place of a spec."""


# -- the operator ----------------------------------------------------------------------------------------------

SIGN_IN, SIGN_OUT = "/operator", "/operator/out"
"""Where an operator signs in and out."""

SESSION: ContextVar[str] = ContextVar("session", default="")
"""What is kept of the browser of the operator whose request is answered now; empty: it is not the operator's."""

Endpoint = Callable[..., Awaitable[Response]]


def cookie_name() -> str:
    """Of the cookie of an operator: another for every server, as servers on one host share their cookies."""
    return f"econzoo_{_sign_purpose('name')[:8]}"


def csrf() -> str:
    """What every form of an operator page has to send back, as ``csrf``; no other site or browser can know it."""
    return _sign_purpose(f"form {SESSION.get()}")


def _sign_purpose(purpose: str) -> str:
    """Something that only who has the operator's token can make."""
    return hmac.new(CURRENT_SITE.get().token.encode(), purpose.encode(), "sha256").hexdigest()


def derive_key(purpose: str) -> str:
    """A secret that opens one thing, such as what is private in a match; the operator may hand it on."""
    return _sign_purpose(purpose)[:36]


def is_operator(request: Request) -> bool:
    """Whether a request comes from a browser that has signed in with the operator's token."""
    return bool(_session_key(request))


def _session_key(request: Request) -> str:
    return CURRENT_SITE.get().sessions.find_session(request.cookies.get(cookie_name(), ""))


def operator_only(endpoint: Endpoint) -> Endpoint:
    """Answers operators alone: others are sent to sign in, or refused if they post.

    A form that is posted has to send `csrf` back: ``<input type="hidden" name="csrf" value="{{ csrf() }}">``.

    Args:
        endpoint: A function of a request, or a method.
    """

    @wraps(endpoint)
    async def guard(*given: Any) -> Response:
        request: Request = given[-1]
        reads = request.method in ("GET", "HEAD")
        SESSION.set(_session_key(request))
        if not SESSION.get():
            if not reads:
                raise HTTPException(403, texts().say("error.operator"))
            asked = request.scope["path"].removeprefix(site_path("")) + (
                f"?{request.url.query}" if request.url.query else ""
            )
            return RedirectResponse(site_path(f"{SIGN_IN}?to={quote(asked)}"), 303)
        if not reads and not hmac.compare_digest((await read_form(request)).get("csrf", "").encode(), csrf().encode()):
            raise HTTPException(403, texts().say("error.old_form"))
        return await endpoint(*given)

    return guard


def may_sign_in(request: Request, typed: str) -> bool:
    """Whether what was typed lets in: on this machine the token, from everywhere the password."""
    site = CURRENT_SITE.get()
    known = is_local(request) and hmac.compare_digest(typed.strip().encode(), site.token.encode())
    return known or (site.password is not None and site.password.matches(typed))


def is_local(request: Request) -> bool:
    """Whether a request comes from this machine and from no proxy; what has no address came through no network."""
    if CURRENT_SITE.get().trust_proxy or set(PROXY_HEADERS) & set(request.headers):
        return False
    client, server = request.client, request.scope.get("server")
    try:
        address = ip_address(client.host if client else "")
    except ValueError:
        return True
    return address.is_loopback or bool(server and server[0] == str(address))


def sign_in_browser(request: Request, token: str, to: str, link: str = "") -> Response | None:
    """Lets a browser in and sends it on; None: neither token nor password, nor a link that is good.

    Args:
        request: Of the browser.
        token: What was typed.
        to: Path of the page that it wants.
        link: The secret of a link that signs in once.
    """
    sessions = CURRENT_SITE.get().sessions
    if not (sessions.redeem_link(link) if link else may_sign_in(request, token)):
        return None
    own = to if re.fullmatch(r"/(?![/\\])[^\\\s]*", to) else "/"
    answer = RedirectResponse(site_path(own), 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(
        cookie_name(), sessions.begin(), path=site_path("/"), secure=secure, httponly=True, samesite="strict"
    )
    return answer


@operator_only
async def sign_out(request: Request) -> Response:
    """Ends the session of a browser."""
    CURRENT_SITE.get().sessions.end(request.cookies.get(cookie_name(), ""))
    answer = RedirectResponse(site_path(SIGN_IN), 303)
    answer.delete_cookie(cookie_name(), path=site_path("/"))
    return answer
