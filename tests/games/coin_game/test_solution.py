"""Theory of the Coin Game, against closed forms, brute force by the rules alone, and play with dice."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, Move
from econzoo.envs.games.coin_game import GAME, planning, rules, solution
from econzoo.envs.games.coin_game.policies import POLICIES, STEPS, Observation, Policy, flagged_steps
from refusals import refuses, says

MOVES = {kind: Move(kind, (0.0,)) for kind in STEPS}


def market(**params: Any) -> rules.Params:
    return GAME.params(**params)[1]


def sight(p: rules.Params, s: rules.State, seat: int) -> Observation:
    return Observation(p.size, s.player[seat], s.player[1 - seat], s.coin[seat], s.coin[1 - seat])


def together(p: rules.Params, s: rules.State, kinds: tuple[int, ...]) -> rules.State:
    return rules.apply_steps(p, s, tuple([MOVES[kind] for kind in kinds]))


# -- brute force: the tree of the rules, with every outcome of chance --------------------------------------------------

Choice = Callable[[list[list[tuple[float, float]]], rules.State], tuple[float, float]]


def tree(p: rules.Params, choose: Choice) -> tuple[float, float]:
    """Expected points of both seats; `choose` says what a position is worth from what each pair of steps is worth."""

    @cache
    def value(s: rules.State) -> tuple[float, float]:
        turn = rules.to_act(p, s)
        if turn == CHANCE:
            found = [(value(then), share) for then, share in drawn(p, s)]
            return sum(v[0] * share for v, share in found), sum(v[1] * share for v, share in found)
        if turn == DONE:
            return 0.0, 0.0
        here = []
        for row in stepped(p, s):
            later = [(points, value(then)) for points, then in row]
            here.append([(now[0] + then[0], now[1] + then[1]) for now, then in later])
        return choose(here, s)

    return value(rules.initial(p))


@cache
def drawn(p: rules.Params, s: rules.State) -> list[tuple[rules.State, float]]:
    return [(rules.apply(p, s, (Move(CHANCE, (o,)),)), share) for o, share in rules.chance(p, s)]


@cache
def stepped(p: rules.Params, s: rules.State) -> list[list[tuple[tuple[float, ...], rules.State]]]:
    """Points of each pair of steps, and the position that follows, without what was counted before."""
    out = []
    for mine in STEPS:
        after = [together(p, s, (mine, theirs)) for theirs in STEPS]
        bare = [then._replace(took=(0, 0), own=(0, 0), others=(0, 0), thefts=(0, 0)) for then in after]
        out.append([(rules.payoffs(p, then), left) for then, left in zip(after, bare, strict=True)])
    return out


def by_policies(p: rules.Params, first: Policy, second: Policy) -> Choice:
    def choose(here: Any, s: rules.State) -> tuple[float, float]:
        pairs = list(product(flagged_steps(first(sight(p, s, 0))), flagged_steps(second(sight(p, s, 1)))))
        values = [here[mine][theirs] for mine, theirs in pairs]
        return sum(v[0] for v in values) / len(pairs), sum(v[1] for v in values) / len(pairs)

    return choose


def for_both(here: Any, s: rules.State) -> tuple[float, float]:
    return max([pair for row in here for pair in row], key=sum)


def against(p: rules.Params, policy: Policy) -> Choice:
    def choose(here: Any, s: rules.State) -> tuple[float, float]:
        answers = flagged_steps(policy(sight(p, s, 1)))
        values = [[sum(row[k][seat] for k in answers) / len(answers) for seat in (0, 1)] for row in here]
        best = max(values, key=lambda v: v[0])
        return best[0], best[1]

    return choose


SMALL = [(2, 1), (2, 2), (3, 1)]
"""Size and rounds of matches whose whole tree is searched."""


def test_the_efficient_total_is_that_of_the_tree() -> None:
    for size, rounds in SMALL:
        p = market(size=size, rounds=rounds)
        assert solution.efficient_total(p) == pytest.approx(sum(tree(p, for_both)), abs=1e-12), (size, rounds)


def test_policies_are_worth_what_the_tree_says() -> None:
    for (size, rounds), (first, second) in product(SMALL, (("cooperative", "greedy"), ("considerate", "spiteful"))):
        p = market(size=size, rounds=rounds)
        wanted = tree(p, by_policies(p, POLICIES[first], POLICIES[second]))
        assert solution.expected_payoffs(p, first, second) == pytest.approx(wanted, abs=1e-12), (size, rounds)


def test_the_best_response_is_that_of_the_tree() -> None:
    for (size, rounds), policy in product(SMALL, ("greedy", "cooperative")):
        p = market(size=size, rounds=rounds)
        wanted = tree(p, against(p, POLICIES[policy]))[0]
        assert solution.best_response(p, policy) == pytest.approx(wanted, abs=1e-12), (size, rounds, policy)


# -- one round, by hand ------------------------------------------------------------------------------------------------


def test_one_round_of_cooperation_on_nine_cells() -> None:
    """The own coin is one step away with probability 4/9 and then taken; it is on the other's cell with 1/9.

    Where it is, whoever takes one takes both: a further point, and 2 that the other loses. Each seat expects
    4/9 + 4/9 * 1/9 - 2 * 4/9 * 1/9 = 32/81. Nobody can do better for both.
    """
    p = market(rounds=1)
    assert solution.expected_payoffs(p, "cooperative", "cooperative") == pytest.approx((32 / 81,) * 2)
    assert solution.efficient_total(p) == pytest.approx(64 / 81)
    assert solution.reference(p)["efficient"] == pytest.approx((32 / 81,) * 2)


def test_one_round_in_equilibrium_on_nine_cells() -> None:
    """A seat takes its own coin if it is near (36/81), else the other's if that is (5/9 * 4/9 = 20/81), or both (4/81).

    It loses 2 points in the 20/81 and in the 4/81 of the other seat: 60/81 - 48/81.
    """
    assert solution.equilibrium_payoffs(market(rounds=1)) == pytest.approx((12 / 81,) * 2)


def test_the_last_step_is_dominant() -> None:
    """In every placement, whatever the other does, no step brings more than any of `last_step_policy`."""
    for size in (2, 3):
        p = market(size=size, rounds=1)
        rng = np.random.default_rng(0)
        places = list(product(range(size * size), repeat=4))
        for index in rng.permutation(len(places))[:500]:
            a, b, red, blue = places[index]
            s = rules.initial(p)._replace(player=(a, b), coin=(red, blue))
            points = np.array([[rules.payoffs(p, together(p, s, (k, j))) for j in STEPS] for k in STEPS])
            for seat, own in ((0, points[:, :, 0]), (1, points[:, :, 1].T)):
                chosen = flagged_steps(solution.last_step_policy(sight(p, s, seat)))
                assert (own[list(chosen)] == own.max(axis=0)).all(), size


def test_no_equilibrium_is_claimed_where_none_is_known() -> None:
    for params in ({"rounds": 2}, {}, {"rounds": 1, "known": False}, {"size": 20, "rounds": 1}):
        assert all(math.isnan(payoff) for payoff in solution.equilibrium_payoffs(market(**params))), params
        assert "equilibrium" not in solution.reference(market(**params))


# -- the dilemma -------------------------------------------------------------------------------------------------------


def test_it_is_a_dilemma() -> None:
    """As in the prisoner's: T > R > P > S for greedy and cooperative players, and R is nearly the most there is."""
    for size, rounds in product((2, 3, 4), (1, 10)):
        p = market(size=size, rounds=rounds)
        reward = solution.expected_payoffs(p, "cooperative", "cooperative")
        temptation, sucker = solution.expected_payoffs(p, "greedy", "cooperative")
        punishment = solution.expected_payoffs(p, "greedy", "greedy")
        assert reward[0] == pytest.approx(reward[1]), rounds
        assert temptation > reward[0] > punishment[0] > sucker, rounds
        assert 2 * reward[0] > temptation + sucker, rounds
        assert 0.99 * solution.efficient_total(p) < sum(reward) <= solution.efficient_total(p) + 1e-12 or size == 2, (
            rounds
        )


