"""Template rendering, and server-sent events that update open pages."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from econzoo.envs.core import format_count
from econzoo.evaluate.show import capitalize_first, format_number, format_percent, sanitize_text
from econzoo.people.server.passwords import GuessLimit
from econzoo.people.server.security import SESSION, csrf, find_guesser, has_password, has_token, is_known, is_local
from econzoo.people.server.security import read_form, sign_in_browser
from econzoo.people.server.site import CURRENT_SITE, site_path, texts
from econzoo.people.server.streams import STREAMS_PER_PAGE, Listener
from econzoo.people.texts import format_clock

PEOPLE_PACKAGE = "econzoo.people"


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template to a response."""
    return HTMLResponse(_template_environment().get_template(name).render(values), status)


@cache
def _template_environment() -> Environment:
    """The template engine; ``at`` resolves paths, ``csrf`` is the token of operator forms."""
    environment = Environment(
        loader=FunctionLoader(_read_template),
        autoescape=True,
        undefined=StrictUndefined,  # a missing value is an error, not an empty text
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=localize_output(format_number),
        percent=localize_output(format_percent),
        signs=localize_output(str),
        integer=localize_output("{:,}".format),
    )
    environment.filters.update(
        clock=countdown_markup,
        count_up=count_up_markup,
        visible=sanitize_text,
        many=format_count,
        capitalized=capitalize_first,
        bold=Markup("<b>{}</b>").format,
        apart=Markup("<bdi>{}</bdi>").format,
    )
    # Functions rather than values: the environment is shared by the sites and requests of the process.
    environment.globals.update(at=site_path, csrf=csrf, isnan=math.isnan, texts=texts, say=say, site=CURRENT_SITE.get)
    environment.globals.update(session=SESSION.get)
    return environment


def _read_template(name: str) -> str:
    """Read a template: ``"NAME"`` of the table pages, or ``"FOLDER/NAME"``."""
    folder, _, file = name.rpartition("/")
    return files(PEOPLE_PACKAGE).joinpath(folder or "table", "templates", file).read_text(encoding="utf-8")


def say(name: str, **fields: Any) -> Markup:
    """Return a text of the page with its fields filled in."""
    return texts().say_markup(name, **fields)


def localize_output(formatter: Callable[..., str]) -> Callable[..., str]:
    """Wrap a formatter to use the number format of the page's language."""
    return lambda *values: texts().localize_numbers(formatter(*values))


def countdown_markup(seconds: int) -> Markup:
    """Remaining time, counted down by a script."""
    return Markup('<span class="timer" role="timer" data-left="{}">{}</span>').format(seconds, format_clock(seconds))


def count_up_markup(seconds: int) -> Markup:
    """Elapsed seconds, counted up by a script."""
    return Markup('<span data-count="{0}">{0}</span>').format(seconds)


async def error_page(request: Request, error: HTTPException) -> Response:
    message = texts().say("error.lost") if error.status_code == 404 else error.detail
    page = render_page("error.html", error.status_code, title=texts().say("error.title"), message=message)
    page.headers.update(error.headers or {})
    return page


ALL = "strangers"
"""Whose failed sign-ins count together, wherever they come from."""


async def sign_in(request: Request) -> Response:
    """Sign the operator in by token or password, posted or in the URL that opens at the start."""
    given = await read_form(request) if request.method == "POST" else dict(request.query_params)
    to, link = given.get("to", "/"), given.get("once", "")
    token = given.get("token", "" if link else None)
    title, guesser = texts().say("operator.title"), find_guesser(request)
    guesses: GuessLimit = request.app.state.guesses
    strangers: GuessLimit = request.app.state.strangers
    if token is None:
        return render_page("operator.html", title=title, to=to, problem="")
    if has_token(request, token, link):
        return sign_in_browser(request, to)
    # Before the password is hashed, which takes 50 ms and 16 MiB.
    if not (await guesses.admits(guesser) and (is_known(request) or await strangers.admits(ALL))):
        return render_page("operator.html", 429, title=title, to=to, problem=texts().say("operator.too_often"))
    # Ahead of the result: of many at once, each counts for the next.
    guesses.count(guesser)
    if not is_known(request):
        strangers.count(ALL)
    if await run_in_threadpool(has_password, token):  # takes a while
        return sign_in_browser(request, to)
    # From elsewhere and without a password even the right token is refused.
    here = is_local(request) or CURRENT_SITE.get().password is not None
    problem = texts().say("operator.wrong" if here else "operator.elsewhere")
    return render_page("operator.html", 403, title=title, to=to, problem=problem)


FAST_POLL, SLOW_POLL = 0.1, 0.5
"""Poll interval in seconds: of state in memory, and of state in files or other processes."""

LISTENER_CHECK_INTERVAL = 10
"""Polls per check of the connection, which takes longer than a poll."""

UPDATE_PAUSE, KEEPALIVE_SECONDS = 2.0, 15.0
"""Minimum seconds between updates of a slow poll, and maximum seconds between any two events."""


def stream_states(
    request: Request, state_of: Callable[[], str], slow_poll: bool = False, max_streams: int = STREAMS_PER_PAGE
) -> Response:
    """Stream the state of a page, now and after every change; see `watch_states` and `Listener`."""
    return event_response(watch_states(Listener(request, max_streams), state_of, slow_poll))


def event_response(lines: AsyncIterator[str]) -> Response:
    # The header makes nginx pass each event on at once.
    return StreamingResponse(lines, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def watch_states(
    listener: Request | Listener, state_of: Callable[[], str], slow_poll: bool = False
) -> AsyncIterator[str]:
    """Yield the state of a page, now and after every change, until the client disconnects."""
    beat, pause = (SLOW_POLL, UPDATE_PAUSE) if slow_poll else (FAST_POLL, 0.0)
    last_state, last_time, beats = "", 0.0, count()
    while next(beats) % LISTENER_CHECK_INTERVAL or not await listener.is_disconnected():
        # A slow state is read in a thread, since the event loop serves all other pages.
        state = await run_in_threadpool(state_of) if slow_poll else state_of()
        since = time.monotonic() - last_time
        if (state != last_state and since > pause) or since > KEEPALIVE_SECONDS:
            yield f"data: {state}\n\n"
            last_state, last_time = state, time.monotonic()
        await asyncio.sleep(beat)
