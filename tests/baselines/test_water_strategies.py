"""What each scripted resident of the dry town bids, by hand."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from survival_mornings import NEEDS, SALARIES, bid, bidder, morning, own, wish_of

from econzoo.baselines.survival.base import is_contested, last_price, payable_bid, step
from econzoo.envs.families.survival import survivable_dry_days


def wish(spec: str, **given) -> float:
    """What Cindy would like to bid."""
    return wish_of(bidder(spec), **given)


def with_money(amount: float) -> dict:
    """Cindy's balance."""
    return {"balances": own(2, amount, SALARIES)}


def test_bids_that_follow_from_the_money_alone():
    for spec, balance, expected in [
        ("all-in", 340.0, 340.0),
        ("bid(100)", 340.0, 100.0),
        ("bid(0)", 340.0, 0.0),
        ("shade(0.25)", 340.0, 255.0),
        ("shade(0)", 340.0, 340.0),
        ("shade(1)", 340.0, 0.0),
        ("reserve(0)", 340.0, 340.0),
        ("reserve(1)", 340.0, 220.0),  # (340 + 100) / 2
        ("reserve(3)", 340.0, 160.0),  # (340 + 300) / 4
        ("reserve(3)", 100.0, 100.0),  # the salary can be kept up for ever
    ]:
        assert wish(spec, **with_money(balance)) == pytest.approx(expected), (spec, balance, expected)


def test_reserve_keeps_nothing_for_days_that_do_not_come():
    for day, expected in ((1, 160.0), (17, 160.0), (18, 180.0), (19, 220.0), (20, 340.0)):
        assert wish("reserve(3)", day=day, **with_money(340.0)) == pytest.approx(expected), (day, expected)


@given(balance=st.floats(100.0, 1e4), days=st.integers(0, 18))
@settings(max_examples=30)
def test_reserve_can_pay_the_same_on_each_of_the_days_it_keeps_money_for(balance, days):
    first = wish(f"reserve({days})", **with_money(balance))
    for _ in range(days):
        balance = balance - first + 100.0
    assert balance == pytest.approx(first)


def test_need_based_divides_its_money_by_the_days_to_its_death():
    for health, dry, days in [
        (8, 0, 3),  # 7, 5, 2, then -2
        (7, 1, 2),  # 5, 2, then -2
        (5, 2, 1),  # 2, then -2
        (2, 3, 0),
        (10, 0, 3),  # 9, 7, 4, then 0: dead
        (11, 0, 4),
        (1, 0, 0),
        (2, 0, 1),
    ]:
        assert survivable_dry_days(health, dry) == days, (health, dry, days)
        asked = wish("need-based", healths=own(2, health, (8,) * 5), dry=own(2, dry, (0,) * 5), **with_money(120.0))
        assert asked == pytest.approx(120.0 / (days + 1)), (health, dry, days)


@given(health=st.integers(2, 60), dry=st.integers(0, 8))
def test_need_based_never_bids_less_as_health_falls_or_thirst_lasts(health, dry):
    assert survivable_dry_days(health - 1, dry) <= survivable_dry_days(health, dry)
    assert survivable_dry_days(health, dry + 1) <= survivable_dry_days(health, dry)


HISTORY = (
    bid(1, 0, 40.0, 70.0, 1),
    bid(1, 1, 60.0, 15.0, 0),
    bid(1, 2, 90.0, 10.0, 0),
    bid(2, 0, 55.0, 140.0, 2),  # a day without winners
    bid(2, 1, 5.0, 90.0, 1),
)


def test_the_last_price_is_the_lowest_bid_served_on_the_last_day_that_had_winners():
    for history, price in (((), 0.0), (HISTORY[:1], 0.0), (HISTORY[:3], 60.0), (HISTORY, 60.0)):
        assert last_price(history) == price, (history, price)
        assert wish("last-price+1", day=3, history=history, **with_money(200.0)) == price + 1.0, (history, price)


