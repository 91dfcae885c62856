"""Matches that nature ends: how long they last, what they are worth, and what nobody is told (`prob_end`)."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, UNKNOWN, Move
from econzoo.envs.core.vector import GameBatch
from econzoo.envs.games.matrix import GAME, metrics, rules, solution
from econzoo.envs.games.matrix.memory_one import STRATEGIES, outcome_chain
from econzoo.evaluate.analyses.evolution.matches import rounds_of
from econzoo.evaluate.run import replay
from refusals import says

C, D = Move(rules.C, (0.0,)), Move(rules.D, (0.0,))
DILEMMA = (3.0, 0.0, 5.0, 1.0)
"""R, S, T and P of Axelrod's prisoner's dilemma."""


def params(**given: Any) -> rules.Params:
    return GAME.params(**given)[1]


def lengths(p: rules.Params) -> dict[int, float]:
    """With which probability a match lasts so many rounds, by following every move of nature."""
    out: dict[int, float] = {}
    waiting = {rules.initial(p): 1.0}
    while waiting:
        after: dict[rules.State, float] = {}
        for s, reached in waiting.items():
            if rules.to_act(p, s) == DONE:
                out[s.round] = out.get(s.round, 0.0) + reached
            elif rules.to_act(p, s) == CHANCE:
                for move, chance in rules.chance(p, s):
                    then = rules.apply(p, s, (Move(CHANCE, (move,)),))
                    after[then] = after.get(then, 0.0) + reached * chance
            else:
                played = rules.apply(p, s, (C, C))
                alike = played._replace(last_row=0, last_column=0, cc=0, cd=0, dc=0, dd=0)
                after[alike] = after.get(alike, 0.0) + reached
        waiting = after
    return {rounds: chance for rounds, chance in out.items() if chance}


def test_the_number_of_rounds_is_geometric_up_to_the_most() -> None:
    """q (1 - q)^(n - 1), as Axelrod's `sample_length` has it; what is left falls on the last round that can be."""
    for noise, prob_end in product((0.0, 0.2), (0.05, 0.3, 0.9)):
        most, goes_on = 12, 1.0 - prob_end
        p = params(prob_end=prob_end, rounds=most, noise=noise)
        wanted = {n: prob_end * goes_on ** (n - 1) for n in range(1, most)} | {most: goes_on ** (most - 1)}
        assert lengths(p) == pytest.approx(wanted), (noise, prob_end)
        mean = sum(n * chance for n, chance in wanted.items())
        assert solution.mean_rounds(p) == pytest.approx(mean), (noise, prob_end)
        assert rounds_of({"rounds": most, "prob_end": prob_end}) == pytest.approx(mean), noise


@pytest.mark.usefixtures("interpreted")
@pytest.mark.slow
def test_matches_last_as_long_as_they_should() -> None:
    """By seeds: 3,000 games at once, and 150 matches at the table; the mean is 1 / q where the most is far away."""
    prob_end, games = 0.2, 3_000
    batch = GameBatch("matrix", games, {"prob_end": prob_end, "rounds": 500}, seed=7, autoreset=False)
    lasted = np.zeros(games, int)
    while (running := batch.to_act != DONE).any():
        lasted += running
        batch.step(np.zeros((games, 2), int))
    table = [len(econzoo.play("matrix", ["cooperator"] * 2, seed=seed, prob_end=prob_end, rounds=500).turns) // 2
             for seed in range(150)]  # fmt: skip
    for found in (lasted, np.array(table)):
        seen = [np.sum(found == n) for n in range(1, 10)] + [np.sum(found >= 10)]
        chances = [prob_end * (1 - prob_end) ** (n - 1) for n in range(1, 10)] + [(1 - prob_end) ** 9]
        assert chisquare(seen, len(found) * np.array(chances)).pvalue > 0.001
    assert abs(lasted.mean() - 5.0) < 4 * math.sqrt(20.0 / games), "the variance is (1 - q) / q^2 = 20"


def worth(row: str, column: str, prob_end: float, noise: float = 0.0) -> tuple[float, float]:
    """Expected points of two memory-one strategies in a match without a most: v (1 - w M)^-1 times the table."""
    first = np.array([1.0 - (STRATEGIES[one] == STRATEGIES["defect"]) for one in (row, column)])
    plays_c = first * (1.0 - noise) + (1.0 - first) * noise
    begin = np.array([x * y for x in (plays_c[0], 1 - plays_c[0]) for y in (plays_c[1], 1 - plays_c[1])])
    chain = outcome_chain(STRATEGIES[row], STRATEGIES[column], noise)
    visits = np.linalg.solve((np.eye(4) - (1.0 - prob_end) * chain).T, begin)
    r, s, t, p = DILEMMA
    return float(visits @ [r, s, t, p]), float(visits @ [r, t, s, p])


