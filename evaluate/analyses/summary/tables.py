"""Tables of a summary for terminals and pages; `Summary.numbers` are those for files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.game import GameFacts
from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.frame import CLIPPED_COLUMN, SHARE, SHARE_GAIN, UNFORFEITED_GAIN
from econzoo.evaluate.analyses.gap_to_best import gap_table
from econzoo.evaluate.analyses.groups import Estimates, Group, has_same_matches
from econzoo.evaluate.analyses.regret import EXACT, REGRET
from econzoo.evaluate.show.numbers import agreement_heading, capitalize_first
from econzoo.evaluate.show.parts import COUNT, PAGE, READER_PLACES, TEXT, Column, Divider, Part, Row, Table, Text
from econzoo.evaluate.show.parts import SHARE as PART
from econzoo.evaluate.stats.columns import values_of
from econzoo.evaluate.stats.estimates import MEDIAN, TAIL, TRIMMED, Difference
from econzoo.evaluate.stats.outcomes import HEADINGS, LEGEND

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.summary.summary import Summary
PLAYER = Column("player", kind=TEXT)

REGRET_MEANING = (
    "Regret: what the best response to the same opponent would have earned more, as a part of what the equilibrium "
    "pays all seats together. Only against opponents whose behaviour is known; where the search for the best response "
    "is not exact, it is a lower bound. Where nature draws it is in gains and on average over draws: a lucky match has "
    "a negative one"
)

MEASURES = {
    one.key: one
    for one in (
        Column(SELF_GAIN, "gain"),
        Column(SHARE, "share of equilibrium", PART),
        Column("share_each", "mean share of a match", PART, places=(PAGE,)),
        Column(SHARE_GAIN, "gain there"),
        Column("nash_product", "Nash product"),
        Column(MEDIAN),
        Column(TRIMMED, "trimmed mean", meaning=f"Trimmed mean: without the highest and the lowest {TAIL:.0%}"),
        Column(CLIPPED_COLUMN, kind=PART, meaning="Clipped: matches with a gain beyond the range that counts"),
        Column("forfeit", "forfeits", PART),
        Column("left", kind=PART),
        Column("error_rate", "invalid answers", PART),
        Column("default_rate", "default moves", PART),
        Column(UNFORFEITED_GAIN, "gain without", show_interval=True),
        Column("rounds", digits=1),
        Column(REGRET, places=(PAGE,), meaning=REGRET_MEANING),
        Column(EXACT, "of it exact", PART, places=(PAGE,)),
        *(Column(rate, head, PART) for rate, head in HEADINGS.items()),
    )
}
"""Columns that are not simply their names."""

TERMINAL_MEASURES = {SELF_GAIN, SHARE, "efficiency", "fairness"}
"""Measures that a terminal has room for."""

NON_OBJECTIVES = {"rounds", "tokens", "cost", *MEASURES} - {SELF_GAIN, "nash_product"}
"""Measures that are no objectives, or stand in tables of their own."""


def measure_column(facts: GameFacts, name: str, **more: Any) -> Column:
    """The column of a measure; ``more`` are fields of `Column`."""
    if name == facts.agreement_column:
        return Column(name, agreement_heading(facts), PART, meaning=capitalize_first(agreements_meaning(facts)), **more)
    return replace(MEASURES.get(name, Column(name, name)), **more)


def agreements_meaning(facts: GameFacts) -> str:
    """What the heading of how often there was an agreement means."""
    if facts.rate:
        return f"{facts.rate}: rounds with {facts.agreement_with_article}, of all rounds of the setting"
    return f"{agreement_heading(facts)}: matches with {facts.agreement_with_article}"


def objective_columns(summary: Summary, rows: Sequence[Estimates]) -> list[Column]:
    """The objective that players are ranked by, then gain, theory and deals, then the other objectives."""
    facts, ranked = summary.facts, summary.objective
    others = [
        name for name in rows[0] if name not in NON_OBJECTIVES and name not in (SELF_GAIN, facts.agreement_column)
    ]
    same = [SHARE] if has_same_matches(rows) else []
    slips = [name for name in ("forfeit", CLIPPED_COLUMN) if any(one[name].mean > 0 for one in rows)]
    beside = [*slips, MEDIAN, TRIMMED]
    names = [*beside, SELF_GAIN, *same, "efficiency", "fairness", facts.agreement_column, *others]
    room = {ranked, facts.agreement_column, *TERMINAL_MEASURES, *beside}
    columns = [
        measure_column(facts, name, **({} if name in room else {"places": (PAGE,)})) for name in dict.fromkeys(names)
    ]
    first = measure_column(facts, ranked, show_interval=True, bar=True, meaning=_ranking_meaning(summary))
    return [first, *(column for column in columns if column.key != ranked)]


def _ranking_meaning(summary: Summary) -> str:
    gain = f"Gain: {summary.facts.gain}"
    return gain if summary.objective == SELF_GAIN else f"Ranked by {summary.objective}. {gain}"


def heading(summary: Summary, group: Group) -> str:
    """``"As Alice (seller)"``; empty for all seats together; with how words were heard, where that sets apart."""
    return capitalize_first(group_phrase(summary.facts, group.role, group.reading_label))


def group_phrase(facts: GameFacts, role: str, reading_label: str) -> str:
    """``"as Alice (seller), words by keywords"``; nothing where neither sets matches apart."""
    return ", ".join(filter(None, [f"as {facts.role_with_part(role)}" if role else "", reading_label]))


def suffixes(summary: Summary, group: Group) -> tuple[str, str]:
    """What sets a group apart, for the end of a title, and of a key."""
    where = group_phrase(summary.facts, group.role, group.reading_label)
    return where and f", {where}", "".join(
        f"_{one.lower().replace(' ', '_')}" for one in (group.role, group.reading_label) if one
    )


Places = Sequence[Divider | tuple[str, Estimates]]
"""Names with their estimates, and headings above some of them."""


def ranked_places(summary: Summary) -> Places:
    """All players, group by group, the highest mean of each first."""
    places: list[Divider | tuple[str, Estimates]] = []
    for group in summary.groups:
        if text := heading(summary, group):
            places.append(Divider(text, format_count(group.matches, "match")))
        places += [(player, group.overall[player]) for player in group.players]
    return places


def estimates_of(places: Places) -> list[Estimates]:
    """Those without the headings."""
    return [one[1] for one in places if not isinstance(one, Divider)]


def _rows(places: Places, cells: Callable[[Estimates], Sequence[Any]]) -> list[Row | Divider]:
    return [one if isinstance(one, Divider) else [one[0], *cells(one[1])] for one in places]


def estimates_table(
    key: str, title: str, columns: Sequence[Column], places: Places, note: str = "", first: str = ""
) -> Table:
    """A table of estimates, one row for each name."""
    body = _rows(places, lambda found: [found.get(one.key) for one in columns])
    return Table(key, title, [replace(PLAYER, head=first), *columns], body, note, places=READER_PLACES)


def ranking(summary: Summary) -> list[Table]:
    """The players, the highest mean first, and how far the others are behind; role by role if seats differ."""
    places = ranked_places(summary)
    columns = objective_columns(summary, estimates_of(places))
    title = f"{summary.game}: {format_count(summary.matches, 'match')}"
    gaps = [
        gap_to_first_table(group.players[0], group.gaps_to_best, summary.measure, about=suffixes(summary, group)[0])
        for group in summary.groups
    ]
    return [estimates_table("ranking", title, columns, places, _ranking_note(summary)), *gaps]


def gap_to_first_table(
    first: str, gaps: Mapping[str, Difference], measure: str, pairs: str = "settings and seeds", about: str = ""
) -> Table:
    """How far others are behind the first one of a ranking.

    Args:
        first: The first one.
        gaps: See `econzoo.evaluate.stats.estimates.gaps_to_best`.
        measure: What they are ranked by.
        pairs: In what they are compared.
        about: What sets the first one apart, where others are the first elsewhere.
    """
    title = f"{capitalize_first(measure)} less than that of {first}{about}, in the same {pairs}"
    made = gap_table("behind", title, ["player"], (((player,), gap) for player, gap in gaps.items()), digits=3)
    return replace(made, places=READER_PLACES)


def _ranking_note(summary: Summary) -> str:
    seats = "players of the same seat are compared" if summary.groups[0].role else "in all seats"
    return (
        f"Means over all matches of a player, {seats}. The 95% intervals are "
        f"{summary.population_note}; there is none with fewer "
        "than six draws, or where all are alike."
    )


def equilibrium(facts: GameFacts, places: Places, first: str = "") -> Table:
    """How much of the payoff in equilibrium was captured; where that is not of the same matches as the gain, both."""
    rows = estimates_of(places)
    same = has_same_matches(rows)
    apart = [
        Column("seats", kind=COUNT),
        Column("of", kind=COUNT),
        measure_column(facts, SHARE_GAIN, show_interval=True),
    ]
    share = measure_column(facts, SHARE, show_interval=True)
    measures = [share, *(measure_column(facts, name) for name in ("share_each", REGRET, EXACT))]

    def cells(found: Estimates) -> list[Any]:
        own = [] if same else [found[SHARE].rows, found[SELF_GAIN].rows, found[SHARE_GAIN]]
        return [*own, found[SHARE], found["share_each"], found[REGRET], found[EXACT].mean]

    known = any(found[SHARE].rows for found in rows)
    return Table(
        "equilibrium",
        "Share of the equilibrium payoff" + ("" if same else ", in the seats where that is known and not 0"),
        [replace(PLAYER, head=first), *([] if same else apart), *measures],
        _rows(places, cells) if known else [],
        "" if same else "Seats: those with a share, of all; the gain there is that of just these.",
        places=(PAGE,) if same else READER_PLACES,
    )


def regrets(facts: GameFacts, places: Places) -> Table:
    """What the best responses would have earned more, where the equilibrium pays nobody."""
    columns = [PLAYER, *(measure_column(facts, name) for name in (REGRET, EXACT))]
    rows = _rows(places, lambda found: [found[REGRET], found[EXACT].mean])
    return Table("regret", "Regret", columns, rows, places=(PAGE,))


def violations(summary: Summary) -> Table:
    """Moves against one's own interest."""
    names = list(next(iter(summary.violations.values()), ()))
    rows = [[p, *summary.violations[p].values()] for p in summary.players if p in summary.violations]
    note = "Counted over all matches, by the definitions of the game's solution."
    columns = [PLAYER, *(Column(name, kind=COUNT) for name in names)]
    return Table("violations", "Moves against one's own interest", columns, rows, note)


