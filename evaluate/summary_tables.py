"""Tables of a summary, for the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group as Tables

from econzoo.envs.core.contract.game import GameFacts
from econzoo.envs.core.plurals import many, plural
from econzoo.evaluate.console import table
from econzoo.evaluate.formats import NOTHING, cell, number, span
from econzoo.evaluate.groups import Estimates, Group
from econzoo.evaluate.intervals import Interval
from econzoo.evaluate.outcomes import HEADINGS
from econzoo.evaluate.summary import Summary

SHOWN = (
    ("self_gain", "gain", "number"),
    ("self_gain", "95%", "range"),
    ("share", "equil.", "percent"),
    ("efficiency", "effic.", "number"),
    ("fairness", "fair", "number"),
    ("agreed", "{agreements}", "percent"),
    ("forfeit", "forf.", "percent"),
    ("error_rate", "errors", "percent"),
)
"""(column, heading, form) of the columns that fit on a terminal of 80."""


def legend(summary: Summary) -> str:
    """What the headings mean."""
    facts = summary.facts
    return (
        f"gain: {facts.gain}; the mean with its 95% interval, {summary.told}. "
        "equil.: share of the equilibrium payoff captured. "
        f"{plural(facts.agreement)}: matches with a {facts.agreement}. "
        f"forf.: matches forfeited. errors: unusable answers. {summary.repeated}"
    ).strip()


def estimates_table(
    title: str,
    first: str,
    rows: Mapping[str, Estimates],
    facts: GameFacts,
    columns: Sequence[tuple[str, str, str]] = SHOWN,
) -> Any:
    """A table of columns such as `SHOWN`, one row for each name."""
    heads = [first, *(head.format(agreements=plural(facts.agreement)) for _, head, _ in columns)]
    return table(title, heads, [[name, *(cell(f.get(c), form) for c, _, form in columns)] for name, f in rows.items()])


def taken(facts: GameFacts, role: str, heard: str = "") -> str:
    """``" as Alice (seller)"``; nothing for all seats together; with how words were heard, where that sets apart."""
    seat = f" as {facts.called(role)}" if role else ""
    return f"{seat}, {heard}" if heard else seat


def ranking_table(summary: Summary) -> Any:
    """The players, the highest gain first; a table for each role where players take different seats."""
    facts, tables = summary.facts, []
    for group in summary.groups:
        title = f"{summary.game}{taken(facts, group.role, group.heard)}: {many(group.matches, 'match')}"
        tables.append(estimates_table(title, "player", {p: group.overall[p] for p in group.players}, facts))
        tables += behind_table(group)
    return Tables(*tables)


def behind_table(group: Group) -> list[Any]:
    """How far players are behind the first one, if there is an interval that says how sure that is."""
    gaps = {player: gap for player, gap in group.behind.items() if not math.isnan(gap.low)}
    rows = [[name, number(gap.mean), span(gap), "yes" if gap.distinct else "no"] for name, gap in gaps.items()]
    title = f"Gain less than that of {group.players[0]}, in the same markets and seeds"
    return [table(title, ["player", "behind", "95%", "not by chance (Holm)"], rows)] if rows else []


def replies_tables(summary: Summary) -> list[Any]:
    """How often each player's replies were cut, withheld, refused, empty or still thoughts; none if none were."""
    rows = {player: summary.overall[player] for player in summary.players}
    columns = [
        (rate, head, "percent") for rate, head in HEADINGS.items() if any(rate in found for found in rows.values())
    ]
    if not columns:
        return []
    return [estimates_table("Replies that were not whole", "player", rows, summary.facts, columns)]


def cross_play_table(summary: Summary) -> Any:
    """Mean gain of the row player against the column player; columns are numbered like the rows."""
    return Tables(*(_cross_play(group, summary.facts) for group in summary.groups))


def _cross_play(group: Group, facts: GameFacts) -> Any:
    met = [*group.players, *(o for o in group.opponents if o not in group.players)]
    shown = [(str(i + 1), name) for i, name in enumerate(met) if name in group.opponents]
    rows = [[f"{i + 1} {p}", *(_gain(group, p, o) for _, o in shown)] for i, p in enumerate(group.players)]
    others = [f"{i + 1} {o}" for i, o in enumerate(met) if o not in group.players]
    heads = ["against", *(head for head, _ in shown)]
    return table(
        f"Cross-play: mean gain{taken(facts, group.role, group.heard)}", heads, rows, ", ".join(others) or None
    )


def _gain(group: Group, player: str, opponent: str) -> str:
    found = group.pairs.get((player, opponent), {}).get("self_gain")
    shown = NOTHING if found is None else number(found.mean, 2)
    # ".38" rather than "0.38": a dozen columns fit on 80 characters.
    return shown.removeprefix("0") if shown.startswith("0.") else shown


def checkpoint_tables(summary: Summary) -> list[Any]:
    """The tables of one player's evaluation: by opponent, by objective, by seat."""
    (player,) = summary.players
    rows = {opponent: summary.pairs[player, opponent] for opponent in summary.opponents}
    size = f"{many(summary.matches, 'match')}, {many(summary.clusters, 'cluster')} of market and seed"
    title = f"{player} in {summary.game}: {size}"
    against = estimates_table(title, "against", {**rows, "all": summary.overall[player]}, summary.facts)
    columns = [name for name, found in summary.overall[player].items() if found.rows and name not in HIDDEN]
    found = [[name, *_both(summary.overall[player][name])] for name in columns]
    seats = [[summary.facts.called(role), *_both(found["self_gain"])] for (_, role), found in summary.seats.items()]
    heads = ["mean", "95%"]
    return [
        against,
        table("Over all opponents", ["measure", *heads], found),
        table("Gain by seat", ["as", *heads], seats),
        *notes(summary),
    ]


def notes(summary: Summary) -> list[str]:
    """What sets some matches apart, if anything does."""
    return [f"{summary.keywords}\n"] if summary.keywords else []


HIDDEN = ("rounds", "tokens", "cost", "regret_exact")
"""Columns that are no measure of how well a player plays."""


def _both(found: Interval) -> list[str]:
    return [number(found.mean), span(found)]
