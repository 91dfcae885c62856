"""What authors of programs can be after: the three objectives of Sistla and Kleiman-Weiner (2025, arXiv:2512.00371)."""

from __future__ import annotations

from urllib.parse import parse_qsl

from econzoo.baselines.presets import expanded

OBJECTIVES = ("payoff", "cooperative", "deceptive")
"""Each is a text of the table ``author`` of ``prompts.toml``; the first one is the default."""


def objective(text: str) -> str:
    """One of `OBJECTIVES`.

    Raises:
        ValueError: It is none of them.
    """
    if text not in OBJECTIVES:
        raise ValueError(f"{text!r}; allowed: {', '.join(OBJECTIVES)}")
    return text


def objective_of(spec: str) -> str:
    """What the author of a spec is after, one of `OBJECTIVES`; empty: it is no author."""
    given = dict(parse_qsl(expanded(spec).partition("?")[2], keep_blank_values=True))
    author = given.get("reasoning", "").startswith("author")
    return given.get("objective", OBJECTIVES[0]) if author else ""
