"""Matches in which several seats are the policy's, and all of them learn.

An episode spec is one seat of a match. Specs that differ only in the seat, with `SELF` in each other's seats, are seats
of one match: it is played once, and each seat has its own sample, tokens and reward. So a GRPO group is the plays of
one match from one seat, and its mean is the baseline of that role in that setting. The role-conditioned advantage
estimation of SPIRAL (Liu et al. 2025, arXiv 2506.24119) plays every match once and has a running mean per game and role
instead.
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
"""Spec of a learning seat."""

SELF = "self"
"""Opponent spec: the present policy in training."""

PAST = "past"
"""Opponent spec: the policy at an earlier step; see `econzoo.train.lm.snapshots`."""

POLICY_OPPONENTS = (SELF, PAST)
"""Opponents that are the policy itself."""


def is_policy(spec: str) -> bool:
    """Whether a seat of a training match is the model's."""
    return spec.partition(":")[0] in (LEARNER, *POLICY_OPPONENTS)


def matches_of(episode_specs: Sequence[EpisodeSpec], learners: Sequence[str]) -> list[Match]:
    """Return the matches of episode specs; specs that are seats of the same match share one.

    Args:
        episode_specs: Equal specs are plays of the same match: the n-th spec of one seat and the n-th of another are
            its n-th play. A `SELF` seat without a spec of its own does not learn.
        learners: Learner spec of each.
    """
    seated: dict[tuple[str, int], tuple[EpisodeSpec, list[str]]] = {}
    plays: Counter[tuple[str, int]] = Counter()
    for episode, spec in zip(episode_specs, learners, strict=True):
        line_up = [*episode.opponents[: episode.seat], SELF, *episode.opponents[episode.seat :]]
        same = replace(episode, seat=0, opponents=tuple(line_up)).to_json()
        _, group = seated.setdefault((same, plays[same, episode.seat]), (episode, line_up))
        plays[same, episode.seat] += 1
        group[episode.seat] = spec
    return [replace(one, seat=0, opponents=tuple(rest)).match(first) for one, (first, *rest) in seated.values()]
