"""Tit for tat and its variants: strategies that respond to the opponent's last few moves.

At the end are the entries of the first computer tournament that belong to no other family: Axelrod (1980), Effective
choice in the prisoner's dilemma, Journal of Conflict Resolution 24, 3-25. Where the descriptions there are ambiguous,
they are read as in the library of Knight et al. (2016).
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.matrix.classic import Classic, Maker, Moves, Numbers, cooperate_with_probability, defections
from econzoo.baselines.matrix.classic import make_without_arguments, recent_defections
from econzoo.envs.games.matrix.rules import C, D

MAX_TITS = 1000.0
"""Maximum number of tits and of tats."""


def tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates first, then repeats the opponent's last move.

    Source: Anatol Rapoport's entry, the winner of the first tournament: Axelrod (1980), Effective choice in the
    prisoner's dilemma, Journal of Conflict Resolution 24, 3-25.
    """
    return C if turn == 0 else theirs[turn - 1]


def suspicious_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat that defects first.

    Source: Boyd and Lorberbaum (1987), No pure strategy is evolutionarily stable in the repeated prisoner's dilemma
    game, Nature 327, 58-59; "mistrust" of Beaufils, Delahaye and Mathieu (1997).
    """
    return D if turn == 0 else theirs[turn - 1]


def tit_for_two_tats(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects only after two defections in a row.

    Source: Axelrod (1980), Effective choice in the prisoner's dilemma; entered by John Maynard Smith in the second
    tournament, Axelrod (1980), More effective choice in the prisoner's dilemma, Journal of Conflict Resolution 24.
    """
    return D if recent_defections(theirs, turn, 2) == 2 else C


def two_tits_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Answers each defection with two.

    Source: Axelrod (1984), The evolution of cooperation.
    """
    return D if recent_defections(theirs, turn, 2) > 0 else C


def hard_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects if the opponent defected in one of the last three rounds.

    Source: the strategies of prisoners-dilemma.com (2017).
    """
    return D if recent_defections(theirs, turn, 3) > 0 else C