def test_closed_forms_of_axelrod() -> None:
    """V(TFT|ALLD) = S + wP / (1 - w), V(ALLD|TFT) = T + wP / (1 - w), V(TFT|TFT) = R / (1 - w)."""
    for w in (0.3, 0.8, 0.95):
        r, s, t, p = DILEMMA
        later = w * p / (1 - w)
        assert worth("tit-for-tat", "defect", 1 - w) == pytest.approx((s + later, t + later))
        assert worth("tit-for-tat", "tit-for-tat", 1 - w) == pytest.approx((r / (1 - w),) * 2)
        patient = w >= max(solution.tit_for_tat_discount(params().table))
        assert (worth("tit-for-tat", "tit-for-tat", 1 - w)[0] >= worth("defect", "tit-for-tat", 1 - w)[0]) == patient


PAIRS = [
    ("tit-for-tat", "defect", 0.2, 0.0),
    ("win-stay-lose-shift", "defect", 0.1, 0.0),
    ("tit-for-tat", "win-stay-lose-shift", 0.25, 0.1),
    ("grim", "tit-for-tat", 0.15, 0.05),
]


@pytest.mark.slow
@pytest.mark.parametrize(("row", "column", "prob_end", "noise"), PAIRS)
def test_payoffs_are_worth_the_closed_form(row: str, column: str, prob_end: float, noise: float) -> None:
    """600 games; the mean of each seat lies within four standard errors."""
    pytest.importorskip("numba")
    games = 600
    setting = {"prob_end": prob_end, "noise": noise, "rounds": 300}  # longer ones have a chance below 1e-13
    batch = GameBatch("matrix", games, setting, seed=3, autoreset=False)
    totals = np.zeros((games, 2))
    while (batch.to_act != DONE).any():
        kinds = np.zeros((games, 2), int)
        for seat, name in enumerate((row, column)):
            seen = batch.observe(seat)
            own, other = seen[:, 12].astype(int), seen[:, 13].astype(int)
            kinds[:, seat] = np.where(
                own < 0, name == "defect", 1 - np.array(STRATEGIES[name])[2 * own + other].astype(int)
            )
        payoffs, done = batch.step(kinds)
        totals[done] = payoffs[done]
    error = totals.std(axis=0) / math.sqrt(games)
    assert np.all(np.abs(totals.mean(axis=0) - worth(row, column, prob_end, noise)) < 4 * error)


# Axelrod's library


@cache
def library() -> ModuleType:
    return pytest.importorskip("axelrod")


@pytest.mark.slow
def test_axelrods_matches_pay_the_same() -> None:
    """Of a match of Axelrod's with `prob_end`, nature's moves are played here: points and points a turn are the same.

    And over many matches both pay the same on average, within four standard errors of the difference.
    """
    for ours, theirs in [
        (("tit-for-tat", "defector"), ("TitForTat", "Defector")),
        (("grudger", "alternator"), ("Grudger", "Alternator")),
        (("win-stay-lose-shift", "tit-for-two-tats"), ("WinStayLoseShift", "TitFor2Tats")),
    ]:
        axelrod, prob_end = library(), 0.1
        env = econzoo.make("matrix", face="structured", prob_end=prob_end, rounds=1000)
        mine, yours = [], []
        for seed in range(20):
            match = axelrod.Match([getattr(axelrod, name)() for name in theirs], prob_end=prob_end, seed=seed)
            moves = match.play()
            env.reset(seed=seed, options={"chance": [rules.NO_SLIP] * (len(moves) - 1) + [rules.MATCH_ENDS]})
            for pair in moves:
                for action in pair:
                    env.step({"kind": str(action)})
            assert all(env.terminations.values()), (ours, theirs)
            assert env.payoffs == match.final_score(), (ours, theirs)
            gains = [score / 5 for score in match.final_score_per_turn()]
            assert rules.gains(env.params, env.game_state) == pytest.approx(gains), (ours, theirs)
            yours.append(match.final_score())
            mine.append(econzoo.play("matrix", ours, seed=seed, prob_end=prob_end, rounds=1000).payoffs)
        one, other = np.array(mine, float), np.array(yours, float)
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / len(one))
        assert np.all(np.abs(one.mean(axis=0) - other.mean(axis=0)) < 4 * error), (ours, theirs)


# What is counted


def after(p: rules.Params, pairs: list[tuple[Move, Move]], last: bool) -> rules.State:
    s = rules.initial(p)
    for number, pair in enumerate(pairs):
        ends = last and number == len(pairs) - 1
        s = rules.apply(p, rules.apply(p, s, (Move(CHANCE, (rules.MATCH_ENDS if ends else rules.NO_SLIP,)),)), pair)
    return s