def conduct(summary: Summary) -> list[Table]:
    """How players behaved: forfeits, invalid answers, replies that were not whole; and gains without forfeits."""
    rows = {player: summary.overall[player] for player in summary.players}
    outcomes = [rate for rate in HEADINGS if rate in next(iter(rows.values()))]
    names = ("forfeit", "left", "error_rate", *outcomes, "default_rate")
    columns = [*(measure_column(summary.facts, name) for name in names), replace(MEASURES["rounds"], places=(PAGE,))]
    seats = zip(values_of(summary.columns["player"]), values_of(summary.columns["match"]), strict=True)
    matches = Counter(player for player, _ in set(seats))
    body = [
        [player, matches[player], *(found[name] for name in names), found["rounds"].mean]
        for player, found in rows.items()
    ]
    note = (
        "Forfeits and matches left, of all matches; invalid answers and default moves in place of them, of all answers."
        + (f" {LEGEND}" if outcomes else "")
    )
    heads = [PLAYER, Column("matches", kind=COUNT), *columns]
    return [Table("conduct", "Conduct", heads, body, note, places=READER_PLACES), forfeits(rows)]


def forfeits(rows: Mapping[str, Estimates], first: str = "") -> Table:
    """Gains with and without the matches that somebody forfeited or left; no rows where nobody did."""
    some = any(one[UNFORFEITED_GAIN].rows != one[SELF_GAIN].rows for one in rows.values())
    columns = [
        replace(PLAYER, head=first),
        Column("own", kind=COUNT),
        Column("of_others", kind=COUNT),
        Column(SELF_GAIN, "gain with"),
        MEASURES[UNFORFEITED_GAIN],
    ]
    body = [[name, *_forfeits(one), one[SELF_GAIN], one[UNFORFEITED_GAIN]] for name, one in rows.items()]
    title = "Matches that were forfeited or left, and gains with and without them"
    return Table("forfeited", title, columns, body if some else [], places=READER_PLACES)


