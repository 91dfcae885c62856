"""The numbers of GLEE's tables and text, computed from imported or own records of its games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from pandas import DataFrame

from econzoo.envs.core import format_count
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, Place, agrees
from econzoo.evaluate.analyses.behaviour import ending_table
from econzoo.evaluate.analyses.glee.maps import FAMILIES, GAINS, METRICS, ROLES, model_of
from econzoo.evaluate.analyses.regression import MODES, PAPER_BASELINE_PLAYER, SETTING_FEATURE, Effect, FamilyStudy
from econzoo.evaluate.analyses.regression import Observations, observe, regression_study
from econzoo.evaluate.formats.glee import GLEE, PERSON
from econzoo.evaluate.run import Records
from econzoo.evaluate.stats import FISHER_SCALE, Interval, jackknife, pearson

POINTS = 100
"""Effects are printed in percentage points."""


def studies(records: Records, models: Sequence[str], splits: int) -> list[FamilyStudy]:
    """Run the regressions of each family of the records, in the paper's order and with its model names."""
    found = {one.family: _rename_models(one, models) for one in observe(records, records.duplicates)}
    return [regression_study(found[family], MODES[0], splits=splits) for family in FAMILIES if family in found]


def _rename_models(observations: Observations, models: Sequence[str]) -> Observations:
    known = set(models)
    names = {seat: [model_of(str(name), known) for name in observations.table[seat]] for seat in observations.seats}
    return replace(observations, table=observations.table.assign(**names))


def tables(paper: Paper, records: Sequence[Record], families: Sequence[FamilyStudy]) -> list[Comparison]:
    """Compare the paper's tables with those of records; tables without data are left out."""
    totals = counts(records, paper.places["table-4"])
    whole = {one.row for one in totals if one.is_comparable}
    made = {
        "table-4": totals,
        "table-5": [one for family in families for one in _setting_effects(family, paper.places["table-5"], whole)],
        "table-6": [one for family in families for one in _player_effects(family, paper.places["table-6"], whole)],
        "table-9": [one for family in families for one in _errors(family, whole)],
        "anchoring": list(anchors(ending_table(records))),
    }
    return [Comparison(f"{key}-records", paper.places[key], own, "records") for key, own in made.items() if own]


def counts(records: Sequence[Record], place: Place) -> list[OwnNumber]:
    """Compute Table 4: games, decisions, messages and words by family, of imported games.

    They are comparable if they are the whole release: as many games as printed.
    """
    found: dict[str, Counter[str]] = {family: Counter() for family in FAMILIES}
    for record in records:
        if record.game in found and (record.source or {}).get("format") == GLEE:
            found[record.game].update(_count_record(record))
    made = []
    for row, own in {**found, "total": sum(found.values(), Counter())}.items():
        games, printed = own["games"], place.cells[row]
        is_whole = agrees(printed["games"], games)
        why = "" if is_whole else f"{format_count(games, 'game')} here; the paper has {printed['games']}."
        made += [OwnNumber(row, name, own[name], games, why, is_comparable=is_whole) for name in printed if games]
    return made


NON_DECISION_KINDS = ("offer", "say")
"""Kinds of moves that GLEE's tables do not count as decisions."""


def _count_record(record: Record) -> dict[str, int]:
    moves = [turn.action for turn in record.turns if turn.action is not None]
    messages = [str(move["message"]) for move in moves if move.get("message")]
    decisions = sum(move["kind"] not in NON_DECISION_KINDS for move in moves)
    words = sum(len(message.split()) for message in messages)
    return {"games": 1, "decisions": decisions, "messages": len(messages), "words": words}


OUTCOMES = tuple(name for name in METRICS if name not in GAINS)


