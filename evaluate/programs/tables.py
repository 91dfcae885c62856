"""The tables that terminals and pages show: chosen numbers, side by side; the CSV files have all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from econzoo.envs.families.open_source.interfaces import BASES
from econzoo.evaluate.console import TextTable
from econzoo.evaluate.escapes import called
from econzoo.evaluate.formats import NOTHING, number, percent
from econzoo.evaluate.programs.categories import Categories
from econzoo.evaluate.programs.estimates import Mean, pick
from econzoo.evaluate.programs.rows import MEASURES

if TYPE_CHECKING:
    from econzoo.evaluate.programs.measured import Measured
    from econzoo.evaluate.programs.strategies import Agreement, Strategies

TITLES = {measure.key: measure.title for measure in MEASURES}
SHORTS = {measure.key: measure.short for measure in MEASURES}
SHARES = {measure.key for measure in MEASURES if measure.cases}

PLAYED = ("cooperation", "after_cc", "after_cd", "after_dc", "after_dd", "own_coins", "payoff")
SHAPE = ("sloc", "cyclomatic", "volume", "effort", "access_paper", "access_extended")
LIKENESS = ("token_opponent", "tree_opponent", "token_own", "tree_own")
EXPLOITED = ("exploitability", "margin")
BY_ROUND = (
    "cooperation",
    "own_coins",
    "after_cc",
    "access_paper",
    "access_extended",
    "sloc",
    "tree_opponent",
    "exploitability",
)
"""Columns of the tables; those without any value are left out."""

TRENDS = (*BY_ROUND, "cyclomatic", "effort", "token_opponent")
"""Measures whose trends are shown."""


WHAT = "what"
"""Head of a column of words."""


def tables(found: Measured, game: str) -> list[TextTable]:
    """All tables of a game that have a row and a column."""
    made = [
        _overall(found, game, "Play", PLAYED, _PLAY_NOTE[BASES[game]]),
        _overall(found, game, "Programs", SHAPE, _SHAPE_NOTE),
        _overall(found, game, "Likeness", LIKENESS, _LIKENESS_NOTE),
        _overall(found, game, "Exploitability", EXPLOITED, _EXPLOITED_NOTE),
        _failures(found, game),
        _by_round(found, game),
        _trends(found, game),
    ]
    return [table for table in made if table.rows and len(table.heads) > 1]


_PLAY_NOTE = {
    "matrix": "coop.: cooperative moves. CC, CD, DC, DD: cooperation after such a turn, the own move first; CC is the "
    "memory-one index. Turns that a program did not answer are no case. payoff: per turn.",
    "coin_game": "own coins: of the own colour, among all that were collected. payoff: per turn.",
}
_SHAPE_NOTE = (
    "lines: of source. cycl.: cyclomatic complexity. volume, effort: Halstead's. access: statements that compute "
    "something of the opponent's source; ext.: with all assignments followed."
)
_LIKENESS_NOTE = (
    "By words (tok.) and by syntax trees, to the program that the opponent (opp.) or the author had submitted one "
    "meta-round before; 1 is the same but for formatting."
)
_EXPLOITED_NOTE = (
    "exploit.: what the best of the pool gets against the program beyond what a copy of it gets. margin: how much "
    "more the best of the pool gets than the program in their match. Both per turn."
)


def players_of(found: Measured, game: str) -> list[str]:
    """The players of a game, all together last."""
    return list(dict.fromkeys(row.player for row in found.means if row.game == game))


def _known(rows: Sequence[Mean], keys: Sequence[str], game: str) -> list[str]:
    """The keys that have a value for somebody."""
    known = {row.measure for row in rows if row.game == game and not math.isnan(row.value)}
    return [key for key in keys if key in known]


def _overall(found: Measured, game: str, title: str, keys: Sequence[str], note: str) -> TextTable:
    keys = _known(found.means, keys, game)
    # An interval stands with the first column only: there is no room for more on a terminal.
    heads = ["player", *(head for at, key in enumerate(keys) for head in [SHORTS[key], *(["95%"] if not at else [])])]
    rows = []
    for player in players_of(found, game):
        row = pick(found.means, game, player)
        cells = [
            cell for at, key in enumerate(keys) for cell in [value(row[key]), *([ends(row[key])] if not at else [])]
        ]
        rows.append([called(player), *cells])
    return TextTable(title, heads, rows, note)


def _failures(found: Measured, game: str) -> TextTable:
    rows = []
    for player in players_of(found, game):
        counts = found.failures.get((game, player), {})
        for at, (kind, count) in enumerate((kind, count) for kind, count in counts.items() if count):
            rows.append(["" if at else called(player), kind, f"{count:,}"])
    note = (
        "programs: meta-rounds in which one was due. refused: answers that were no program, by their problem. turn: "
        "turns that a program did not answer, by what went wrong."
    )
    return TextTable("What went wrong", ["player", WHAT, "count"], rows, note)


def _by_round(found: Measured, game: str) -> TextTable:
    keys = _known(found.means, BY_ROUND, game)
    rows, before = [], ""
    for player in players_of(found, game):
        for at in sorted({row.round for row in found.means if (row.game, row.player) == (game, player)} - {0}):
            row = pick(found.means, game, player, at)
            rows.append([called(player) if player != before else "", str(at), *(value(row[key]) for key in keys)])
            before = player
    return TextTable("By meta-round", ["player", "round", *(SHORTS[key] for key in keys)], rows, "")


def _trends(found: Measured, game: str) -> TextTable:
    rows, before = [], ""
    for one in found.slopes:
        if one.game == game and one.measure in TRENDS and not math.isnan(one.slope):
            cells = [signed(one.slope), between(one.low, one.high, signed), number(one.p_value)]
            rows.append([called(one.player) if one.player != before else "", SHORTS[one.measure], *cells])
            before = one.player
    note = (
        "Change per meta-round with its interval over matches. p: of the line through the means of the meta-rounds, "
        "which takes them for independent."
    )
    return TextTable("Trends", ["player", WHAT, "slope", "95%", "p"], rows, note)


def value(row: Mean) -> str:
    """A mean in words."""
    if row.measure in SHARES:
        return percent(row.value)
    return NOTHING if math.isnan(row.value) else plain(row.value)


def ends(row: Mean) -> str:
    """Its interval in words."""
    if row.measure in SHARES:
        return between(row.low, row.high, lambda end: f"{100 * end:.0f}%")
    return between(row.low, row.high, plain)


def between(low: float, high: float, written: Callable[[float], str]) -> str:
    """Two ends of an interval."""
    if math.isnan(low):
        return NOTHING
    return f"{written(low)} to {written(high)}"


def plain(number: float) -> str:
    """Three digits that say something."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def signed(number: float) -> str:
    """A change: with its sign, where it is one."""
    digits = 0 if abs(number) >= 100 else 3
    return f"{number:+,.{digits}f}" if round(number, digits) else "0"


