"""The tables that terminals and pages show: chosen numbers, side by side; the table of all numbers is for files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analyses.behaviour import agreement, anchoring, concession, honesty, trust
from econzoo.evaluate.analyses.behaviour.rows import ALL, Row, pick
from econzoo.evaluate.show.parts import COUNT, FILES, PAGE, SHARE, TERMINAL, TEXT, Column, Table
from econzoo.evaluate.stats.intervals import Interval

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.behaviour.measures import Behaviour

SHOWN = (TERMINAL, PAGE)
HONESTY = "Honesty"
NOTHING = Interval(float("nan"), float("nan"), float("nan"), 0)


def all_numbers(found: Behaviour) -> Table:
    """Every number in a row of its own, for files."""
    numbers = ("value", "low", "high")
    columns = [
        Column(name, kind=COUNT if name == "n" else "number" if name in numbers else TEXT) for name in Row._fields
    ]
    return Table("behaviour", "All numbers", columns, found.rows, places=(FILES,))


def tables(found: Behaviour, game: str) -> list[Table]:
    """All tables of a game that have a row."""
    rows = [row for row in found.rows if row.game == game]
    made = [_anchoring(rows), _agreement(rows), _asked(rows), _honesty(rows, found.apart), _buys(rows), _trust(rows)]
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
    places = sorted({(row.player, row.role) for row in rows}, key=lambda place: (place[0] == ALL, place))
    several = len({role for _, role in places}) > 1
    lines = [
        [f"{player} as {role}" if several else player, *cells(pick(rows, player=player, role=role))]
        for player, role in places
    ]
    key = title.lower().replace(" ", "_")
    return Table(key, title, [Column("player", first, TEXT), *columns], lines, note, places=SHOWN)


def _one(rows: Sequence[Row], key: str) -> Interval:
    return next((row.interval for row in rows if row.key == key), NOTHING)


N = Column("n", kind=COUNT)


def _anchoring(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        r = _one(own, anchoring.PEARSON)
        return r, _one(own, anchoring.SPEARMAN), r.rows, _one(own, anchoring.AT_ONCE)

    columns = [
        Column("pearson", "Pearson", digits=2, ranged=True),
        Column("spearman", "Spearman", digits=2),
        N,
        Column("at_once", kind=SHARE),
    ]
    note = (
        "Correlation of a seat's first offer with the final terms, over matches whose first offer was not accepted at "
        "once (n); at once: the others' share of first offers."
    )
    return _table("Anchoring", "first offer of", columns, pick(rows, measure=anchoring.MEASURE), cells, note)


SHOWN_ROUNDS = (1, 2, 4, 8)


def _agreement(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        curve = pick(own, measure=agreement.WITHOUT)
        last = {int(row.key): row.interval for row in curve}
        after = [last.get(t, last[max(last)] if t > max(last) else NOTHING) for t in SHOWN_ROUNDS]
        return _one(own, "median"), *after, curve[-1].n

    measured = [row for row in rows if row.measure in (agreement.WITHOUT, agreement.MEDIAN)]
    columns = [
        Column("median", "median round", digits=0, ranged=True),
        *(Column(f"after_{t}", kind=SHARE) for t in SHOWN_ROUNDS),
        N,
    ]
    note = "Matches without a deal after so many rounds (Kaplan-Meier; no deal is censored at the horizon)."
    return _table("Round of agreement", "player", columns, measured, cells, note)


OWN_OFFERS = 3


def _asked(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        curve = [row.interval for row in pick(own, measure=concession.ASKED)[:OWN_OFFERS]]
        steps = pick(own, measure=concession.STEP)
        return *curve, *[NOTHING] * (OWN_OFFERS - len(curve)), steps[0].interval if steps else NOTHING

    measured = [row for row in rows if row.measure in (concession.ASKED, concession.STEP)]
    columns = [
        *(Column(f"offer_{i + 1}", digits=2) for i in range(OWN_OFFERS)),
        Column("first_step", digits=2, ranged=True),
    ]
    note = (
        "Mean of what was asked in the seat's first rounds to offer, in parts of the scale, over the matches that "
        "still ran; first step: mean change from the first to the second offer of the same match."
    )
    return _table("Concessions", "player", columns, measured, cells, note)


def _honesty(rows: list[Row], apart: str) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        lies = pick(own, measure=honesty.LIES)
        honest = _one(pick(own, measure=honesty.HONEST), honesty.ALL_ROUNDS)
        return (
            honest,
            _one(lies, honesty.RECOMMEND_BAD),
            _one(lies, f"{honesty.RECOMMEND_BAD}, {honesty.AFTER}"),
            _one(lies, honesty.DISCOURAGE_GOOD),
            _one(pick(own, measure=honesty.UNREADABLE), honesty.ALL_ROUNDS),
            honest.rows,
        )

    measured = [row for row in rows if row.measure in (honesty.HONEST, honesty.LIES, honesty.UNREADABLE)]
    columns = [
        Column("honest", kind=SHARE),
        Column("lies_if_bad", kind=SHARE, ranged=True),
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


def _buys(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        recommended = "buys if recommended"
        keys = recommended, f"{recommended}, {honesty.BEFORE}", f"{recommended}, {honesty.AFTER}", "buys if discouraged"
        return [_one(own, key) for key in keys]

    columns = [
        Column("if_recommended", kind=SHARE, ranged=True),
        *(Column(key, kind=SHARE) for key in ("before", "after", "if_discouraged")),
    ]
    note = "Purchase rates by what the seller said; before and after a lie of the seller had come to light."
    return _table("What buyers make of it", "buyer", columns, pick(rows, measure=honesty.BUYS), cells, note)


def _trust(rows: list[Row]) -> Table:
    def cells(own: list[Row]) -> Sequence[Any]:
        error = _one(own, trust.ERROR)
        return error, _one(own, trust.BIAS), _one(own, trust.BRIER), _one(own, trust.BAYES), error.rows

    columns = [
        Column("error", digits=2, ranged=True),
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
    return _table("Trust", "buyer", columns, pick(rows, measure=trust.CALIBRATION), cells, note)
