"""Who could have lived against brute force and the rules, and the last day against the definition of dominance."""

import math
from itertools import product

from econzoo.envs.core.contract import PASS, Move
from econzoo.envs.families.survival import best_allocation
from econzoo.envs.families.survival.solution import most_survivors, price_of_anarchy
from econzoo.envs.games.survival_auction import GAME, rules
from econzoo.envs.games.survival_auction.solution import advise, equilibrium_payoffs, last_day_winner, reference
from econzoo.envs.games.survival_auction.solution import town_of
from refusals import refuses, says


def match(**params):
    return GAME.params(**params)[1]


def played(params, turns):
    """The end of a match in which one player bids a cent each day, and the others nothing."""
    state = rules.initial(params)
    for seat in turns:
        inside = [i for i in range(params.players) if state.died[i] == 0]
        state = rules.apply(
            params,
            state,
            tuple(Move(0 if i in inside else PASS, (0.01 if i == seat else 0.0,)) for i in range(params.players)),
        )
        if state.over:
            break
    return state


def best_by_search(params):
    """The greatest sum of payoffs over all orders of turns."""
    return max(
        sum(rules.payoffs(params, played(params, turns)))
        for turns in product(range(params.players), repeat=params.days)
    )


def test_the_best_turns_are_those_of_brute_force():
    for reward, (players, days, health) in product(
        ("survival", "health", "days"), ((2, 5, 2), (3, 5, 3), (3, 6, 4), (4, 4, 2))
    ):
        params = match(players=players, days=days, start_health=health, max_health=health + 1, reward=reward)
        best = best_allocation(town_of(params))
        assert best.proven, (reward, players, days)
        assert best.welfare == best_by_search(params), (reward, players, days)


def test_play_can_reach_the_bound_of_the_papers_game():
    params = match()
    best = most_survivors(town_of(params))
    assert best.proven
    end = played(params, [day[0] if day else None for day in best.served])
    assert sum(died == 0 for died in end.died) == best.survivors
    assert price_of_anarchy(town_of(params), rules.payoffs(params, end)) == 1.0
    assert price_of_anarchy(town_of(params), (0.0,) * 5) == math.inf


def test_on_the_last_day_bidding_everything_is_weakly_dominant():
    for balances in ((3, 2), (2, 2), (3, 1, 1), (2, 3, 3), (1, 2, 3)):
        state = rules.initial(match(players=len(balances), days=1))._replace(balance=tuple(map(float, balances)))

        def wins(seat, own, others, state=state):
            bids = [*others[:seat], own, *others[seat:]]
            return rules.winner(state, list(map(float, bids))) == seat

        for seat, purse in enumerate(balances):
            for others in product(range(5), repeat=len(balances) - 1):
                assert wins(seat, purse, others) >= max(wins(seat, own, others) for own in range(5)), balances
        everything = rules.winner(state, list(map(float, balances)))
        assert last_day_winner(balances) == (None if everything == rules.NOBODY else everything)


def test_last_day_of_bad_balances():
    with refuses(ValueError, "balances"):
        last_day_winner([])
    with refuses(ValueError, "balances"):
        last_day_winner([1.0, math.nan])


def test_equilibrium_payoffs_where_they_are_known():
    assert equilibrium_payoffs(match(players=1)) == (1.0,)
    assert equilibrium_payoffs(match(players=1, reward="health")) == (10.0,)
    assert equilibrium_payoffs(match(days=3)) == (1.0,) * 5  # 8 - 1 - 2 - 3 = 2: nobody can die
    assert equilibrium_payoffs(match(days=1, start_health=1)) == (0.0,) * 5  # equals who bid everything
    assert equilibrium_payoffs(match(days=1, reward="health")) == (7.0,) * 5
    assert all(map(math.isnan, equilibrium_payoffs(match())))


def test_references():
    assert reference(match()) == {"served every day": (1.0,) * 5, "never served": (0.0,) * 5}
    assert reference(match(reward="days"))["never served"] == (3.0,) * 5  # 8 - 1 - 2 - 3 - 4 < 0
    assert reference(match(days=3))["equilibrium"] == (1.0,) * 5


def test_advice_from_the_view():
    params = match()
    view = rules.observe(params, rules.initial(params), 0)
    assert any("$100" in one for one in advise(view).values())
    assert advise(view)["theory"] != advise(view._replace(round=10))["theory"]
    says(advise(view._replace(died=(0, 1, 1, 1, 1)))["advice"], 0)
    assert list(advise(view._replace(over=1))) == ["advice"]
