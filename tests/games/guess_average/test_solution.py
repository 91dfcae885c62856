"""The theory of the guessing game against brute force, and numbers that can be checked by hand."""

from itertools import combinations_with_replacement, product

import pytest

from econzoo.envs.games.guess_average import rules
from econzoo.envs.games.guess_average.rules import Params
from econzoo.envs.games.guess_average.solution import MOST_PROFILES, advise, best_replies, elimination
from econzoo.envs.games.guess_average.solution import equilibrium_payoffs, is_winner, level_k, level_k_choice, most_wins
from econzoo.envs.games.guess_average.solution import pure_equilibria, reference, undominated_numbers, winner
from refusals import refuses

PAPER = Params(5, 0.8, 1, 100, 10, 10)

SMALL = [
    Params(players, factor, low, low + width, 10, 10)
    for players, width in ((2, 8), (3, 8), (4, 6), (5, 4), (8, 3))
    for factor in (0.3, 0.5, 0.8, 0.9, 0.95, 0.99)
    for low in (1, 3)
]


def by_hand(params, numbers):
    """The winning number after the text of the rules, in whole hundredths; None if nobody wins."""
    target = int(params.factor * sum(numbers) / len(numbers) * 100 + 0.5)
    if len(set(numbers)) == 1:
        return None
    return min(numbers, key=lambda number: (abs(100 * number - target), number))


def test_the_winner_is_that_of_the_rules_text():
    for params in SMALL[::4]:
        numbers = range(params.low, params.high + 1)
        for profile in combinations_with_replacement(numbers, params.players):
            assert winner(params, profile) == by_hand(params, profile)


def test_best_replies_by_hand():
    for others, replies in [
        ((50, 50, 50, 50), tuple(range(21, 50))),  # x wins if 0.8 (200 + x) / 5 <= (x + 50) / 2: x >= 20.6
        ((1, 1, 1, 1), ()),  # whoever leaves loses, whoever stays makes all the same
        ((2, 2, 2, 2), (1,)),  # target 0.8 * 9 / 5 = 1.44: 1 is nearer than 2
    ]:
        assert best_replies(PAPER, others) == replies


def test_levels_of_thought_by_hand():
    assert [level_k(PAPER, k, 50.0) for k in range(5)] == pytest.approx([50, 40, 32, 25.6, 20.48])
    assert [level_k_choice(PAPER, k, 50.0) for k in range(5)] == [50, 40, 32, 26, 20]
    assert level_k(PAPER, 0) == 50.5
    assert level_k(PAPER, 1000) == 1.0
    with refuses(ValueError, "level", -1):
        level_k(PAPER, -1)
    with refuses(ValueError, "start", 200):
        level_k(PAPER, 1, 200)


def never_worse(params, one, other, most):
    """Whether a number wins wherever another does, if nobody chooses more than `most`."""
    against = combinations_with_replacement(range(params.low, most + 1), params.players - 1)
    return all(is_winner(params, one, others) for others in against if is_winner(params, other, others))


def test_elimination_from_above_is_that_of_brute_force():
    for params in SMALL:
        expected = [params.high]
        while True:
            kept = expected[-1]
            while kept > params.low and never_worse(params, kept - 1, kept, expected[-1]):
                kept -= 1
            if kept == expected[-1]:
                break
            expected.append(kept)
        assert elimination(params) == tuple(expected)


def test_elimination_in_the_papers_game_ends_at_the_least_number():
    assert elimination(PAPER) == (100, 71, 50, 35, 25, 18, 13, 9, 6, 4, 3, 2, 1)


def test_with_a_factor_near_one_elimination_stops_above_the_least_number():
    assert elimination(Params(5, 0.99, 1, 8, 10, 10)) == (8,)


def test_two_players_keep_only_the_least_number():
    assert elimination(PAPER._replace(players=2)) == (100, 1)
    assert undominated_numbers(PAPER._replace(players=2), range(1, 101)) == (1,)


