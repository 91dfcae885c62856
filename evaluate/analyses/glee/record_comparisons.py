"""The numbers of GLEE's tables and text, computed from imported or own records of its games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from pandas import DataFrame

from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.behaviour.offers import ending_table
from econzoo.evaluate.analyses.glee.maps import FAMILIES, GAINS, METRICS, ROLES, model_of
from econzoo.evaluate.analyses.paper_numbers import Comparison, OwnNumber, Paper, Place
from econzoo.evaluate.analyses.regression.features import MODES, PAPER_BASELINE_PLAYER, SETTING_FEATURE
from econzoo.evaluate.analyses.regression.observations import Observations, observe
from econzoo.evaluate.analyses.regression.regression import Effect
from econzoo.evaluate.analyses.regression.study import FamilyStudy, regression_study
from econzoo.evaluate.formats.glee.answers import PERSON
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.stats.association import pearson

POINTS = 100
"""Effects are printed in percentage points."""


def studies(records: Records, models: Sequence[str], splits: int) -> list[FamilyStudy]:
    """Run the regressions of each family of the records, in the paper's order and with its model names.

    Args:
        records: Records of GLEE's games.
        models: The paper's model names.
        splits: Number of splits of the comparison of predictions.
    """
    found = {one.family: _rename_models(one, models) for one in observe(records, records.duplicates)}
    return [regression_study(found[family], MODES[0], splits=splits) for family in FAMILIES if family in found]


def _rename_models(observations: Observations, models: Sequence[str]) -> Observations:
    known = set(models)
    names = {seat: [model_of(str(name), known) for name in observations.table[seat]] for seat in observations.seats}
    return replace(observations, table=observations.table.assign(**names))


def tables(paper: Paper, records: Sequence[Record], families: Sequence[FamilyStudy]) -> list[Comparison]:
    """Compare the paper's tables with those of records; tables without data are left out.

    Args:
        paper: See `econzoo.evaluate.analyses.glee.maps.glee_paper`.
        records: Records of `families`.
        families: See `studies`.
    """
    made = {
        "table-4": counts(records, paper.places["table-4"]),
        "table-5": [one for family in families for one in _setting_effects(family)],
        "table-6": [one for family in families for one in _player_effects(family, paper.places["table-6"])],
        "table-9": [one for family in families for one in _errors(family)],
        "anchoring": list(anchors(ending_table(records))),
    }
    return [Comparison(f"{key}-records", paper.places[key], own, "records") for key, own in made.items() if own]


def counts(records: Sequence[Record], place: Place) -> list[OwnNumber]:
    """Compute Table 4: games, decisions, messages and words by family.

    Args:
        records: Records of any games.
        place: The printed table.
    """
    found: dict[str, Counter[str]] = {family: Counter() for family in FAMILIES}
    for record in records:
        if record.game in found:
            found[record.game].update(_count_record(record))
    rows = {**found, "total": sum(found.values(), Counter())}
    names = ("games", "decisions", "messages", "words")
    made = []
    for row, own in rows.items():
        why = f"{own['games']:,} games here; the paper has {place.cells[row]['games']}."
        made += [OwnNumber(row, name, own[name], own["games"], why) for name in names] if own["games"] else []
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


def _setting_effects(family: FamilyStudy) -> Iterator[OwnNumber]:
    """Table 5: effects of settings, by horizon and in decreasing order of efficiency."""
    found = {fit.metric: {e.value: e for e in fit.effects if e.parameter == SETTING_FEATURE} for fit in family.fits}
    efficiency = found.get("efficiency", {})
    by_horizon: dict[str, list[Effect]] = {}
    for effect in sorted(efficiency.values(), key=lambda one: -one.effect):
        by_horizon.setdefault(effect.value.partition("T=")[2] or "20", []).append(effect)
    for horizon, effects in by_horizon.items():
        for number, effect in enumerate(effects, start=1):
            for metric in OUTCOMES:
                one = found.get(metric, {}).get(effect.value, effect)
                note = (
                    f"Ours: {effect.value} against {effect.baseline}." if np.isfinite(one.effect) else CONFOUNDED_NOTE
                )
                yield OwnNumber(f"{family.name} T={horizon}, {number}", metric, _points(one), one.n, note)
    for metric in OUTCOMES:
        halves = [_half_interval(one) for one in found.get(metric, {}).values()]
        if halves:
            yield OwnNumber(f"{family.name} ±", metric, _finite_or_none(max(halves)))


NO_BASELINE_NOTE = f"No match has {PAPER_BASELINE_PLAYER}, the paper's baseline, in that seat."
OTHER_GAMES_NOTE = "Other games, in other numbers."
CONFOUNDED_NOTE = "This effect is not identified in the games here."


def _player_effects(family: FamilyStudy, place: Place) -> Iterator[OwnNumber]:
    """Table 6: effects of players on their own gains."""
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
            why = _overlap_note(place.cells.get(one.value, {}), cell, one)
            yield OwnNumber(one.value, cell, _points(one), one.n, why)
            half = _finite_or_none(_half_interval(one))
            yield OwnNumber(one.value, f"{cell} ±", half, one.n, CONFOUNDED_NOTE if half is None else OTHER_GAMES_NOTE)


def _overlap_note(printed: Mapping[str, str], cell: str, one: Effect) -> str:
    """Whether our interval and the printed one overlap."""
    if not np.isfinite(_half_interval(one)):
        return CONFOUNDED_NOTE
    if cell not in printed:
        return ""
    gap = abs(POINTS * one.effect - float(printed[cell]))
    return f"Intervals {'overlap' if gap <= _half_interval(one) + float(printed[f'{cell} ±']) else 'do not overlap'}."


def _points(effect: Effect) -> float | None:
    return _finite_or_none(POINTS * effect.effect)


def _half_interval(effect: Effect) -> float:
    """Half-width of the classical interval, as in the paper."""
    return POINTS * (effect.ci_high - effect.ci_low) / 2


def _finite_or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


ROWS = {"alice_self_gain": "Alice", "bob_self_gain": "Bob"}


def _errors(family: FamilyStudy) -> Iterator[OwnNumber]:
    """Table 9: mean errors of predictions of held-out games."""
    for score in family.scores:
        if score.model != "mean":
            yield OwnNumber(
                f"{family.name} {ROWS.get(score.metric, score.metric)}", score.model, score.rmse, score.n_test
            )


MIN_GAMES = 3
"""Minimum number of games for a correlation."""


def anchors(endings: DataFrame) -> Iterator[OwnNumber]:
    """Correlate Alice's first offer, as her share, with her final share, 0 without agreement.

    Args:
        endings: See `econzoo.evaluate.analyses.behaviour.offers.ending_table`.
    """
    alice = endings[(endings["game"] == FAMILIES[0]) & (endings["seat"] == 0) & endings["first"].notna()]
    groups = {
        "person as Bob": alice[(alice["opponent"] == PERSON) & (alice["player"] != PERSON)],
        "person as Alice": alice[(alice["player"] == PERSON) & (alice["opponent"] != PERSON)],
        "no people": alice[(alice["player"] != PERSON) & (alice["opponent"] != PERSON)],
    }
    for name, games in groups.items():
        first, final = games["first"].to_numpy(float), games["final"].fillna(0.0).to_numpy(float)
        if len(games) >= MIN_GAMES:
            found = float(pearson(first, final, np.ones((1, len(games))))[0])
            yield OwnNumber("correlation", name, _finite_or_none(found), len(games))
