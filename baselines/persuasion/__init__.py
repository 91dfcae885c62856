"""Scripted players of persuasion, by name, and the pools that training and evaluation draw from.

Sellers take seat 0 and buyers seat 1 (`Player.seats`); ``always`` and ``random`` take both.
"""

from __future__ import annotations

from econzoo.baselines.persuasion.buyers import Babbling, Bayes, Grim, Never, TitForTat, Trust
from econzoo.baselines.persuasion.sellers import Always, BayesPersuader, Honest, Quota, Signal, TrustBuilder
from econzoo.baselines.player import Player
from econzoo.baselines.pools import read_pools

PLAYERS: dict[str, type[Player]] = {
    "honest": Honest,
    "always": Always,
    "signal": Signal,
    "bayes-persuader": BayesPersuader,
    "trust-builder": TrustBuilder,
    "quota": Quota,
    "never": Never,
    "babbling": Babbling,
    "bayes": Bayes,
    "trust": Trust,
    "grim": Grim,
    "tit-for-tat": TitForTat,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
