"""Tables of a summary for terminals and pages (`Summary.numbers` has those for files)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import SELF_GAIN, GameFacts
from econzoo.evaluate.analyses import CASES_MEANING, CLIPPED_COLUMN, COUNTED, COUNTED_MEANING, EXACT, HOLM, REGRET
from econzoo.evaluate.analyses import SHARE, SHARE_GAIN, UNFORFEITED_GAIN, Estimates, Group, gap_table, has_same_matches
from econzoo.evaluate.show import COUNT, PAGE, READER_PLACES, TEXT, Column, Divider, Part, Row, Table, Text
from econzoo.evaluate.show import agreement_heading, capitalize_first
from econzoo.evaluate.show import SHARE as PART
from econzoo.evaluate.stats import BEST, HEADINGS, LEGEND, MEDIAN, MISSING, TAIL, TRIMMED, WORST, Difference, values_of

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.summary.summary import Summary
PLAYER = Column("player", kind=TEXT)

REGRET_MEANING = (
    "Regret: payoff of the best response to the same opponent minus the player's, as a fraction of the total "
    "equilibrium payoff. Only against opponents whose behaviour is known; a lower bound where the search for the best "
    "response is not exact. With moves of nature it is in gains and an expectation: a lucky match has negative regret"
)

MEASURES = {
    one.key: one
    for one in (
        Column(SELF_GAIN, "gain"),
        Column(SHARE, "share of equilibrium", PART),
        Column("share_each", "mean share per match", PART, places=(PAGE,)),
        Column(SHARE_GAIN, "gain in these seats"),
        Column("nash_product", "Nash product"),
        Column(MEDIAN),
        Column(TRIMMED, "trimmed mean", meaning=f"Trimmed mean: without the highest and lowest {TAIL:.0%}"),
        Column(CLIPPED_COLUMN, kind=PART, meaning="Clipped: matches with a gain beyond the range that counts"),
        Column("forfeit", "forfeits", PART),
        Column("left", kind=PART),
        Column("error_rate", "invalid answers", PART),
        Column("default_rate", "default moves", PART),
        Column(UNFORFEITED_GAIN, "gain without", show_interval=True),
        Column("rounds", digits=1),
        Column(REGRET, places=(PAGE,), meaning=REGRET_MEANING),
        Column(EXACT, "computed exactly", PART, places=(PAGE,)),
        *(Column(rate, head, PART) for rate, head in HEADINGS.items()),
    )
}
"""Columns whose headings or formats differ from their names."""

TERMINAL_MEASURES = {SELF_GAIN, SHARE, "efficiency", "fairness"}
"""Measures shown in terminals."""

NON_OBJECTIVES = {"rounds", "tokens", "cost", COUNTED, MISSING, WORST, BEST, *MEASURES} - {SELF_GAIN, "nash_product"}
"""Measures that are not objectives or have tables of their own."""


def measure_column(facts: GameFacts, name: str, **more: Any) -> Column:
    """Return the column of a measure; ``more`` are fields of `Column`."""
    if name == facts.agreement_column:
        return Column(name, agreement_heading(facts), PART, meaning=capitalize_first(agreements_meaning(facts)), **more)
    return replace(MEASURES.get(name, Column(name, name)), **more)


def agreements_meaning(facts: GameFacts) -> str:
    """Return the legend of the agreement rate."""
    if facts.rate:
        return f"{facts.rate}: share of the setting's rounds with {facts.agreement_with_article}"
    return f"{agreement_heading(facts)}: share of matches with {facts.agreement_with_article}"


def objective_columns(summary: Summary, rows: Sequence[Estimates]) -> list[Column]:
    """Return columns: the ranking objective, then gain, theory and agreements, then other objectives."""
    facts, ranked = summary.facts, summary.objective
    others = [
        name for name in rows[0] if name not in NON_OBJECTIVES and name not in (SELF_GAIN, facts.agreement_column)
    ]
    same = [SHARE] if has_same_matches(rows) else []
    slips = [name for name in ("forfeit", CLIPPED_COLUMN) if any(one[name].mean > 0 for one in rows)]
    robust = [*slips, MEDIAN, TRIMMED]
    names = [*robust, SELF_GAIN, *same, "efficiency", "fairness", facts.agreement_column, *others]
    more = ranking_columns(summary.measure, rows)
    # Terminals have no room for robust means beside worst and best cases.
    room = {ranked, facts.agreement_column, *TERMINAL_MEASURES, *(slips if summary.has_cases else robust)}
    columns = [
        measure_column(facts, name, **({} if name in room else {"places": (PAGE,)})) for name in dict.fromkeys(names)
    ]
    first = measure_column(facts, ranked, show_interval=True, bar=True, meaning=_ranking_meaning(summary))
    return [first, *more, *(one for one in columns if one.key != ranked)]


def ranking_columns(measure: str, rows: Iterable[Mapping[str, Any]], show_interval: bool = True) -> list[Column]:
    """Return columns of the values by which players are ordered, as far as they differ from the mean."""
    columns = (
        Column(COUNTED, show_interval=show_interval, meaning=COUNTED_MEANING.format(measure)),
        Column(MISSING, kind=PART),
        Column(WORST, meaning=CASES_MEANING),
        Column(BEST),
    )
    found = {name for row in rows for name in row}
    return [one for one in columns if one.key in found]


def _ranking_meaning(summary: Summary) -> str:
    gain, by = f"Gain: {summary.facts.gain}", "Ranked" if summary.is_ordered else "Sorted"
    return gain if summary.objective == SELF_GAIN else f"{by} by {summary.objective}. {gain}"


def heading(summary: Summary, group: Group) -> str:
    """Return e.g. ``"As Alice (seller)"``; empty for all seats together."""
    return capitalize_first(group_phrase(summary.facts, group.role, group.reading_label))


def group_phrase(facts: GameFacts, role: str, reading_label: str) -> str:
    """Return e.g. ``"as Alice (seller), words by keywords"``; empty where neither applies."""
    return ", ".join(filter(None, [f"as {facts.role_with_part(role)}" if role else "", reading_label]))


def suffixes(summary: Summary, group: Group) -> tuple[str, str]:
    """Return suffixes of titles and of keys that identify a group."""
    where = group_phrase(summary.facts, group.role, group.reading_label)
    return where and f", {where}", "".join(
        f"_{one.lower().replace(' ', '_')}" for one in (group.role, group.reading_label) if one
    )


NOT_ESTABLISHED = "Sorted by the mean; the order of players whose worst and best cases overlap is not established."
CASES_HOLM = f"{HOLM.removesuffix('.')}, and the worst and the best case have the same sign."

Places = Sequence[Divider | tuple[str, Estimates]]
"""Names with their estimates, and dividers between groups."""


def ranked_places(summary: Summary) -> Places:
    """Return all players, group by group, the highest mean first."""
    places: list[Divider | tuple[str, Estimates]] = []
    for group in summary.groups:
        if text := heading(summary, group):
            places.append(Divider(text, format_count(group.matches, "match")))
        places += [(player, group.overall[player]) for player in group.players]
    return places


def estimates_of(places: Places) -> list[Estimates]:
    """Return the estimates without the dividers."""
    return [one[1] for one in places if not isinstance(one, Divider)]


def _rows(places: Places, cells: Callable[[Estimates], Sequence[Any]]) -> list[Row | Divider]:
    return [one if isinstance(one, Divider) else [one[0], *cells(one[1])] for one in places]


def estimates_table(
    key: str, title: str, columns: Sequence[Column], places: Places, note: str = "", first: str = ""
) -> Table:
    """Return a table of estimates, one row per name."""
    body = _rows(places, lambda found: [found.get(one.key) for one in columns])
    return Table(key, title, [replace(PLAYER, head=first), *columns], body, note, places=READER_PLACES)


def ranking(summary: Summary) -> list[Table]:
    """Return the ranking, and the gaps to the first player; by role if players take different seats."""
    places = ranked_places(summary)
    columns = objective_columns(summary, estimates_of(places))
    title = f"{summary.game}: {format_count(summary.matches, 'match')}"
    gaps = [
        gap_to_first_table(
            group.players[0],
            group.gaps_to_best,
            summary.ranked_measure,
            about=suffixes(summary, group)[0],
            cases=group.gap_cases,
        )
        for group in summary.groups
    ]
    return [estimates_table("ranking", title, columns, places, _ranking_note(summary)), *gaps]


def gap_to_first_table(
    first: str,
    gaps: Mapping[str, Difference],
    measure: str,
    pairs: str = "settings and seeds",
    about: str = "",
    cases: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> Table:
    """Return the paired differences between the first player of a ranking and the others.

    Args:
        pairs: Units of the pairing.
        cases: Least and greatest difference of each player with missing matches; empty if none are missing.
    """
    title = f"{capitalize_first(measure)}: {f'{first} minus others' if cases else f'gap to {first}'}{about}"
    shown = (((player,), gap) for player, gap in gaps.items())
    table = gap_table("gaps_to_best", f"{title}, paired by {pairs}", ["player"], shown, digits=3)
    if cases:
        columns = [replace(one, head="difference") if one.key == "gap_to_best" else one for one in table.columns]
        rows = [(*row, *cases[row[0]]) for row in table.rows if not isinstance(row, Divider)]
        table = replace(table, columns=[*columns, Column(WORST), Column(BEST)], rows=rows, note=CASES_HOLM)
    return replace(table, places=READER_PLACES)


def _ranking_note(summary: Summary) -> str:
    seats = "by seat" if summary.groups[0].role else "over all seats"
    matches = "all matches of a player"
    if not all(group.is_over_all for group in summary.groups):
        matches = "the matches of a player against opponents that all players met"
    return ("" if summary.is_ordered else f"{NOT_ESTABLISHED} ") + (
        f"Means over {matches}, {seats}. The 95% intervals are {summary.population_note}; none is given "
        "with fewer than six clusters, or where all are identical."
    )


def equilibrium(facts: GameFacts, places: Places, first: str = "") -> Table:
    """Return shares of the equilibrium payoff; with counts and gains where some seats have no share."""
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
        "Share of the equilibrium payoff" + ("" if same else " (seats where it is known and not 0)"),
        [replace(PLAYER, head=first), *([] if same else apart), *measures],
        _rows(places, cells) if known else [],
        "" if same else "Seats: number with a share, of all; the gain is over these seats only.",
        places=(PAGE,) if same else READER_PLACES,
    )


def regrets(facts: GameFacts, places: Places, shown: tuple[str, ...]) -> Table:
    """Return the regret, for games whose equilibrium pays nothing, and for terminals; `shown`: where."""
    columns = [PLAYER, *(measure_column(facts, name, places=shown) for name in (REGRET, EXACT))]
    rows = _rows(places, lambda found: [found[REGRET], found[EXACT].mean])
    return Table("regret", "Regret", columns, rows, places=shown)


def violations(summary: Summary) -> Table:
    """Return counts of moves against the player's own interest."""
    names = list(next(iter(summary.violations.values()), ()))
    rows = [[p, *summary.violations[p].values()] for p in summary.players if p in summary.violations]
    note = "Counts over all matches, as defined by the game's solution."
    columns = [PLAYER, *(Column(name, kind=COUNT) for name in names)]
    return Table("violations", "Moves against the player's own interest", columns, rows, note)


