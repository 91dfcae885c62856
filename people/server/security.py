"""Security of the pages: headers, form checks, allowed player specs, operator sign-in."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import wraps
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from econzoo.baselines import PREFIXES, describe_allowed
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
"""Headers of every response: no external resources, no inline scripts, no referrer that reveals a seat's URL."""

MAX_FIELDS = 300

PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-real-ip")
"""Headers that mark a request forwarded by a proxy."""


class SecureHeaders:
    """Middleware that adds `HEADERS` to every response."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a posted form; the body is read once and cached, for `operator_only` and the endpoint."""
    if not hasattr(request.state, "posted"):
        request.state.posted = await _parse_form(request)
    return dict(request.state.posted)


async def _parse_form(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        raise HTTPException(400, texts().say("error.too_many", most=MAX_FIELDS)) from None


def check_player(spec: str, game: str, offered_players: Sequence[str]) -> str:
    """Check a player spec from an untrusted visitor: a script without files, models or addresses, or an offered one."""
    spec = spec.strip()
    if spec in offered_players or not _EXTERNAL_SPEC.search(spec):
        return spec
    names = ", ".join(offered_players) or "none"
    raise ValueError(
        f"player {spec[:80]!r} is not available here; {describe_allowed(game)}; offered by --players: {names}"
    )


_EXTERNAL_SPEC = re.compile(rf"\b({'|'.join(map(re.escape, PREFIXES))})\s*:")
"""A model, a file or an address anywhere in a spec."""


# -- the operator ----------------------------------------------------------------------------------------------

SIGN_IN, SIGN_OUT = "/operator", "/operator/out"
"""Paths of the operator's sign-in and sign-out."""

KNOWN_SECONDS = 365 * 86_400
"""Seconds for which a browser that has signed in is known."""

SESSION: ContextVar[str] = ContextVar("session", default="")
"""Session key of the operator whose request is handled now; empty: not an operator."""

Endpoint = Callable[..., Awaitable[Response]]


def cookie_name() -> str:
    """Name of the operator's cookie, one per server because servers on one host share cookies."""
    return f"econzoo_{_sign_purpose('name')[:8]}"


def csrf() -> str:
    """Token that every operator form sends back as ``csrf``; unknown to other sites and browsers."""
    return _sign_purpose(f"form {SESSION.get()}")


def sign(token: str, purpose: str) -> str:
    """HMAC of a purpose under the operator's token."""
    return hmac.new(token.encode(), purpose.encode(), "sha256").hexdigest()


def _sign_purpose(purpose: str) -> str:
    return sign(CURRENT_SITE.get().token, purpose)


def derive_key(purpose: str) -> str:
    """Derive a key for one purpose, such as the private view of a match, which the operator may share."""
    return _sign_purpose(purpose)[:36]


def is_operator(request: Request) -> bool:
    """Whether a request comes from a signed-in browser."""
    return bool(_session_key(request))


def _session_key(request: Request) -> str:
    return CURRENT_SITE.get().sessions.find_session(request.cookies.get(cookie_name(), ""))


def operator_only(endpoint: Endpoint) -> Endpoint:
    """Restrict an endpoint to operators: redirect others to sign-in, refuse their posts.

    Posted forms must send `csrf` back: ``<input type="hidden" name="csrf" value="{{ csrf() }}">``.
    """

    @wraps(endpoint)
    async def guard(*args: Any) -> Response:
        request: Request = args[-1]
        reads = request.method in ("GET", "HEAD")
        SESSION.set(_session_key(request))
        if not SESSION.get():
            if not reads:
                raise HTTPException(403, texts().say("error.operator"))
            # Without the prefix, which the redirect after sign-in adds again.
            target = request.scope["path"].removeprefix(site_path("")) + (
                f"?{request.url.query}" if request.url.query else ""
            )
            return RedirectResponse(site_path(f"{SIGN_IN}?to={quote(target)}"), 303)
        # Bytes, since compare_digest accepts only ASCII in strings.
        if not reads and not hmac.compare_digest((await read_form(request)).get("csrf", "").encode(), csrf().encode()):
            raise HTTPException(403, texts().say("error.old_form"))
        return await endpoint(*args)

    return guard


def has_token(request: Request, typed: str, link: str = "") -> bool:
    """Whether a text or link cannot have been guessed: the token, from this machine only, or a link of this server."""
    site = CURRENT_SITE.get()
    known = is_local(request) and hmac.compare_digest(typed.strip().encode(), site.token.encode())
    return known or (bool(link) and site.sessions.redeem_link(link))


def has_password(typed: str) -> bool:
    password = CURRENT_SITE.get().password
    return password is not None and password.matches(typed)


def find_guesser(request: Request) -> str:
    """Return whose failed sign-ins count together: those of a browser that has signed in before, or of an address.

    Strangers who share the operator's address thus lock out each other, but not the operator's browser.
    """
    address = request.client.host if request.client else ""
    return request.cookies[_known_name()].partition(".")[0] if is_known(request) else address


def is_known(request: Request) -> bool:
    """Whether a browser has signed in before."""
    nonce, _, signature = request.cookies.get(_known_name(), "").partition(".")
    return hmac.compare_digest(signature.encode(), _sign_purpose(f"known {nonce}").encode())


def _known_name() -> str:
    return f"{cookie_name()}_known"


def is_local(request: Request) -> bool:
    """Whether a request comes from this machine without a proxy; one without an address came through no network."""
    # Behind a proxy all visitors have an address of this machine, or one that the proxy only reports.
    if CURRENT_SITE.get().trust_proxy or set(PROXY_HEADERS) & set(request.headers):
        return False
    client, server = request.client, request.scope.get("server")
    try:
        address = ip_address(client.host if client else "")
    except ValueError:
        return True
    # Equal addresses: a browser of this machine that uses its address in the network.
    return address.is_loopback or bool(server and server[0] == str(address))


def sign_in_browser(request: Request, to: str) -> Response:
    """Sign a browser in and redirect it."""
    site = CURRENT_SITE.get()
    # A path of this server only: browsers take //host and /\host for the address of another site.
    own = to if re.fullmatch(r"/(?![/\\])[^\\\s]*", to) else "/"
    answer = RedirectResponse(site_path(f"/?key={site.key}" if own == "/" and site.key else own), 303)
    nonce = secrets.token_urlsafe(18)
    known = f"{nonce}.{_sign_purpose(f'known {nonce}')}"
    for name, value, age in (cookie_name(), site.sessions.begin(), None), (_known_name(), known, KNOWN_SECONDS):
        secure = request.url.scheme == "https"
        answer.set_cookie(name, value, age, path=site_path("/"), secure=secure, httponly=True, samesite="strict")
    return answer


@operator_only
async def sign_out(request: Request) -> Response:
    """End the session of a browser."""
    CURRENT_SITE.get().sessions.end(request.cookies.get(cookie_name(), ""))
    answer = RedirectResponse(site_path(SIGN_IN), 303)
    answer.delete_cookie(cookie_name(), path=site_path("/"))
    return answer
