"""What is known of a collection before it starts: how many matches, how long about, and what its models cost."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

from econzoo.envs.core.contract.validation import from_json
from econzoo.people.manage.order import Order

PATIENCE = 30.0
"""Seconds after which nothing more is known than the number of matches."""


class Forecast(NamedTuple):
    """What is known before the start.

    Attributes:
        matches: Of the collection.
        seconds: That those of scripted players take about; None: nobody knows, or there are none.
        asked: Matches in which a model is asked; how long these take, nobody knows.
        tokens_read: By all language models, about.
        tokens_written: Likewise, at least.
        cost: US dollars of both, by the prices that were given; 0 where none were.
        tried: Matches that all this was taken from.
        problem: Why one of these failed, or why nothing but the number of matches is known; empty: all is well.
    """

    matches: int
    seconds: float | None = None
    asked: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    cost: float = 0.0
    tried: int = 0
    problem: str = ""


def ask(order: Order) -> Forecast:
    """The forecast of a process of its own, which is given up if it takes too long."""
    matches = len(order.plan())
    try:
        line = [sys.executable, "-m", "econzoo.people.manage.forecast"]
        made = subprocess.run(line, input=order.to_json(), capture_output=True, text=True, timeout=PATIENCE, check=True)
        return Forecast(**from_json(made.stdout))
    except subprocess.TimeoutExpired:
        return Forecast(matches, problem=f"no match ended within {PATIENCE:.0f} seconds")
    except subprocess.CalledProcessError as error:
        return Forecast(matches, problem=(error.stderr.strip().splitlines() or ["unknown"])[-1])
