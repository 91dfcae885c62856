"""What a decision is credited with: the end of the match, or what came after the decision itself.

``match`` is GRPO as it was published (Shao and others 2024, arXiv 2402.03300, section 4.1): all tokens of a match have
the advantage ``(R - mean(R)) / std(R)``, with mean and standard deviation over the plays of the group. It is computed
by TRL.

``decision`` gives each decision d of a play its own advantage, before scaling:

* ``G - mean(G)``: G is the reward of the match without what answers before d were fined, and the mean is over those
  plays of the group that stood before the same: the same number of decisions behind them and the same text to answer
  (Feng and others 2025, arXiv 2505.10978, section 3.2, call these anchor states). Where a play stands alone, the mean
  is over all plays of the group that had so many decisions.
* ``Q - V`` for answers, where the game's solution knows the stake s: the value of accepting less that of the best
  response after rejecting, told who the opponent is (`econzoo.train.lm.relabelling.decision_stakes`). Counted from
  halfway between both, Q is ``s / 2`` for accepting, ``-s / 2`` for rejecting and ``-abs(s) / 2`` less the fine for
  what could not be used. V is the mean of Q over the answers of those plays that stood before the same and one more
  answer of each kind, so that there is something to learn also where all answer alike (Laplace's rule). Only with the
  objective ``self_gain``.

What the second says is better than what the model can do: it takes for granted that all later moves are the best ones
and that the opponent is known. All of a step are divided by their root mean square (`normalise_advantages`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from econzoo.train.lm.processes import sum_over_processes
from econzoo.train.lm.relabelling import decision_stakes
from econzoo.train.lm.reward import Reward
from econzoo.train.lm.sample import Sample
from econzoo.train.lm.self_play import is_policy

__all__ = [
    "Credit",
    "answer_values",
    "decision_advantages",
    "match_advantages",
    "normalise_advantages",
    "spread_over_tokens",
]

Credit = Callable[[Sequence[Sample], Reward], list[list[float]]]
"""From the plays of a match to the advantage of every decision of each, before scaling."""

SOLVED_OBJECTIVE = "self_gain"
"""The objective whose stakes the solutions know."""

ACCEPT = "accept"

Place = tuple[int, str | None]
"""Decisions that lie behind a play, and what it is to answer."""


def match_advantages(group: Sequence[Sample], reward: Reward) -> list[list[float]]:
    """The reward of a match less the mean of its group, for every decision."""
    values = [reward.compute(sample.record, sample.seat) for sample in group]
    mean = fmean(values)
    return [[value - mean] * len(sample.turns) for value, sample in zip(values, group, strict=True)]


def decision_advantages(group: Sequence[Sample], reward: Reward) -> list[list[float]]:
    """The advantage of every decision in the plays of one match, before scaling.

    Args:
        group: Plays of the same ticket.
        reward: Of a match.

    Returns:
        For every play one number for each of the learner's turns, also those that could not be used.
    """
    solved = reward.objective.spec == SOLVED_OBJECTIVE
    known = [answer_values(sample, reward.penalty) if solved else [None] * len(sample.turns) for sample in group]
    to_go = [_rewards_to_go(sample, reward) for sample in group]
    places = [[(number, turn.prompt) for number, turn in enumerate(sample.turns)] for sample in group]
    answers, returns = _group_by_place(places, known), _group_by_place(places, to_go)
    numbered = _group_by_place([[number for number, _ in one] for one in places], to_go)

    def advantage(place: Place, value: float | None, found: float) -> float:
        if value is not None:
            return value - sum(answers[place]) / (len(answers[place]) + 2)  # the two that are added come to 0
        same = returns[place] if len(returns[place]) > 1 else numbered[place[0]]
        return found - fmean(same)

    return [list(map(advantage, *one)) for one in zip(places, known, to_go, strict=True)]


def _group_by_place(
    places: Sequence[Sequence[Any]], values: Sequence[Sequence[float | None]]
) -> dict[Any, list[float]]:
    """The known values of all plays that stood before the same."""
    out: dict[Any, list[float]] = defaultdict(list)
    for own, found in zip(places, values, strict=True):
        for place, value in zip(own, found, strict=True):
            if value is not None:
                out[place].append(value)
    return out


def _rewards_to_go(sample: Sample, reward: Reward) -> list[float]:
    """The reward of a match at each decision, without what answers before it were fined."""
    out, fined, value = [], 0.0, reward.compute(sample.record, sample.seat)
    for turn in sample.turns:
        out.append(value if sample.has_forfeited else value + fined)
        fined += reward.penalty * (turn.error is not None)
    return out


def answer_values(sample: Sample, penalty: float) -> list[float | None]:
    """Half the stake of every answer that is right, minus half of every one that is wrong; None where none is known.

    What could not be used counts as a wrong answer that is fined: were it compared with other plays instead, it would
    be better than a wrong answer, and the policy would come to say nothing of use.

    Args:
        sample: A match.
        penalty: For each answer that had to be asked for again.
    """
    out: list[float | None] = [None] * len(sample.turns)
    if any(is_policy(spec) for seat, spec in enumerate(sample.record.players) if seat != sample.seat):
        return out
    moved = [number for number, turn in enumerate(sample.turns) if turn.action is not None]
    for number, stake in zip(moved, decision_stakes(sample.record, sample.seat), strict=True):
        turn = sample.turns[number]
        if stake is None or math.isnan(stake) or turn.error is not None or turn.action is None:
            continue
        out[number] = stake / 2 if turn.action["kind"] == ACCEPT else -stake / 2
        for earlier in range(number - 1, -1, -1):
            if sample.turns[earlier].error is None:
                break
            out[earlier] = -abs(stake) / 2 - penalty
    return out


def normalise_advantages(advantages: Sequence[Sequence[float]]) -> list[list[float]]:
    """All of a step, divided by their root mean square over all processes; zeros stay zeros."""
    known = [one for play in advantages for one in play]
    squares, number = sum_over_processes([math.fsum(one * one for one in known), len(known)])
    size = math.sqrt(squares / number) if squares else 1.0
    return [[one / size for one in play] for play in advantages]


def spread_over_tokens(sample: Sample, advantages: Sequence[float]) -> list[float]:
    """One number for each token of the completion: that of its decision, 0 where the model read."""
    out = [0.0] * len(sample.completion)
    for span, one in zip(sample.spans, advantages, strict=True):
        out[span.begin : span.end] = [one] * (span.end - span.begin)
    return out
