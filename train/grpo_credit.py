"""What each decision of a group is credited with: the end of the match, or what came after the decision itself.

``match`` is GRPO as it was published (Shao and others 2024, arXiv 2402.03300, section 4.1): all tokens of a match have
the advantage ``(R - mean(R)) / std(R)``, with mean and standard deviation over the plays of the group. It is computed
by TRL.

``decision`` gives each decision d of a play its own advantage, before scaling:

* ``G - mean(G)``: G is the reward of the match without what answers before d were fined, and the mean is over those
  plays of the group that stood before the same: the same number of decisions behind them and the same text to answer
  (Feng and others 2025, arXiv 2505.10978, section 3.2, call these anchor states). Where a play stands alone, the mean
  is over all plays of the group.
* ``s / 2`` for accepting, ``-s / 2`` for rejecting and ``-abs(s) / 2`` less the fine for what could not be used, where
  the game's solution knows the stake s of an answer: the value of accepting less that of the best response after
  rejecting, told who the opponent is (`econzoo.train.lm_stakes`). The baseline lies halfway between both answers, so
  that it does not depend on the answer and leaves the expected gradient as it is (Williams 1992, section 4). Only with
  the objective ``self_gain``.

What the second says is better than what the model can do: it takes for granted that all later moves are the best ones
and that the opponent is known. All of a step are divided by their root mean square (`econzoo.train.grpo_rollout`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from econzoo.train.lm_rewards import Reward
from econzoo.train.lm_rollout import Sample
from econzoo.train.lm_stakes import stakes
from econzoo.train.lm_tickets import SELF

__all__ = ["answer_advantages", "decision_advantages"]

SOLVED = "self_gain"
"""The objective whose stakes the solutions know."""

ACCEPT = "accept"


def decision_advantages(group: Sequence[Sample], reward: Reward) -> list[list[float]]:
    """The advantage of every decision in the plays of one match, before scaling.

    Args:
        group: Plays of the same ticket.
        reward: Of a match.

    Returns:
        For every play one number for each of the learner's turns, also those that could not be used.
    """
    values = [reward.of(sample.record, sample.seat) for sample in group]
    to_go = [_to_go(sample, value, reward) for sample, value in zip(group, values, strict=True)]
    stood: dict[tuple[int, str | None], list[float]] = defaultdict(list)
    for sample, returns in zip(group, to_go, strict=True):
        for number, (turn, found) in enumerate(zip(sample.turns, returns, strict=True)):
            stood[number, turn.prompt].append(found)
    mean = fmean(values)
    out = []
    for sample, returns in zip(group, to_go, strict=True):
        met = [stood[number, turn.prompt] for number, turn in enumerate(sample.turns)]
        plain = [own - (fmean(all_) if len(all_) > 1 else mean) for own, all_ in zip(returns, met, strict=True)]
        solved = answer_advantages(sample, reward.penalty) if reward.objective.spec == SOLVED else [None] * len(plain)
        out.append([one if known is None else known for one, known in zip(plain, solved, strict=True)])
    return out


def _to_go(sample: Sample, value: float, reward: Reward) -> list[float]:
    """The reward of a match at each decision, without what answers before it were fined."""
    out, fined = [], 0.0
    for turn in sample.turns:
        out.append(value if sample.forfeited else value + fined)
        fined += reward.penalty * (turn.error is not None)
    return out


def answer_advantages(sample: Sample, penalty: float) -> list[float | None]:
    """Half the stake of every answer that is right, minus half of every one that is wrong; None where none is known.

    What could not be used counts as a wrong answer that is fined: were it compared with other plays instead, it would
    be better than a wrong answer, and the policy would come to say nothing of use.

    Args:
        sample: A match.
        penalty: For each answer that had to be asked for again.
    """
    out: list[float | None] = [None] * len(sample.turns)
    if SELF in sample.record.players:
        return out
    moved = [number for number, turn in enumerate(sample.turns) if turn.action is not None]
    for number, stake in zip(moved, stakes(sample.record, sample.seat), strict=True):
        turn = sample.turns[number]
        if stake is None or math.isnan(stake) or turn.error is not None or turn.action is None:
            continue
        out[number] = stake / 2 if turn.action["kind"] == ACCEPT else -stake / 2
        for earlier in range(number - 1, -1, -1):
            if sample.turns[earlier].error is None:
                break
            out[earlier] = -abs(stake) / 2 - penalty
    return out