def test_gains_are_points_a_round_of_those_played() -> None:
    p = params(prob_end=0.25, rounds=50)
    s = after(p, [(C, C), (D, C)], last=True)
    assert (rules.to_act(p, s), rules.payoffs(p, s)) == (DONE, (8.0, 3.0))
    assert rules.gains(p, s) == pytest.approx((8 / 10, 3 / 10))
    assert metrics.outcome(p, after(p, [(C, C)] * 3, last=True)).agreed
    assert metrics.outcome(p, after(p, [(C, C)] * 3, last=True)).efficiency == 1.0


def test_nobody_gains_by_stopping_a_match() -> None:
    """Who has exploited the other and gives up earns less than if it had gone on and got nothing in one round more."""
    p = params(prob_end=0.25, rounds=50)
    stopped = after(p, [(D, C)], last=False)
    assert rules.gains(p, stopped) == pytest.approx((1 / (1 + 4), 0.0))
    assert rules.gains(p, stopped)[0] < rules.gains(p, after(p, [(D, C), (C, D)], last=True))[0]
    assert not metrics.outcome(p, after(p, [(C, C)], last=False)).agreed
    near = params(prob_end=0.001, rounds=3)
    assert rules.gains(near, after(near, [(D, C)], last=False)) == pytest.approx((1 / 3, 0.0)), "two rounds are left"
    assert rules.gains(p, rules.initial(p)) == (0.0, 0.0)


# What is told


def test_the_probability_is_told_and_the_most_rounds_are_not() -> None:
    for known in (True, False):
        p = params(prob_end=0.1, rounds=37, known=known)
        view = rules.observe(p, rules.initial(p), 0)
        assert (view.rounds, view.prob_end) == (UNKNOWN, 0.1), known
        assert rules.features(view)[2] == pytest.approx(-0.9), known
        text = econzoo.make("matrix", face="text", prob_end=0.1, rounds=37, known=known)
        text.reset(seed=1)
        says(text.last()[0]["text"], "10%")
        assert "37" not in text.last()[0]["text"], known


def test_a_match_that_surely_ends_is_one_round() -> None:
    assert params(prob_end=1.0) == params(rounds=1)
    record = econzoo.play("matrix", ["tit-for-tat", "defector"], seed=1, prob_end=1)
    assert (record.payoffs, record.chance) == ([0.0, 5.0], [])


def test_theory_says_nothing_of_an_end_that_nobody_knows() -> None:
    p = params(prob_end=0.1)
    assert all(map(math.isnan, solution.equilibrium_payoffs(p)))
    assert solution.equilibrium_payoffs(params(prob_end=1.0)) == (1.0, 1.0), "one round: both defect"
    assert solution.reference(p)["utilitarian"] == pytest.approx((3.0 * solution.mean_rounds(p),) * 2)


def test_advice_compares_patience_with_the_chance_of_another_round() -> None:
    """R >= (1 - w) T + w P from w = (5 - 3) / (5 - 1) on."""
    p = params(prob_end=0.1)
    told = solution.advise(rules.observe(p, rules.initial(p), 0))
    says(next(one for one in told.values() if one.startswith("0.500")), "0.900")


# What was before


def test_matches_without_it_are_what_they_were() -> None:
    """Ids, nature's draws and batches of several settings, which draw by the text of their parameters."""
    given: dict[str, Any] = {"noise": 0.3, "rounds": 6}
    plain = econzoo.play("matrix", ["random", "grudger"], seed=4, **given)
    record = econzoo.play("matrix", ["random", "grudger"], seed=4, prob_end=0, **given)
    assert (record.id, record.chance, record.payoffs) == (plain.id, plain.chance, plain.payoffs)
    assert econzoo.play("matrix", ["random", "grudger"], seed=4, prob_end=0.01, **given).id != plain.id
    told = "Params(table=(3.0, 0.0, 5.0, 1.0, 3.0, 5.0, 0.0, 1.0), rounds=6, known=1, noise=0.3)"
    assert repr(params(**given)) == repr(params(prob_end=0, **given)) == told


def test_matches_with_it_are_recorded_and_replayed() -> None:
    record = econzoo.play("matrix", ["random", "tit-for-tat"], seed=4, prob_end=0.2, noise=0.1, rounds=100)
    assert replay(record) == []
    assert len(record.chance) == len(record.turns) // 2
    assert [move >= rules.MATCH_ENDS for move in record.chance] == [False] * (len(record.chance) - 1) + [True]
    record.chance[-1] -= rules.MATCH_ENDS
    assert replay(record) != []
