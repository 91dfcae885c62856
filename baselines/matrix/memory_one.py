"""Memory-one strategies: four probabilities of cooperation, one after each outcome of the last round.

Source: Nowak and Sigmund (1990), The evolution of stochastic strategies in the prisoner's dilemma, Acta Applicandae
Mathematicae 20, 247-265.

Zero-determinant strategies enforce a linear relation between both mean payoffs. In the long run
``other - l = s * (own - l)``, whatever the opponent does: ``l`` is the baseline, ``s`` the slope. With the punishment
as baseline and ``s = 1 / chi``, the player gets chi times the opponent's surplus over it; with the reward as baseline,
it bears chi times the opponent's loss; with a slope of 0, it sets the opponent's payoff.

Source of these: Press and Dyson (2012), Iterated prisoner's dilemma contains strategies that dominate any evolutionary
opponent, PNAS 109, 10409-10413; the parameters (l, s, phi) of Hilbe, Nowak and Traulsen (2013), Adaptive dynamics of
extortion and compliance, PLoS ONE 8, e77886, equation 14.
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines import argument
from econzoo.baselines.matrix.classic import STANDARD, Classic, Maker, Moves, Numbers, Payoffs
from econzoo.baselines.matrix.classic import cooperate_with_probability, dilemma


def after_last_round(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Given: the probability of C in the first round, then after CC, CD, DC and DD, its own move first."""
    return cooperate_with_probability(given[0] if turn == 0 else given[1 + 2 * mine[turn - 1] + theirs[turn - 1]], u)


def _make_player(spec: str, first: float, *after: float) -> Classic:
    return Classic(spec, after_last_round, (first, *after), is_random=any(0.0 < p < 1.0 for p in (first, *after)))


def _probability(spec: str, name: str, value: Any) -> float:
    return argument(spec, name, value, 0.0, 1.0)


def memory_one(
    spec: str = "memory-one", p_cc: Any = 1.0, p_cd: Any = 0.0, p_dc: Any = 1.0, p_dd: Any = 0.0, first: Any = 1.0
) -> Classic:
    """Cooperates with a probability for each outcome of the last round, its own move first.

    Source: Nowak and Sigmund (1990), The evolution of stochastic strategies in the prisoner's dilemma, Acta Applicandae
    Mathematicae 20, 247-265.

    Args:
        p_cc: Probability of C after CC, its own move first; from 0 to 1, as all others.
        p_cd: Probability of C after CD.
        p_dc: Probability of C after DC.
        p_dd: Probability of C after DD.
        first: Probability of C in the first round.
    """
    given = {"first": first, "p_cc": p_cc, "p_cd": p_cd, "p_dc": p_dc, "p_dd": p_dd}
    return _make_player(spec, *(_probability(spec, name, value) for name, value in given.items()))


def reactive(spec: str = "reactive", p_c: Any = 1.0, p_d: Any = 0.0, first: Any = 1.0) -> Classic:
    """Cooperates with a probability for each last move of the opponent.

    Source: Nowak and Sigmund (1989), Game-dynamical aspects of the prisoner's dilemma, Applied Mathematics and
    Computation 30, 191-213.

    Args:
        p_c: Probability of C after the opponent's C; from 0 to 1, as all others.
        p_d: Probability of C after the opponent's D.
        first: Probability of C in the first round.
    """
    return memory_one(spec, p_c, p_d, p_c, p_d, first)


def win_stay_lose_shift(spec: str = "win-stay-lose-shift") -> Classic:
    """Pavlov: repeats its move after one of the two higher payoffs, switches after one of the two lower.

    Source: Kraines and Kraines (1989), Pavlov and the prisoner's dilemma, Theory and Decision 26, 47-79; Nowak and
    Sigmund (1993), A strategy of win-stay, lose-shift that outperforms tit-for-tat, Nature 364, 56-58.
    """
    return _make_player(spec, 1.0, 1.0, 0.0, 0.0, 1.0)


def win_shift_lose_stay(spec: str = "win-shift-lose-stay") -> Classic:
    """The reverse of win-stay lose-shift; defects first.

    Source: "reverse Pavlov" of Li, Hingston and Kendall (2011), Engineering design of strategies for winning iterated
    prisoner's dilemma competitions, IEEE Transactions on Computational Intelligence and AI in Games 3, 348-360.
    """
    return _make_player(spec, 0.0, 0.0, 1.0, 1.0, 0.0)


