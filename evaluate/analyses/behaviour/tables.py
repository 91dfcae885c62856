"""The tables that terminals and pages show: chosen numbers, side by side; the CSV has all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from econzoo.evaluate.analyses.behaviour import agreement, anchoring, concession, honesty, trust
from econzoo.evaluate.analyses.behaviour.rows import ALL, Row, pick
from econzoo.evaluate.stats.intervals import Interval

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.behaviour.measures import Behaviour

HONESTY = "Honesty"
NOTHING = Interval(float("nan"), float("nan"), float("nan"), 0)


class Cell(NamedTuple):
    """An estimate and how it is written.

    Attributes:
        found: The estimate.
        form: ``"number"``, ``"percent"``, ``"round"`` or ``"count"`` (its n alone).
        ranged: Whether there is room for its interval.
    """

    found: Interval
    form: str = "number"
    ranged: bool = False


class Table(NamedTuple):
    """A table of one measure of one game.

    Attributes:
        title: What it is about.
        heads: Of the columns; the first is the player.
        rows: (player, cells).
        note: What must be known to read it.
    """

    title: str
    heads: list[str]
    rows: list[tuple[str, list[Cell]]]
    note: str


def tables(found: Behaviour, game: str) -> list[Table]:
    """All tables of a game that have a row."""
    rows = [row for row in found.rows if row.game == game]
    made = [make(rows) for make in (_anchoring, _agreement, _asked, _honesty, _buys, _trust)]
    apart = f" {found.apart}" if found.apart else ""
    return [one._replace(note=one.note + apart) if one.title == HONESTY else one for one in made if one.rows]


def _by_place(rows: Sequence[Row], cells: Callable[[list[Row]], list[Cell]]) -> list[tuple[str, list[Cell]]]:
    """One line for every player and role, all together last; the role is named where there are several."""
    places = sorted({(row.player, row.role) for row in rows}, key=lambda place: (place[0] == ALL, place))
    several = len({role for _, role in places}) > 1
    return [
        (f"{player} as {role}" if several else player, cells(pick(rows, player=player, role=role)))
        for player, role in places
    ]


def _one(rows: Sequence[Row], key: str) -> Interval:
    return next((row.interval for row in rows if row.key == key), NOTHING)


def _anchoring(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> list[Cell]:
        r = _one(own, anchoring.PEARSON)
        return [
            Cell(r, ranged=True),
            Cell(_one(own, anchoring.SPEARMAN)),
            Cell(r, "count"),
            Cell(_one(own, anchoring.AT_ONCE), "percent"),
        ]

    note = (
        "Correlation of a seat's first offer with the final terms, over matches whose first offer was not accepted at "
        "once (n); at once: the others' share of first offers."
    )
    heads = ["first offer of", "Pearson", "Spearman", "n", "at once"]
    return Table("Anchoring", heads, _by_place(pick(rows, measure=anchoring.MEASURE), cells), note)


SHOWN_ROUNDS = (1, 2, 4, 8)


def _agreement(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> list[Cell]:
        curve = pick(own, measure=agreement.WITHOUT)
        last = {int(row.key): row.interval for row in curve}
        after = [Cell(last.get(t, last[max(last)] if t > max(last) else NOTHING), "percent") for t in SHOWN_ROUNDS]
        return [Cell(_one(own, "median"), "round", True), *after, Cell(curve[-1].interval, "count")]

    measured = [row for row in rows if row.measure in (agreement.WITHOUT, agreement.MEDIAN)]
    heads = ["player", "median round", *(f"after {t}" for t in SHOWN_ROUNDS), "n"]
    note = "Matches without a deal after so many rounds (Kaplan-Meier; no deal is censored at the horizon)."
    return Table("Round of agreement", heads, _by_place(measured, cells), note)


OWN_OFFERS = 3


def _asked(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> list[Cell]:
        curve = [Cell(row.interval) for row in pick(own, measure=concession.ASKED)[:OWN_OFFERS]]
        steps = pick(own, measure=concession.STEP)
        first = Cell(steps[0].interval, ranged=True) if steps else Cell(NOTHING)
        return [*curve, *[Cell(NOTHING)] * (OWN_OFFERS - len(curve)), first]

    measured = [row for row in rows if row.measure in (concession.ASKED, concession.STEP)]
    heads = ["player", *(f"offer {i + 1}" for i in range(OWN_OFFERS)), "first step"]
    note = (
        "Mean of what was asked in the seat's first rounds to offer, in parts of the scale, over the matches that "
        "still ran; first step: mean change from the first to the second offer of the same match."
    )
    return Table("Concessions", heads, _by_place(measured, cells), note)


def _honesty(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> list[Cell]:
        lies = pick(own, measure=honesty.LIES)
        told = _one(pick(own, measure=honesty.HONEST), honesty.ALL_ROUNDS)
        after = _one(lies, f"{honesty.RECOMMEND_BAD}, {honesty.AFTER}")
        return [
            Cell(told, "percent"),
            Cell(_one(lies, honesty.RECOMMEND_BAD), "percent", True),
            Cell(after, "percent"),
            Cell(_one(lies, honesty.DISCOURAGE_GOOD), "percent"),
            Cell(_one(pick(own, measure=honesty.UNREADABLE), honesty.ALL_ROUNDS), "percent"),
            Cell(told, "count"),
        ]

    measured = [row for row in rows if row.measure in (honesty.HONEST, honesty.LIES, honesty.UNREADABLE)]
    heads = ["seller", "honest", "lies if bad", "caught", "if good", "unread", "n"]
    note = (
        "Messages that say what is so; recommendations of bad products, also after a lie had come to light (caught); "
        "advice against good ones; words that cannot be read."
    )
    return Table(HONESTY, heads, _by_place(measured, cells), note)


def _buys(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> list[Cell]:
        if_told = "buys if recommended"
        return [
            Cell(_one(own, if_told), "percent", True),
            Cell(_one(own, f"{if_told}, {honesty.BEFORE}"), "percent"),
            Cell(_one(own, f"{if_told}, {honesty.AFTER}"), "percent"),
            Cell(_one(own, "buys if discouraged"), "percent"),
        ]

    heads = ["buyer", "if recommended", "before", "after", "if discouraged"]
    note = "Purchase rates by what the seller said; before and after a lie of the seller had come to light."
    return Table("What buyers make of it", heads, _by_place(pick(rows, measure=honesty.BUYS), cells), note)


def _trust(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> list[Cell]:
        error = _one(own, trust.ERROR)
        return [
            Cell(error, ranged=True),
            Cell(_one(own, trust.BIAS)),
            Cell(_one(own, trust.BRIER)),
            Cell(_one(own, trust.BAYES), "percent"),
            Cell(error, "count"),
        ]

    heads = ["buyer", "error", "bias", "Brier", "as Bayes", "n"]
    note = (
        "Error: expected calibration error of purchases against the belief of a Bayesian buyer who learns from the "
        "seller's record (long-living buyers only). Bias above 0: too much trust. As Bayes: decisions that maximise "
        "money under that belief."
    )
    return Table("Trust", heads, _by_place(pick(rows, measure=trust.CALIBRATION), cells), note)
