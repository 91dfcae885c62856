"""The regression analysis of one family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from econzoo.envs.core.contract import check_arguments
from econzoo.evaluate.analyses.regression.design import baseline_of
from econzoo.evaluate.analyses.regression.features import MODES, Baseline, Feature, features
from econzoo.evaluate.analyses.regression.metagame import MetaGame, meta_game
from econzoo.evaluate.analyses.regression.observations import Observations
from econzoo.evaluate.analyses.regression.pairs import Heat, heats
from econzoo.evaluate.analyses.regression.prediction import Score, predictors, scores
from econzoo.evaluate.analyses.regression.regression import Effect, Fit, fits
from econzoo.evaluate.analyses.regression.sentences import data_notes, warnings_of

__all__ = ["FamilyStudy", "FeatureEffects", "regression_study"]


@dataclass
class FeatureEffects:
    """Effects of one feature on all metrics.

    Attributes:
        parameter: Feature.
        baseline: Baseline level.
        rows: Level to metric to `Effect`.
    """

    parameter: str
    baseline: str
    rows: dict[str, dict[str, Effect]] = field(default_factory=dict)


@dataclass(frozen=True)
class FamilyStudy:
    """The analysis of one family.

    Attributes:
        observations: Observations of the family.
        baseline_players: Player feature to its baseline player (or pair).
        features: Features of the regressions.
        fits: One regression per metric.
        heats: One heat map per metric; none unless there are two seats.
        meta: The meta-game; None unless there are two seats.
        scores: Prediction errors.
        notes: Notes on the sample.
        cautions: Caveats.
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
        """Name of the family."""
        return self.observations.family

    def groups(self, players: bool) -> list[FeatureEffects]:
        """Group effects by feature.

        Args:
            players: Whether to return features of players, or those of parameters.
        """
        names = {feature.name for feature in self.features if feature.is_player}
        found: dict[tuple[str, str], FeatureEffects] = {}
        for effect in (effect for fit in self.fits for effect in fit.effects):
            if (effect.parameter in names) == players:
                key = effect.parameter, effect.baseline
                found.setdefault(key, FeatureEffects(*key)).rows.setdefault(effect.value, {})[effect.metric] = effect
        return list(found.values())


@check_arguments
def regression_study(
    observations: Observations,
    mode: str = MODES[0],
    pairs: bool = False,
    baseline_player: Baseline = None,
    splits: int = 0,
    advance: Callable[[int], None] = lambda count: None,
) -> FamilyStudy:
    """Analyse the observations of one family.

    Args:
        observations: See `econzoo.evaluate.analyses.regression.observations.observe`.
        mode: See `econzoo.evaluate.analyses.regression.features.features`.
        pairs: Whether to use ordered player pairs as one feature, with two seats.
        baseline_player: One name for all seats, or one per seat; None: see
            `econzoo.evaluate.analyses.regression.features.first_players`.
        splits: Number of train/test splits for prediction error (0 = none).
        advance: Progress callback per split and metric.

    Raises:
        ValueError: The number of baseline players is neither one nor that of the seats.
    """
    # Games analysed together may have other numbers of seats; these keep one feature per seat.
    built = features(observations, mode, pairs and len(observations.seats) == 2, baseline_player)
    found = fits(observations, built.items)
    maps = heats(observations, [feature for feature in built.items if not feature.is_player])
    return FamilyStudy(
        observations,
        {one.name: baseline_of(list(one.values), one.baseline) for one in built.items if one.is_player},
        built.items,
        found,
        maps,
        meta_game(observations),
        _scores(observations, found, splits, advance),
        data_notes(observations),
        [*built.notes, *warnings_of(observations, found, maps)],
    )


def _scores(
    observations: Observations, found: Sequence[Fit], splits: int, advance: Callable[[int], None]
) -> list[Score]:
    models = predictors()
    out = []
    for one in found:
        y = observations.table[one.metric].dropna().to_numpy(float)  # the rows of the design, in its order
        out += scores(one.family, one.metric, one.design, y, splits, models, advance)
    return out
