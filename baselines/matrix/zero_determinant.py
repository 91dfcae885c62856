"""Zero-determinant strategies: memory-one strategies that tie the other's mean payoff to their own.

In the long run ``other - l = s * (own - l)``, whatever the other does: ``l`` is the baseline, ``s`` the slope. With the
punishment as baseline and ``s = 1 / chi``, the player gets chi times the other's surplus over it; with the reward as
baseline, it bears chi times the other's loss; with a slope of 0, it sets the other's payoff.

Source: Press and Dyson (2012), Iterated prisoner's dilemma contains strategies that dominate any evolutionary opponent,
PNAS 109, 10409-10413; the parameters (l, s, phi) of Hilbe, Nowak and Traulsen (2013), Adaptive dynamics of extortion
and compliance, PLoS ONE 8, e77886, equation 14.
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines.matrix.classic import Classic, Maker
from econzoo.baselines.matrix.memory_one import after_last_round
from econzoo.baselines.matrix.moves import STANDARD, Numbers, Payoffs, dilemma
from econzoo.baselines.strategy import argument

GREATEST = 1e6
"""Extortion factor, at most."""


def probabilities(payoffs: Payoffs, baseline: float, slope: float, weight: float) -> tuple[float, ...]:
    """The four probabilities of cooperation of a zero-determinant strategy (Hilbe, Nowak and Traulsen 2013, eq. 14).

    Args:
        payoffs: Of the game; where they are no prisoner's dilemma, those of `STANDARD` count.
        baseline: From 0 (the punishment) to 1 (the reward).
        slope: From 0 to 1.
        weight: The free factor phi as a part of the greatest that leaves all four within 0 and 1, above 0 and up to 1.

    Returns:
        Probabilities of C after CC, CD, DC and DD, the own move named first.
    """
    reward, sucker, temptation, punishment = dilemma(payoffs)
    line = punishment + baseline * (reward - punishment)
    steps = (
        (1.0 - slope) * (reward - line),
        slope * (line - sucker) + (temptation - line),
        (line - sucker) + slope * (temptation - line),
        (1.0 - slope) * (line - punishment),
    )
    phi = weight / max(steps[0], steps[1], steps[2], steps[3])
    return 1.0 - phi * steps[0], 1.0 - phi * steps[1], phi * steps[2], phi * steps[3]


def _nicely(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    """Cooperates first; numbers: baseline, slope and weight."""
    cc, cd, dc, dd = probabilities(payoffs, x[0], x[1], x[2])
    return 1.0, cc, cd, dc, dd


def zero_determinant(
    spec: str = "zero-determinant", baseline: Any = 0.0, slope: Any = 0.5, weight: Any = 0.5
) -> Classic:
    """Ties the other's mean payoff to its own along a line.

    Source: Press and Dyson (2012), Iterated prisoner's dilemma contains strategies that dominate any evolutionary
    opponent, PNAS 109, 10409-10413; Hilbe, Nowak and Traulsen (2013), PLoS ONE 8, e77886, equation 14.

    Args:
        spec: The spec.
        baseline: Where both get the same: from 0 (the punishment) to 1 (the reward).
        slope: How much the other gets of one's own surplus over it; from 0 to 1.
        weight: How quickly it answers, as a part of the greatest possible; above 0 and up to 1.
    """
    line = argument(spec, "baseline", baseline, 0.0, 1.0), argument(spec, "slope", slope, 0.0, 1.0)
    numbers = *line, argument(spec, "weight", weight, 0.0, 1.0, open_low=True)
    draws = any(0.0 < p < 1.0 for p in probabilities(STANDARD, *numbers))
    return Classic(spec, after_last_round, numbers, _nicely, draws=draws)


def zd_extort(spec: str = "zd-extort", chi: Any = 2.0, weight: Any = 0.5) -> Classic:
    """Gets chi times as much over the punishment as the other; "Extort-2" where chi is 2.

    Source: Press and Dyson (2012), PNAS 109, 10409-10413; Stewart and Plotkin (2012), Extortion and cooperation in the
    prisoner's dilemma, PNAS 109, 10134-10135.

    Args:
        spec: The spec.
        chi: The extortion factor; from 1 to 1e6.
        weight: As for ``zero-determinant``.
    """
    return zero_determinant(spec, 0.0, 1.0 / argument(spec, "chi", chi, 1.0, GREATEST), weight)


def zd_generous(spec: str = "zd-generous", chi: Any = 2.0, weight: Any = 1.0) -> Classic:
    """Bears chi times as much of the loss against full cooperation as the other; "ZDGTFT-2" where chi is 2.

    Source: Stewart and Plotkin (2012), Extortion and cooperation in the prisoner's dilemma, PNAS 109, 10134-10135.

    Args:
        spec: The spec.
        chi: How much more it bears; from 1 to 1e6.
        weight: As for ``zero-determinant``.
    """
    return zero_determinant(spec, 1.0, 1.0 / argument(spec, "chi", chi, 1.0, GREATEST), weight)


def zd_set(spec: str = "zd-set", baseline: Any = 0.5, weight: Any = 0.75) -> Classic:
    """Sets what the other gets, whatever it does: an equalizer.

    Source: Boerlijst, Nowak and Sigmund (1997), Equal pay for all prisoners, American Mathematical Monthly 104,
    303-305; Press and Dyson (2012), PNAS 109, 10409-10413.

    Args:
        spec: The spec.
        baseline: What the other is to get: from 0 (the punishment) to 1 (the reward).
        weight: As for ``zero-determinant``.
    """
    return zero_determinant(spec, baseline, 0.0, weight)


FAMILY: dict[str, Maker] = {
    "zero-determinant": zero_determinant,
    "zd-extort": zd_extort,
    "zd-generous": zd_generous,
    "zd-set": zd_set,
}
