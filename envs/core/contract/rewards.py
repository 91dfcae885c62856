"""Rewards for learners: the objective's value of a match played by valid actions, and less for every other match.

The rules pay a seat that gives no valid action by the position, and a default action may be a good move. Paid by the
objective alone, a learner gains by silence wherever playing on can end worse. So a forfeit is worth less than any
result of the setting, by the ranges that the game declares (`econzoo.envs.core.contract.objectives.Ranges`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.objectives import Objective, Range, Ranges

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

__all__ = ["RewardScale", "describe_dominance", "reward_scale"]

GAP = 0.25
"""Least distance of a forfeit to the results of the setting, for values of the order of 1."""

PARTS = 8
"""Parts of this distance: a played match is worth at least two of them above a forfeit, default actions up to one."""

LOSS = -1.0
"""Lowest efficiency or fairness that counts, and lowest gain of a game that bounds gains nowhere: all that is at stake.

Fairness falls to -6 or, with wide bounds on prices, -1000. A forfeit below that would hide all other differences in the
group of a match, whose rewards are divided by their standard deviation."""


DOMINANT = 3.0
"""A term of a mix decides alone if its weighted range is wider than so many times all others' together."""


class RewardScale(NamedTuple):
    """Rewards of a seat in a setting.

    Attributes:
        least: Lowest value that counts, at most 0; lower values of the objective count as this one.
    """

    least: float
    forfeit: float
    is_clipped: bool

    def reward(self, value: float, fine: float = 0.0, replaced: float = 0.0) -> float:
        """Return the reward of a match, which is `value` - `fine` unless that comes near the reward of a forfeit.

        Args:
            replaced: Share of the seat's answers that default actions replaced; 1 after a forfeit. A match with any of
                them is worth less than every match without, and the less, the more there are, whatever its value.
        """
        step = (self.least - self.forfeit) / PARTS
        # From the worst: a forfeit, any default action (up to a step above), valid answers only (two steps or more).
        if replaced > 0.0:
            return self.forfeit + step * (1.0 - replaced)
        return max(max(value, self.least) - fine, self.forfeit + 2.0 * step)


def reward_scale(
    game: Game[Any, Any, Any],
    params: Any,
    objective: Objective,
    seat: int,
    definition: str = "paper",
    forfeit: float | None = None,
) -> RewardScale:
    """Return the rewards of a seat in a setting.

    Args:
        forfeit: Reward of a forfeit; None: `GAP`, or an eighth of the largest value if that is more, below `least`.
    """
    declared = game.ranges(params, definition)
    lowest, highest = objective.range(counted_ranges(declared, game.facts.gain_range), seat)
    least = min(lowest, 0.0)  # 0 is the reward of an undefined value
    if math.isinf(least):
        if forfeit is None or not -math.inf < forfeit <= -GAP:
            why = f"{objective.spec!r} has no least value in this setting"
            raise ValueError(f"{game.name}: invalid forfeit_reward={forfeit}: expected at most {-GAP}, as {why}")
        return RewardScale(forfeit + max(GAP, abs(forfeit) / PARTS), forfeit, True)
    largest = max(abs(least), highest if math.isfinite(highest) else 0.0)
    limit = least - largest / 2**PARTS  # nearer, rounding could make them equal
    if forfeit is not None and not -math.inf < forfeit < limit:
        why = f"expected less than {limit:.6g}, below the least {objective.spec} of seat {seat}"
        raise ValueError(f"{game.name}: invalid forfeit_reward={forfeit}: {why}")
    below = least - max(GAP, largest / PARTS) if forfeit is None else forfeit
    return RewardScale(least, below, objective.range(declared, seat)[0] < least)


def counted_ranges(ranges: Ranges, gain_range: Range) -> Ranges:
    """Return the parts of ranges that rewards distinguish: gains as in scores, efficiency and fairness from -1 on."""
    low, high = (end if math.isfinite(end) else sign for end, sign in zip(gain_range, (LOSS, -LOSS), strict=True))
    counted = ranges.clip((low, high), (LOSS, math.inf))
    # Gains that a setting bounds by itself stay whole where the game declares no range at all.
    if any(map(math.isfinite, gain_range)):
        return counted
    both = zip(ranges.gains, counted.gains, strict=True)
    return counted._replace(gains=tuple(one if all(map(math.isfinite, one)) else clipped for one, clipped in both))


def describe_dominance(objective: Objective, settings: Iterable[tuple[Ranges, int]]) -> str:
    """Return a line on the term of a mix that decides alone, by its range; empty if none does.

    Args:
        settings: Ranges of each setting, and the seat.
    """
    each = [objective.term_ranges(ranges, seat) for ranges, seat in settings]
    spans = [(min(low for low, _ in own), max(high for _, high in own)) for own in zip(*each, strict=True)]
    widths = [high - low for low, high in spans]
    first = max(range(len(widths)), key=widths.__getitem__, default=0)
    others = sum(width for place, width in enumerate(widths) if place != first)
    # "not >" and not "<=", so that a width which is not a number warns of nothing.
    if len(widths) < 2 or not widths[first] > DOMINANT * others:
        return ""
    names = [f"{name} from {low:.4g} to {high:.4g}" for name, (low, high) in zip(objective.terms, spans, strict=True)]
    chosen = names.pop(first)
    return f"objective={objective.spec}: {chosen} outweighs {', '.join(names)} in these settings"
