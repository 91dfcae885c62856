"""Reward of a match: the objective's value minus penalties for invalid replies; a forfeit gets less than any value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Objective, Outcome, RewardScale, describe_dominance, reward_scale
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import params_of, public_text
from econzoo.train.processes import print_once

__all__ = ["Reward"]

PENALTY = 0.03125
"""Penalty per retry; without it a learner may waste its first answers."""


@dataclass(frozen=True)
class Reward:
    """Reward function of a match; see `econzoo.envs.core.contract.objectives`.

    Attributes:
        objective: Objective of a match that the learner played to the end.
        forfeit: Reward of a forfeit, or of an unfinished match, below every value of the objective in the match's
            setting; None: derived from the ranges that the game declares, 0.25 below its least value in most games.
        penalty: Penalty per invalid reply.
    """

    objective: Objective = field(default_factory=lambda: Objective("self_gain"))
    forfeit: float | None = None
    penalty: float = PENALTY

    def compute(self, record: Record, seat: int, forgiven: int = 0) -> float:
        """Return the reward of a seat, rounded in binary so that a group's equal rewards have an exact mean.

        A match in which a default action replaced an answer of the seat is worth less than any without one.

        Args:
            record: The match.
            seat: The seat.
            forgiven: Number of invalid answers without a penalty.

        Raises:
            ValueError: The match has no result, or `forfeit` is not below every value in its setting.
        """
        if not record.has_result:
            raise ValueError(f"invalid match {record.id} with status {record.status}: expected a match with a result")
        value = self.objective.reward(record.payoffs, outcome_of(record), seat)
        fine, scale = (
            self.penalty * (record.errors[seat] - forgiven),
            self.scale(record.game, record.params, record.options, seat),
        )
        return binary_exact(scale.reward(value, fine, record.replaced_share(seat)))

    def scale(self, game: str, params: Mapping[str, Any], options: Mapping[str, Any], seat: int) -> RewardScale:
        """Return the rewards of a seat in a setting.

        Args:
            game: Name of the game.
            params: Public parameters.
            options: Options of the environment.
            seat: The seat.

        Raises:
            ValueError: `forfeit` is not below every value.
        """
        definition = str(options.get("metrics", "paper"))
        return _scale(game, public_text(params), definition, self.objective, self.forfeit, seat)


@lru_cache(maxsize=4096)  # every match asks for the ranges of its setting
def _scale(
    game: str, public: str, definition: str, objective: Objective, forfeit: float | None, seat: int
) -> RewardScale:
    return reward_scale(find_game(game), params_of(game, public), objective, seat, definition, forfeit)


def played_value(record: Record, seat: int, objective: Objective) -> float:
    """Return the objective's value for a seat, NaN where it is undefined; the least value for answers not given.

    That is `RewardScale.least`, of a forfeit and of a match with replaced answers.
    """
    if seat not in record.defaulting_seats:
        return objective(record.payoffs, outcome_of(record), seat)
    return Reward(objective).scale(record.game, record.params, record.options, seat).least


Place = tuple[str, Mapping[str, Any], Mapping[str, Any], int]
"""Game, public parameters, options and seat of a learner."""


def describe_reward(reward: Reward, places: Iterable[Place]) -> list[str]:
    """Return what a forfeit gets in the settings of a training, which values are cut off, and `describe_dominance`."""
    known, goal = _distinct(places), reward.objective
    scales = [_scale(game, text, definition, goal, reward.forfeit, seat) for game, text, definition, seat in known]
    least, most = (end([scale.forfeit for scale in scales], default=0.0) for end in (min, max))
    amount = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}, by setting and seat"
    cut = ", ".join(f"{one:.4g}" for one in sorted({scale.least for scale in scales if scale.is_clipped})[:3])
    line = f"a forfeit gets {amount}: below every {goal.spec}" + (f"; less than {cut} counts as that" if cut else "")
    return [line, *filter(None, [_dominance(goal, known)])]


def print_dominance(objective: Objective, places: Iterable[Place]) -> None:
    """Print the line of `describe_dominance`, if there is one, on standard error."""
    if line := _dominance(objective, _distinct(places)):
        print_once(line)


def _dominance(objective: Objective, known: Iterable[tuple[str, str, str, int]]) -> str:
    ranges = [(find_game(game).ranges(params_of(game, text), name), seat) for game, text, name, seat in known]
    return describe_dominance(objective, ranges)


def _distinct(places: Iterable[Place]) -> list[tuple[str, str, str, int]]:
    every = ((g, public_text(params), str(options.get("metrics", "paper")), s) for g, params, options, s in places)
    return list(dict.fromkeys(every))


def as_reward(given: str | Objective | Reward) -> Reward:
    """Return a reward from an objective or its name."""
    if isinstance(given, Reward):
        return given
    return Reward(given if isinstance(given, Objective) else Objective(given))


def binary_exact(value: float, bits: int = 14) -> float:
    """Round to so few bits that float32 sums of hundreds of equal values are exact.

    A group of equal rewards must have advantages of exactly 0: rounding noise, divided by its own tiny standard
    deviation, would change the policy.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 2**bits), exponent - bits)


def outcome_of(record: Record) -> Outcome:
    """Return the outcome of a match for objectives."""
    metrics = record.metrics
    gains = tuple(_number(gain) for gain in metrics["gains"])
    return Outcome(gains, _number(metrics["efficiency"]), _number(metrics["fairness"]), bool(metrics["agreed"]))


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
