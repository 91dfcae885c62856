"""How pages are made of templates."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from econzoo.evaluate.pages import environment

HOME = "econzoo.evaluate.web"


def page(name: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page of a template."""
    return HTMLResponse(environment(HOME).get_template(name).render(shown), status)


async def failed(request: Request, error: HTTPException) -> Response:
    """The page of an error."""
    lost = "There is nothing under this address. Is a part of the link missing?"
    told = lost if error.status_code == 404 else error.detail
    return page("error.html", error.status_code, title="This cannot be shown", told=told)
