"""``econzoo benchmark standard``."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.groups import Estimates
from econzoo.evaluate.commands.options import SPECS, Concurrent, Jobs, Json, Shard
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.plan import Plan
from econzoo.evaluate.run.tournament import check, play_missing
from econzoo.evaluate.show.numbers import plain_estimates
from econzoo.evaluate.show.parts import COUNT, MONEY, SHARE, TEXT, Column, Table
from econzoo.evaluate.show.terminal import show
from econzoo.evaluate.stats.intervals import Interval
from econzoo.evaluate.suites.standard.declaration import Entrant, entrant, plans
from econzoo.evaluate.suites.standard.declaration import standard as declared
from econzoo.evaluate.suites.standard.score_card import Card, every_row, legal, score_cards, write_cards


@budgeted
def standard(
    player: Annotated[
        list[str],
        typer.Option(
            metavar="SPEC",
            help="Who is scored, as often as needed: a spec, which plays in every game that knows it, best-scripts, or "
            f"GAME=SPEC, several with semicolons. {SPECS}",
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A folder for each game is in it; started again, it goes on.")
    ],
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Fewer than the benchmark has; the citation says so.")
    ] = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    as_json: Json = False,
) -> None:
    """All main games with fixed settings, opponents and seeds: a score card for each player that others can cite.

    It can be stopped at any time; the same command plays what is missing. Players may be added later.

    Examples: econzoo benchmark standard --player best-scripts --player random --out runs/standard |
    econzoo benchmark standard --player hf:smollm2 --seeds 1 --out runs/smollm2
    """
    entrants = [entrant(text) for text in dict.fromkeys(player)]
    planned = plans(entrants, seeds)
    for game, plan in planned.items():
        check(plan, out / game)
    for line in announced(entrants, planned):
        print(line, file=sys.stderr if as_json else sys.stdout)
    play_missing(planned, out, jobs, shard, concurrent)
    cards = score_cards(out, entrants, seeds)
    print(json.dumps(plain(cards, seeds), indent=2)) if as_json else _tell(cards, seeds, out)


def announced(entrants: Sequence[Entrant], planned: Mapping[str, Plan]) -> list[str]:
    """What is going to be played, in lines."""
    known = declared()
    settings = sum(len(plan.markets) for plan in planned.values())
    matches = sum(map(len, planned.values()))
    size = f"{many(len(planned), 'game')}, {many(settings, 'setting')}, {many(matches, 'match')}"
    answers, tokens = expected(entrants, planned)
    read = f"about {round(tokens, -3):,.0f} tokens of a language model"
    cost = f"The scored players answer about {answers:,.0f} times: {read}."
    return [f"{known.name} (hash {known.hash}): {many(len(entrants), 'player')}, {size}.", cost, *known.changed()]


def expected(entrants: Sequence[Entrant], planned: Mapping[str, Plan]) -> tuple[float, float]:
    """About how many answers the scored players give, and how many tokens these are if they are language models."""
    answers = tokens = 0.0
    for name, plan in planned.items():
        game = declared().games[name]
        seats = sum(len(scored) for one in entrants for scored in one.seats(game).values())
        answers += (here := seats * len(plan.markets) * len(plan.seeds) * game.answers)
        tokens += here * game.tokens
    return answers, tokens


# What comes of it

COLUMNS = (
    Column("score", ranged=True),
    Column("self_gain", "gain"),
    Column("efficiency"),
    Column("fairness"),
    Column("legal", kind=SHARE),
)
OTHERS = (
    Column("forfeit", "forfeits", SHARE),
    Column("tokens", kind=COUNT),
    Column("cost", kind=MONEY),
)
"""Columns that are shown where anybody has some."""

LEGEND = (
    "Score: gain as a part of the way from the random player (0) to the reference scripts (1), the mean over games. "
    "Gain: self-gain on each game's own scale. Legal: answers that were legal moves. Tokens, cost: of a match. "
    "Intervals are over settings: each is a draw from others like it."
)


def _tell(cards: Sequence[Card], seeds: int | None, out: Path) -> None:
    known = declared()
    some = [one for one in OTHERS if any(f[one.key].mean for card in cards for f in card.games.values())]
    columns = [*COLUMNS, *some]
    ranked = sorted(cards, key=lambda card: -card.overall["score"].mean if card.overall else math.inf)
    whole = [[one.player, *_cells(one.overall, columns), f"{len(one.games)}/{len(known.games)}"] for one in ranked]
    heads, title = [Column("player", kind=TEXT), *columns, Column("games")], f"{known.name}: the means over all games"
    made = [Table("overall", title, heads, whole)]
    for card in ranked:
        rows = [[game, *_cells(found, columns)] for game, found in card.games.items()]
        title = f"{card.player}: {card.matches:,} of {card.planned:,} matches"
        made.append(Table("games", title, [Column("game", kind=TEXT), *columns], rows))
    show([*made, LEGEND])
    print(f"\nAll numbers with their intervals are in {write_cards(out / 'score_cards.csv', cards)}")
    if behind := [card.player for card in ranked if card.matches < card.planned]:
        print(f"Not all matches have ended, so it is too early to cite: {', '.join(behind)}")
    else:
        print(f"To cite: {known.citation(seeds or known.seeds)}")


def _cells(found: Estimates | None, columns: Sequence[Column]) -> list[Interval | None]:
    given = {} if found is None else {**found, "legal": legal(found)}
    return [given.get(one.key) for one in columns]


def plain(cards: Sequence[Card], seeds: int | None) -> dict[str, Any]:
    """The same for JSON."""
    known = declared()
    made = {
        card.player: {
            "matches": card.matches,
            "planned": card.planned,
            **{game: plain_estimates({**found, "legal": legal(found)}) for game, found in every_row(card)},
        }
        for card in cards
    }
    return {"benchmark": known.name, "hash": known.hash, "cite": known.citation(seeds or known.seeds), "players": made}
