"""One row of numbers for each program that was submitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from econzoo.evaluate.analyses.programs.play import (
    EMPTY_SHARE,
    FORFEITED,
    ROUNDS,
    Share,
    cooperation,
    cooperation_after,
    own_coins,
)
from econzoo.evaluate.analyses.programs.sources import access_score, complexity, token_similarity, tree_similarity
from econzoo.evaluate.analyses.programs.submissions import Submission
from econzoo.evaluate.analyses.seat_columns import PLACE_COLUMNS

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.exploitability import Exploitability


class Measure(NamedTuple):
    """A measure of programs or of their play.

    Attributes:
        key: Names it in files.
        title: For people.
        short: Heads the columns of tables.
        cases: Whether it is a share, whose mean counts every case alike: columns ``KEY_hits`` and ``KEY_cases`` then
            stand beside it.
        digits: After the point, of one that is no share.
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
    Measure("own_coins", "own coins among those collected", "own coins", True),
    Measure("payoff", "payoff per turn", "payoff"),
    Measure("payoff_with_failed", "payoff per turn, with failed rounds", "with failed"),
    Measure("access_paper", "opponent-source access score", "access"),
    Measure("access_extended", "opponent-source access score, extended", "ext."),
    Measure("sloc", "source lines", "lines", digits=1),
    Measure("cyclomatic", "mean cyclomatic complexity", "cycl."),
    Measure("volume", "Halstead volume", "volume", digits=1),
    Measure("difficulty", "Halstead difficulty", "diff."),
    Measure("effort", "Halstead effort", "effort", digits=0),
    Measure("token_opponent", "token similarity to the opponent's last program", "tok. opp."),
    Measure("tree_opponent", "tree similarity to the opponent's last program", "tree opp."),
    Measure("token_own", "token similarity to the own last program", "tok. own"),
    Measure("tree_own", "tree similarity to the own last program", "tree own"),
    Measure("exploitability", "exploitability by the pool, per turn", "exploit."),
    Measure("margin", "largest margin of the pool, per turn", "margin"),
)
"""All measures, in the order of columns."""

NOT_SUBMITTED, NOT_PYTHON = "no program", "syntax error"
"""Why a program cannot be measured."""

ExploitabilityMeasure = Callable[[Submission], "Exploitability | None"]
"""The exploitability of a submitted program; None where no pool is given for its game."""


def program_table(
    submissions: Sequence[Submission], exploitability: ExploitabilityMeasure = lambda one: None
) -> pd.DataFrame:
    """One row for each submission: the columns of `PLACE`, ``round``, what failed, and all `MEASURES`.

    ``unmeasured`` says why there is nothing to measure in the program itself (empty where there is), ``refused`` how
    many answers were refused before it, ``turns`` how many turns were played, ``failed`` how many of them the
    program did not answer and ``failed_against`` how many the other program did not. A round with one of these has a
    ``payoff_with_failed`` and no ``payoff``. NaN is what is not defined; it is in no mean.

    Args:
        submissions: See `econzoo.evaluate.analyses.programs.submissions.submissions_of`.
        exploitability: Measures exploitability.

    Raises:
        ImportError: radon is not installed.
    """
    at = {one.id: one for one in submissions}
    made = [_row(one, at, exploitability) for one in submissions]
    heads = [*PLACE_COLUMNS, "round", *FAILURE_COLUMNS]
    for measure in MEASURES:
        heads += [measure.key, *(f"{measure.key}_{part}" for part in Share._fields if measure.cases)]
    return pd.DataFrame(made, columns=heads)


FAILURE_COLUMNS = ("unmeasured", "refused", "turns", "failed", "failed_against")


def _row(one: Submission, at: dict[str, Submission], exploitability: ExploitabilityMeasure) -> dict[str, Any]:
    shape = complexity(one.source)
    unmeasured = math.isnan(shape.sloc)
    row = {**one.place, "round": one.round, **_failure_counts(one, unmeasured)}
    for key, share in _shares(one).items():
        row |= {key: share.value, f"{key}_hits": float(share.hits), f"{key}_cases": float(share.cases)}
    row["payoff_with_failed"] = math.nan if one.payoff is None else one.payoff
    row["payoff"] = math.nan if FORFEITED in (*one.moves, *one.opponent_moves) else row["payoff_with_failed"]
    row |= {"access_paper": access_score(one.source), "access_extended": access_score(one.source, "extended")}
    row |= shape._asdict()
    row |= _likeness(one, "opponent", previous_submission(one, at, 1 - one.place["seat"]))
    row |= _likeness(one, "own", previous_submission(one, at, one.place["seat"]))
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
    """What a seat submitted in the meta-round before; None if there was none."""
    return at.get(f"{one.place['match']}:{seat}:{one.round - 1}")


def _likeness(one: Submission, whose: str, last: Submission | None) -> dict[str, float]:
    other = None if last is None else last.source
    return {
        f"token_{whose}": token_similarity(one.source, other),
        f"tree_{whose}": tree_similarity(one.source, other),
    }


def failures_of(submissions: Iterable[Submission]) -> dict[tuple[str, str], dict[str, int]]:
    """(Game, player) to how often each thing went wrong, and of how many.

    The keys are ``programs`` and ``turns`` (all of them), ``no program``, ``refused: CODE`` for answers that were
    refused, and ``turn: KIND`` for turns that a program did not answer.
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