def _setting_effects(family: FamilyStudy, place: Place, whole: Collection[str]) -> Iterator[OwnNumber]:
    """Table 5: effects of settings, by horizon and in decreasing order of efficiency."""
    clusters = _count_clusters(family)
    found = {fit.metric: {e.value: e for e in fit.effects if e.parameter == SETTING_FEATURE} for fit in family.fits}
    efficiency = found.get("efficiency", {})
    by_horizon: dict[str, list[Effect]] = {}
    # The text of the paper lacks the ticks that say which setting a row is, so rows are known by their order only.
    # Persuasion has no horizon among its merged parameters: all its games have 20 rounds.
    for effect in sorted(efficiency.values(), key=lambda one: -one.effect):
        by_horizon.setdefault(effect.value.partition("T=")[2] or "20", []).append(effect)
    for horizon, effects in by_horizon.items():
        for number, effect in enumerate(effects, start=1):
            # Any of these effects may belong to this row, so the interval covers those of all.
            alike = [one.value for one in effects if _overlap(one, effect)]
            for metric in OUTCOMES:
                rivals = [found[metric][value] for value in alike if value in found.get(metric, {})]
                one = found.get(metric, {}).get(effect.value)
                if one is None:
                    yield OwnNumber(f"{family.name} T={horizon}, {number}", metric, None, reason=CONFOUNDED_NOTE)
                    continue
                note = (
                    f"Ours: {effect.value} against {effect.baseline}." if np.isfinite(one.effect) else CONFOUNDED_NOTE
                )
                row, own = f"{family.name} T={horizon}, {number}", _estimate(one, clusters, rivals)
                half = place.cells[f"{family.name} ±"][metric]
                yield OwnNumber(
                    row, metric, own, one.n, note, printed_interval=_printed_interval(place, row, metric, half)
                )
    for metric in OUTCOMES:
        halves = [_half_interval(one) for one in found.get(metric, {}).values()]
        if halves:
            # The paper prints one half-width per family and metric.
            yield _half_width(f"{family.name} ±", metric, max(halves), 0, family.name in whole)


def _overlap(one: Effect, other: Effect) -> bool:
    """Whether intervals overlap, so that the order of the effects is uncertain."""
    return not (one.ci_low_clustered > other.ci_high_clustered or other.ci_low_clustered > one.ci_high_clustered)


NO_BASELINE_NOTE = f"No match has {PAPER_BASELINE_PLAYER}, the paper's baseline, in that seat."
OTHER_GAMES_NOTE = "Half-widths depend on the number of games."
CONFOUNDED_NOTE = "This effect is not identified in the games here."


def _player_effects(family: FamilyStudy, place: Place, whole: Collection[str]) -> Iterator[OwnNumber]:
    """Table 6: effects of players on their own gains."""
    clusters = _count_clusters(family)
    for seat, metric, role in zip(family.observations.seats, GAINS, ROLES, strict=True):
        cell = f"{family.name} {role}"
        if family.baseline_players[seat] != PAPER_BASELINE_PLAYER:
            yield from (
                OwnNumber(row, name, None, reason=NO_BASELINE_NOTE)
                for row in place.cells
                for name in (cell, f"{cell} ±")
            )
            continue
        effects = [e for fit in family.fits if fit.metric == metric for e in fit.effects if e.parameter == seat]
        for one in effects:
            own, why = _estimate(one, clusters), "" if np.isfinite(one.effect) else CONFOUNDED_NOTE
            half = place.cells.get(one.value, {}).get(f"{cell} ±", "0")
            printed = _printed_interval(place, one.value, cell, half)
            yield OwnNumber(one.value, cell, own, one.n, why, printed_interval=printed)
            yield _half_width(one.value, f"{cell} ±", _half_interval(one), one.n, family.name in whole)


def _count_clusters(family: FamilyStudy) -> dict[tuple[str, str], int]:
    """Independent clusters of each level of each feature: configurations with seeds."""
    table = family.observations.table
    clusters = table["configuration"] + "#" + table["seed"]
    return {
        (feature.name, str(level)): int(count)
        for feature in family.features
        for level, count in clusters.groupby(feature.values.to_numpy()).nunique().items()
    }


