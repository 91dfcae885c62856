"""How pages are made of templates, and told news while they are open."""

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

from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.numbers import capitalize_first, format_number, format_percent
from econzoo.people.server.connection_limits import STREAMS_PER_PAGE, Listener
from econzoo.people.server.passwords import FailedSignIns
from econzoo.people.server.security import SESSION, csrf, is_local, read_form, sign_in_browser
from econzoo.people.server.site import CURRENT_SITE, site_path, texts
from econzoo.people.texts import format_clock

PEOPLE_PACKAGE = "econzoo.people"


def render_page(name: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page of a template."""
    return HTMLResponse(_template_environment().get_template(name).render(shown), status)


@cache
def _template_environment() -> Environment:
    """The template engine; ``at`` gives the addresses of pages, ``csrf`` what forms of operators send back."""
    made = Environment(
        loader=FunctionLoader(_read_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=localize_output(format_number),
        percent=localize_output(format_percent),
        signs=localize_output(str),
        whole=localize_output("{:,}".format),
    )
    made.filters.update(
        clock=countdown_markup,
        counted=count_up_markup,
        visible=sanitize_text,
        many=format_count,
        capitalized=capitalize_first,
        bold=Markup("<b>{}</b>").format,
        apart=Markup("<bdi>{}</bdi>").format,
    )
    made.globals.update(at=site_path, csrf=csrf, isnan=math.isnan, texts=texts, say=say, site=CURRENT_SITE.get)
    made.globals.update(session=SESSION.get)
    return made


def _read_template(name: str) -> str:
    """A template of these pages, or ``"FOLDER/NAME"``: of those of a folder here."""
    folder, _, file = name.rpartition("/")
    return files(PEOPLE_PACKAGE).joinpath(folder or "table", "templates", file).read_text(encoding="utf-8")


def say(name: str, **fields: Any) -> Markup:
    """A text of the page, with its fields."""
    return texts().say_markup(name, **fields)


def localize_output(formatter: Callable[..., str]) -> Callable[..., str]:
    """A filter that writes numbers as the language of the pages has them."""
    return lambda *given: texts().localize_numbers(formatter(*given))


def countdown_markup(seconds: int) -> Markup:
    """What is left of a time, as a script counts it down."""
    return Markup('<span class="timer" role="timer" data-left="{}">{}</span>').format(seconds, format_clock(seconds))


def count_up_markup(seconds: int) -> Markup:
    """Seconds that a script counts on."""
    return Markup('<span data-count="{0}">{0}</span>').format(seconds)


async def error_page(request: Request, error: HTTPException) -> Response:
    """The page of an error."""
    told = texts().say("error.lost") if error.status_code == 404 else error.detail
    shown = render_page("error.html", error.status_code, title=texts().say("error.title"), told=told)
    shown.headers.update(error.headers or {})
    return shown


async def sign_in(request: Request) -> Response:
    """Lets in who has the operator's token or password: in the address, as it is opened at the start, or typed."""
    given = await read_form(request) if request.method == "POST" else dict(request.query_params)
    to, link = given.get("to", "/"), given.get("once", "")
    token = given.get("token", "" if link else None)
    title, address = texts().say("operator.title"), request.client.host if request.client else ""
    guesses: FailedSignIns = request.app.state.guesses
    if token is None:
        return render_page("operator.html", title=title, to=to, problem="")
    if guesses.is_blocked(address):
        return render_page("operator.html", 429, title=title, to=to, problem=texts().say("operator.too_often"))
    if let_in := await run_in_threadpool(sign_in_browser, request, token, to, link):  # a password takes a while
        return let_in
    guesses.record_failure(address)
    here = is_local(request) or CURRENT_SITE.get().password is not None
    told = texts().say("operator.wrong" if here else "operator.elsewhere")
    return render_page("operator.html", 403, title=title, to=to, problem=told)


FAST_POLL, SLOW_POLL = 0.1, 0.5
"""Seconds between two looks for something new: in memory, and in files or other processes."""

LISTENER_CHECK_INTERVAL = 10
"""Looks for each time that is asked whether somebody listens still, which takes longer than a look."""

UPDATE_PAUSE, KEEPALIVE_SECONDS = 2.0, 15.0
"""Seconds between two pieces of news from elsewhere, and between two signs of life."""


def stream_states(
    request: Request, state_of: Callable[[], str], slow_poll: bool = False, max_streams: int = STREAMS_PER_PAGE
) -> Response:
    """Tells the state of a page, now and after every change; see `watch_states` and `Listener`."""
    return event_response(watch_states(Listener(request, max_streams), state_of, slow_poll))


def event_response(lines: AsyncIterator[str]) -> Response:
    """Server-sent events."""
    return StreamingResponse(lines, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def watch_states(
    listener: Request | Listener, state_of: Callable[[], str], slow_poll: bool = False
) -> AsyncIterator[str]:
    """The state of a page, now and after every change, while somebody listens.

    Args:
        listener: Who listens.
        state_of: Tells the state.
        slow_poll: Whether it is found in files or other processes, which takes a while.
    """
    beat, pause = (SLOW_POLL, UPDATE_PAUSE) if slow_poll else (FAST_POLL, 0.0)
    told, said, beats = "", 0.0, count()
    while next(beats) % LISTENER_CHECK_INTERVAL or not await listener.is_disconnected():
        state = await run_in_threadpool(state_of) if slow_poll else state_of()
        since = time.monotonic() - said
        if (state != told and since > pause) or since > KEEPALIVE_SECONDS:
            yield f"data: {state}\n\n"
            told, said = state, time.monotonic()
        await asyncio.sleep(beat)