def test_honest_share_pays_what_its_salary_buys_on_its_share_of_days():
    for living, low, high, expected in [
        ((0, 1, 2, 3, 4), 10, 20, 100.0 * 50 / 15),  # served on 15 of 50 days
        ((0, 1, 2, 3, 4), 20, 30, 200.0),
        ((2, 3), 10, 20, 140.0),  # 21 units needed
        ((2,), 10, 20, 100.0),
        ((2,), 0, 0, 100.0),  # nothing to share: its balance
    ]:
        assert wish("honest-share", living=living, low=low, high=high) == pytest.approx(expected), (living, low, high)


def test_mixed_draws_within_its_bounds_anew_every_day_and_the_same_when_asked_again():
    mixed = bidder("mixed(0.2, 0.6)")
    mixed.seed = 11
    drawn = [wish_of(mixed, day=day) for day in range(1, 200)]
    assert drawn == [wish_of(mixed, day=day) for day in range(1, 200)]
    assert 20.0 <= min(drawn) < 24.0 < 56.0 < max(drawn) <= 60.0
    assert sum(drawn) / len(drawn) == pytest.approx(40.0, abs=3.0)


# When a bid matters


def test_a_bid_matters_where_others_could_leave_too_little():
    for supply, living, expected in [
        (9, (0, 1, 2, 3, 4), False),  # Cindy needs 10
        (10, (0, 1, 2, 3, 4), True),  # Alex or Bob could be served first
        (10, (2, 3, 4), False),  # David and Eric need more than there is
        (20, (2, 3), True),  # 11 of 20 leave 9
        (21, (2, 3), False),
        (33, (2, 3, 4), False),  # enough for all
        (32, (2, 3, 4), True),  # 23 of 32 leave 9
        (18, (0, 2), False),
        (15, (2,), False),  # alone
    ]:
        assert is_contested(morning(supply=supply, living=living)) is expected, (supply, living, expected)


@given(supply=st.integers(0, 60), needs=st.lists(st.integers(1, 15), min_size=1, max_size=6), data=st.data())
@settings(max_examples=60)
def test_contested_agrees_with_all_sets_of_others_that_can_be_served_first(supply, needs, data):
    seat = data.draw(st.integers(0, len(needs) - 1))
    others = [need for i, need in enumerate(needs) if i != seat]
    sums = [sum(some) for size in range(len(others) + 1) for some in combinations(others, size)]
    possible = [supply - taken >= needs[seat] for taken in sums if taken <= supply]
    given = {"supply": supply, "requirements": tuple(needs), "living": tuple(range(len(needs))), "seat": seat}
    assert is_contested(morning(**given)) is (any(possible) and not all(possible))


def test_bids_are_whole_dollars_that_can_be_paid():
    for wish, balance, due in ((33.2, 100, 34), (33.0, 100, 33), (500.0, 100.5, 100), (0.0, 100, 0), (99.1, 99.5, 99)):
        assert payable_bid(wish, morning(**with_money(balance))) == due, (wish, balance)


def test_the_step_of_bids_is_about_a_hundredth_of_a_salary():
    for salary, expected in ((100.0, 1.0), (70.0, 1.0), (120.0, 1.0), (1e9, 1e7), (1.0, 0.01), (0.0, 1.0)):
        assert step(salary) == pytest.approx(expected), (salary, expected)


@given(wish=st.floats(0.0, 1e12), balance=st.floats(0.0, 1e12), salary=st.floats(0.0, 1e9), line=st.integers(0, 99))
def test_no_bid_is_negative_or_above_the_balance(wish, balance, salary, line):
    given = {"salaries": own(2, salary, SALARIES), "line": line}
    assert 0.0 <= payable_bid(wish, morning(**given, **with_money(balance))) <= balance


def test_needs_and_salaries_are_those_of_the_game():
    from econzoo.envs.games.water_allocation import RESIDENTS

    assert [(need, salary) for _, need, salary in RESIDENTS] == list(zip(NEEDS, SALARIES, strict=True))
