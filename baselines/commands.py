"""``econzoo games``: list the games and the published agents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill
from typing import Annotated, Any

from econzoo.baselines.presets import presets
from econzoo.envs.command_line import command
from econzoo.envs.core import all_games, format_count, gymnasium_id, pettingzoo_id
from econzoo.envs.core.contract import Flag, Option, turns_of

WIDTH = 80
"""Maximum line width of text; ids are never wrapped."""


@dataclass
class GamesOptions:
    """List the games, or the agents of published studies that a language model can play.

    Example: econzoo games --agents
    """

    agents: Annotated[bool, Option(Flag(), "List agents of published studies instead, with their sources.")] = False
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False


def run(options: GamesOptions) -> str:
    """Return the list as JSON or text."""
    if options.agents and options.json:
        return json.dumps({name: {**one._asdict(), "options": dict(one.options)} for name, one in presets().items()})
    if options.agents:
        return "\n".join(_agent_lines())
    rows = [
        {
            "game": game.name,
            "seats": game.facts.seats,
            "moves": turns_of(game).turn_order,
            "gymnasium": gymnasium_id(game.name, game.version),
            "pettingzoo": pettingzoo_id(game.name, game.version),
            "summary": game.summary,
        }
        for game in all_games()
    ]
    lines = [line for row in rows for line in _game_lines(row)]
    return json.dumps(rows, indent=2) if options.json else "\n".join([*lines, "Details: econzoo show GAME"])


def _game_lines(row: dict[str, Any]) -> list[str]:
    return [
        f"{row['game']}: {format_count(row['seats'], 'seat')}, {row['moves']} moves",
        _wrap_text(row["summary"]),
        f"  Gymnasium  {row['gymnasium']}\n  PettingZoo {row['pettingzoo']}\n",
    ]


def _agent_lines() -> Iterator[str]:
    printed: set[str] = set()
    for name, one in presets().items():
        yield f"{name}: {'&'.join(f'{key}={value}' for key, value in one.options.items())}"
        for label, text in (("One turn", one.gives), ("Source", one.source), ("Not as published", one.differs)):
            yield _wrap_text(f"{label}: {'as above' if text in printed else text}")
            printed.add(text)
        yield ""
    yield "Usage: hf:MODEL?agent=NAME. Later options override the agent's: &temperature=0."


def _wrap_text(text: str) -> str:
    return fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ")


main = command(GamesOptions, run)
