"""Credit assignment: advantages from the match's result, or from the return after each decision.

``match`` is GRPO as published (Shao et al. 2024, arXiv 2402.03300, section 4.1): all tokens of a match have the
advantage ``(R - mean(R)) / std(R)``, with mean and standard deviation over the plays of the group. TRL computes it.

``decision`` gives each decision d of a play its own advantage, unscaled:

* ``G - mean(G)``: G is the reward of the match without penalties before d, and the mean is over the plays of the
  group at the same state: the same number of earlier decisions and the same prompt (anchor states: Feng et al. 2025,
  arXiv 2505.10978, section 3.2). For a state with a single play, the mean is over all plays of the group with as many
  decisions.
* ``Q - V`` for accept/reject decisions whose stake s the game's solution knows: the value of accepting minus that of
  the best response after rejecting, given the opponent (`econzoo.evaluate.analyses.decision_stakes`). Relative to
  the midpoint, Q is ``s / 2`` for accepting, ``-s / 2`` for rejecting and ``-abs(s) / 2`` minus the penalty for an
  invalid reply. V is the mean of Q over the answers of the plays at the same state and one additional answer of each
  kind, which leaves a signal where all answers agree (Laplace's rule). Only with the objective ``self_gain``.

The second is an upper bound on what the model can do: it assumes optimal later moves and a known opponent. Advantages
of a step are divided by their root mean square (`normalise_advantages`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from econzoo.evaluate.analyses import decision_stakes
from econzoo.train import Reward, sum_over_processes
from econzoo.train.lm.episode_specs import is_policy
from econzoo.train.lm.sample import Sample

__all__ = [
    "Credit",
    "answer_values",
    "decision_advantages",
    "match_advantages",
    "normalise_advantages",
    "spread_over_tokens",
]

Credit = Callable[[Sequence[Sample], Reward], list[list[float]]]
"""From the plays of a match to the advantages of each play's decisions, unscaled."""

SOLVED_OBJECTIVE = "self_gain"
"""The objective whose stakes the solutions compute."""

ACCEPT = "accept"

Place = tuple[int, str | None]
"""Number of earlier decisions, and the prompt."""


def match_advantages(group: Sequence[Sample], reward: Reward) -> list[list[float]]:
    """Return the reward of a match minus the group mean, for every decision."""
    values = [reward.compute(sample.record, sample.seat) for sample in group]
    mean = fmean(values)
    return [[value - mean] * len(sample.turns) for value, sample in zip(values, group, strict=True)]


def decision_advantages(group: Sequence[Sample], reward: Reward) -> list[list[float]]:
    """Return unscaled advantages for the plays of one match: one per turn of the learner, invalid ones included."""
    solved = reward.objective.spec == SOLVED_OBJECTIVE
    known = [answer_values(sample, reward.penalty) if solved else [None] * len(sample.turns) for sample in group]
    to_go = [_rewards_to_go(sample, reward) for sample in group]
    places = [[(number, turn.prompt) for number, turn in enumerate(sample.turns)] for sample in group]
    answers, returns = _group_by_place(places, known), _group_by_place(places, to_go)
    numbered = _group_by_place([[number for number, _ in one] for one in places], to_go)

    def advantage(place: Place, value: float | None, found: float) -> float:
        if value is not None:  # Q - V of the module's docstring; else G - mean(G)
            return value - sum(answers[place]) / (len(answers[place]) + 2)  # the two added answers sum to 0
        same = returns[place] if len(returns[place]) > 1 else numbered[place[0]]
        return found - fmean(same)

    return [list(map(advantage, *one)) for one in zip(places, known, to_go, strict=True)]


def _group_by_place(
    places: Sequence[Sequence[Any]], values: Sequence[Sequence[float | None]]
) -> dict[Any, list[float]]:
    """Return the known values of all plays, grouped by state."""
    out: dict[Any, list[float]] = defaultdict(list)
    for own, found in zip(places, values, strict=True):
        for place, value in zip(own, found, strict=True):
            if value is not None:
                out[place].append(value)
    return out


def _rewards_to_go(sample: Sample, reward: Reward) -> list[float]:
    """Return the reward of a match at each decision, without penalties before it."""
    # Computed anew, as a reward near that of a forfeit, of a forfeit, or of replaced answers holds fewer penalties.
    out, errors = [], 0
    for turn in sample.turns:
        out.append(reward.compute(sample.record, sample.seat, errors))
        errors += turn.error is not None
    return out


def answer_values(sample: Sample, penalty: float) -> list[float | None]:
    """Return half the absolute stake for correct answers and minus half for wrong ones; None without a known stake.

    An invalid reply counts as a penalised wrong answer: compared with other plays instead, it would be better than a
    wrong answer, and the policy would learn invalid replies.
    """
    out: list[float | None] = [None] * len(sample.turns)
    if any(is_policy(spec) for seat, spec in enumerate(sample.record.players) if seat != sample.seat):
        return out  # no solution knows what the policy itself will do
    moved = [number for number, turn in enumerate(sample.turns) if turn.action is not None]
    for number, stake in zip(moved, decision_stakes(sample.record, sample.seat), strict=True):
        turn = sample.turns[number]
        if stake is None or math.isnan(stake) or turn.error is not None or turn.action is None:
            continue
        out[number] = stake / 2 if turn.action["kind"] == ACCEPT else -stake / 2
        # Invalid replies directly before the answer were given at the same decision, hence at the same stake.
        for place in range(number - 1, -1, -1):
            if sample.turns[place].error is None:
                break
            out[place] = -abs(stake) / 2 - penalty
    return out


def normalise_advantages(advantages: Sequence[Sequence[float]]) -> list[list[float]]:
    """Divide the advantages of a step by their root mean square over all processes; zeros stay zeros."""
    known = [one for play in advantages for one in play]
    squares, number = sum_over_processes([math.fsum(one * one for one in known), len(known)])
    size = math.sqrt(squares / number) if squares else 1.0
    return [[one / size for one in play] for play in advantages]


def spread_over_tokens(sample: Sample, advantages: Sequence[float]) -> list[float]:
    """Return one value per token of the completion: its decision's, 0 where the model read."""
    out = [0.0] * len(sample.completion)
    for span, one in zip(sample.spans, advantages, strict=True):
        out[span.begin : span.end] = [one] * (span.end - span.begin)
    return out