def hard_tit_for_two_tats(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects if the opponent defected twice in a row within the last three rounds.

    Source: Stewart and Plotkin (2012), Extortion and cooperation in the prisoner's dilemma, PNAS 109, 10134-10135.
    """
    for end in range(turn, max(turn - 2, 0), -1):
        if recent_defections(theirs, end, 2) == 2:
            return D
    return C


def tits_for_tats(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Answers consecutive defections with consecutive defections; given: number of tits, number of tats."""
    tits, tats = int(given[0]), int(given[1])
    for end in range(turn, max(turn - tits, tats - 1), -1):
        if defections(theirs, end - tats, end) == tats:
            return D
    return C


def bully(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Reverse tit for tat: defects first, then plays the opposite of the opponent's last move.

    Source: Nachbar (1992), Evolution in the finitely repeated prisoner's dilemma, Journal of Economic Behavior and
    Organization 19, 307-326.
    """
    return D if turn == 0 else 1 - theirs[turn - 1]


def anti_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates first, then plays the opposite of the opponent's last move.

    Source: Hilbe, Nowak and Traulsen (2013), Adaptive dynamics of extortion and compliance, PLoS ONE 8, e77886;
    "psycho" of Ashlock, Kim and Leahy (2006).
    """
    return C if turn == 0 else 1 - theirs[turn - 1]


def spiteful_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat until the opponent defects twice in a row, then defects forever.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    for t in range(1, turn):
        if theirs[t - 1] == D and theirs[t] == D:
            return D
    return C if turn == 0 else theirs[turn - 1]


def slow_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates twice, then switches to a move that the opponent has played twice in a row.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.
    """
    if turn < 2:
        return C
    return theirs[turn - 1] if theirs[turn - 2] == theirs[turn - 1] else mine[turn - 1]


def contrite_tit_for_tat(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Defects only in good standing against an opponent in bad standing.

    Any other defection loses good standing, and cooperation restores it. Without noise this is tit for tat; after its
    own error it accepts the punishment.

    Source: Sugden (1986), The economics of rights, cooperation and welfare, section 6.4; Boyd (1989), Mistakes allow
    evolutionary stability in the repeated prisoner's dilemma game, Journal of Theoretical Biology 136, 47-56.
    """
    good, other_good = True, True
    for t in range(turn):
        just, other_just = good and not other_good, other_good and not good
        good, other_good = mine[t] == C or just, theirs[t] == C or other_just
    return D if good and not other_good else C


def alexei(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat that defects in a known last round.

    Source: prisoner's dilemma tournament of the forum LessWrong (2011).
    """
    return D if turn == horizon - 1 else tit_for_tat(mine, theirs, turn, horizon, u, given)


def eugine_nier(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat that defects in a known last round, and forever after five defections of the opponent.

    Source: prisoner's dilemma tournament of the forum LessWrong (2011).
    """
    fed_up = defections(theirs, 0, turn) >= 5
    return D if fed_up else alexei(mine, theirs, turn, horizon, u, given)


def tits_for_tats_player(spec: str = "tits-for-tats", tits: Any = 3, tats: Any = 2) -> Classic:
    """Answers consecutive defections with a number of consecutive defections.

    Source: the general form of the tit for two tats and two tits for tat of Axelrod (1984), The evolution of
    cooperation.

    Args:
        tits: Defections in response; an integer from 0 to 1000.
        tats: Consecutive defections of the opponent that trigger them; an integer from 1 to 1000.
    """
    numbers = (
        argument(spec, "tits", tits, 0.0, MAX_TITS, integer=True),
        argument(spec, "tats", tats, 1.0, MAX_TITS, integer=True),
    )
    return Classic(spec, tits_for_tats, numbers)


FAMILY: dict[str, Maker] = {
    "tit-for-tat": make_without_arguments(tit_for_tat),
    "suspicious-tit-for-tat": make_without_arguments(suspicious_tit_for_tat),
    "tit-for-two-tats": make_without_arguments(tit_for_two_tats),
    "two-tits-for-tat": make_without_arguments(two_tits_for_tat),
    "hard-tit-for-tat": make_without_arguments(hard_tit_for_tat),
    "hard-tit-for-two-tats": make_without_arguments(hard_tit_for_two_tats),
    "tits-for-tats": tits_for_tats_player,
    "bully": make_without_arguments(bully),
    "anti-tit-for-tat": make_without_arguments(anti_tit_for_tat),
    "spiteful-tit-for-tat": make_without_arguments(spiteful_tit_for_tat),
    "slow-tit-for-tat": make_without_arguments(slow_tit_for_tat),
    "contrite-tit-for-tat": make_without_arguments(contrite_tit_for_tat),
    "alexei": make_without_arguments(alexei),
    "eugine-nier": make_without_arguments(eugine_nier),
}


# The first tournament

NYDEGGER = (1, 6, 7, 17, 22, 23, 26, 29, 30, 31, 33, 38, 39, 45, 49, 54, 55, 58, 61)
"""Sums at which Nydegger's rule defects."""

CHI_SQUARE_LIMIT = 3.841458820694124
"""The 95% point of the chi-squared distribution with one degree of freedom."""


def nydegger(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat at first, then plays by a table of the last three rounds.

    In the sum 16 a1 + 4 a2 + a3 (a1: the last round), the opponent's defection counts 2 and its own 1.

    Source: Rudy Nydegger's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    if turn == 2 and theirs[0] == D and theirs[1] == C:
        return D
    if turn < 3:
        return tit_for_tat(mine, theirs, turn, horizon, u, given)
    total = 0
    for t in range(turn - 1, turn - 4, -1):
        total += (2 * theirs[t] + mine[t]) * 4 ** (t + 3 - turn)
    return D if total in NYDEGGER else C


def feld(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Tit for tat whose probability of answering C with C falls linearly to one half over 200 rounds.

    Source: Scott Feld's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    if turn > 0 and theirs[turn - 1] == D:
        return D
    return cooperate_with_probability(max(1.0 - turn * 0.5 / 200.0, 0.5), u)


def tullock(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Cooperates eleven times, then 10 percentage points less often than the opponent in the last ten rounds.

    Source: Gordon Tullock's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    if turn < 11:
        return C
    return cooperate_with_probability(0.9 - recent_defections(theirs, turn, 10) / 10.0, u)


def stein_and_rapoport(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Four C, then tit for tat; defects while the opponent's moves look random, and in the last two rounds if known.

    The test of randomness is a chi-squared test at 5% of the numbers of C and D, every fifteenth round.

    Source: William Stein and Amnon Rapoport's entry: Axelrod (1980), Effective choice in the prisoner's dilemma,
    Journal of Conflict Resolution 24, 3-25.
    """
    if horizon - 2 <= turn < horizon:
        return D
    if turn < 4:
        return C
    # Number of the opponent's moves at the latest test: 14, 29, 44, ...
    tested = (turn + 1) // 15 * 15 - 1
    if tested > 0:
        uneven = tested - 2 * defections(theirs, 0, tested)
        if uneven * uneven / tested <= CHI_SQUARE_LIMIT:
            return D
    return theirs[turn - 1]


FIRST_TOURNAMENT: dict[str, Maker] = {
    "nydegger": make_without_arguments(nydegger),
    "feld": make_without_arguments(feld, is_random=True),
    "tullock": make_without_arguments(tullock, is_random=True),
    "stein-and-rapoport": make_without_arguments(stein_and_rapoport),
}