def test_what_is_left_depends_on_the_order_of_elimination():
    params = Params(3, 0.95, 1, 12, 10, 10)
    left = tuple(range(1, 13))
    while (fewer := undominated_numbers(params, left)) != left:
        left = fewer
    assert left == (3,)
    assert elimination(params)[-1] == 1


def test_simultaneous_elimination_in_a_small_game_of_the_papers_kind():
    params, left, greatest = Params(3, 0.8, 1, 12, 10, 10), tuple(range(1, 13)), [12]
    while (fewer := undominated_numbers(params, left)) != left:
        left = fewer
        greatest.append(max(left))
    assert greatest == [12, 7, 4, 2, 1] == list(elimination(params))


def test_pure_equilibria():
    for params in [p for p in SMALL if p.players < 8]:
        equilibria = pure_equilibria(params)
        symmetric = [profile[0] for profile in equilibria if len(set(profile)) == 1]
        assert symmetric == list(range(params.low, symmetric[-1] + 1))
        assert len(symmetric) == 1 or params.factor > 0.8
        away = [(params.low,) * (params.players - 1) + (x,) for x in range(params.low + 1, params.high + 1)]
        assert set(away) <= set(equilibria), params


def test_in_the_papers_game_with_few_numbers_all_but_one_choose_the_least_in_every_equilibrium():
    params = PAPER._replace(high=6)
    assert pure_equilibria(params) == tuple((1, 1, 1, 1, x) for x in range(1, 7))


def test_brute_force_says_when_there_is_too_much_of_it():
    with refuses(ValueError, f"{MOST_PROFILES:,}"):
        pure_equilibria(PAPER)


def test_the_most_wins_by_hand():
    for players, rounds, health, most in [
        (5, 10, 10, 40),  # four win every round, and the loser changes
        (2, 3, 10, 3),
        (3, 4, 1, 5),  # 2 + 1 + 1 + 1: each loser goes out, then one is alone and always wins
        (2, 4, 2, 4),  # two losses in turn, then the next loser goes out
    ]:
        assert most_wins(PAPER._replace(players=players, rounds=rounds, health=health)) == most


def best_by_search(params, state):
    """The most wins that any play can bring, by going through all profiles."""
    if state.over:
        return 0
    inside = [seat for seat in range(params.players) if state.out[seat] == 0]
    totals = []
    for numbers in product(range(params.low, params.high + 1), repeat=len(inside)):
        chosen = dict(zip(inside, numbers, strict=True))
        moves = tuple(rules.Move(0, (float(chosen.get(seat, 0)),)) for seat in range(params.players))
        after = rules.apply(params, state, moves)
        totals.append(sum(after.won) + best_by_search(params, after))
    return max(totals)


def test_the_most_wins_are_those_of_a_search():
    for players, rounds, health in ((2, 3, 1), (2, 4, 2), (3, 3, 1), (3, 3, 2)):
        params = Params(players, 0.8, 1, 2, rounds, health)
        assert most_wins(params) == best_by_search(params, rules.initial(params)), (players, rounds, health)


def test_references():
    assert equilibrium_payoffs(PAPER) == (0.0,) * 5
    assert reference(PAPER) == {"equilibrium": (0.0,) * 5, "efficient": (8.0,) * 5}


def test_advice_from_the_view():
    view = rules.observe(PAPER, rules.initial(PAPER), 0)
    assert {"40, 32, 26, 21", "71"} <= set(advise(view).values())
    after = rules.apply(PAPER, rules.initial(PAPER), tuple(rules.Move(0, (20.0,)) for _ in range(5)))
    assert "16, 13, 10, 8" in advise(rules.observe(PAPER, after, 0)).values()
    over, alone = advise(view._replace(over=1)), advise(view._replace(out=(0, 1, 1, 1, 1)))
    assert list(over) == list(alone) == ["advice"]
    assert over != alone
