"""The benchmark ``standard``: all main games with fixed settings, opponents and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses.standard import Entrant, designs, entrant
from econzoo.evaluate.analyses.standard import standard as declared
from econzoo.evaluate.run import Design
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

EXCLUDED_GAMES = (
    ("program_matrix and program_coin", "players are programs"),
    ("code_reading", "see suite sparc"),
)
"""Games outside the benchmark, with the reason."""


def standard(request: SuiteRequest) -> Suite:
    """Designs of the benchmark: every game that a player supports."""
    request.refuse_options("standard", "opponents", "pool", "settings", "param", "lineups", "reader")
    if not request.players:
        raise ValueError("missing players: expected specs, best-scripts, or GAME=SPEC entries separated by semicolons")
    entrants = [entrant(text) for text in dict.fromkeys(request.players)]
    planned = designs(entrants, request.seeds)
    options = {"players": request.players, "seeds": request.seeds}
    return Suite(planned, "score-card", options, describe_plan(entrants, planned))


def describe_plan(entrants: Sequence[Entrant], planned: Mapping[str, Design]) -> list[str]:
    """Lines that describe the planned matches and their expected usage."""
    known = declared()
    settings = sum(len(design.settings) for design in planned.values())
    matches = sum(map(len, planned.values()))
    size = (
        f"{format_count(len(planned), 'game')}, {format_count(settings, 'setting')}, {format_count(matches, 'match')}"
    )
    answers, tokens = expected_usage(entrants, planned)
    cost = f"Expected usage of the scored players: {answers:,.0f} calls, {round(tokens, -3):,.0f} tokens."
    first = f"{known.name} (hash {known.hash}): {format_count(len(entrants), 'player')}, {size}."
    return [
        first,
        cost,
        f"Not in {known.name}: {'; '.join(f'{name} ({why})' for name, why in EXCLUDED_GAMES)}.",
        *known.version_changes(),
    ]


def expected_usage(entrants: Sequence[Entrant], planned: Mapping[str, Design]) -> tuple[float, float]:
    """Expected calls of the scored players, and their tokens if they are language models."""
    answers = tokens = 0.0
    for name, design in planned.items():
        game = declared().games[name]
        seats = sum(len(scored) for one in entrants for scored in one.seats(game).values())
        answers += (here := seats * len(design.settings) * len(design.seeds) * game.answers)
        tokens += here * game.tokens
    return answers, tokens
