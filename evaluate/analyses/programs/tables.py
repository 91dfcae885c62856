"""Tables of programs: selected numbers for terminals and pages, all numbers for files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from econzoo.baselines.parts.reasoning import objective_of
from econzoo.envs.core import format_count
from econzoo.envs.families.open_source import BASE_GAMES
from econzoo.evaluate.analyses import gap_table
from econzoo.evaluate.analyses.programs.estimates import ALL_PLAYERS, Cell, Mean, Slope, cells
from econzoo.evaluate.analyses.programs.rows import MEASURES
from econzoo.evaluate.show import COUNT, PAGE, READER_PLACES, SHARE, TERMINAL, TEXT, Column, Divider, Row, Table
from econzoo.evaluate.show import file_table
from econzoo.evaluate.stats import gaps_to_best

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.measures import ProgramMeasures
    from econzoo.evaluate.analyses.programs.strategies import StrategyJudgements
PLAY_MEASURES = ("cooperation", "after_cc", "after_cd", "after_dc", "after_dd", "own_coins", "payoff")
SHAPE_MEASURES = ("sloc", "cyclomatic", "volume", "effort", "access_paper", "access_extended")
SIMILARITY_MEASURES = ("token_opponent", "tree_opponent", "token_own", "tree_own")
EXPLOITABILITY_MEASURES = ("exploitability", "margin")
ROUND_MEASURES = (
    "cooperation",
    "own_coins",
    "after_cc",
    "access_paper",
    "access_extended",
    "sloc",
    "tree_opponent",
    "exploitability",
)
"""Columns of the tables; columns without values are omitted."""

TREND_MEASURES = (*ROUND_MEASURES, "cyclomatic", "effort", "token_opponent")

SHORT_PAIR_MEASURES = ("payoff", "cooperation", "own_coins", "access_paper")
PAIR_MEASURES = (
    *(*SHORT_PAIR_MEASURES, "after_cc", "token_opponent", "tree_opponent"),
    *("cyclomatic", "effort", "exploitability"),
)
"""Measures by actor and opponent on a terminal and on a page."""

MAX_PAIRS = 30
"""Maximum number of pairs on a terminal."""

PAYOFF, PAYOFF_WITH_FAILED = "payoff", "payoff_with_failed"
"""Measures of the payoff per turn: without failed rounds, and over all rounds."""

PLAYER = Column("player", kind=TEXT)
N = Column("n", kind=COUNT)

COLUMNS = {
    one.key: Column(
        one.key,
        one.short,
        SHARE if one.cases else "number",
        one.digits,
        meaning="" if one.short == one.title else f"{one.short}: {one.title}",
    )
    for one in MEASURES
}


def tables(found: ProgramMeasures, game: str) -> list[Table]:
    """Return the nonempty tables of a game."""
    candidates = [
        *ranking_tables(found, game),
        _measure_table(found, game, "Play", PLAY_MEASURES, _PLAY_NOTE[BASE_GAMES[game]]),
        *pairs_tables(found, game),
        _measure_table(found, game, "Programs", SHAPE_MEASURES, _SHAPE_NOTE),
        _measure_table(found, game, "Similarity", SIMILARITY_MEASURES, "1: identical except for formatting."),
        _measure_table(found, game, "Exploitability", EXPLOITABILITY_MEASURES, _EXPLOITABILITY_NOTE),
        _failures(found, game),
        _round_table(found, game),
        _trends(found, game),
    ]
    return [table for table in candidates if table.rows and any(one.kind != TEXT for one in table.columns)]


_PLAY_NOTE = {
    "matrix": "CC, CD, DC, DD: cooperation after this outcome, own move first. Shares exclude turns without a move; "
    "payoffs exclude failed rounds.",
    "coin_game": "Payoffs exclude failed rounds.",
}
_SHAPE_NOTE = (
    "Access: statements that use the opponent's source; extended: following all assignments and own functions."
)
_EXPLOITABILITY_NOTE = (
    "Exploitability: payoff of the pool's best response to the program minus that of a copy. Margin: largest payoff "
    "difference of a pool program over the program in their match."
)


def keys_with_values(rows: Iterable[Mean], keys: Sequence[str], game: str) -> list[str]:
    """Return the keys with a value for any player."""
    with_values = {row.measure for row in rows if row.game == game and not math.isnan(row.value)}
    return [key for key in keys if key in with_values]


def _columns(keys: Sequence[str]) -> list[Column]:
    """Return the columns of measures; only the first has an interval, for lack of room on a terminal."""
    return [replace(COLUMNS[key], show_interval=not at) for at, key in enumerate(keys)]


def _numbers(row: Mapping[str, Mean], keys: Sequence[str]) -> list[Any]:
    return [row[key].interval for key in keys]


def _group_rows(groups: Iterable[tuple[Divider, Sequence[Row]]]) -> list[Row | Divider]:
    """Return the rows of each group below its heading."""
    return [line for heading, rows in groups if rows for line in (heading, *rows)]


def _table(title: str, game: str, columns: Sequence[Column], rows: Sequence[Any], note: str = "") -> Table:
    return Table(f"{title.lower().replace(' ', '_')}_{game}", title, columns, rows, note, places=READER_PLACES)


# Ranking by payoff, excluding and including failed rounds.
#
# After a failure the payoff follows from the rules, not from the programs: against an author without a program a
# defector earns as much as in mutual cooperation, a cooperator half of it. A ranking that includes such rounds partly
# reflects which opponents failed, so ranks exclude them.

_RANKING_NOTE = (
    "Payoff per turn. Ranks exclude failed rounds, meta-rounds in which either program left a turn unanswered: their "
    "payoffs say little about programs. Further columns: number of failed rounds, and the mean including them."
)


def ranking_tables(found: ProgramMeasures, game: str) -> list[Table]:
    """Return the ranking by payoff, and the gaps to the first player."""
    own = {player: found.cells[Cell(game, player)] for player in found.players(game) if player != ALL_PLAYERS}
    if len(own) < 2:
        return []
    names = sorted(own, key=lambda player: _rank(own[player][PAYOFF].value))
    table = found.table[found.table["game"] == game]
    rows = []
    for player in names:
        played, estimates = table[table["player"] == player], own[player]
        failed = (int((played[name] > 0).sum()) for name in ("failed", "failed_against"))
        rows.append([player, estimates[PAYOFF].interval, *failed, len(played), estimates[PAYOFF_WITH_FAILED].interval])
    columns = [
        PLAYER,
        Column(PAYOFF, digits=2, show_interval=True),
        Column("failed", "own failed", COUNT),
        Column("failed_against", "opp. failed", COUNT),
        Column("rounds", kind=COUNT),
        Column(PAYOFF_WITH_FAILED, "with failed", digits=2),
    ]
    gaps = [([name], gap) for name, gap in gaps_to_best(table, names, PAYOFF).items()]
    title = f"Payoff per turn: gap to {names[0]}, paired by settings and seeds"
    return [
        Table(f"ranking_{game}", "Ranking", columns, rows, _RANKING_NOTE),
        gap_table(f"gaps_to_best_{game}", title, ["player"], gaps, digits=3),
    ]


def _rank(payoff: float) -> float:
    # A player all of whose rounds failed has no payoff, and is last.
    return math.inf if math.isnan(payoff) else -payoff


def _measure_table(found: ProgramMeasures, game: str, title: str, keys: Sequence[str], note: str) -> Table:
    keys, players = keys_with_values(found.means, keys, game), found.players(game)
    aims = {player: objective_of(found.specs.get(player, player)) for player in players} if title == "Play" else {}
    columns, rows = [PLAYER], [[player] for player in players]
    if any(aims.values()):
        columns, rows = [PLAYER, Column("objective", kind=TEXT)], [[one, aims[one] or "\u2013"] for one in players]
    cells_of = [[*head, *_numbers(found.cells[Cell(game, head[0])], keys)] for head in rows]
    return _table(title, game, [*columns, *_columns(keys)], cells_of, note)


def pairs_tables(found: ProgramMeasures, game: str) -> list[Table]:
    """Return tables of actor by opponent for terminals and pages; empty without several opponents."""
    pairs = found.pairs(game) if found.has_several_opponents(game) else []
    note = "Programs and payoffs of each player by opponent. Payoffs exclude failed rounds."
    more = f" The first {MAX_PAIRS} of {len(pairs)} pairs; the page has all of them."
    short = note + more if len(pairs) > MAX_PAIRS else note
    return [
        _pairs_table(found, game, pairs[:MAX_PAIRS], SHORT_PAIR_MEASURES, short, TERMINAL),
        _pairs_table(found, game, pairs, PAIR_MEASURES, note, PAGE),
    ]


def _pairs_table(
    found: ProgramMeasures, game: str, pairs: Sequence[tuple[str, str]], measures: Sequence[str], note: str, place: str
) -> Table:
    keys = keys_with_values(found.means, measures, game)
    rows = [
        (Divider(player, objective_of(found.specs[player])), [_pair(found, Cell(game, *pair), keys) for pair in own])
        for player in dict.fromkeys(player for player, _ in pairs)
        if (own := [pair for pair in pairs if pair[0] == player])
    ]
    columns = [Column("opponent", "against", TEXT), *_columns(keys)]
    return Table(f"pairs_{game}", "Actor by opponent", columns, _group_rows(rows), note, places=(place,))


def _pair(found: ProgramMeasures, cell: Cell, keys: Sequence[str]) -> list[Any]:
    return [cell.opponent, *_numbers(found.cells[cell], keys)]


def _failures(found: ProgramMeasures, game: str) -> Table:
    counts = {player: found.failures.get((game, player), {}) for player in found.players(game)}
    groups = [(Divider(player), [(kind, n) for kind, n in own.items() if n]) for player, own in counts.items()]
    note = (
        "programs: meta-rounds that required a program. refused: invalid answers, by error code. turn: turns without a "
        "move, by kind of failure."
    )
    columns = [Column("what", kind=TEXT), Column("count", kind=COUNT)]
    return _table("Failures", game, columns, _group_rows(groups), note)


def _round_table(found: ProgramMeasures, game: str) -> Table:
    keys = keys_with_values(found.means, ROUND_MEASURES, game)
    groups = []
    for player in found.players(game):
        rounds = sorted({cell.round for cell in found.cells if cell[:3] == (game, player, ALL_PLAYERS)} - {0})
        own = [[str(at), *_numbers(found.cells[Cell(game, player, ALL_PLAYERS, at)], keys)] for at in rounds]
        groups.append((Divider(player), own))
    # The notes of the tables above explain these columns already.
    columns = [Column("round", kind=TEXT), *(replace(COLUMNS[key], meaning="") for key in keys)]
    return _table("By meta-round", game, columns, _group_rows(groups))


def _trends(found: ProgramMeasures, game: str) -> Table:
    """Return the trends, without measures that are constant in every match."""
    known = [one for one in found.slopes if one.game == game and not math.isnan(one.slope)]
    own = [one for one in known if one.measure in TREND_MEASURES]
    # Constant means 0 in all three decimals that a table shows.
    moving = [one for one in own if any(round(end, 3) for end in one.interval[:3] if not math.isnan(end))]
    omitted = len(own) - len(moving)
    groups: dict[str, list[Row]] = {}
    for one in moving:
        groups.setdefault(one.player, []).append((COLUMNS[one.measure].title, one.interval, one.p_value))
    note = (
        "Change per meta-round, with 95% CI over matches. p: regression on the means of the meta-rounds, assuming them "
        "to be independent."
    )
    note += f" Omitted: {format_count(omitted, 'line')} of constant measures." if omitted else ""
    columns = [Column("what", kind=TEXT), Column("slope", signed=True, show_interval=True), Column("p")]
    return _table("Trends", game, columns, _group_rows((Divider(name), rows) for name, rows in groups.items()), note)


# Judged strategies


def strategy_tables(judged: StrategyJudgements) -> list[Table]:
    """Return a table by player and one by opponent for each game and judge, and inter-judge agreement."""
    result = []
    for at, (game, judge) in enumerate(judged.places):
        by = f"Strategies in {game}, judged by {judge}"
        result += [
            _player_table(judged, game, judge, f"strategies_{at}", by),
            _opponent_table(judged, game, judge, f"strategies_by_opponent_{at}", f"{by}: actor by opponent"),
        ]
    if judged.agreement is not None:
        columns = [Column("programs", kind=COUNT), Column("alpha"), Column("undefined", "undefined because", TEXT)]
        title, note = "Inter-judge agreement", "Krippendorff's alpha, nominal, over programs with at least two labels."
        result.append(Table("strategies_agreement", title, columns, [judged.agreement], note))
    return [table for table in result if table.rows]


def _categories(judged: StrategyJudgements) -> list[Column]:
    return [Column(one.key, one.short, SHARE) for one in judged.rubric.categories]


def _player_table(judged: StrategyJudgements, game: str, judge: str, key: str, title: str) -> Table:
    note = (
        "Shares of n labelled programs. Programs of round 1 respond to nothing. unp.: programs with only invalid "
        "answers of the judge. miss.: rounds without a program."
    )
    counts = [N, Column("unparsed", "unp.", COUNT), Column("missing", "miss.", COUNT)]
    rows = []
    for one in judged.overall:
        if (one.game, one.judge) == (game, judge):
            shares = list(one.shares.values())
            named, values = (one.player, "1" if one.is_first_round else "later"), (share.value for share in shares)
            rows.append([*named, *values, shares[0].cases, one.unparsed, one.missing])
    columns = [PLAYER, Column("round", kind=TEXT), *_categories(judged), *counts]
    return Table(key, title, columns, rows, note, places=READER_PLACES)


def _opponent_table(judged: StrategyJudgements, game: str, judge: str, key: str, title: str) -> Table:
    groups: dict[str, list[Row]] = {}
    for cell, found in pairs_of(judged, game, judge):
        every = [found[key] for key in judged.rubric.keys]
        groups.setdefault(cell.player, []).append([cell.opponent, *(one.interval for one in every), every[0].n])
    rows = _group_rows((Divider(player), own) for player, own in groups.items())
    note = "Shares of n labelled programs, round 1 excluded."
    columns = [Column("opponent", "against", TEXT), *_categories(judged), N]
    return Table(key, title, columns, rows, note, places=READER_PLACES)


def pairs_of(judged: StrategyJudgements, game: str, judge: str) -> Iterator[tuple[Cell, dict[str, Mean]]]:
    """Yield the pairs of actor and opponent with their shares."""
    for cell, found in cells(judged.shares.get(judge, ())).items():
        if cell.game == game and ALL_PLAYERS not in (cell.player, cell.opponent) and not cell.round:
            yield cell, found


# Tables for files

OBJECTIVES = {"player": "objective", "opponent": "opponent_objective"}
"""Columns of players, and the columns of their objectives."""


def file_tables(found: ProgramMeasures, judged: StrategyJudgements | None) -> list[Table]:
    """Return the file tables of programs, means, trends, failures and judged strategies."""
    failed = [(*who, kind, count) for who, counts in found.failures.items() for kind, count in counts.items()]
    programs = found.table.itertuples(index=False, name=None)
    result = [
        _file_table("programs", list(found.table), programs, found.specs),
        _file_table("programs_means", Mean._fields, found.means, found.specs),
        _file_table("programs_trends", Slope._fields, found.slopes, found.specs),
        _file_table("programs_failures", ("game", "player", "kind", "count"), failed, found.specs),
    ]
    if judged is not None:
        rows = [(judge, *one) for judge, shares in judged.shares.items() for one in shares]
        heads = ("judge", "category", *Mean._fields[1:])
        result.append(_file_table("programs_strategies", heads, rows, found.specs))
    return result


def _file_table(key: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], specs: Mapping[str, str]) -> Table:
    """Return a file table with the objective after each player."""
    wide = [cell for head in heads for cell in (head, *([OBJECTIVES[head]] if head in OBJECTIVES else []))]
    return file_table(key, wide, (_add_objectives(specs, heads, row) for row in rows))


def _add_objectives(specs: Mapping[str, str], heads: Sequence[str], row: Sequence[Any]) -> list[Any]:
    wide: list[Any] = []
    for head, cell in zip(heads, row, strict=True):
        wide += [cell, objective_of(specs.get(cell, ""))] if head in OBJECTIVES else [cell]
    return wide
