"""The analysis ``behaviour``: anchoring, concessions, agreement, honesty, trust."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

from econzoo.baselines import open_journal
from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Option
from econzoo.evaluate.analyses import describe
from econzoo.evaluate.analyses.behaviour import choices, deals, figures, persuasion
from econzoo.evaluate.analyses.behaviour.deals import MEAN_DEMAND
from econzoo.evaluate.analyses.behaviour.exchanges import GAME, model_reader, read_keywords
from econzoo.evaluate.analyses.behaviour.measures import Behaviour, measure
from econzoo.evaluate.analyses.behaviour.offers import GAMES
from econzoo.evaluate.analyses.behaviour.rows import ALL_PLAYERS, Row, distinct, select_rows
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import COUNT, HEADING, PAGE, READER_PLACES, SHARE, TEXT, Column, Figure, Page, Part, Table
from econzoo.evaluate.show import Text, file_table, method_section
from econzoo.evaluate.stats import Interval

METHOD = (
    "All matches of one setting and seed share their random numbers and count as one draw; with six settings or more "
    "each setting is one, with all its seeds. The 95% intervals are score intervals (Wilson) for shares of cases, and "
    "of Student's t with a correction for skewness for the rest; there is none with fewer than six draws, or where all "
    "are alike. n counts what a number is made of. What is not defined is left empty: a correlation without variation, "
    "a rate without a case. Moves that the environment made in place of an invalid answer count as nobody's behaviour."
)
BAYES = (
    "The Bayesian buyer takes the seller for somebody who recommends good products with one fixed probability and bad "
    "ones with another, all pairs of these equally likely at first; it learns from every round whose quality it was "
    "told and whose message can be read, and knows the prior where the buyer does. It stands for a reference, not for "
    "what the buyer should have believed of a seller that changes its ways."
)
RUNNING_NOTE = (
    "Only matches that still run have offers, so a curve over all of them mixes what players do with who is left: the "
    "lower part shows how many are. Rounds with fewer than five offers are not drawn."
)


def behaviour(
    records: Records,
    *,
    reader: Annotated[
        str | None, Option(meaning="Language model that classifies messages of persuasion. Default: keywords.")
    ] = None,
) -> Page:
    """How players behave: anchoring, concessions, agreement, honesty, trust.

    Args:
        records: Of bargaining, negotiation and persuasion, in any mixture.
        reader: Spec of a language model.

    Raises:
        ValueError: No record is of one of these games, or the spec is no language model's.
        ModelError: The model cannot answer.
    """
    # The journal keeps answers of a reading that is stopped, so they are not paid twice.
    with open_journal(records.place / "behaviour.csv"):
        found = measure(records, model_reader(reader, records) if reader else read_keywords)
    facts = [format_count(sum(found.matches.values()), "match")]
    for game in found.games:
        facts.append(
            f"{game}: {format_count(found.matches[game], 'match')}, {format_count(found.clusters[game], 'cluster')}"
        )
    parts: list[Part] = [
        file_table("behaviour", Row._fields, found.rows),
        *describe(found.played_games, [records.folder]),
    ]
    for game in found.games:
        parts += _game(found, game)
    parts += _method(found)
    return Page("behaviour", f"Behaviour: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _game(found: Behaviour, game: str) -> Iterator[Part]:
    """The tables of a game, each with the figures that belong to it."""
    drawn = _figures(found, game)
    shown = tables(found, game)
    for table in shown:
        yield Text(table.title + (f" in {game}" if len(found.games) > 1 else ""), HEADING)
        yield table
        yield from drawn.get(table.title, [])
    if not shown:
        yield Text(f"{game}: there is no move to measure.")


def _figures(found: Behaviour, game: str) -> dict[str, list[Part]]:
    """Title of a table to the figures below it."""
    rows = found.rows
    drawn: dict[str, list[Part]] = {}
    if select_rows(rows, measure=choices.CHOSEN, game=game):
        title = f"Calibration of choices in {game}"
        drawn[CHOICES] = [Figure(f"choices_{game}", "", "", figures.choice_figure(rows, game), title)]
    if game == GAME:
        return drawn | {
            HONESTY: [Figure("honesty", "", "", figures.honesty_figure(rows, game), "Lie rates")],
            "Trust": [Figure("trust", "", "", figures.reliability_figure(rows, game), "Purchase rate by belief")],
        }
    if game not in GAMES:
        return drawn
    facts = find_game(game).facts
    curves: list[Part] = [
        Figure(
            f"concessions_{game}_{role}",
            f"As {facts.role_with_part(role)}",
            "",
            figures.concession_figure(rows, game, role),
        )
        for role in sorted(distinct(select_rows(rows, measure=MEAN_DEMAND, game=game), "role"))
    ]
    ending = Figure(
        f"agreement_{game}", "", "", figures.agreement_figure(rows, game), f"Matches without a deal in {game}"
    )
    return drawn | {"Round of agreement": [ending], "Concessions": [*curves, Text(RUNNING_NOTE, places=(PAGE,))]}


def _method(found: Behaviour) -> Iterator[Part]:
    yield from method_section(METHOD, *([BAYES] if GAME in found.games else []))
    if found.excluded_matches:
        yield Text(f"{format_count(found.excluded_matches, 'match')} of games without these measures were left out.")


# The tables that terminals and pages show: chosen numbers, side by side; the table of all numbers is for files
HONESTY, CHOICES = "Honesty", "Choice probabilities"
UNDEFINED = Interval(float("nan"), float("nan"), float("nan"), 0)


def tables(found: Behaviour, game: str) -> list[Table]:
    """All tables of a game that have a row."""
    rows = [row for row in found.rows if row.game == game]
    made = [
        _anchoring(rows),
        _agreement(rows),
        _concession_table(rows),
        _honesty(rows, found.keyword_note),
        _purchase_table(rows),
        _trust(rows),
        _choices(rows),
    ]
    return [one for one in made if one.rows]


def _table(
    title: str,
    first: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    cells: Callable[[list[Row]], Sequence[Any]],
    note: str,
) -> Table:
    """A table with one line for every player and role, all together last; roles are named where there are several."""
    places = sorted({(row.player, row.role) for row in rows}, key=lambda place: (place[0] == ALL_PLAYERS, place))
    several = len({role for _, role in places}) > 1
    lines = [
        [f"{player} as {role}" if several else player, *cells(select_rows(rows, player=player, role=role))]
        for player, role in places
    ]
    key = title.lower().replace(" ", "_")
    return Table(key, title, [Column("player", first, TEXT), *columns], lines, note, places=READER_PLACES)


def _find_interval(rows: Sequence[Row], key: str) -> Interval:
    return next((row.interval for row in rows if row.key == key), UNDEFINED)


N = Column("n", kind=COUNT)


def _anchoring(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        r = _find_interval(own, deals.PEARSON)
        return r, _find_interval(own, deals.SPEARMAN), r.rows, _find_interval(own, deals.ACCEPTED_AT_ONCE)

    columns = [
        Column("pearson", "Pearson", digits=2, show_interval=True),
        Column("spearman", "Spearman", digits=2),
        N,
        Column("at_once", kind=SHARE),
    ]
    note = (
        "Correlation of a seat's first offer with the final terms, over matches whose first offer was not accepted at "
        "once (n); at once: the others' share of first offers."
    )
    return _table("Anchoring", "first offer of", columns, select_rows(rows, measure=deals.ANCHORING), cells, note)


SHOWN_ROUNDS = (1, 2, 4, 8)


def _agreement(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        curve = select_rows(own, measure=deals.NO_DEAL_SHARE)
        last = {int(row.key): row.interval for row in curve}
        # No match went on after the last round of the curve, so it stays where it is.
        after = [last.get(t, last[max(last)] if t > max(last) else UNDEFINED) for t in SHOWN_ROUNDS]
        return _find_interval(own, "median"), *after, curve[-1].n

    measured = [row for row in rows if row.measure in (deals.NO_DEAL_SHARE, deals.MEDIAN_ROUND)]
    columns = [
        Column("median", "median round", digits=0, show_interval=True),
        *(Column(f"after_{t}", kind=SHARE) for t in SHOWN_ROUNDS),
        N,
    ]
    note = "Matches without a deal after so many rounds (Kaplan-Meier; no deal is censored at the horizon)."
    return _table("Round of agreement", "player", columns, measured, cells, note)


OWN_OFFERS = 3


def _concession_table(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        curve = [row.interval for row in select_rows(own, measure=deals.MEAN_DEMAND)[:OWN_OFFERS]]
        steps = select_rows(own, measure=deals.CONCESSION_STEP)
        return *curve, *[UNDEFINED] * (OWN_OFFERS - len(curve)), steps[0].interval if steps else UNDEFINED

    measured = [row for row in rows if row.measure in (deals.MEAN_DEMAND, deals.CONCESSION_STEP)]
    columns = [
        *(Column(f"offer_{i + 1}", digits=2) for i in range(OWN_OFFERS)),
        Column("first_step", digits=2, show_interval=True),
    ]
    note = (
        "Mean of what was asked in the seat's first rounds to offer, in parts of the scale, over the matches that "
        "still ran; first step: mean change from the first to the second offer of the same match."
    )
    return _table("Concessions", "player", columns, measured, cells, note)


def _honesty(rows: list[Row], apart: str) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        lies = select_rows(own, measure=persuasion.LIES)
        honest = _find_interval(select_rows(own, measure=persuasion.HONEST), persuasion.ALL_ROUNDS)
        return (
            honest,
            _find_interval(lies, persuasion.RECOMMEND_BAD),
            _find_interval(lies, f"{persuasion.RECOMMEND_BAD}, {persuasion.AFTER_CAUGHT}"),
            _find_interval(lies, persuasion.DISCOURAGE_GOOD),
            _find_interval(select_rows(own, measure=persuasion.UNREADABLE), persuasion.ALL_ROUNDS),
            honest.rows,
        )

    measured = [row for row in rows if row.measure in (persuasion.HONEST, persuasion.LIES, persuasion.UNREADABLE)]
    columns = [
        Column("honest", kind=SHARE),
        Column("lies_if_bad", kind=SHARE, show_interval=True),
        Column("caught", kind=SHARE),
        Column("if_good", kind=SHARE),
        Column("unread", kind=SHARE),
        N,
    ]
    note = (
        "Messages that say what is so; recommendations of bad products, also after a lie had come to light (caught); "
        "advice against good ones; words that cannot be read."
    )
    return _table(HONESTY, "seller", columns, measured, cells, f"{note} {apart}".strip())


def _purchase_table(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        recommended = "buys if recommended"
        keys = (
            recommended,
            f"{recommended}, {persuasion.BEFORE_CAUGHT}",
            f"{recommended}, {persuasion.AFTER_CAUGHT}",
            "buys if discouraged",
        )
        return [_find_interval(own, key) for key in keys]

    columns = [
        Column("if_recommended", kind=SHARE, show_interval=True),
        *(Column(key, kind=SHARE) for key in ("before", "after", "if_discouraged")),
    ]
    note = "Purchase rates by what the seller said; before and after a lie of the seller had come to light."
    return _table("What buyers make of it", "buyer", columns, select_rows(rows, measure=persuasion.BUYS), cells, note)


def _trust(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        error = _find_interval(own, persuasion.ERROR)
        return (
            error,
            _find_interval(own, persuasion.BIAS),
            _find_interval(own, persuasion.BRIER),
            _find_interval(own, persuasion.BAYES),
            error.rows,
        )

    columns = [
        Column("error", digits=2, show_interval=True),
        Column("bias", digits=2),
        Column("brier", "Brier", digits=2),
        Column("as_bayes", "as Bayes", kind=SHARE),
        N,
    ]
    note = (
        "Error: expected calibration error of purchases against the belief of a Bayesian buyer who learns from the "
        "seller's record (long-living buyers only). Bias above 0: too much trust. As Bayes: decisions that maximise "
        "money under that belief."
    )
    return _table("Trust", "buyer", columns, select_rows(rows, measure=persuasion.CALIBRATION), cells, note)


def _choices(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        found = [_find_interval(own, key) for key in choices.KEYS]
        return *found, found[0].rows, found[-1].rows

    columns = [
        Column("likeliest", kind=SHARE),
        Column("chosen", kind=SHARE),
        Column("difference", kind=SHARE, show_interval=True),
        Column("error", kind=SHARE),
        Column("best", kind=SHARE),
        Column("lost", digits=3, show_interval=True),
        N,
        Column("answers", kind=COUNT),
    ]
    note = (
        "By the probabilities that the model told (--logprobs). Likeliest: mean probability of the likeliest kind of "
        "move; chosen: how often it was chosen; the difference is 0 where replies are sampled with these "
        "probabilities. Error: expected calibration error over all kinds (above 0 by chance alone). Best: probability "
        "of the better of accepting and rejecting, against an opponent whose play is known, and lost: what the mixture "
        "loses against always choosing it, in parts of the scale; over so many answers."
    )
    return _table(CHOICES, "player", columns, select_rows(rows, measure=choices.CHOICES), cells, note)
