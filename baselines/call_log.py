"""Log of all calls of models, beside the records."""

from __future__ import annotations

from typing import Any


def log_call(call: Any, outcome: Any, started: float, seconds: float) -> None:
    """Log a call and its completion or error, if a log is open.

    Args:
        call: The `econzoo.baselines.models.Call`.
        outcome: The completion, or the exception.
        started: Time of the start, in seconds since 1970.
        seconds: Wall time, with failed attempts and waiting.
    """