def generosity(payoffs: Payoffs) -> float:
    """Return the highest forgiveness that is not exploitable: min(1 - (T - R) / (R - S), (R - P) / (T - P)).

    Source: Molander (1985), The optimal level of generosity in a selfish, uncertain environment, Journal of Conflict
    Resolution 29, 611-618; Nowak and Sigmund (1992).
    """
    reward, sucker, temptation, punishment = dilemma(payoffs)
    return max(
        min(1.0 - (temptation - reward) / (reward - sucker), (reward - punishment) / (temptation - punishment)), 0.0
    )


def _generous_probabilities(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    q = generosity(payoffs)
    return 1.0, 1.0, q, 1.0, q


def generous_tit_for_tat(spec: str = "generous-tit-for-tat", q: Any = None) -> Classic:
    """Tit for tat that forgives a defection with some probability.

    Source: Nowak and Sigmund (1992), Tit for tat in heterogeneous populations, Nature 355, 250-253.

    Args:
        q: Probability of C after the opponent's D, from 0 to 1; None: the highest that is not exploitable
            (`generosity`), from the game's payoffs if it is a prisoner's dilemma.
    """
    if q is not None:
        return reactive(spec, 1.0, _probability(spec, "q", q))
    return Classic(spec, after_last_round, fit=_generous_probabilities, is_random=True)


def firm_but_fair(spec: str = "firm-but-fair") -> Classic:
    """Cooperates unless just exploited; after mutual defection, with probability 2/3.

    Source: Frean (1994), The prisoner's dilemma without synchrony, Proceedings of the Royal Society B 257, 75-79.
    """
    return _make_player(spec, 1.0, 1.0, 0.0, 1.0, 2.0 / 3.0)


def soft_joss(spec: str = "soft-joss", q: Any = 0.9) -> Classic:
    """Tit for tat that retaliates only with some probability.

    Source: Beaufils, Delahaye and Mathieu (1998), PRISON, a simulator of the iterated prisoner's dilemma, LIFL, Lille.

    Args:
        q: Probability of D after the opponent's D; from 0 to 1.
    """
    return reactive(spec, 1.0, 1.0 - _probability(spec, "q", q))


def joss(spec: str = "joss", p: Any = 0.9) -> Classic:
    """Tit for tat that sometimes answers cooperation with defection.

    Source: Johann Joss's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25; the "naive prober" of Dawkins (1989), The selfish gene, chapter 12.

    Args:
        p: Probability of C after the opponent's C; from 0 to 1.
    """
    return reactive(spec, _probability(spec, "p", p), 0.0)


def grofman(spec: str = "grofman") -> Classic:
    """Cooperates if both moves were equal, else with probability 2/7.

    Source: Bernard Grofman's entry: Axelrod (1980), Effective choice in the prisoner's dilemma, Journal of Conflict
    Resolution 24, 3-25.
    """
    return _make_player(spec, 1.0, 1.0, 2.0 / 7.0, 2.0 / 7.0, 1.0)


def stochastic_cooperator(spec: str = "stochastic-cooperator") -> Classic:
    """General cooperator, which evolves in noisy environments: (0.935, 0.229, 0.266, 0.42).

    Source: Adami and Hintze (2013), Evolutionary instability of zero-determinant strategies demonstrates that winning
    is not everything, Nature Communications 4, 2193.
    """
    return _make_player(spec, 1.0, 0.935, 0.229, 0.266, 0.42)


def desperate(spec: str = "desperate") -> Classic:
    """Cooperates only after mutual defection; first with probability one half.

    Source: van den Berg and Weissing (2015), The importance of mechanisms for the evolution of cooperation, Proceedings
    of the Royal Society B 282, 20151382.
    """
    return _make_player(spec, 0.5, 0.0, 0.0, 0.0, 1.0)


MAX_EXTORTION = 1e6
"""Maximum extortion factor."""


def probabilities(payoffs: Payoffs, baseline: float, slope: float, weight: float) -> tuple[float, ...]:
    """Return the cooperation probabilities of a zero-determinant strategy (Hilbe, Nowak and Traulsen 2013, eq. 14).

    Args:
        baseline: From 0 (the punishment) to 1 (the reward).
        slope: From 0 to 1.
        weight: The free factor phi as a fraction of its maximum, which keeps all four in [0, 1]; above 0 and up to 1.

    Returns:
        Probabilities of C after CC, CD, DC and DD, its own move first.
    """
    reward, sucker, temptation, punishment = dilemma(payoffs)
    line = punishment + baseline * (reward - punishment)
    steps = (
        (1.0 - slope) * (reward - line),
        slope * (line - sucker) + (temptation - line),
        (line - sucker) + slope * (temptation - line),
        (1.0 - slope) * (line - punishment),
    )
    phi = weight / max(steps[0], steps[1], steps[2], steps[3])
    return 1.0 - phi * steps[0], 1.0 - phi * steps[1], phi * steps[2], phi * steps[3]


def _cooperate_first(payoffs: Payoffs, x: Numbers) -> tuple[float, ...]:
    """Cooperates first; numbers: baseline, slope and weight."""
    cc, cd, dc, dd = probabilities(payoffs, x[0], x[1], x[2])
    return 1.0, cc, cd, dc, dd


def zero_determinant(
    spec: str = "zero-determinant", baseline: Any = 0.0, slope: Any = 0.5, weight: Any = 0.5
) -> Classic:
    """Zero-determinant strategy: enforces a linear relation between both mean payoffs.

    Source: Press and Dyson (2012), Iterated prisoner's dilemma contains strategies that dominate any evolutionary
    opponent, PNAS 109, 10409-10413; Hilbe, Nowak and Traulsen (2013), PLoS ONE 8, e77886, equation 14.

    Args:
        baseline: Payoff at which both are equal, from 0 (the punishment) to 1 (the reward).
        slope: Opponent's surplus over the baseline relative to its own; from 0 to 1.
        weight: Speed of response as a fraction of its maximum; above 0 and up to 1.
    """
    line = argument(spec, "baseline", baseline, 0.0, 1.0), argument(spec, "slope", slope, 0.0, 1.0)
    numbers = *line, argument(spec, "weight", weight, 0.0, 1.0, open_low=True)
    draws = any(0.0 < p < 1.0 for p in probabilities(STANDARD, *numbers))
    return Classic(spec, after_last_round, numbers, _cooperate_first, is_random=draws)


def zd_extort(spec: str = "zd-extort", chi: Any = 2.0, weight: Any = 0.5) -> Classic:
    """Extorts chi times the opponent's surplus over the punishment; "Extort-2" for chi = 2.

    Source: Press and Dyson (2012), PNAS 109, 10409-10413; Stewart and Plotkin (2012), Extortion and cooperation in the
    prisoner's dilemma, PNAS 109, 10134-10135.

    Args:
        chi: Extortion factor; from 1 to 1e6.
        weight: As for ``zero-determinant``.
    """
    return zero_determinant(spec, 0.0, 1.0 / argument(spec, "chi", chi, 1.0, MAX_EXTORTION), weight)


def zd_generous(spec: str = "zd-generous", chi: Any = 2.0, weight: Any = 1.0) -> Classic:
    """Bears chi times the opponent's loss relative to full cooperation; "ZDGTFT-2" for chi = 2.

    Source: Stewart and Plotkin (2012), Extortion and cooperation in the prisoner's dilemma, PNAS 109, 10134-10135.

    Args:
        chi: Ratio of its loss to the opponent's; from 1 to 1e6.
        weight: As for ``zero-determinant``.
    """
    return zero_determinant(spec, 1.0, 1.0 / argument(spec, "chi", chi, 1.0, MAX_EXTORTION), weight)


def zd_set(spec: str = "zd-set", baseline: Any = 0.5, weight: Any = 0.75) -> Classic:
    """Equalizer: sets the opponent's mean payoff, whatever it does.

    Source: Boerlijst, Nowak and Sigmund (1997), Equal pay for all prisoners, American Mathematical Monthly 104,
    303-305; Press and Dyson (2012), PNAS 109, 10409-10413.

    Args:
        baseline: Opponent's mean payoff, from 0 (the punishment) to 1 (the reward).
        weight: As for ``zero-determinant``.
    """
    return zero_determinant(spec, baseline, 0.0, weight)


FAMILY: dict[str, Maker] = {
    "memory-one": memory_one,
    "reactive": reactive,
    "win-stay-lose-shift": win_stay_lose_shift,
    "win-shift-lose-stay": win_shift_lose_stay,
    "generous-tit-for-tat": generous_tit_for_tat,
    "firm-but-fair": firm_but_fair,
    "soft-joss": soft_joss,
    "joss": joss,
    "grofman": grofman,
    "stochastic-cooperator": stochastic_cooperator,
    "desperate": desperate,
    "zero-determinant": zero_determinant,
    "zd-extort": zd_extort,
    "zd-generous": zd_generous,
    "zd-set": zd_set,
}
