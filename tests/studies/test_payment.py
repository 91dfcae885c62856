"""Bonuses to the cent: closed forms for all that may be paid, and fair draws that anybody can repeat."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

import pytest
from given import FILE, text
from hypothesis import given
from hypothesis import strategies as st

from econzoo.evaluate.run import play_match
from econzoo.people.study import ALL, BEST, RANDOM, ROUND, Participant, Study, Unit, return_link, round_payoffs
from econzoo.people.study.bonus import has_round_payoffs
from econzoo.people.study.ends import COMPLETED, FULL, NO_CONSENT, SCREENED_OUT, TIMED_OUT, WITHDRAWN, End, ReturnLink
from econzoo.people.study.expected_earnings import expected_bonus
from econzoo.people.study.payment import Payment
from econzoo.people.study.study_file import parse_study
from refusals import refuses

PAYMENT = Payment(fee=1.25, rate=0.0005, floor=0.10, cap=5.0, partial=True)


def by_match(*payoffs: float) -> dict[Unit, float]:
    """Payoffs of the first matches."""
    return {(number,): payoff for number, payoff in enumerate(payoffs, start=1)}


def paying(**changes: object) -> Payment:
    """A cent a point, without floor or a cap that matters."""
    return Payment(**{"fee": 1.0, "rate": 0.01, "cap": 1_000_000.0, **changes})  # type: ignore[arg-type]


def test_bonus_by_hand() -> None:
    for payoffs, cents in [
        ([6000.0], 300),  # 6,000 x 0.0005 = 3.00
        ([6000.0, 3000.0], 450),  # summed over matches
        ([6000.0, 3000.0, 2000.0], 500),  # 5.50 is above the cap
        ([], 10),  # the floor
        ([-4000.0], 10),  # losses are not paid
        ([570.0], 29),  # 0.285: halves up, though 0.285 in binary is a little less
        ([550.0], 28),  # 0.275
        ([549.9], 27),  # 0.27495
        ([6000.0, -1000.0], 250),  # they do count against gains
    ]:
        assert PAYMENT.bonus(by_match(*payoffs)).cents == cents, (payoffs, cents)


MONEY = st.decimals(-10_000, 10_000, places=2, allow_nan=False).map(float)
PAYOFFS = st.lists(MONEY, max_size=8)
RATES = st.sampled_from([0.0, 0.0005, 0.01, 0.1, 0.00137, 1.0])


def in_cents(points: Decimal, payment: Payment) -> int:
    """The bonus for a sum, as one works it out on paper."""
    earned = points * Decimal(str(payment.rate))
    within = min(max(earned, Decimal(str(payment.floor))), Decimal(str(payment.cap)))
    return int((within * 100).quantize(Decimal(1), ROUND_HALF_UP))


def sum_of(payoffs: list[float]) -> Decimal:
    """Without binary fractions."""
    return sum((Decimal(str(one)) for one in payoffs), Decimal(0))


@given(PAYOFFS, RATES, st.integers(0, 300), st.integers(0, 300))
def test_all_matches_are_paid_to_the_cent(payoffs: list[float], rate: float, floor: int, more: int) -> None:
    payment = Payment(fee=0.0, rate=rate, floor=floor / 100, cap=(floor + more) / 100)
    bonus = payment.bonus(by_match(*payoffs))
    assert bonus.points == sum_of(payoffs)
    assert bonus.cents == in_cents(sum_of(payoffs), payment)
    assert floor <= bonus.cents <= floor + more


@given(PAYOFFS, st.integers(1, 9), RATES)
def test_the_best_matches_are_paid_to_the_cent(payoffs: list[float], count: int, rate: float) -> None:
    payment = paying(pays=BEST, matches=count, rate=rate)
    best = sorted(payoffs, reverse=True)[:count]
    bonus = payment.bonus(by_match(*payoffs))
    assert (len(bonus.paid_units), bonus.cents) == (len(best), in_cents(sum_of(best), payment))


@given(PAYOFFS, st.integers(1, 9), st.text(max_size=20))
def test_the_matches_that_are_drawn_are_paid_to_the_cent(payoffs: list[float], count: int, seed: str) -> None:
    payment = paying(pays=RANDOM, matches=count)
    bonus = payment.bonus(by_match(*payoffs), seed)
    digests = {n: hashlib.sha256(f"{seed}/{n}".encode()).hexdigest() for n in range(1, len(payoffs) + 1)}
    drawn = sorted(sorted(digests, key=digests.__getitem__)[:count])  # the rule that the codebook tells
    assert bonus.paid_units == tuple((number,) for number in drawn)
    assert bonus.cents == in_cents(sum_of([payoffs[number - 1] for number in drawn]), payment)


@given(st.lists(MONEY, min_size=2, max_size=8), st.text(max_size=20), st.data())
def test_a_match_that_does_not_count_leaves_the_others_as_they_were(
    payoffs: list[float], seed: str, data: st.DataObject
) -> None:
    payment, whole = paying(pays=RANDOM), by_match(*payoffs)
    (drawn,) = payment.bonus(whole, seed).paid_units
    lost = data.draw(st.sampled_from([unit for unit in whole if unit != drawn]))
    assert payment.bonus({unit: payoff for unit, payoff in whole.items() if unit != lost}, seed).paid_units == (drawn,)


MANY = 4000
"""Draws; the standard deviation of a share of 1/4 is 0.7 percentage points."""


def test_every_match_and_every_round_has_the_same_chance() -> None:
    """Chi-squared of draws, below its 99.9% quantile: 16.27 with 3 and 27.88 with 9 degrees of freedom."""
    rounds = {(match, round): 1.0 for match, several in ((3, 4), (8, 6)) for round in range(1, several + 1)}
    for payment, payoffs, most in (
        (paying(pays=RANDOM), by_match(1, 1, 1, 1), 16.27),
        (paying(pays=RANDOM, matches=2), by_match(1, 1, 1, 1), 16.27),
        (paying(pays=ROUND), rounds, 27.88),
    ):
        drawn = Counter(unit for seed in range(MANY) for unit in payment.bonus(payoffs, f"{seed:016x}").paid_units)
        expected = MANY * payment.matches / len(payoffs)
        assert sum((drawn[unit] - expected) ** 2 / expected for unit in payoffs) < most, payment


def test_two_draws_for_one_participant_are_two_different_matches_and_each_pair_comes_as_often() -> None:
    payment, payoffs = paying(pays=RANDOM, matches=2), by_match(1, 1, 1, 1)
    pairs = Counter(payment.bonus(payoffs, str(seed)).paid_units for seed in range(MANY))
    assert len(pairs) == math.comb(4, 2)
    assert max(pairs.values()) - min(pairs.values()) < 6 * math.sqrt(MANY / 6)


@pytest.mark.parametrize("payoff", [math.nan, math.inf])
def test_what_is_no_number_is_not_paid(payoff: float) -> None:
    with refuses(ValueError, payoff):
        PAYMENT.bonus(by_match(1.0, payoff))


def test_fee() -> None:
    assert PAYMENT.fee_cents == 125


# -- expected --------------------------------------------------------------------------------------------------------


def test_expected_bonuses_in_closed_form() -> None:
    """Two matches of 0 or 100 points, a cent a point: all 100, one of them 50, the best 75; a round of three 1/3."""
    fair = [[0.0], [100.0]]
    for payment, paid, mean in (
        (paying(), fair, 100.0),
        (paying(pays=RANDOM), fair, 50.0),
        (paying(pays=BEST), fair, 75.0),
        (paying(pays=ROUND), [[0.0, 0.0, 100.0]], 100 / 3),
        (paying(cap=1.0), fair, 75.0),  # both are more than the cap
        (paying(), [[30.0]], 60.0),
    ):
        assert expected_bonus([paid] * 2, payment) == pytest.approx(mean, abs=4.0), (payment, paid)


# -- rounds ----------------------------------------------------------------------------------------------------------


def test_rounds_of_the_prisoners_dilemma_by_hand() -> None:
    """Grim trigger against defection: (C, D) is worth 0 and 5, then (D, D) is worth 1 each."""
    record = play_match("matrix", ["grudger", "defector"], 0, rounds=3)
    assert [round_payoffs(record, seat) for seat in (0, 1)] == [[0.0, 1.0, 1.0], [5.0, 1.0, 1.0]]


def test_rounds_add_up_to_the_match_in_all_games_that_have_them() -> None:
    for game, players, params in (
        ("matrix", ["random", "random"], {"rounds": 6, "noise": 0.2}),
        ("persuasion", ["random", "random"], {"rounds": 6}),
        ("coin_game", ["random", "random"], {"rounds": 6}),
        ("public_goods", ["random"] * 4, {"rounds": 4, "punishment": True}),
        ("guess_average", ["random"] * 5, {"players": 5, "rounds": 4}),
    ):
        assert has_round_payoffs(game), game
        for seed in range(3):
            record = play_match(game, players, seed, **params)
            for seat, payoff in enumerate(record.payoffs):
                rounds = round_payoffs(record, seat)
                assert sum(rounds) == pytest.approx(payoff)
                assert len(rounds) == max(turn.round for turn in record.turns), (game, rounds)


def test_prices_of_single_rounds_are_those_of_the_file() -> None:
    record = play_match("persuasion", ["random", "random"], 1, rounds=8, price=10.0)
    assert set(round_payoffs(record, 0)) <= {0.0, 10.0}


# -- the file --------------------------------------------------------------------------------------------------------


def with_payment(line: str, **changes: str) -> Study:
    """The study of tests with one more line of payment."""
    return parse_study(text(**changes).replace("\ncap = 5.0", f"\ncap = 5.0\n{line}"), FILE)


def test_points_are_paid_in_money() -> None:
    read = with_payment('paid_in = "EUR"\npays = "random"\nmatches = 2', currency='currency = "points"').payment
    assert (read.points_name, read.real_currency, read.pays, read.matches) == ("points", "EUR", RANDOM, 2)
    old = parse_study(text(), FILE).payment
    assert (old.points_name, old.real_currency, old.pays) == ("", "USD", ALL)
    ecu = with_payment('paid_in = "CHF"', currency='currency = "ECU"').payment
    assert (ecu.points_name, ecu.real_currency) == ("ECU", "CHF")


def test_what_does_not_go_together_is_refused() -> None:
    for line, changes, *named in (
        ("", {"currency": 'currency = "points"'}, "payment.currency", "points", "paid_in"),
        ('paid_in = "dollars"', {}, "payment.paid_in", "dollars"),
        ('paid_in = "USD"', {}, "payment.paid_in", "USD"),
        ('paid_in = "EUR"', {"currency": 'currency = "10 points"'}, "payment.currency", "letters"),
        ('pays = "some"', {}, "payment.pays", "some", "random", "best", "round"),
        ('pays = "round"', {}, "payment.pays", "round", "all, random or best"),
        ("matches = 2", {}, "payment.matches", 2, 'pays = "all"'),
        ('pays = "best"\nmatches = 4', {}, "payment.matches", 4, "at most 3"),
        ('pays = "best"\nmatches = 0', {}, "payment.matches", 0, 1),
    ):
        with refuses(ValueError, *named):
            with_payment(line, **changes)  # type: ignore[arg-type]


# -- ends ------------------------------------------------------------------------------------------------------------

URL = "https://app.prolific.com/submissions/complete?cc={code}"


def with_ends(ends: str) -> Study:
    """The study of tests with some ends."""
    return parse_study(text() + ends, FILE)


def test_every_end_has_its_own_link_and_code() -> None:
    ends = with_ends(f'\n[ends.completed]\nurl = "{URL}"\n[ends.no_consent]\nurl = "{URL}"\ncode = "NOPE"\n').ends
    assert return_link(ends, NO_CONSENT, "") == ReturnLink(URL.replace("{code}", "NOPE"), "NOPE", True)
    assert return_link(ends, COMPLETED, "OWN") == ReturnLink(URL.replace("{code}", "OWN"), "OWN", True)
    assert return_link(ends, SCREENED_OUT, "") == ReturnLink("", "", False)


def test_who_is_paid_and_has_no_end_goes_where_others_go_but_never_with_their_code() -> None:
    ends = with_ends(f'\n[ends.completed]\nurl = "{URL}"\n').ends
    assert ends == {COMPLETED: End(URL)}
    assert return_link(ends, WITHDRAWN, "OWN") == ReturnLink(URL.replace("{code}", "OWN"), "OWN", True)
    shared = {COMPLETED: End(URL, "ALL")}
    assert return_link(shared, COMPLETED, "OWN").code == "ALL"
    assert return_link(shared, WITHDRAWN, "OWN") == ReturnLink("", "OWN", False)


def test_the_end_that_somebody_has_come_to() -> None:
    nobody = Participant(*[None] * len(Participant._fields))  # type: ignore[arg-type]
    for told, timed_out, end in (
        ({"page": "done"}, False, COMPLETED),
        ({"page": "done"}, True, TIMED_OUT),
        ({"page": "full"}, False, FULL),
        ({"page": "withdrawn", "withdrawn": "consent"}, False, NO_CONSENT),
        ({"page": "withdrawn", "withdrawn": "play"}, True, WITHDRAWN),
        ({"page": "excluded", "excluded_reason": "quiz"}, False, SCREENED_OUT),
        ({"page": "excluded", "excluded_reason": "code word"}, False, SCREENED_OUT),
        ({"page": "excluded", "excluded_reason": "came twice"}, False, ""),
        ({"page": "play"}, True, ""),
    ):
        assert nobody._replace(**told).end(timed_out) == end, told


def test_ends_that_cannot_be_are_refused() -> None:
    for ends, *named in (
        ('\n[ends.finished]\ncode = "A"\n', "ends.finished", "completed, screened_out, no_consent"),
        (f'\n[ends.full]\nurl = "{URL}"\n', "ends.full.url", "{code}"),
        ('\n[ends.full]\nurl = "ftp://a"\n', "ends.full.url", "https://"),
        ('\n[ends.full]\ncode = "a b"\n', "ends.full.code", "a b"),
    ):
        with refuses(ValueError, *named):
            with_ends(ends)
