"""News of pages that follow what happens elsewhere: in files, and in other processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

BEAT, PAUSE_BETWEEN, SILENCE = 0.5, 2.0, 15.0
"""Seconds between two looks for something new, two pieces of news of the same kind, and two signs of life."""


def stream(request: Request, state: Callable[[], str]) -> Response:
    """Server-sent events: the state, whenever it has changed."""

    async def states() -> AsyncIterator[str]:
        told, said = "", 0.0
        while not await request.is_disconnected():
            now = await run_in_threadpool(state)
            since = time.monotonic() - said
            if (now != told and since > PAUSE_BETWEEN) or since > SILENCE:
                yield f"data: {now}\n\n"
                told, said = now, time.monotonic()
            await asyncio.sleep(BEAT)

    return StreamingResponse(states(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})
