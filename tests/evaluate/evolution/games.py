"""Games whose dynamics are known in closed form."""

from __future__ import annotations

import numpy as np


def hawk_dove(value, cost):
    """Maynard Smith and Price: hawks fight for the value at a cost, doves share."""
    return np.array([[(value - cost) / 2, value], [0.0, value / 2]])


def stag_hunt(stag, hare):
    """Stag pays only together, hare always."""
    return np.array([[stag, 0.0], [hare, hare]])


def rock_paper_scissors(loss):
    """Win 1, lose `loss`; the centre attracts for loss < 1, repels for loss > 1."""
    return np.array([[0.0, -loss, 1.0], [1.0, 0.0, -loss], [-loss, 1.0, 0.0]])


def prisoners_dilemma():
    """C, D."""
    return np.array([[3.0, 0.0], [5.0, 1.0]])


def reciprocity(rounds):
    """Tit for tat, always cooperate, always defect: payoffs per round of so many rounds."""
    tempted, fooled = (5.0 + rounds - 1) / rounds, (rounds - 1) / rounds
    return np.array([[3.0, 3.0, fooled], [3.0, 3.0, 0.0], [tempted, 5.0, 1.0]])


ZEEMAN = np.array([[0.0, 6.0, -4.0], [-3.0, 0.0, 5.0], [-1.0, 3.0, 0.0]])
"""Zeeman (1980): the centre attracts although it is no ESS, because the first type is one."""
