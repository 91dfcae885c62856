"""Strategies that estimate payoffs of moves, the type of opponent, or its randomness."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.matrix.classic import Classic, Maker, Moves, Numbers, Payoffs, defections, make_without_arguments
from econzoo.baselines.matrix.classic import recent_defections
from econzoo.envs.core.contract import short_repr
from econzoo.envs.games.matrix.rules import C, D

SOMEBODY, COOPERATIVE, DEFECTING, SUSPICIOUS, PAVLOVIAN, RANDOM = 0, 1, 2, 3, 4, 5
"""Opponent types of adaptive Pavlov."""

PERIOD = 6
"""Rounds between classifications of adaptive Pavlov."""


def best_so_far(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Opens with six C and five D, then the move that has paid more; given: payoffs, 1 for means or 0 for sums."""
    if turn < 11:
        return C if turn < 6 else D
    dd = 0
    for t in range(turn):
        dd += mine[t] * theirs[t]
    bad, cd = defections(mine, 0, turn), defections(theirs, 0, turn) - dd
    if_c = (turn - bad - cd) * given[0] + cd * given[1]
    if_d = (bad - dd) * given[2] + dd * given[3]
    if given[4] == 1.0:
        if_c, if_d = if_c / max(turn - bad, 1), if_d / max(bad, 1)
    return C if if_c > if_d else D


