"""The whole analysis of a folder of records, family by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.evaluate.analyses.description import played_of
from econzoo.evaluate.analyses.regression.cautions import data_notes, warnings_of
from econzoo.evaluate.analyses.regression.design import baseline_of
from econzoo.evaluate.analyses.regression.features import MODES, Baseline, Feature, chosen, features
from econzoo.evaluate.analyses.regression.metagame import MetaGame, meta_game
from econzoo.evaluate.analyses.regression.observations import Observations, observe
from econzoo.evaluate.analyses.regression.pairs import Heat, heats
from econzoo.evaluate.analyses.regression.prediction import Score, predictors, scores
from econzoo.evaluate.analyses.regression.regression import Fit, fits
from econzoo.evaluate.run.folder import Repeats, Unreadable, read_folder
from econzoo.evaluate.run.replay import implausible
from econzoo.evaluate.show.numbers import defined

__all__ = ["FamilyStudy", "Settings", "Study", "read_observations", "study"]

SPLITS = 10


class Settings(NamedTuple):
    """What a reader can choose.

    Attributes:
        features: One of `econzoo.evaluate.analyses.regression.features.MODES`.
        pairs: Ordered pairs of players as one feature.
        baseline_player: A name for all seats, or one a seat; None: see
            `econzoo.evaluate.analyses.regression.features.first_players`.
        splits: Of the comparison of predictions; 0: none.
    """

    features: str = "market"
    pairs: bool = False
    baseline_player: Baseline = None
    splits: int = SPLITS


@dataclass(frozen=True)
class FamilyStudy:
    """The analysis of one family.

    Attributes:
        observations: What it is made of.
        baseline_players: Feature to the player (or pair) that others are compared with.
        features: Of the regressions.
        fits: One regression for each metric.
        heats: One heat map for each metric; none unless there are two seats.
        meta: The meta-game; None unless there are two seats.
        scores: Errors of predictions.
        notes: What was counted, clipped and dropped.
        cautions: What weakens the results.
    """

    observations: Observations
    baseline_players: dict[str, str]
    features: list[Feature] = field(repr=False)
    fits: list[Fit] = field(repr=False)
    heats: list[Heat] = field(repr=False)
    meta: MetaGame | None = field(repr=False)
    scores: list[Score] = field(repr=False)
    notes: list[str]
    cautions: list[str]

    @property
    def name(self) -> str:
        """The family."""
        return self.observations.family

    @property
    def player_features(self) -> set[str]:
        """Names of the features that say who plays."""
        return {feature.name for feature in self.features if feature.player}


@dataclass(frozen=True)
class Study:
    """The analysis of a folder.

    Attributes:
        families: See `FamilyStudy`.
        settings: What was chosen.
        unreadable: Lines that are no record.
    """

    families: list[FamilyStudy]
    settings: Settings
    unreadable: list[Unreadable] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for JSON: null where something is not defined."""
        return {
            "settings": self.settings._asdict(),
            "unreadable": [str(one) for one in self.unreadable],
            "families": [_plain_family(one) for one in self.families],
        }


def read_observations(folder: str | Path) -> tuple[list[Observations], list[Unreadable]]:
    """The observations of all records of a folder and of the folders below it, and the lines that are no record.

    Args:
        folder: See `econzoo.evaluate.run.folder.record_files`.

    Raises:
        FileNotFoundError: There are no records.
        ValueError: None can be read.
    """
    repeats = Repeats()
    records, bad = read_folder(folder, implausible, repeats)
    if not records:
        raise ValueError(f"no line is a record; {bad[0]}" if bad else f"no records in {folder}")
    played = {one.game: one for one in played_of(records)}
    return [replace(one, played=played[one.family]) for one in observe(records, repeats)], bad


def study(
    observed: Sequence[Observations],
    settings: Settings = Settings(),  # noqa: B008  a tuple of constants
    unreadable: Sequence[Unreadable] = (),
    advance: Callable[[int], None] = lambda count: None,
) -> Study:
    """The analysis of observations.

    Args:
        observed: See `read_observations`.
        settings: See `Settings`.
        unreadable: Lines that are no record, to be reported.
        advance: Told of every split of every metric.

    Raises:
        ValueError: The settings are not allowed.
    """
    check(observed, settings)
    return Study([_family(one, settings, advance) for one in observed], settings, list(unreadable))


def check(observed: Sequence[Observations], settings: Settings) -> None:
    """Raises `ValueError` for settings that are not allowed."""
    if settings.features not in MODES:
        raise ValueError(f"features={settings.features!r} is not allowed; allowed: {', '.join(MODES)}")
    known = dict.fromkeys(str(name) for one in observed for seat in one.seats for name in one.table[seat].unique())
    for name in (name for name in chosen(settings.baseline_player) if name not in known):
        shown = ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")
        raise ValueError(f"no match has the player {name!r}; there are: {shown}")


def _family(observations: Observations, settings: Settings, advance: Callable[[int], None]) -> FamilyStudy:
    pairs = settings.pairs and len(observations.seats) == 2
    made = features(observations, settings.features, pairs, settings.baseline_player)
    found = fits(observations, made.items)
    maps = heats(observations, [feature for feature in made.items if not feature.player])
    meta = meta_game(observations)
    baselines = {one.name: baseline_of(list(one.values), one.baseline) for one in made.items if one.player}
    return FamilyStudy(
        observations,
        baselines,
        made.items,
        found,
        maps,
        meta,
        _scores(observations, found, settings.splits, advance),
        data_notes(observations),
        [*made.notes, *warnings_of(observations, found, maps)],
    )


def _scores(
    observations: Observations, found: Sequence[Fit], splits: int, advance: Callable[[int], None]
) -> list[Score]:
    models = predictors()
    out = []
    for one in found:
        y = observations.table[one.metric].dropna().to_numpy(float)
        out += scores(one.family, one.metric, one.design, y, splits, models, advance)
    return out


def _plain_family(one: FamilyStudy) -> dict[str, Any]:
    meta = one.meta
    return {
        "family": one.name,
        "matches": len(one.observations.table),
        "baseline_players": one.baseline_players,
        "notes": one.notes,
        "cautions": one.cautions,
        "effects": [
            {**defined(effect._asdict()), "caution": effect.caution} for fit in one.fits for effect in fit.effects
        ],
        "meta_game": None
        if meta is None
        else {
            "empty": meta.empty,
            "searched": meta.searched,
            "degenerate": meta.degenerate,
            "told": meta.told,
            "equilibria": [defined(equilibrium._asdict()) for equilibrium in meta.equilibria],
        },
        "predictions": [defined(score._asdict()) for score in one.scores],
    }
