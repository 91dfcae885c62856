"""Simulated people who answer offers by quantal response of a known precision."""

from __future__ import annotations

import numpy as np

from econzoo.evaluate.analyses.prediction.decisions import Decision

PRECISION, INDIFFERENT = 8.0, 0.4
"""Yes has the probability ``1 / (1 + exp(-PRECISION * (offered - INDIFFERENT)))``."""


def chance_of(offered):
    return 1 / (1 + np.exp(-PRECISION * (np.asarray(offered) - INDIFFERENT)))


def decision(person, match, offered, yes, cluster=None, configuration="one", advised=(), round=1):
    cluster = match if cluster is None else cluster
    return Decision(
        f"m{match}", 1, 1, "Bob", "bargaining: accept", ("accept", "reject"), f"p{person}", "human", configuration,
        f"c{cluster}", round, (float(offered),), advised, int(yes),
    )  # fmt: skip


def people(persons=40, each=30, seed=0, twins=False):
    """Everybody answers as many offers; twins meet the same offers with the same luck."""
    rng = np.random.default_rng(seed)
    offers, luck = rng.random((2, persons, each))
    if twins:
        offers[:], luck[:] = offers[0], luck[0]
    return [
        decision(i, i * each + j, offers[i, j], luck[i, j] < chance_of(offers[i, j]), cluster=j if twins else None)
        for i in range(persons)
        for j in range(each)
    ]


def truth(decisions):
    """The probabilities by which the decisions were drawn."""
    return chance_of([one.numbers[0] for one in decisions])


def entropy(p):
    return float(np.mean(-p * np.log(p) - (1 - p) * np.log(1 - p)))
