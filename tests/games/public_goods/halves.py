"""Matches of public goods in which all choices are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import econzoo

NONE = [0, 0, 0]
"""No points for any of three others."""


def played(*halves: Sequence[Any], **params: Any) -> Any:
    """An environment after these choices: whole tokens of all seats, then lists of points of all seats, and so on."""
    env = econzoo.make("public_goods", face="structured", max_retries=0, on_error="default", **params)
    env.reset(seed=0)
    for half in halves:
        for own in half:
            kind = "assign" if isinstance(own, list) else "contribute"
            env.step({"kind": kind, "points" if kind == "assign" else "tokens": own})
    return env