def test_two_who_do_not_look_at_colours_expect_nothing() -> None:
    """A coin is as likely an own one as one of the other's: +1 or -1 for both together."""
    for policy, rounds in product(("random", "greedy"), (1, 10)):
        assert solution.expected_payoffs(market(rounds=rounds), policy, policy) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_longer_matches_are_worth_more_by_the_same_amount_in_the_end() -> None:
    totals = [solution.efficient_total(market(rounds=rounds)) for rounds in range(1, 41)]
    gains = np.diff(totals)
    assert (gains > 0).all()
    assert gains[-1] == pytest.approx(gains[-2], abs=1e-6)
    assert 1.0 < gains[-1] < 1.3


def test_no_policy_is_beaten_by_its_best_answer_to_itself() -> None:
    for policy in POLICIES:
        p = market(rounds=6)
        assert solution.exploitability(p, policy) > 0.1, "none of them is an equilibrium"
        for other in POLICIES:
            assert solution.expected_payoffs(p, other, policy)[0] <= solution.best_response(p, policy) + 1e-12


def test_seats_are_alike() -> None:
    p = market(rounds=5)
    for first, second in product(("cooperative", "greedy", "spiteful"), repeat=2):
        one = solution.expected_payoffs(p, first, second)
        assert one == pytest.approx(solution.expected_payoffs(p, second, first)[::-1], abs=1e-12)


# -- with dice ---------------------------------------------------------------------------------------------------------


