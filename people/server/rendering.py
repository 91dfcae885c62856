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

from econzoo.envs.core.plurals import many
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.numbers import capitalized, number, percent
from econzoo.people.server.passwords import Guesses
from econzoo.people.server.patience import AUDIENCE, Listener
from econzoo.people.server.security import SESSION, csrf, is_local, read_form, signed_in
from econzoo.people.server.site import HERE, at, texts
from econzoo.people.texts import clock

HOME = "econzoo.people"


def page(name: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page of a template."""
    return HTMLResponse(_templates().get_template(name).render(shown), status)


@cache
def _templates() -> Environment:
    """The template engine; ``at`` gives the addresses of pages, ``csrf`` what forms of operators send back."""
    made = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=with_signs(number), percent=with_signs(percent), signs=with_signs(str), whole=with_signs("{:,}".format)
    )
    made.filters.update(
        clock=timer,
        counted=count_up,
        visible=visible,
        many=many,
        capitalized=capitalized,
        bold=Markup("<b>{}</b>").format,
        apart=Markup("<bdi>{}</bdi>").format,
    )
    made.globals.update(at=at, csrf=csrf, isnan=math.isnan, texts=texts, say=say, site=HERE.get)
    made.globals.update(session=SESSION.get)
    return made


def _template(name: str) -> str:
    """A template of these pages, or ``"FOLDER/NAME"``: of those of a folder here."""
    folder, _, file = name.rpartition("/")
    return files(HOME).joinpath(folder or "table", "templates", file).read_text(encoding="utf-8")


def say(name: str, **fields: Any) -> Markup:
    """A text of the page, with its fields."""
    return texts().shown(name, **fields)


def with_signs(written: Callable[..., str]) -> Callable[..., str]:
    """A filter that writes numbers as the language of the pages has them."""
    return lambda *given: texts().numbers(written(*given))


def timer(seconds: int) -> Markup:
    """What is left of a time, as a script counts it down."""
    return Markup('<span class="timer" role="timer" data-left="{}">{}</span>').format(seconds, clock(seconds))


def count_up(seconds: int) -> Markup:
    """Seconds that a script counts on."""
    return Markup('<span data-count="{0}">{0}</span>').format(seconds)


async def error_page(request: Request, error: HTTPException) -> Response:
    """The page of an error."""
    told = texts().say("error.lost") if error.status_code == 404 else error.detail
    shown = page("error.html", error.status_code, title=texts().say("error.title"), told=told)
    shown.headers.update(error.headers or {})
    return shown


async def sign_in(request: Request) -> Response:
    """Lets in who has the operator's token or password: in the address, as it is opened at the start, or typed."""
    given = await read_form(request) if request.method == "POST" else dict(request.query_params)
    to, link = given.get("to", "/"), given.get("once", "")
    token = given.get("token", "" if link else None)
    title, address = texts().say("operator.title"), request.client.host if request.client else ""
    guesses: Guesses = request.app.state.guesses
    if token is None:
        return page("operator.html", title=title, to=to, problem="")
    if guesses.too_many(address):
        return page("operator.html", 429, title=title, to=to, problem=texts().say("operator.too_often"))
    if let_in := await run_in_threadpool(signed_in, request, token, to, link):  # a password takes a while
        return let_in
    guesses.wrong(address)
    here = is_local(request) or HERE.get().password is not None
    told = texts().say("operator.wrong" if here else "operator.elsewhere")
    return page("operator.html", 403, title=title, to=to, problem=told)


OFTEN, SELDOM = 0.1, 0.5
"""Seconds between two looks for something new: in memory, and in files or other processes."""

EVERY = 10
"""Looks for each time that is asked whether somebody listens still, which takes longer than a look."""

PAUSE, SILENCE = 2.0, 15.0
"""Seconds between two pieces of news from elsewhere, and between two signs of life."""


def stream(request: Request, state_of: Callable[[], str], elsewhere: bool = False, most: int = AUDIENCE) -> Response:
    """Tells the state of a page, now and after every change; see `states` and `Listener`."""
    return events(states(Listener(request, most), state_of, elsewhere))


def events(lines: AsyncIterator[str]) -> Response:
    """Server-sent events."""
    return StreamingResponse(lines, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def states(
    listener: Request | Listener, state_of: Callable[[], str], elsewhere: bool = False
) -> AsyncIterator[str]:
    """The state of a page, now and after every change, while somebody listens.

    Args:
        listener: Who listens.
        state_of: Tells the state.
        elsewhere: Whether it is found in files or other processes, which takes a while.
    """
    beat, pause = (SELDOM, PAUSE) if elsewhere else (OFTEN, 0.0)
    told, said, beats = "", 0.0, count()
    while next(beats) % EVERY or not await listener.is_disconnected():
        state = await run_in_threadpool(state_of) if elsewhere else state_of()
        since = time.monotonic() - said
        if (state != told and since > pause) or since > SILENCE:
            yield f"data: {state}\n\n"
            told, said = state, time.monotonic()
        await asyncio.sleep(beat)