def conduct(summary: Summary) -> list[Table]:
    """Return forfeits, invalid answers and reply outcomes by player, and gains with and without forfeits."""
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
    note = "Forfeits and matches left: share of matches. Invalid answers and default moves: share of answers." + (
        f" {LEGEND}" if outcomes else ""
    )
    heads = [PLAYER, Column("matches", kind=COUNT), *columns]
    return [Table("conduct", "Conduct", heads, body, note, places=READER_PLACES), forfeits(rows)]


def forfeits(rows: Mapping[str, Estimates], first: str = "") -> Table:
    """Return gains with and without matches that were forfeited or left; no rows without such matches."""
    some = any(one[UNFORFEITED_GAIN].rows != one[SELF_GAIN].rows for one in rows.values())
    columns = [
        replace(PLAYER, head=first),
        Column("own", kind=COUNT),
        Column("of_others", kind=COUNT),
        Column(SELF_GAIN, "gain with"),
        MEASURES[UNFORFEITED_GAIN],
    ]
    body = [[name, *_forfeits(one), one[SELF_GAIN], one[UNFORFEITED_GAIN]] for name, one in rows.items()]
    title = "Gain with and without matches that were forfeited or left"
    return Table("forfeited", title, columns, body if some else [], places=READER_PLACES)