def strategy_tables(
    found: Sequence[Strategies], rubric: Categories, agreed: Agreement | None = None
) -> list[TextTable]:
    """What judges said, one table for each game and judge.

    Args:
        found: See `econzoo.evaluate.programs.strategies.strategies`.
        rubric: Its categories head the columns.
        agreed: Of the judges, where there are several.
    """
    heads = ["player", "round", *(one.short for one in rubric.every), "n", "unp.", "miss."]
    note = (
        "Shares of n labelled programs. The program of round 1 has nothing to answer. unp.: programs whose answers "
        "named no category. miss.: rounds without a program."
    )
    if agreed is not None:
        note += f" Krippendorff's alpha of the judges, nominal: {number(agreed.alpha)} on {agreed.programs:,} programs"
        note += f" ({agreed.undefined})." if agreed.undefined else "."
    made = []
    for game, judge in dict.fromkeys((one.game, one.judge) for one in found):
        rows = [_strategy(one) for one in found if (one.game, one.judge) == (game, judge)]
        made.append(TextTable(f"Strategies in {game}, judged by {called(judge)}", heads, rows, note))
    return made


def _strategy(one: Strategies) -> list[str]:
    shares = list(one.shares.values())
    counts = (shares[0].cases, one.unparsed, one.missing)
    who = [called(one.player), "1" if one.first else "later"]
    return [*who, *(percent(share.value) for share in shares), *(f"{count:,}" for count in counts)]
