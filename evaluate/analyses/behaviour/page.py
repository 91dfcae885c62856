"""``behaviour.html``: one self-contained page of how players behaved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.behaviour import console, figures
from econzoo.evaluate.analyses.behaviour.concession import ASKED
from econzoo.evaluate.analyses.behaviour.exchanges import GAME
from econzoo.evaluate.analyses.behaviour.measures import Behaviour
from econzoo.evaluate.analyses.behaviour.rows import distinct, pick
from econzoo.evaluate.analyses.behaviour.tables import tables
from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.show.figures import to_svg


def page(found: Behaviour, title: str, folders: Iterable[Path] = ()) -> Page:
    """The page of what was found.

    Args:
        found: What to show.
        title: Heading.
        folders: Of the matches.
    """
    return new_page(
        "behaviour.html",
        title,
        problems=found.unreadable,
        played=found.played,
        folders=folders,
        filters={"text": console.text, "interval": console.interval},
        matches=sum(found.matches.values()),
        games=[_game(found, game) for game in found.games],
        left_out=found.left_out,
        persuasion=GAME in found.games,
    )


def _game(found: Behaviour, game: str) -> dict[str, Any]:
    """One game for the page: its tables, each with the figures that belong to it."""
    drawn = _figures(found, game)
    parts = [{"table": table, "figures": drawn.get(table.title, [])} for table in tables(found, game)]
    return {
        "name": game,
        "matches": found.matches[game],
        "clusters": found.clusters[game],
        "parts": parts,
    }


def _figures(found: Behaviour, game: str) -> dict[str, list[tuple[str, str]]]:
    """Title of a table to (heading, SVG) of the figures below it."""
    rows = found.rows
    if game == GAME:
        return {
            "Honesty": [("", to_svg(figures.honesty_figure(rows, game), f"Lie rates in {game}"))],
            "Trust": [("", to_svg(figures.reliability_figure(rows, game), f"Purchase rate by belief in {game}"))],
        }
    facts = find_game(game).facts
    curves = [
        (f"As {facts.called(role)}", to_svg(figures.concession_figure(rows, game, role), f"Concessions as {role}"))
        for role in sorted(distinct(pick(rows, measure=ASKED, game=game), "role"))
    ]
    ending = to_svg(figures.agreement_figure(rows, game), f"Matches without a deal in {game}")
    return {"Round of agreement": [("", ending)], "Concessions": curves}
