"""The best a reader can do: say the truth. The log score is proper, so no other answer has a higher expected score."""

from __future__ import annotations

from econzoo.envs.games.code_reading.rules import LEAST, MOST, Params, score


def truthful(label: float) -> float:
    """Payoff of the answer that is the label, as far as answers go."""
    return score(label, min(max(label, LEAST), MOST))


def in_words(label: float) -> float:
    """Payoff of the better of yes and no."""
    return max(score(label, MOST), score(label, LEAST))


def equilibrium_payoffs(params: Params) -> tuple[float]:
    """Mean payoff, over the programs that nature may draw, of a reader that knows every label."""
    best = in_words if params.words else truthful
    return (sum(best(label) for label in params.labels) / len(params.labels),)


def reference(params: Params) -> dict[str, tuple[float, ...]]:
    """The best, and the best that ignores the program: the mean label for every one."""
    mean = sum(params.labels) / len(params.labels)
    answers = (MOST, LEAST) if params.words else (min(max(mean, LEAST), MOST),)
    blind = max(sum(score(label, answer) for label in params.labels) / len(params.labels) for answer in answers)
    return {"equilibrium": equilibrium_payoffs(params), "blind": (blind,)}
