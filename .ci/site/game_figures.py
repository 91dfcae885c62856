"""The figure of each game's page: efficiency and fairness of scripted players in the default setting."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import econzoo
from econzoo.envs.core import all_games, players_of
from econzoo.envs.core.contract import Game
from econzoo.evaluate import new_design

MAX_PLAYERS = 5
SEEDS = 4
"""Seeds of each pair; larger tables have one."""


def lines(game: Game) -> Iterator[str]:
    """The figure, and the commands that draw it."""
    name, players = game.name, players_in_figure(game)
    yield "## Scripted players compared\n"
    yield f"![Mean efficiency and fairness of {', '.join(players)} against each other]({name}.svg){{ .figure }}\n"
    yield (
        "Mean efficiency and fairness of each player's matches against all of them, itself included, in the default "
        "setting (where roles differ, in the first role). Lines are 95% intervals, where enough matches differ; the "
        "step line joins the players that no other player beats in both.\n"
    )
    specs = " ".join(f"'{spec}'" if "(" in spec else spec for spec in players)
    yield f"```bash\neconzoo tournament {name} {specs} --seeds {seeds(game)} --out runs/{name}"
    yield f"econzoo analyze runs/{name} --no-regret # efficiency and fairness\n```\n"


def players_in_figure(game: Game) -> Sequence[str]:
    """The first players of the standard pool."""
    return list(players_of(game.name).POOLS["standard"])[:MAX_PLAYERS]


def seeds(game: Game) -> int:
    """Number of seeds of each pairing."""
    return SEEDS if game.facts.seats <= 2 else 1


def draw(game: Game) -> str:
    """The figure as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        records = econzoo.run(new_design(game.name, players_in_figure(game), seeds=seeds(game)), folder, jobs=1)
        econzoo.analyze(records, "summary", regret=False, transcripts=0).write(folder, formats=["svg"])
        first = sorted(Path(folder, "summary").glob("pareto*.svg"))[0]
        return first.read_text(encoding="utf-8")


def files() -> dict[str, str]:
    """Path to text of all figures."""
    return {f"games/{game.name}.svg": draw(game) for game in all_games(econzoo.envs.GAMES)}
