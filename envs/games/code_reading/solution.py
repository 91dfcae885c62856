"""The best a reader can do: say the truth. The log score is proper, so no other answer has a higher expected score."""

from __future__ import annotations

import math

from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY, Params, score


def truthful_payoff(label: float) -> float:
    """Payoff of the answer that is the label, as far as answers go."""
    return score(label, min(max(label, MIN_PROBABILITY), MAX_PROBABILITY))


def yes_no_payoff(label: float) -> float:
    """Payoff of the better of yes and no."""
    return max(score(label, MAX_PROBABILITY), score(label, MIN_PROBABILITY))


def equilibrium_payoffs(params: Params) -> tuple[float]:
    """Payoff of a reader that says the truth about the program, whose label follows from its text.

    Returns:
        NaN where nature draws the program: the reader is not told from which, and so not what it can expect on average.
    """
    return (informed_payoff(params),) if len(params.items) == 1 else (math.nan,)


def informed_payoff(params: Params) -> float:
    """Mean payoff, over the programs that nature may draw, of a reader that knows every label."""
    best = yes_no_payoff if params.words else truthful_payoff
    return sum(best(label) for label in params.labels) / len(params.labels)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Named points, means over the programs that nature may draw; from which it draws the reader is not told.

    Returns:
        ``equilibrium`` where there is one program, ``reading`` (the best that can be said of each, `reading`), and
        ``blind`` (the best that ignores the program: the mean label for every one). The last two are benchmarks of full
        information.
    """
    mean = sum(params.labels) / len(params.labels)
    answers = (
        (MAX_PROBABILITY, MIN_PROBABILITY) if params.words else (min(max(mean, MIN_PROBABILITY), MAX_PROBABILITY),)
    )
    blind = max(sum(score(label, answer) for label in params.labels) / len(params.labels) for answer in answers)
    points: dict[str, tuple[float, ...]] = {"reading": (informed_payoff(params),), "blind": (blind,)}
    return points if len(params.items) > 1 else {"equilibrium": equilibrium_payoffs(params), **points}