def _forfeits(found: Estimates) -> list[int]:
    """Number of matches forfeited or left by the player, and by others."""
    own = round(sum(found[name].mean * found[name].rows for name in ("forfeit", "left") if found[name].rows))
    return [own, found[SELF_GAIN].rows - found[UNFORFEITED_GAIN].rows - own]


def checkpoint_parts(summary: Summary) -> list[Part]:
    """Return the evaluation of one player: by opponent, measure and seat."""
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
    measures = [(name, one) for name, one in summary.overall[player].items() if one.rows and name not in NON_MEASURES]
    seats = [(summary.facts.role_with_part(role), one[summary.objective]) for (_, role), one in summary.seats.items()]
    value = Column("mean", show_interval=True)
    return [
        estimates_table("against", title, columns, places, note, first="against"),
        equilibrium(summary.facts, places, "against"),
        forfeits(rows, "against"),
        Table("measures", "Over all opponents", [Column("measure", kind=TEXT), value], measures, places=READER_PLACES),
        Table("seats", f"{capitalize_first(summary.measure)} by seat", [Column("as", kind=TEXT), value], seats),
        *notes(summary),
    ]


def notes(summary: Summary) -> list[Text]:
    """Return notes on repeated matches, settings without gains, keyword readers and missing results."""
    keywords = str(summary.keywords) if summary.keywords else ""
    texts = (summary.repeats_note, summary.no_gains_note, keywords, summary.no_result_note)
    return [Text(text) for text in texts if text]


NON_MEASURES = ("rounds", "tokens", "cost", EXACT)
"""Columns that do not measure how well a player plays."""
