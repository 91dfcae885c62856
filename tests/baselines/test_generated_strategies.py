"""The grammar of strategies: what every family does, in all its games, and that a number is one strategy for good."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from econzoo.baselines import description, player
from econzoo.baselines.bargaining.tactics import Generated
from econzoo.baselines.multi_issue import generated as divided
from econzoo.baselines.offers import SCRAP, concession_share
from econzoo.baselines.offers import productions as p
from econzoo.baselines.offers.generated import FAMILIES, RULES, sample_numbers
from econzoo.envs.core.contract import UNKNOWN, ZERO_UNIFORMS
from econzoo.envs.games.bargaining import rules
from econzoo.envs.games.multi_issue import rules as items
from refusals import refuses, says

GAMES: dict[str, dict[str, Any]] = {
    "bargaining": {"money": 100.0},
    "negotiation": {"own_value": 100.0, "other_value": 200.0},
    "multi_issue": {"items": (5, 1, 4, 1), "own_values": (1, 5, 10, 50)},
}
"""The games of the grammar, and what a seat sees where there are 100 dollars or points to share."""
GOLDEN, MIRROR_7 = "6a836d5a0a0e3eb4", (7.0, 0.0, 0.0, 0.0, 4.0, 0.654781, 0.235683, 0.0)
ONE, OTHER = p.HEAD, p.HEAD + p.SIZE


class Met:
    """A strategy that asks, hears an offer, and asks again, whatever it would accept.

    Args:
        numbers: Of the strategy.
        offers: Shares of the stake that the other offers it in turn.
        horizon: Last round; None: unknown.
        own: Shares that it is made to have asked for, instead of what it asked for.

    Attributes:
        asks: The share that it asks for before each offer and after the last.
        takes: The smallest share that it accepts when each of the offers waits.
    """

    def __init__(
        self, numbers: Sequence[float], offers: Sequence[float], horizon: int | None = None, own: Sequence[float] = ()
    ) -> None:
        params = rules.Params(1.0, (1.0, 1.0), horizon or 99, horizon is not None)
        past, last = list(p.BLANK), [UNKNOWN, UNKNOWN]
        self.asks: list[float] = []
        self.takes: list[float] = []
        for turn in range(len(offers) + 1):
            view = rules.observe(params, rules.State(2 * turn + 1, False, (last[0], last[1]), False, False), 0)
            self.asks.append(Generated.asks(view, 1.0, numbers, past))
            last[0] = own[turn] if own else self.asks[-1]
            if turn < len(offers):
                last[1] = 1.0 - offers[turn]
                view = rules.observe(params, rules.State(2 * turn + 2, True, (last[0], last[1]), False, False), 0)
                Generated.note(view, past)
                self.takes.append(Generated.takes(view, 1.0, numbers, past))


def story(number: int, turns: int = 8) -> list[float]:
    """Offers of a partner who wavers: in hundredths, so that some are as the one before."""
    rng, share, out = Random(number), 0.2, []
    for _ in range(turns):
        share = min(max(share + rng.choice((-0.1, 0.0, 0.0, 0.02, 0.1, 0.2)), 0.0), 1.0)
        out.append(share)
    return out


def all_met(family: str, count: int = 200) -> list[tuple[Sequence[float], list[float], Met]]:
    """Strategies of a family, the offers that each heard, and what it did."""
    numbers = [(sample_numbers(family, number), story(number)) for number in range(count)]
    return [(x, offers, Met(x, offers)) for x, offers in numbers]


def within(x: Sequence[float], share: float) -> float:
    """A share within the bounds of the first rule set."""
    return min(max(share, x[ONE + p.LOW]), x[ONE + p.HIGH])


def of(x: Sequence[float], place: int) -> float:
    """A number of the first rule set."""
    return x[ONE + place]


# what a number is


def test_a_number_is_the_same_strategy_for_good():
    told = repr([sample_numbers(family, number) for family in FAMILIES for number in range(300)])
    assert sha256(told.encode()).hexdigest()[:16] == GOLDEN
    assert sample_numbers("mirror", 7)[: p.HEAD + 4] == MIRROR_7


def test_numbers_are_different_strategies():
    for family in FAMILIES:
        assert len({sample_numbers(family, number)[1:] for number in range(1000)}) == 1000, family


def test_a_rule_of_demand_and_every_rule_of_acceptance_that_goes_with_it_is_drawn():
    for name, rule in RULES.items():
        drawn = [sample_numbers(name, number) for number in range(300)]
        assert {of(x, p.DEMAND) for x in drawn} == {rule.code}, name
        assert {of(x, p.TAKE) for x in drawn} == set(rule.takes), name
    for family, sets in (("irregular", (ONE,)), ("switch", (ONE, OTHER))):
        for at in sets:
            drawn = {sample_numbers(family, number)[at + p.DEMAND] for number in range(300)}
            assert drawn == {rule.code for rule in RULES.values()}, (family, at)


def test_all_of_a_strategy_lies_within_its_bounds():
    for family in FAMILIES:
        for x, _, met in all_met(family):
            assert all(0.0 <= ask <= 1.0 for ask in met.asks), (family, x)
            assert all(0.0 <= least <= 1.0 or least == p.OUT_OF_REACH for least in met.takes), (family, x)
            assert 0.0 <= of(x, p.LOW) <= of(x, p.HIGH) <= 1.0, x
            assert 0.05 <= of(x, p.LEAST) <= 0.7, x


def test_a_strategy_asks_for_the_same_share_in_all_games():
    for family in FAMILIES:
        for number in range(20):
            spec = f"generated('{family}', {number})"
            found = {game: first_share(player(spec, game), seen) for game, seen in GAMES.items()}
            assert list(found.values()) == pytest.approx([found["bargaining"]] * len(GAMES)), (spec, found)
            assert all(player(spec, game).numbers == sample_numbers(family, number) for game in GAMES)


def first_share(one: Any, seen: dict[str, Any]) -> float:
    """The share that a strategy asks for in round 1."""
    fields = dict.fromkeys(one.View._fields) | {"seat": 0, "round": 1, "horizon": 6, "history": []} | seen
    return one.ask(fields) / 100.0


def test_who_divides_items_wants_the_share_of_its_points_that_it_would_ask_for_of_money():
    """It hears an offer in the turn in which it may ask, where money is asked for in the round after the answer."""
    market = items.Params((5, 1, 4, 1), ((1, 5, 10, 50), (1, 1, 1, 1)), 99)
    for family in RULES:
        for number in range(40):
            x, offers = sample_numbers(family, number), story(number)
            met, past = Met(x, offers, 99), list(divided.Generated.initial_memory)
            for turn, offer in enumerate([None, *offers]):
                given = (-1.0,) * 4 if offer is None else worth_of(round(100 * offer))
                state = items.State(2 * turn + 1, given, items.NOBODY if offer is None else 1, False, False)
                view = items.observe(market, state, 0)
                divided.remember_offer(view, past)
                if offer is not None:
                    assert divided.takes(view, 1.0, x, past) == pytest.approx(met.takes[turn - 1]), (family, number)
                assert divided.asks(view, 1.0, x, past) == pytest.approx(met.asks[turn]), (family, number)
                move = divided.generated_move(view._replace(by=items.NOBODY), x, past, ZERO_UNIFORMS)
                kept = items.total_value(market.values[0], move.values)
                assert kept / 100 >= met.asks[turn] - 1e-9, "what it keeps is worth what it wants"


def worth_of(points: int) -> tuple[float, ...]:
    """Items that are worth so many points: five of 1, one of 5, four of 10 and one of 50."""
    fifty = points >= 50
    tens = min((points - 50 * fifty) // 10, 4)
    left = points - 50 * fifty - 10 * tens
    return left - 5.0 * (left >= 5), float(left >= 5), float(tens), float(fifty)


def test_other_families_and_numbers_are_refused():
    for game in GAMES:
        for spec, *named in [
            ("generated('mirrors')", "'mirrors'", "'mirror'", "'switch'"),
            ("generated('mirror', -1)", "number=-1", "0 <= number <= 999999"),
            ("generated('mirror', 1000000)", "number=1000000"),
            ("generated('mirror', 0.5)", "an integer"),
            ("generated(family='mirror', number~integers(0, 1000000))", "number=1000000"),
            ("generated(1)", "family=1", "'mirror'"),
        ]:
            with refuses(ValueError, *named):
                player(spec, game)


def test_a_strategy_says_in_one_sentence_what_it_does():
    for family in FAMILIES:
        told = {description(f"generated('{family}', {number})", "negotiation") for number in range(100)}
        assert len(told) > 85, family
        assert all(one.endswith(".") and one[0].isupper() and "{" not in one for one in told), family
    says(
        description("generated('mirror', 3)", "bargaining"), "59%", "other last asked for", "42%", "as it last offered"
    )
    drawn = description("generated(family='mirror', number~integers(0, 9))", "bargaining")
    assert drawn == description("generated('none')", "bargaining") != "", "what all of them are"


def test_a_family_can_be_fixed_while_the_number_is_drawn():
    drawn = player("generated(family='mirror', number~integers(0, 999999))", "bargaining")
    specs = {drawn.sample_player(seed).spec for seed in range(50)}
    assert len(specs) == 50
    assert all(spec.startswith("generated(family='mirror', number=") for spec in specs)


# rules of demand


def test_the_clock_asks_for_what_its_curve_says():
    for number in range(100):
        x, horizon = sample_numbers("clock", number), 12
        curve = [
            of(x, p.HIGH) - (of(x, p.HIGH) - of(x, p.LOW)) * concession_share(of(x, p.RATE), t, horizon)
            for t in (1, 3, 5)
        ]
        assert Met(x, story(number, 2), horizon).asks == pytest.approx(curve), number


def test_the_firm_ask_for_the_same_throughout():
    for x, _, met in all_met("firm"):
        assert set(met.asks) == {of(x, p.HIGH)}


def test_steps_give_way_by_the_same_part_of_what_is_left_whatever_is_offered():
    for x, _, met in all_met("steps"):
        left = [ask - of(x, p.LOW) for ask in met.asks]
        assert left == pytest.approx([left[0] * (1.0 - of(x, p.RATE)) ** turn for turn in range(len(left))])
        assert met.asks[0] == of(x, p.HIGH)


def test_the_reciprocal_move_by_so_much_of_what_the_other_has_moved():
    for x, offers, met in all_met("reciprocal"):
        for turn in range(2, len(offers) + 1):
            if of(x, p.DOWN) == 0.0:
                seen = offers[:turn]
                counts = {p.LAST: seen[-1], p.MEAN: sum(seen) / turn, p.BEST: max(seen)}[int(of(x, p.RECALL))]
                due = of(x, p.HIGH) - of(x, p.RATE) * (counts - offers[0])
            else:
                due = met.asks[turn - 1] - of(x, p.RATE) * (offers[turn - 1] - offers[turn - 2])
            assert met.asks[turn] == pytest.approx(within(x, due))
        assert met.asks[:2] == [of(x, p.HIGH)] * 2


def test_a_mirror_asks_for_what_the_other_has_asked_for():
    for x, offers, met in all_met("mirror"):
        assert met.asks == pytest.approx([of(x, p.HIGH), *(within(x, 1.0 - offer) for offer in offers)])


def test_the_middle_lies_between_what_both_last_named():
    for x, offers, met in all_met("middle"):
        assert met.asks[1:] == pytest.approx(
            [within(x, (ask + offer) / 2) for ask, offer in zip(met.asks, offers, strict=False)]
        )


def test_who_hardens_asks_for_more_after_a_concession_and_for_less_while_the_other_stands_firm():
    for x, offers, met in all_met("harden"):
        for turn in range(2, len(offers) + 1):
            step = of(x, p.RATE) if offers[turn - 1] > offers[turn - 2] else -of(x, p.DOWN)
            assert met.asks[turn] == pytest.approx(within(x, met.asks[turn - 1] + step))


def test_a_grudge_asks_for_more_after_a_wrong_and_never_takes_less_again():
    for x, offers, met in all_met("grudge"):
        forgives, least, harsh = int(of(x, p.FORGIVES)), of(x, p.LEAST), of(x, p.HIGH)
        for turn in range(1, len(offers) + 1):
            counting = offers[max(0, turn - forgives) : turn] if forgives else offers[:turn]
            wronged = min(counting) < least
            assert met.asks[turn] == (harsh if wronged else of(x, p.OPENING))
            assert met.takes[turn - 1] == (harsh if wronged else least)
        assert met.asks[0] == of(x, p.OPENING) <= harsh


def test_an_aspiration_moves_by_a_part_towards_what_was_offered_and_is_what_is_accepted():
    for x, offers, met in all_met("aspiration"):
        for turn in range(1, len(offers) + 1):
            seen, before = offers[:turn], met.asks[turn - 1]
            counts = {p.LAST: seen[-1], p.MEAN: sum(seen) / turn, p.BEST: max(seen)}[int(of(x, p.RECALL))]
            assert met.asks[turn] == pytest.approx(within(x, before + of(x, p.RATE) * (counts - before)))
            assert met.takes[turn - 1] <= met.asks[turn]


def test_the_irregular_keep_near_a_rule_and_err_alike_in_the_same_round():
    refused = 0
    for x, offers, met in all_met("irregular"):
        straight = list(x)
        for at in (ONE, OTHER):
            straight[at + p.SWING] = straight[at + p.REFUSALS] = 0.0
        ruled = Met(straight, offers, own=met.asks)
        apart = [abs(ask - rule) for ask, rule in zip(met.asks, ruled.asks, strict=True)]
        assert 0.0 < max(apart) <= of(x, p.SWING) <= 0.1
        assert Met(x, offers).asks == met.asks
        refused += sum(least == p.OUT_OF_REACH for least in met.takes)
    assert 100 < refused < 400  # of 1600 answers: half of the strategies refuse 5 to 40 percent


def test_who_switches_follows_one_rule_set_and_then_the_other():
    hows: dict[float, set[bool]] = {}
    for x, offers, met in all_met("switch"):
        one, other = (
            Met([x[0], p.NEVER, 0.0, 0.0, *x[at : at + p.SIZE] * 2], offers, own=met.asks) for at in (ONE, OTHER)
        )
        for turn in range(len(offers) + 1):
            now = changes(x, offers[:turn], 2 * turn + 1)
            hows.setdefault(x[p.CHANGE], set()).add(now)
            assert met.asks[turn] == (other if now else one).asks[turn]
            if turn < len(offers):
                now = changes(x, offers[: turn + 1], 2 * turn + 2)
                assert met.takes[turn] == (other if now else one).takes[turn]
    assert hows == {how: {True, False} for how in (p.AT_ROUND, p.AT_STALL, p.AT_GENEROSITY)}


def changes(x: Sequence[float], offers: list[float], round: int) -> bool:
    """Whether the change has come after these offers, in this round."""
    _, how, after, by = x[: p.HEAD]
    if how == p.AT_ROUND:
        return round >= after
    if how == p.AT_STALL:
        first = offers[: int(after)]
        return len(first) == after and max(first) - first[0] < by
    return bool(offers) and max(offers) >= by


# rules of acceptance


def test_rules_of_acceptance_by_hand():
    """An ask of 0.8, then 0.7, then 0.6: it gives way by half of what is left above 0.4, so by 0.2, 0.1 and so on."""
    offers = [0.3, 0.25, 0.35]
    for rule, takes in [
        (p.CONSTANT, [0.5, 0.5, 0.5]),
        (p.NEXT, [0.6, 0.5, 0.45]),
        (p.EITHER, [0.5, 0.5, 0.45]),
        (p.AS_GIVEN, [0.2, 0.4, 0.5]),  # it left the other 0.2, 0.4 and 0.5
        (p.BEST_SO_FAR, [0.5, 0.5, 0.5]),
        (p.UNLESS_WRONGED, [0.02, 0.02, 0.02]),  # 0.3 is less than 0.5
    ]:
        assert Met(numbers(rule, 0.5), offers).takes == pytest.approx(takes), rule
    assert Met(numbers(p.BEST_SO_FAR, 0.1), offers).takes == pytest.approx([0.1, 0.32, 0.32])
    assert Met(numbers(p.UNLESS_WRONGED, 0.3), offers).takes == pytest.approx([0.3, 0.02, 0.02])


def test_in_a_known_last_round_a_scrap_is_enough_for_some():
    for scraps, told, takes in [(1.0, 4, SCRAP), (0.0, 4, 0.5), (1.0, None, 0.5)]:
        assert Met(numbers(p.CONSTANT, 0.5, scraps), [0.1, 0.1], told).takes == [0.5, takes], (scraps, told)


def numbers(take: int, least: float, scraps: float = 0.0) -> list[float]:
    """A strategy in steps from 0.8 to 0.4 that accepts by this rule; the margin is 0.02."""
    one = [0.0] * p.SIZE
    one[p.DEMAND], one[p.HIGH], one[p.LOW], one[p.RATE] = p.STEPS, 0.8, 0.4, 0.5
    one[p.TAKE], one[p.LEAST], one[p.MARGIN], one[p.SCRAPS] = take, least, 0.02, scraps
    return [0.0, p.NEVER, 0.0, 0.0, *one, *one]


def test_noise_is_spread_evenly_and_differs_by_strategy_round_and_use():
    drawn = [p.noise(float(key), round, use) for key in range(1000) for round in range(1, 11) for use in (0.0, 1.0)]
    assert all(0.0 <= one < 1.0 for one in drawn)
    assert len(set(drawn)) > 0.99 * len(drawn)
    tenths = [sum(tenth <= 10 * one < tenth + 1 for one in drawn) for tenth in range(10)]
    assert all(1850 < count < 2150 for count in tenths)  # 2000 expected, with a standard deviation of 42