def _forfeits(found: Estimates) -> list[int]:
    """How many matches were forfeited or left by the player, and how many by others."""
    own = round(sum(found[name].mean * found[name].rows for name in ("forfeit", "left")))
    return [own, found[SELF_GAIN].rows - found[UNFORFEITED_GAIN].rows - own]


def checkpoint_parts(summary: Summary) -> list[Part]:
    """One player's evaluation: by opponent, by objective, by seat."""
    (player,) = summary.players
    rows = {opponent: summary.pairs[player, opponent] for opponent in summary.opponents}
    rows["all"] = summary.overall[player]
    size = format_count(summary.matches, "match")
    size += "" if summary.repeats else f", {format_count(summary.clusters, 'cluster')} of setting and seed"
    columns = objective_columns(summary, [*rows.values()])
    if any(one["error_rate"].mean > 0 for one in rows.values()):
        columns.append(measure_column(summary.facts, "error_rate"))
    title = f"{player} in {summary.game}: {size}"
    note = f"The 95% intervals are {summary.population_note}."
    places = [*rows.items()]
    measured = [(name, one) for name, one in summary.overall[player].items() if one.rows and name not in NON_MEASURES]
    seats = [(summary.facts.role_with_part(role), one[summary.objective]) for (_, role), one in summary.seats.items()]
    value = Column("mean", show_interval=True)
    return [
        estimates_table("against", title, columns, places, note, first="against"),
        equilibrium(summary.facts, places, "against"),
        forfeits(rows, "against"),
        Table("measures", "Over all opponents", [Column("measure", kind=TEXT), value], measured, places=READER_PLACES),
        Table("seats", f"{capitalize_first(summary.measure)} by seat", [Column("as", kind=TEXT), value], seats),
        *notes(summary),
    ]


def notes(summary: Summary) -> list[Text]:
    """What sets some matches apart, if anything does."""
    apart = str(summary.keywords) if summary.keywords else ""
    return [Text(one) for one in (summary.repeats_note, summary.no_gains_note, apart, summary.no_result_note) if one]


NON_MEASURES = ("rounds", "tokens", "cost", EXACT)
"""Columns that are no measure of how well a player plays."""
