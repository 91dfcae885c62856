"""Tables of a summary, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group as Tables

from econzoo.envs.core.contract.game import GameFacts
from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.frame import SELF_GAIN, UNFORFEITED
from econzoo.evaluate.analyses.groups import Estimates, Group
from econzoo.evaluate.analyses.summary.equilibrium_share import SHARE, of_the_same_matches, share_tables
from econzoo.evaluate.analyses.summary.gap_table import behind_tables
from econzoo.evaluate.analyses.summary.summary import Summary
from econzoo.evaluate.show.console import TextTable, drawn, table
from econzoo.evaluate.show.numbers import AGREED, NOTHING, agreements, capitalized, cell, number, span
from econzoo.evaluate.stats.intervals import Interval
from econzoo.evaluate.stats.outcomes import HEADINGS

SHOWN = (
    ("self_gain", "gain", "number"),
    ("self_gain", "95%", "range"),
    ("share", "equil.", "percent"),
    ("efficiency", "effic.", "number"),
    ("fairness", "fair", "number"),
    (AGREED, AGREED, "percent"),
    ("forfeit", "forf.", "percent"),
    ("error_rate", "errors", "percent"),
)
"""(column, heading, form) of the columns that fit on a terminal of 80."""

OBJECTIVE = "obj."
"""Heading of the objective by which players are ranked, whose name may be long."""


def shown(objective: str, rows: Mapping[str, Estimates]) -> Sequence[tuple[str, str, str]]:
    """Columns such as `SHOWN` for some rows, those of the objective by which players are ranked first."""
    shares = of_the_same_matches(rows.values()) and any(one[SHARE].rows for one in rows.values())
    columns = [one for one in SHOWN if one[0] != SHARE or shares]
    if objective == SELF_GAIN:
        return columns
    others = [one for one in columns if one[0] != objective and one != (SELF_GAIN, "95%", "range")]
    return [(objective, OBJECTIVE, "number"), (objective, "95%", "range"), *others]


def legend(summary: Summary) -> str:
    """What the headings mean."""
    facts, interval = summary.facts, f"the mean with its 95% interval, {summary.told}"
    gain = f"gain: {facts.gain}"
    ranked = gain if summary.objective == SELF_GAIN else f"{OBJECTIVE}: {summary.objective}"
    return (
        f"{ranked}; {interval}. {'' if ranked == gain else f'{gain}. '}"
        "equil.: share of the equilibrium payoff captured. "
        f"{agreements_told(facts)}. "
        "forf.: matches forfeited. errors: unusable answers. "
        + " ".join(filter(None, (summary.repeated, summary.without_gains, summary.unpaid)))
    ).strip()


def agreements_told(facts: GameFacts) -> str:
    """What the heading of how often there was an agreement means."""
    if facts.rate:
        return f"{facts.rate}: rounds with {facts.an_agreement}, of all rounds of the market"
    return f"{agreements(facts)}: matches with {facts.an_agreement}"


def estimates_table(
    title: str,
    first: str,
    rows: Mapping[str, Estimates],
    facts: GameFacts,
    columns: Sequence[tuple[str, str, str]] = SHOWN,
) -> Any:
    """A table of columns such as `SHOWN`, one row for each name."""
    heads = [first, *(agreements(facts) if head == AGREED else head for _, head, _ in columns)]
    names = [facts.agreement_column if name == AGREED else name for name, _, _ in columns]
    forms = [form for _, _, form in columns]
    cells = [[cell(found.get(n), form) for n, form in zip(names, forms, strict=True)] for found in rows.values()]
    return table(title, heads, [[name, *row] for name, row in zip(rows, cells, strict=True)])


def taken(facts: GameFacts, role: str, heard: str = "") -> str:
    """``" as Alice (seller)"``; nothing for all seats together; with how words were heard, where that sets apart."""
    seat = f" as {facts.called(role)}" if role else ""
    return f"{seat}, {heard}" if heard else seat


def ranking_table(summary: Summary) -> Any:
    """The players, the highest mean first; a table for each role where players take different seats."""
    facts, tables = summary.facts, []
    for group in summary.groups:
        title = f"{summary.game}{taken(facts, group.role, group.heard)}: {many(group.matches, 'match')}"
        rows = {player: group.overall[player] for player in group.players}
        tables.append(estimates_table(title, "player", rows, facts, shown(summary.objective, rows)))
        behind = behind_tables(group.players[0], group.behind, summary.measure)
        tables += map(drawn, [*behind, *share_tables(rows), *forfeit_tables(rows)])
    return Tables(*tables)


def forfeit_tables(rows: Mapping[str, Estimates], first: str = "player") -> list[TextTable]:
    """Gains with and without the matches that somebody forfeited or left; none where nobody did."""
    if all(one[UNFORFEITED].rows == one[SELF_GAIN].rows for one in rows.values()):
        return []
    heads = [first, "own", "of others", "gain with", "without", "95%"]
    made = [
        [name, *_forfeits(one), number(one[SELF_GAIN].mean), *_both(one[UNFORFEITED])] for name, one in rows.items()
    ]
    return [TextTable("Matches that were forfeited or left, and gains with and without them", heads, made)]


def _forfeits(found: Estimates) -> list[str]:
    """How many matches were forfeited or left by the player, and how many by others."""
    own = round(sum(found[name].mean * found[name].rows for name in ("forfeit", "left")))
    return [f"{own:,}", f"{found[SELF_GAIN].rows - found[UNFORFEITED].rows - own:,}"]


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
    """Mean of the row player against the column player; columns are numbered like the rows."""
    return Tables(*(_cross_play(group, summary) for group in summary.groups))


def _cross_play(group: Group, summary: Summary) -> Any:
    met = [*group.players, *(o for o in group.opponents if o not in group.players)]
    faced = [(str(i + 1), name) for i, name in enumerate(met) if name in group.opponents]
    means = {pair: found[summary.objective].mean for pair, found in group.pairs.items()}
    rows = [[f"{i + 1} {p}", *(_mean(means.get((p, o))) for _, o in faced)] for i, p in enumerate(group.players)]
    others = [f"{i + 1} {o}" for i, o in enumerate(met) if o not in group.players]
    heads = ["against", *(head for head, _ in faced)]
    measure = "gain" if summary.objective == SELF_GAIN else OBJECTIVE
    title = f"Cross-play: mean {measure}{taken(summary.facts, group.role, group.heard)}"
    return table(title, heads, rows, ", ".join(others) or None)


def _mean(mean: float | None) -> str:
    told = NOTHING if mean is None else number(mean, 2)
    # ".38" rather than "0.38": a dozen columns fit on 80 characters.
    return told.removeprefix("0") if told.startswith("0.") else told


def checkpoint_tables(summary: Summary) -> list[Any]:
    """The tables of one player's evaluation: by opponent, by objective, by seat."""
    (player,) = summary.players
    rows = {opponent: summary.pairs[player, opponent] for opponent in summary.opponents}
    size = many(summary.matches, "match")
    size += "" if summary.repeats else f", {many(summary.clusters, 'cluster')} of market and seed"
    title = f"{player} in {summary.game}: {size}"
    rows["all"] = summary.overall[player]
    against = estimates_table(title, "against", rows, summary.facts, shown(summary.objective, rows))
    columns = [name for name, found in summary.overall[player].items() if found.rows and name not in HIDDEN]
    found = [[name, *_both(summary.overall[player][name])] for name in columns]
    seats = [
        [summary.facts.called(role), *_both(found[summary.objective])] for (_, role), found in summary.seats.items()
    ]
    heads = ["mean", "95%"]
    return [
        against,
        *map(drawn, [*share_tables(rows, "against"), *forfeit_tables(rows, "against")]),
        table("Over all opponents", ["measure", *heads], found),
        table(f"{capitalized(summary.measure)} by seat", ["as", *heads], seats),
        *notes(summary),
    ]


def notes(summary: Summary) -> list[str]:
    """What sets some matches apart, if anything does."""
    return [f"{summary.keywords}\n"] if summary.keywords else []


HIDDEN = ("rounds", "tokens", "cost", "regret_exact")
"""Columns that are no measure of how well a player plays."""


def _both(found: Interval) -> list[str]:
    return [number(found.mean), span(found)]