def downing(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Estimates the opponent's cooperation after C and after D, and plays the better reply; given: payoffs."""
    if turn < 2:
        return D
    bad = defections(mine, 0, turn)
    nice, forgiving = 1.0 - theirs[0], 0.0
    for t in range(1, turn):
        if theirs[t] == C:
            nice += 1.0 - mine[t - 1]
            forgiving += mine[t - 1]
    # As in the library of Knight et al., the opponent's first move answers a C, and D counts at least twice.
    p_c, p_d = nice / (turn - bad + 1), forgiving / max(bad, 2)
    if_c, if_d = p_c * given[0] + (1.0 - p_c) * given[1], p_d * given[2] + (1.0 - p_d) * given[3]
    if if_c == if_d:
        return 1 - mine[turn - 1]
    return C if if_c > if_d else D


def image(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tracks the opponent's image and cooperates while it is at least one half; given: the rate."""
    world = 0.5
    for t in range(turn):
        world += given[0] * (1.0 - world) if theirs[t] == C else -given[0] * world
    return C if turn == 0 or world >= 0.5 else D


def type_2006(theirs: Moves, end: int, previous: int) -> int:
    """Classify the opponent by the six moves before ``end``; otherwise keep the previous type."""
    bad = defections(theirs, end - PERIOD, end)
    if bad == 0:
        return COOPERATIVE
    if bad == PERIOD:
        return DEFECTING
    # The six moves as bits, D as 1, the oldest first.
    first = 32 * theirs[end - 6] + 16 * theirs[end - 5] + 8 * theirs[end - 4]
    shape = first + 4 * theirs[end - 3] + 2 * theirs[end - 2] + theirs[end - 1]
    if shape == 0b101010:
        return SUSPICIOUS
    if shape == 0b110110:
        return PAVLOVIAN
    return RANDOM if previous == SOMEBODY else previous


def type_2011(theirs: Moves, end: int, previous: int) -> int:
    """Classify as `type_2006`, by the number of defections alone."""
    bad = defections(theirs, end - PERIOD, end)
    if bad == 0:
        return COOPERATIVE
    if bad >= 3:
        return SUSPICIOUS if bad == 3 else DEFECTING
    return RANDOM if previous == SOMEBODY else previous


def adaptive_pavlov(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat for six rounds; then classifies the opponent into five types every six rounds and adapts.

    Source: Li (2007), How to design a strategy to win an IPD tournament, in Kendall, Yao and Chong (eds), The iterated
    prisoners' dilemma: 20 years on, World Scientific.
    """
    kind = SOMEBODY
    for end in range(PERIOD, turn + 1, PERIOD):
        kind = type_2006(theirs, end, kind)
    if kind in (RANDOM, DEFECTING):
        return D
    if kind == PAVLOVIAN:
        return D if turn % PERIOD == 0 else C
    if turn == 0 or (kind == SUSPICIOUS and turn % PERIOD < 2):
        return C
    return theirs[turn - 1]


def adaptive_pavlov_2011(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Adaptive Pavlov with four types by number of defections, and tit for two tats against the suspicious type.

    Source: Li, Hingston and Kendall (2011), Engineering design of strategies for winning iterated prisoner's dilemma
    competitions, IEEE Transactions on Computational Intelligence and AI in Games 3, 348-360.
    """
    kind = SOMEBODY
    for end in range(PERIOD, turn + 1, PERIOD):
        kind = type_2011(theirs, end, kind)
    if kind in (RANDOM, DEFECTING):
        return D
    if kind == SUSPICIOUS:
        return D if recent_defections(theirs, turn, 2) == 2 else C
    return C if turn == 0 else theirs[turn - 1]


def omega_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat that breaks deadlocks of alternating defections and defects on seemingly random opponents.

    Source: Slany and Kienreich (2007), On some winning strategies for the iterated prisoner's dilemma, in Kendall, Yao
    and Chong (eds), The iterated prisoners' dilemma: 20 years on, World Scientific.
    """
    deadlock, randomness, move = 0, 0, C if turn == 0 else theirs[turn - 1]
    # The limits of 3 and 8 are the defaults of the library of Knight et al.
    for t in range(1, turn):
        previous, latest = theirs[t - 1], theirs[t]
        if deadlock >= 3:
            move, deadlock = C, 4 if deadlock == 3 else 0
            continue
        if previous != latest:
            randomness += 1
        elif latest == C:
            randomness -= 1
        if mine[t] != latest:
            randomness += 1
        if randomness >= 8:
            move = D
        else:
            move, deadlock = latest, deadlock + 1 if previous != latest else 0
    return move


def all_or_none(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates if both players matched in each of the last rounds, and before; given: number of rounds."""
    rounds = int(given[0])
    for t in range(max(turn - rounds, 0), turn):
        if turn >= rounds and mine[t] != theirs[t]:
            return D
    return C


def _payoffs(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    return payoffs.cc, payoffs.cd, payoffs.dc, payoffs.dd


def _payoffs_and_mode(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    return payoffs.cc, payoffs.cd, payoffs.dc, payoffs.dd, x[0]


def adaptive(spec: str = "adaptive", by: Any = "mean") -> Classic:
    """Opens with six C and five D, then plays the move with the higher payoff so far.

    Source: Li, Hingston and Kendall (2011), Engineering design of strategies for winning iterated prisoner's dilemma
    competitions, IEEE Transactions on Computational Intelligence and AI in Games 3, 348-360. The mean of a move's
    payoffs is compared there, their sum in the library of Knight et al. (2016).

    Args:
        by: ``"mean"`` or ``"sum"``.
    """
    if by not in ("mean", "sum"):
        raise ValueError(f"player {spec[:80]!r}: invalid by={short_repr(by)}: expected 'mean' or 'sum'")
    return Classic(spec, best_so_far, (float(by == "mean"),), _payoffs_and_mode)


def downing_player(spec: str = "downing") -> Classic:
    """Estimates the opponent's replies to C and D and plays the better move in the long run; starts with D, D.

    Source: Downing (1975), The prisoner's dilemma game as a problem-solving phenomenon, Simulation and Games 6,
    366-391; entered in the first tournament, Axelrod (1980), Effective choice in the prisoner's dilemma.
    """
    return Classic(spec, downing, fit=_payoffs)


def adaptive_tit_for_tat(spec: str = "adaptive-tit-for-tat", rate: Any = 0.2) -> Classic:
    """Tracks the opponent's image and cooperates while it is at least one half.

    Source: Tzafestas (2000), Toward adaptive cooperative behavior, Proceedings of the Simulation of Adaptive Behavior
    Conference.

    Args:
        rate: Update rate of the image, which starts at one half; from 0 to 1. At one half this is tit for tat.
    """
    return Classic(spec, image, (argument(spec, "rate", rate, 0.0, 1.0),))


def all_or_none_player(spec: str = "all-or-none", rounds: Any = 2) -> Classic:
    """Cooperates if both players matched in each of the last rounds; with one round, win-stay lose-shift.

    Source: Hilbe, Martinez-Vaquero, Chatterjee and Nowak (2017), Memory-n strategies of direct reciprocity, PNAS 114,
    4715-4720: "AON".

    Args:
        rounds: Rounds to look back; an integer from 1 to 1000.
    """
    return Classic(spec, all_or_none, (argument(spec, "rounds", rounds, 1.0, 1000.0, integer=True),))


FAMILY: dict[str, Maker] = {
    "adaptive": adaptive,
    "downing": downing_player,
    "adaptive-tit-for-tat": adaptive_tit_for_tat,
    "adaptive-pavlov": make_without_arguments(adaptive_pavlov),
    "adaptive-pavlov-2011": make_without_arguments(adaptive_pavlov_2011),
    "omega-tit-for-tat": make_without_arguments(omega_tit_for_tat),
    "all-or-none": all_or_none_player,
}
