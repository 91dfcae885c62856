"""Theory that the games of survival have in common: what is certain, and how far play fell short of the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from econzoo.envs.core.parameters import Real, Several
from econzoo.envs.core.valid import checked
from econzoo.envs.families.survival.health import HEALTH, Terms
from econzoo.envs.families.survival.watering import Town, expected_payoff
from econzoo.envs.families.survival.watering_program import TIME_LIMIT, best_allocation

Points = dict[str, tuple[float, ...]]


def price_of_anarchy(town: Town, payoffs: Sequence[float], time_limit: float = TIME_LIMIT) -> float:
    """The greatest possible sum of payoffs over the sum that was reached, for the same supplies.

    The price of anarchy proper compares with the worst equilibrium; this ratio compares with one outcome, whatever led
    to it. It is 1 for an efficient outcome.

    Args:
        town: Residents and supplies.
        payoffs: That were reached, one a resident.
        time_limit: Seconds for the search; if they are not enough, the best sum found stands for the greatest.

    Returns:
        A ratio >= 1; infinite if nothing was reached though something could be; NaN if nothing could be reached.

    Raises:
        ValueError: These are not the payoffs of so many residents.
        ImportError: scipy is not installed.
    """
    seats = len(town.requirements)
    given = checked("payoffs", payoffs, Several(seats, Real(0.0)))
    return best_allocation(town, time_limit).ratio_to(math.fsum(given))


def settled(params: Terms) -> bool:
    """Whether the auction does not matter: without any water everybody lives, and health does not count."""
    return params.reward != HEALTH and params.start_health > params.days * (params.days + 1) // 2


def expected_payoffs(params: Terms, chances: Sequence[float]) -> tuple[float, ...]:
    """Expected payoff of each resident who is served on every day with its own probability, while it lives.

    Args:
        params: The match.
        chances: Probability of water on a day, one a resident, each in [0, 1].
    """
    town = Town((), (), params.start_health, params.max_health, params.reward)
    by_chance = {chance: expected_payoff(town, [chance] * params.days, params.reward) for chance in set(chances)}
    return tuple([by_chance[chance] for chance in chances])


def with_equilibrium(known: tuple[float, ...], points: Mapping[str, tuple[float, ...]]) -> Points:
    """Named reference points, led by the payoffs in equilibrium where they are known (none is NaN)."""
    return dict(points) if any(map(math.isnan, known)) else {"equilibrium": known, **points}