def _estimate(
    effect: Effect, clusters: Mapping[tuple[str, str], int], rivals: Sequence[Effect] = ()
) -> Interval | None:
    """An effect in points with its robust interval, of the level or the baseline with fewer clusters.

    The regression fits a level in one match exactly, so that its interval would be too short.
    """
    if not np.isfinite(effect.effect):
        return None
    own = min(clusters.get((effect.parameter, level), 0) for level in (effect.value, effect.baseline))
    if any(one.is_weak for one in (effect, *rivals)):  # the regression itself calls such intervals approximate
        own = 0  # no clusters, so that no verdict is given
    low = np.min([one.ci_low_clustered for one in (effect, *rivals)])
    high = np.max([one.ci_high_clustered for one in (effect, *rivals)])
    return Interval(POINTS * effect.effect, POINTS * float(low), POINTS * float(high), own)


def _printed_interval(place: Place, row: str, cell: str, half: str) -> Interval | None:
    """The printed effect with its printed half-width."""
    printed = place.cells.get(row, {}).get(cell)
    if printed is None:
        return None
    middle, width = float(printed), float(half)
    return Interval(middle, middle - width, middle + width, 0)


def _half_width(row: str, cell: str, value: float, games: int, is_whole: bool) -> OwnNumber:
    """A half-width, which is comparable in the same games only."""
    why = "" if is_whole else OTHER_GAMES_NOTE
    return OwnNumber(row, cell, value if np.isfinite(value) else None, games, why, is_comparable=is_whole)


def _half_interval(effect: Effect) -> float:
    """Half-width of the classical interval, as in the paper."""
    return POINTS * (effect.ci_high - effect.ci_low) / 2


ROWS = {"alice_self_gain": "Alice", "bob_self_gain": "Bob"}

SPLITS_NOTE = (
    "Errors of predictions of other games have no interval; in the same games, it is the middle 95% of splits."
)


def _errors(family: FamilyStudy, whole: Collection[str]) -> Iterator[OwnNumber]:
    """Table 9: mean errors of predictions of held-out games, which in the same games differ by the splits only."""
    for score in family.scores:
        if score.model != "mean":  # not in the paper
            ends = (score.rmse_2_5, score.rmse_97_5) if family.name in whole else (math.nan, math.nan)
            row = f"{family.name} {ROWS.get(score.metric, score.metric)}"
            found = Interval(score.rmse, ends[0], ends[1], score.n_test)
            yield OwnNumber(row, score.model, found, score.n_test, "" if family.name in whole else SPLITS_NOTE)


MIN_GAMES = 3
"""Minimum number of games for a correlation."""


def anchors(endings: DataFrame) -> Iterator[OwnNumber]:
    """Correlate Alice's first offer, as her share, with her final share, 0 without agreement."""
    alice = endings[(endings["game"] == FAMILIES[0]) & (endings["seat"] == 0) & endings["first"].notna()]
    groups = {
        "person as Bob": alice[(alice["opponent"] == PERSON) & (alice["player"] != PERSON)],
        "person as Alice": alice[(alice["player"] == PERSON) & (alice["opponent"] != PERSON)],
        "no people": alice[(alice["player"] != PERSON) & (alice["opponent"] != PERSON)],
    }
    for name, games in groups.items():
        if len(games) >= MIN_GAMES:
            found = _correlation(games)
            yield OwnNumber("correlation", name, None if math.isnan(found.mean) else found, len(games))


def _correlation(games: DataFrame) -> Interval:
    """Correlation of the first and the final share, with the jackknife's interval on Fisher's scale."""
    first, final = games["first"].to_numpy(float), games["final"].fillna(0.0).to_numpy(float)
    found = jackknife(lambda weights: pearson(first, final, weights)[:, None], games, scale=FISHER_SCALE)
    mean, low, high = (float(part[0]) for part in found)
    return Interval(mean, low, high, len(games))
