"""Logit agent quantal response equilibrium of games in which two seats take turns to name an amount and to answer it.

Every decision is made by chance, and better ones are likelier: with precision L an alternative of expected payoff u is
chosen with a probability proportional to ``exp(L * u)``, given that all later decisions are made so too. That is the
equation of McKelvey and Palfrey, which backward induction solves in a game with a last round: whoever answers accepts
with probability ``1 / (1 + exp(-L * (gain - value of going on)))`` where it can only accept or go on, and the proposer
draws an amount from the softmax of what each is worth on average. At L = 0 all moves are equally likely; as L grows,
the equilibrium tends to the subgame-perfect one, up to a step of the grid of amounts.

Payoffs are numbers in one unit, which is that of ``1 / L``. A seat may be of several types (values of the good); each
seat knows its own, and takes those of the other to be as likely in every round as at the start: nothing is learned from
offers.

Source: McKelvey, R. and Palfrey, T. (1998). Quantal response equilibria for extensive form games. Experimental
Economics 1(1), 9-41, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

Values: TypeAlias = tuple[np.ndarray, np.ndarray]
"""What each seat expects, one number for each of its types; in a table, rows of them."""

STEPS = 100
"""Steps of the grid of amounts: whole percent, as people name them."""

AHEAD = 50
"""Rounds that are reckoned with where no last round is known; what follows them is worth what `spe` takes it to be."""

SETTLED = 1e-13
"""Change of what is expected, from a round to the one two before, that counts as none."""

NOTHING: Values = (np.zeros(1), np.zeros(1))
"""What is to be expected after the last round by seats of one type."""


class Stage(NamedTuple):
    """A round: what the amounts that may be named in it pay if they are accepted.

    Attributes:
        proposer: The seat that names one, 0 or 1.
        own: Payoff of the proposer, of shape (its types, amounts).
        other: Payoff of the other, of shape (types of the proposer, amounts, types of the other).
    """

    proposer: int
    own: np.ndarray
    other: np.ndarray


def softmax(worth: np.ndarray, precision: float) -> np.ndarray:
    """Probabilities of alternatives along the last axis, proportional to ``exp(precision * worth)``."""
    weights = np.exp(precision * (worth - worth.max(axis=-1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


class Logit(NamedTuple):
    """How both seats decide.

    Attributes:
        precision: L, at least 0, in one over the unit of payoffs.
        odds: Probability of each type of each seat.
        leaves: Whether whoever answers may also end the game, for a payoff of 0 to both.
    """

    precision: float
    odds: Values = (np.ones(1), np.ones(1))
    leaves: bool = False

    def answers(self, gain: np.ndarray, waiting: np.ndarray) -> np.ndarray:
        """Probabilities of accepting, of going on and, if one may, of leaving, along a new last axis.

        Args:
            gain: Payoff of accepting.
            waiting: Expected payoff of going on.
        """
        return softmax(self._worth(gain, waiting), self.precision)

    def offers(self, stage: Stage, waiting: Values) -> np.ndarray:
        """Probabilities of the amounts of a round, of shape (types of the proposer, amounts).

        Args:
            stage: The round.
            waiting: What each seat expects if the amount is not accepted.
        """
        return softmax(self._expected(stage, waiting)[0], self.precision)

    def before(self, stage: Stage, waiting: Values) -> Values:
        """What each seat expects when a round begins; arguments as in `offers`."""
        own, other = self._expected(stage, waiting)
        chances = softmax(own, self.precision)
        made = (chances * own).sum(-1)
        left = np.einsum("i,ik,ikj->j", self.odds[stage.proposer], chances, other)
        return (made, left) if stage.proposer == 0 else (left, made)

    def _worth(self, gain: np.ndarray, waiting: np.ndarray) -> np.ndarray:
        """The payoffs of the answers, along a new last axis."""
        return np.stack(np.broadcast_arrays(gain, waiting, *[np.zeros(1)] * self.leaves), -1)

    def _expected(self, stage: Stage, waiting: Values) -> Values:
        """What naming each amount is worth to the proposer and, by its type, to the other."""
        me, other = stage.proposer, 1 - stage.proposer
        worth = self._worth(stage.other, waiting[other])
        chances = softmax(worth, self.precision)
        taken, refused = chances[..., 0] @ self.odds[other], chances[..., 1] @ self.odds[other]
        return taken * stage.own + refused * waiting[me][:, None], (chances * worth).sum(-1)


def induced(logit: Logit, stage: Callable[[int], Stage], first: int, last: int, end: Values, repeats: bool) -> Values:
    """What each seat expects when a round begins, by backward induction.

    Args:
        logit: How both decide.
        stage: The rounds, by number.
        first: The first round that is wanted.
        last: The last one; at least `first` less 1.
        end: What is expected after it.
        repeats: Whether all rounds of one proposer pay the same. Then what is expected settles, far from the end.

    Returns:
        Two tables, of shape (last - first + 2, types): rounds from `first` on, and at the end `end`.
    """
    found = [end]
    for round in range(last, first - 1, -1):
        settled = repeats and len(found) > 3 and _same(found[-1], found[-3]) and _same(found[-2], found[-4])
        found.append(found[-2] if settled else logit.before(stage(round), found[-1]))
    rows = found[::-1]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def _same(one: Values, other: Values) -> bool:
    """Whether two are equal but for rounding."""
    return all(np.abs(first - second).max() <= SETTLED for first, second in zip(one, other, strict=True))
