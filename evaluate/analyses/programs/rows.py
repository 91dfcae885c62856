"""Table of measures, one row per submission."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from econzoo.evaluate.analyses import PLACE_COLUMNS
from econzoo.evaluate.analyses.programs.play import EMPTY_SHARE, FORFEITED, ROUNDS, Share, cooperation
from econzoo.evaluate.analyses.programs.play import cooperation_after, own_coins
from econzoo.evaluate.analyses.programs.sources import access_score, complexity, token_similarity, tree_similarity
from econzoo.evaluate.analyses.programs.submissions import Submission

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.exploitability import Exploitability


class Measure(NamedTuple):
    """Measure of programs or of their play.

    Attributes:
        short: Column head in tables.
        cases: Whether it is a share with columns ``KEY_hits`` and ``KEY_cases``; its mean weights cases equally.
        digits: Decimal places, except for shares.
    """

    key: str
    title: str
    short: str
    cases: bool = False
    digits: int = 2


AFTER_COLUMNS = {seen: f"after_{seen.lower()}" for seen in ROUNDS}

MEASURES = (
    Measure("cooperation", "cooperative moves", "coop.", True),
    Measure(AFTER_COLUMNS["CC"], "cooperation after CC (memory-one index)", "CC", True),
    Measure(AFTER_COLUMNS["CD"], "cooperation after CD", "CD", True),
    Measure(AFTER_COLUMNS["DC"], "cooperation after DC", "DC", True),
    Measure(AFTER_COLUMNS["DD"], "cooperation after DD", "DD", True),
    Measure("own_coins", "own coins as a share of collected coins", "own coins", True),
    Measure("payoff", "payoff per turn", "payoff"),
    Measure("payoff_with_failed", "payoff per turn, with failed rounds", "with failed"),
    Measure("access_paper", "opponent-source access score", "access"),
    Measure("access_extended", "opponent-source access score, extended", "ext."),
    Measure("sloc", "source lines", "lines", digits=1),
    Measure("cyclomatic", "mean cyclomatic complexity", "cycl."),
    Measure("volume", "Halstead volume", "volume", digits=1),
    Measure("difficulty", "Halstead difficulty", "diff."),
    Measure("effort", "Halstead effort", "effort", digits=0),
    Measure("token_opponent", "token similarity to opponent's previous program", "tok. opp."),
    Measure("tree_opponent", "tree similarity to opponent's previous program", "tree opp."),
    Measure("token_own", "token similarity to own previous program", "tok. own"),
    Measure("tree_own", "tree similarity to own previous program", "tree own"),
    Measure("exploitability", "exploitability by the pool, per turn", "exploit."),
    Measure("margin", "largest margin of the pool, per turn", "margin"),
)
"""All measures, in column order."""

NOT_SUBMITTED, NOT_PYTHON = "no program", "syntax error"
"""Reasons why a program has no measures."""

ExploitabilityMeasure = Callable[[Submission], "Exploitability | None"]
"""Exploitability of a submission; None without a pool for its game."""


def program_table(
    submissions: Sequence[Submission], exploitability: ExploitabilityMeasure = lambda one: None
) -> pd.DataFrame:
    """Return one row per submission: `PLACE_COLUMNS`, ``round``, `FAILURE_COLUMNS` and all `MEASURES`.

    ``unmeasured``: why the program has no measures (empty if it has); ``refused``: invalid answers before it;
    ``turns``: turns played; ``failed`` and ``failed_against``: turns without a move of this and of the other program.
    Failed rounds have a ``payoff_with_failed`` and no ``payoff``. Undefined values are NaN and excluded from means.
    """
    at = {one.id: one for one in submissions}
    rows = [_row(one, at, exploitability) for one in submissions]
    heads = [*PLACE_COLUMNS, "round", *FAILURE_COLUMNS]
    for measure in MEASURES:
        heads += [measure.key, *(f"{measure.key}_{part}" for part in Share._fields if measure.cases)]
    return pd.DataFrame(rows, columns=heads)


FAILURE_COLUMNS = ("unmeasured", "refused", "turns", "failed", "failed_against")


def _row(one: Submission, at: dict[str, Submission], exploitability: ExploitabilityMeasure) -> dict[str, Any]:
    shape = complexity(one.source)
    unmeasured = math.isnan(shape.sloc)  # there is no program, or it is not Python
    row = {**one.place, "round": one.round, **_failure_counts(one, unmeasured)}
    for key, share in _shares(one).items():
        row |= {key: share.value, f"{key}_hits": float(share.hits), f"{key}_cases": float(share.cases)}
    row["payoff_with_failed"] = math.nan if one.payoff is None else one.payoff
    # The rules, not the programs, determine the payoffs of a failed round.
    row["payoff"] = math.nan if FORFEITED in (*one.moves, *one.opponent_moves) else row["payoff_with_failed"]
    row |= {"access_paper": access_score(one.source), "access_extended": access_score(one.source, "extended")}
    row |= shape._asdict()
    row |= _similarities(one, "opponent", previous_submission(one, at, 1 - one.place["seat"]))
    row |= _similarities(one, "own", previous_submission(one, at, one.place["seat"]))
    found = None if unmeasured else exploitability(one)
    row["exploitability"], row["margin"] = (found.value, found.margin) if found else (math.nan, math.nan)
    return row


def _failure_counts(one: Submission, unmeasured: bool) -> dict[str, Any]:
    why = NOT_SUBMITTED if one.source is None else NOT_PYTHON if unmeasured else ""
    counts = len(one.refusal_codes), len(one.moves), sum(one.failures.values()), one.opponent_moves.count(FORFEITED)
    return dict(zip(FAILURE_COLUMNS, (why, *counts), strict=True))


def _shares(one: Submission) -> dict[str, Share]:
    own = EMPTY_SHARE if one.coins is None else own_coins(*one.coins)
    if one.letters is None:
        return {"cooperation": EMPTY_SHARE, **dict.fromkeys(AFTER_COLUMNS.values(), EMPTY_SHARE), "own_coins": own}
    after = {AFTER_COLUMNS[seen]: share for seen, share in cooperation_after(*one.letters).items()}
    return {"cooperation": cooperation([one.letters[0]]), **after, "own_coins": own}


def previous_submission(one: Submission, at: dict[str, Submission], seat: int) -> Submission | None:
    """Return the submission of a seat in the previous meta-round; None if there is none."""
    return at.get(f"{one.place['match']}:{seat}:{one.round - 1}")


def _similarities(one: Submission, whose: str, last: Submission | None) -> dict[str, float]:
    other = None if last is None else last.source
    return {
        f"token_{whose}": token_similarity(one.source, other),
        f"tree_{whose}": tree_similarity(one.source, other),
    }


def failures_of(submissions: Iterable[Submission]) -> dict[tuple[str, str], dict[str, int]]:
    """Count failures by (game, player) and kind.

    The kinds are ``programs`` and ``turns`` (totals), ``no program``, ``refused: CODE`` for invalid answers, and
    ``turn: KIND`` for turns without a move.
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    for one in submissions:
        counts = found.setdefault((one.place["game"], one.place["player"]), {"programs": 0, "turns": 0})
        parts = [("programs", 1), ("turns", len(one.moves)), (NOT_SUBMITTED, int(one.source is None))]
        parts += [(f"refused: {code}", 1) for code in one.refusal_codes]
        parts += [(f"turn: {kind}", count) for kind, count in one.failures.items()]
        for name, count in parts:
            counts[name] = counts.get(name, 0) + count
    return found
