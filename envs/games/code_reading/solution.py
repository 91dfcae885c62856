"""Optimal play in code reading: the log score is proper, so truthful answers maximise the expected score."""

from __future__ import annotations

import math

from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY, Params, score


def truthful_payoff(label: float) -> float:
    """Payoff of the truthful answer, clipped to the legal range."""
    return score(label, min(max(label, MIN_PROBABILITY), MAX_PROBABILITY))


def yes_no_payoff(label: float) -> float:
    """Payoff of the better of yes and no."""
    return max(score(label, MAX_PROBABILITY), score(label, MIN_PROBABILITY))


def equilibrium_payoffs(params: Params) -> tuple[float]:
    """Payoff of a reader that infers the label from the program's text and answers truthfully.

    Returns:
        NaN if nature draws the program, since the reader does not know from which set.
    """
    return (informed_payoff(params),) if len(params.items) == 1 else (math.nan,)


def informed_payoff(params: Params) -> float:
    """Mean payoff over nature's draw of a reader that knows every label."""
    best = yes_no_payoff if params.words else truthful_payoff
    return sum(best(label) for label in params.labels) / len(params.labels)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """Reference points by name, means over nature's draw.

    Returns:
        ``equilibrium`` if there is one program, ``reading`` (`informed_payoff`), and ``blind`` (the best answer that
        ignores the program: the mean label). The last two are full-information benchmarks, as the reader does not know
        the set of programs.
    """
    mean = sum(params.labels) / len(params.labels)
    answers = (
        (MAX_PROBABILITY, MIN_PROBABILITY) if params.words else (min(max(mean, MIN_PROBABILITY), MAX_PROBABILITY),)
    )
    blind = max(sum(score(label, answer) for label in params.labels) / len(params.labels) for answer in answers)
    points: dict[str, tuple[float, ...]] = {"reading": (informed_payoff(params),), "blind": (blind,)}
    return points if len(params.items) > 1 else {"equilibrium": equilibrium_payoffs(params), **points}
