"""Strategies that count the opponent's defections: grudges and majorities.

Grudges cooperate until the opponent defects, and then punish: forever, for a while, or longer every time. Majorities
depend on the opponent's frequency of defection.
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.matrix.classic import Classic, Maker, Moves, Numbers, cooperate_with_probability, defections
from econzoo.baselines.matrix.classic import make_without_arguments, recent_defections
from econzoo.envs.games.matrix.rules import C, D

MAX_ROUNDS = 1e6
"""Maximum rounds of patience or memory."""


def grudge(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects forever after the opponent's first defection; given: rounds of unconditional cooperation at the start."""
    return D if turn >= given[0] and defections(theirs, 0, turn) > 0 else C


def punish(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Punishes a defection with defections and then rounds of peace, and ignores moves in between.

    Only the move in the last of these rounds counts again. Given: length of the first punishment, its increase, and
    rounds of peace.
    """
    length, t = int(given[0]), 0
    while defections(theirs, t, turn) > 0:
        while theirs[t] == C:
            t += 1
        if turn <= t + length:
            return D
        t += length + int(given[2])
        length += int(given[1])
    return C


def easy_go(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects until the opponent's first defection, then cooperates forever.

    Source: "easy go" of Beaufils, Delahaye and Mathieu (1998), PRISON, LIFL, Lille; "reverse grudger" of Li, Hingston
    and Kendall (2011).
    """
    return C if defections(theirs, 0, turn) > 0 else D


def opposite_grudger(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects until the opponent's first cooperation, then cooperates forever.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Geraint Palmer.
    """
    return C if defections(theirs, 0, turn) < turn else D


def grudger_alternator(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates until the opponent defects, then alternates D and C.

    Source: "c_then_per_dc" of Beaufils, Delahaye and Mathieu (1998), PRISON, LIFL, Lille.
    """
    return D if defections(theirs, 0, turn) > 0 and mine[turn - 1] == C else C


def fool_me_once(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Forgives one defection and defects forever after the second.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Marc Harper.
    """
    return D if defections(theirs, 0, turn) > 1 else C


def level_punisher(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates ten times, then defects while the opponent has defected in more than a fifth of all rounds.

    Source: Arnold (2015), CoopSim, a simulator of the evolution of cooperation, version 0.9.9.
    """
    return D if turn >= 10 and defections(theirs, 0, turn) / turn > 0.2 else C


def grudger(spec: str = "grudger") -> Classic:
    """Grim trigger: cooperates until the opponent defects, then defects forever.

    Source: Friedman (1971), A non-cooperative equilibrium for supergames, Review of Economic Studies 38, 1-12; FRIEDMAN
    of Axelrod (1980).
    """
    return Classic(spec, grudge, (0.0,))


def davis(spec: str = "davis", rounds: Any = 10) -> Classic:
    """Cooperates for some rounds, then plays grudger on the full history.

    Source: Morton Davis's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.

    Args:
        rounds: Rounds of unconditional cooperation; an integer from 0 to 1e6.
    """
    return Classic(spec, grudge, (argument(spec, "rounds", rounds, 0.0, MAX_ROUNDS, integer=True),))


def spiteful_cc(spec: str = "spiteful-cc") -> Classic:
    """Cooperates twice, then plays grudger on the full history.

    Source: Mathieu and Delahaye (2015), New winning strategies for the iterated prisoner's dilemma, AAMAS.
    """
    return Classic(spec, grudge, (2.0,))


def soft_grudger(spec: str = "soft-grudger", punishment: Any = 4, peace: Any = 2) -> Classic:
    """Punishes a defection with four defections and two cooperations.

    Source: Li, Hingston and Kendall (2011), Engineering design of strategies for winning iterated prisoner's dilemma
    competitions, IEEE Transactions on Computational Intelligence and AI in Games 3, 348-360.

    Args:
        punishment: Number of defections; an integer from 1 to 1e6.
        peace: Number of cooperations afterwards; an integer from 1 to 1e6.
    """
    length = argument(spec, "punishment", punishment, 1.0, MAX_ROUNDS, integer=True)
    return Classic(spec, punish, (length, 0.0, argument(spec, "peace", peace, 1.0, MAX_ROUNDS, integer=True)))


def forgetful_grudger(spec: str = "forgetful-grudger", rounds: Any = 10) -> Classic:
    """Defects for a fixed number of rounds after a defection, then forgets.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Geraint Palmer.

    Args:
        rounds: Punishment rounds; an integer from 1 to 1e6.
    """
    return Classic(spec, punish, (argument(spec, "rounds", rounds, 1.0, MAX_ROUNDS, integer=True), 0.0, 0.0))


def gradual(spec: str = "gradual") -> Classic:
    """Punishes the n-th provocation with n defections and two cooperations.

    Source: Beaufils, Delahaye and Mathieu (1997), Our meeting with gradual, a good strategy for the iterated prisoner's
    dilemma, Artificial Life V, 202-209. Here, moves of the opponent during a punishment do not count.
    """
    return Classic(spec, punish, (1.0, 1.0, 2.0))


def shubik(spec: str = "shubik") -> Classic:
    """Punishes the n-th departure from cooperation with n defections, then cooperates again.

    Source: Shubik (1970), Game theory, behavior, and the paradox of the prisoner's dilemma, Journal of Conflict
    Resolution 14, 181-193; entered in the first tournament, Axelrod (1980), Effective choice in the prisoner's dilemma.
    """
    return Classic(spec, punish, (1.0, 1.0, 1.0))


# Majorities


def majority(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Plays the opponent's more frequent move; given: rounds to look back, and the move (0 or 1) at a tie."""
    remembered = min(turn, int(given[0]))
    excess = 2 * recent_defections(theirs, turn, remembered) - remembered
    if excess == 0:
        return int(given[1])
    return D if excess > 0 else C


def doubler(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Retaliates against a defection unless the opponent has cooperated more than twice as often as defected.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn == 0 or theirs[turn - 1] == C:
        return C
    bad = defections(theirs, 0, turn)
    return D if turn - bad <= 2 * bad else C


def short_memory(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Plays the opponent's majority move of the last ten if it leads by three, else tit for tat.

    It cooperates in the first eleven rounds.

    Source: "ShortMem" of Andre, Honovan, Felipe and Luis (2013), Iterated prisoner's dilemma: an extended analysis.
    """
    if turn <= 10:
        return C
    bad = recent_defections(theirs, turn, 10)
    if 10 - 2 * bad >= 3:
        return C
    return D if 2 * bad - 10 >= 3 else theirs[turn - 1]


def average_copier(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates with the opponent's frequency of cooperation; first with probability one half.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Geraint Palmer. It imitates the belief of fictitious play (Brown 1951).
    """
    return cooperate_with_probability(0.5 if turn == 0 else 1.0 - defections(theirs, 0, turn) / turn, u)


def forgiver(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects while the opponent has defected in more than a tenth of all rounds.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Thomas Campbell.
    """
    return D if defections(theirs, 0, turn) > turn / 10.0 else C


def forgiving_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat that forgives while at most a tenth of the opponent's moves are defections.

    Source: Knight et al. (2016), An open framework for the reproducible study of the iterated prisoner's dilemma,
    Journal of Open Research Software 4, e35; by Thomas Campbell.
    """
    return theirs[turn - 1] if defections(theirs, 0, turn) > turn / 10.0 else C


def go_by_majority(spec: str = "go-by-majority", memory: Any = MAX_ROUNDS) -> Classic:
    """Plays the opponent's more frequent move, and cooperates at a tie.

    Source: Gail Grisell's entry in the second tournament: Axelrod (1980), More effective choice in the prisoner's
    dilemma, Journal of Conflict Resolution 24, 379-403; "soft majority" of Mittal and Deb (2009).

    Args:
        memory: Rounds to look back; an integer from 1 to 1e6.
    """
    return Classic(spec, majority, (argument(spec, "memory", memory, 1.0, MAX_ROUNDS, integer=True), float(C)))


def hard_go_by_majority(spec: str = "hard-go-by-majority", memory: Any = MAX_ROUNDS) -> Classic:
    """Plays the opponent's more frequent move, and defects at a tie and in the first round.

    Source: Mittal and Deb (2009), Optimal strategies of the iterated prisoner's dilemma problem for multiple
    conflicting objectives, IEEE Transactions on Evolutionary Computation 13, 554-565.

    Args:
        memory: Rounds to look back; an integer from 1 to 1e6.
    """
    return Classic(spec, majority, (argument(spec, "memory", memory, 1.0, MAX_ROUNDS, integer=True), float(D)))


FAMILY: dict[str, Maker] = {
    "grudger": grudger,
    "davis": davis,
    "spiteful-cc": spiteful_cc,
    "soft-grudger": soft_grudger,
    "gradual": gradual,
    "shubik": shubik,
    "easy-go": make_without_arguments(easy_go),
    "opposite-grudger": make_without_arguments(opposite_grudger),
    "grudger-alternator": make_without_arguments(grudger_alternator),
    "fool-me-once": make_without_arguments(fool_me_once),
    "forgetful-grudger": forgetful_grudger,
    "level-punisher": make_without_arguments(level_punisher),
    "go-by-majority": go_by_majority,
    "hard-go-by-majority": hard_go_by_majority,
    "doubler": make_without_arguments(doubler),
    "short-memory": make_without_arguments(short_memory),
    "average-copier": make_without_arguments(average_copier, is_random=True),
    "forgiver": make_without_arguments(forgiver),
    "forgiving-tit-for-tat": make_without_arguments(forgiving_tit_for_tat),
}
