"""The benchmark ``standard``: all main games with fixed settings, opponents and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.standard.declaration import Entrant, designs, entrant
from econzoo.evaluate.analyses.standard.declaration import standard as declared
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

EXCLUDED_GAMES = (
    ("program_matrix and program_coin", "whose players write programs"),
    ("code_reading", "which has its own suite, sparc"),
)
"""Games that the benchmark does not have, and why."""


def standard(request: SuiteRequest) -> Suite:
    """The matches of players in each game that one of them plays.

    Args:
        request: Players, see `entrant`, and `seeds`, if fewer than the benchmark has; the citation says so.

    Raises:
        ValueError: No game of the benchmark knows a player, or nobody is named.
    """
    request.refuse_options("standard", "opponents", "pool", "settings", "param", "lineups", "reader")
    if not request.players:
        raise ValueError(
            "no player is given; allowed: specs, best-scripts, or GAME=SPEC with semicolons between several"
        )
    entrants = [entrant(text) for text in dict.fromkeys(request.players)]
    planned = designs(entrants, request.seeds)
    options = {"players": request.players, "seeds": request.seeds}
    return Suite(planned, "score-card", options, describe_plan(entrants, planned))


def describe_plan(entrants: Sequence[Entrant], planned: Mapping[str, Design]) -> list[str]:
    """What is going to be played, in lines."""
    known = declared()
    settings = sum(len(design.settings) for design in planned.values())
    matches = sum(map(len, planned.values()))
    size = (
        f"{format_count(len(planned), 'game')}, {format_count(settings, 'setting')}, {format_count(matches, 'match')}"
    )
    answers, tokens = expected_usage(entrants, planned)
    read = f"about {round(tokens, -3):,.0f} tokens of a language model"
    cost = f"The scored players answer about {answers:,.0f} times: {read}."
    first = f"{known.name} (hash {known.hash}): {format_count(len(entrants), 'player')}, {size}."
    return [
        first,
        cost,
        f"Not in {known.name}: {'; '.join(f'{name}, {why}' for name, why in EXCLUDED_GAMES)}.",
        *known.version_changes(),
    ]


def expected_usage(entrants: Sequence[Entrant], planned: Mapping[str, Design]) -> tuple[float, float]:
    """About how many answers the scored players give, and how many tokens these are if they are language models."""
    answers = tokens = 0.0
    for name, design in planned.items():
        game = declared().games[name]
        seats = sum(len(scored) for one in entrants for scored in one.seats(game).values())
        answers += (here := seats * len(design.settings) * len(design.seeds) * game.answers)
        tokens += here * game.tokens
    return answers, tokens
