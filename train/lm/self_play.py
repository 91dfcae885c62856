"""Matches in which several seats are the policy's, and all of them learn.

A ticket is one seat of a match. Where all that differs between tickets is the seat, and `SELF` sits in that of the
others, they are seats of one match: it is played once, and each seat has a sample of it with its own tokens and its own
reward. So a group of GRPO is the plays of one match from one seat, and its mean is the baseline of that role in that
setting. The role-conditioned advantage estimation of SPIRAL (Liu and others 2025, arXiv 2506.24119) has a running mean
for each game and role in its place, as every match is played once there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econzoo.evaluate.run.table import Match
    from econzoo.train.lm.episode_specs import EpisodeSpec

__all__ = ["POLICY_OPPONENTS", "LEARNER", "PAST", "SELF", "is_policy", "matches_of"]

LEARNER = "learner"
"""Spec of a seat that learns."""

SELF = "self"
"""Opponent spec: the policy in training, as it is at that moment."""

PAST = "past"
"""Opponent spec: the policy as it was at an earlier step; see `econzoo.train.lm.snapshots`."""

POLICY_OPPONENTS = (SELF, PAST)
"""What is no player of its own."""


def is_policy(spec: str) -> bool:
    """Whether a seat of a match of the training is the model's."""
    return spec.partition(":")[0] in (LEARNER, *POLICY_OPPONENTS)


def matches_of(episode_specs: Sequence[EpisodeSpec], learners: Sequence[str]) -> list[Match]:
    """The matches of tickets; of several tickets that are seats of the same match, one.

    Args:
        episode_specs: Equal ones are plays of the same match. The n-th of one seat and the n-th of another seat are the
            n-th play. A mirror without a ticket of its own stays `SELF`.
        learners: The spec of the learner of each.
    """
    seated: dict[tuple[str, int], tuple[EpisodeSpec, list[str]]] = {}
    met: Counter[tuple[str, int]] = Counter()
    for ticket, spec in zip(episode_specs, learners, strict=True):
        line_up = [*ticket.opponents[: ticket.seat], SELF, *ticket.opponents[ticket.seat :]]
        same = replace(ticket, seat=0, opponents=tuple(line_up)).to_json()
        _, sitting = seated.setdefault((same, met[same, ticket.seat]), (ticket, line_up))
        met[same, ticket.seat] += 1
        sitting[ticket.seat] = spec
    return [replace(one, seat=0, opponents=tuple(rest)).match(first) for one, (first, *rest) in seated.values()]