def thrown(p: rules.Params, choose: Callable[[rules.State, int, Any], int], games: int) -> np.ndarray:
    """Points of both seats in so many games, played by the rules; shape (games, 2)."""
    rng, out = np.random.default_rng(1), []
    for _ in range(games):
        s = rules.initial(p)
        while (turn := rules.to_act(p, s)) != DONE:
            if turn == CHANCE:
                s = rules.apply(p, s, (Move(CHANCE, (float(rng.integers(p.size**2)),)),))
            else:
                s = together(p, s, (choose(s, 0, rng), choose(s, 1, rng)))
        out.append(rules.payoffs(p, s))
    return np.array(out)


def near(found: np.ndarray, wanted: Any) -> bool:
    """Whether means are within four standard errors."""
    return bool((abs(found.mean(axis=0) - wanted) < 4 * found.std(axis=0, ddof=1) / math.sqrt(len(found))).all())


def test_policies_get_what_they_expect() -> None:
    for size, first, second in ((3, "cooperative", "greedy"), (3, "considerate", "random"), (5, "greedy", "spiteful")):
        p, pair = market(size=size), (POLICIES[first], POLICIES[second])

        def choose(s: rules.State, seat: int, rng: Any, p: rules.Params = p, pair: Any = pair) -> int:
            return int(rng.choice(flagged_steps(pair[seat](sight(p, s, seat)))))

        assert near(thrown(p, choose, 150), solution.expected_payoffs(p, first, second)), size


def test_the_efficient_steps_reach_the_efficient_total() -> None:
    for size in (3, 4):
        p = market(size=size)

        def choose(s: rules.State, seat: int, rng: Any, p: rules.Params = p) -> int:
            return planning.efficient_steps(sight(p, s, seat), p.rounds - s.round + 1, seat)[0]

        assert near(thrown(p, choose, 150).sum(axis=1, keepdims=True), solution.efficient_total(p)), size


def test_the_best_answers_reach_the_value_of_the_best_response() -> None:
    for policy, own in product(("greedy", "cooperative"), (0, 1)):
        p = market(rounds=6)

        def choose(
            s: rules.State, seat: int, rng: Any, p: rules.Params = p, policy: str = policy, own: int = own
        ) -> int:
            seen, left = sight(p, s, seat), p.rounds - s.round + 1
            steps = (
                planning.best_response_steps(seen, left, POLICIES[policy])
                if seat == own
                else flagged_steps(POLICIES[policy](seen))
            )
            return int(rng.choice(steps))

        assert near(thrown(p, choose, 200)[:, [own]], solution.best_response(p, policy))


# -- positions ---------------------------------------------------------------------------------------------------------


def test_positions_do_not_depend_on_where_the_board_begins() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        size = int(rng.integers(2, 6))
        rows, columns = rng.integers(size, size=4), rng.integers(size, size=4)
        down, right = rng.integers(size, size=2)
        here = [int(r * size + c) for r, c in zip(rows, columns, strict=True)]
        there = [int((r + down) % size * size + (c + right) % size) for r, c in zip(rows, columns, strict=True)]
        number = planning.position_number(Observation(size, *here))
        assert number == planning.position_number(Observation(size, *there))
        turned = planning.board(size).swapped_position
        own, other, own_coin, other_coin = here
        assert turned[number] == planning.position_number(Observation(size, other, own, other_coin, own_coin))
        assert turned[turned[number]] == number


# -- limits, bad input, advice -----------------------------------------------------------------------------------------


def test_what_is_too_large_is_not_a_number() -> None:
    p = market(size=20)
    assert math.isnan(solution.efficient_total(p))
    assert math.isnan(solution.best_response(p, "greedy"))
    assert all(math.isnan(x) for x in solution.expected_payoffs(p, "greedy", "greedy"))
    assert solution.reference(p) == {}
    assert planning.is_tractable(3, 2743)
    assert not planning.is_tractable(3, 2744)


def test_unknown_policies_are_refused() -> None:
    for name in ["greed", "", None, 3, ["greedy"]]:
        with refuses(ValueError, "policy", name, *POLICIES):
            solution.best_response(market(), name)


def test_advice() -> None:
    env = econzoo.make("coin_game", rounds=2)
    env.reset(options={"placement": [(1, 1), (2, 2), (0, 1), (2, 1), (0, 0), (2, 2)]})
    takes, both, _, own = solution.advise(env.view(0)).values()
    assert takes.index("up") < takes.index("down")
    assert both == "up"
    assert own == "down"  # blue first: then red, which B leaves alone, is one step away again, over the edge
    env.step(0)
    env.step(2)
    takes, last = solution.advise(env.view(1)).values()  # B on (2, 1), its coin on (2, 2), the red one on (0, 0)
    says(takes, "right")
    says(last, "right")
    env.step(0)
    env.step(3)
    assert list(solution.advise(env.view(1))) == ["advice"]
