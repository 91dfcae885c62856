"""The best reply to scripted partners: known by hand, and the best of all plans tried one by one."""

import math
from functools import cache
from itertools import product

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.baselines.persuasion.hindsight import recorded_script
from econzoo.envs.core.contract import CHANCE, ZERO_UNIFORMS, Move
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.best_response import script_regret, script_response
from econzoo.envs.games.persuasion.rules import BUY, BUYER, DECLINE, DISCOURAGE, HIGH, LOW, RECOMMEND
from refusals import refuses

GAME = econzoo.game("persuasion")


def market(**given):
    return GAME.params(**{"message_type": "binary", "prior": 0.4, "high_value": 2.0, **given})[1]


def found(params, seat, spec):
    return script_response(params, seat, None if spec == "random" else player(spec, "persuasion").script)


def test_what_is_known_by_hand():
    for spec, seat, gain in [
        ("never", 0, 0.0),
        ("always", 0, 1.0),
        ("random", 0, 0.5),  # it buys every other product
        ("trust(0)", 0, 1.0),  # whatever is recommended
        ("honest", 1, 0.4),  # the worth of high quality, where it is
        ("always", 1, 0.0),  # 0.4 * 1 - 0.6 is less than nothing
        ("signal(0.5)", 1, 0.1),  # 0.4 - 0.6 * 0.5, on every recommendation
        ("random", 1, 0.0),
    ]:
        assert found(market(rounds=4), seat, spec) == pytest.approx(gain)


def test_a_seller_deceives_those_who_never_forgive_in_the_last_round():
    """Two rounds against grim: the truth first, or a lie that costs the last round; 0.4 + 0.6 * 0 + 1, or 1 + 0.4."""
    assert found(market(rounds=2), 0, "grim") == pytest.approx(0.7)


def best_of_all_plans(params, script):
    """What the best plan of a seller earns, by trying every signal in every position and whole history."""

    @cache
    def earned(state, past):
        if state.over:
            return 0.0
        found = 0.0
        for quality, chance in ((HIGH, params.prior), (LOW, 1 - params.prior)):
            drawn = rules.apply(params, state, (Move(CHANCE, (quality,)),))
            found += chance * max(after(drawn, said, past) for said in (RECOMMEND, DISCOURAGE))
        return found

    def after(state, said, past):
        heard, held = rules.apply(params, state, (Move(said, (0.0,)),)), list(past)
        view = rules.observe(params, heard, BUYER)
        script.note(view, held)
        bought = script.move(view, script.numbers, held, ZERO_UNIFORMS).kind == BUY
        return bought + earned(rules.apply(params, heard, (Move(BUY if bought else DECLINE, (0.0,)),)), tuple(held))

    return earned(rules.initial(params), tuple(script.start(params))) / params.rounds


def test_what_nobody_looks_at_changes_nothing():
    """All that a position and a memory hold is kept here, and only what is looked at there."""
    for spec, buyer in product(
        ("bayes(4)", "bayes(0.9)", "trust(0.65)", "grim", "tit-for-tat", "babbling"), ("long-living", "myopic")
    ):
        params = market(rounds=5, buyer=buyer)
        assert found(params, 0, spec) == pytest.approx(best_of_all_plans(params, player(spec, "persuasion").script)), (
            buyer
        )


def test_words_say_no_more_than_a_recommendation_and_silence_says_nothing():
    assert found(market(rounds=3, message_type="text"), 1, "honest") == pytest.approx(0.4)
    assert found(market(rounds=3, message_type="text", messages=False), 1, "honest") == pytest.approx(0.0)


def test_too_long_games_are_refused():
    with refuses(ValueError, "rounds", 41, 40):
        found(market(rounds=41), 0, "never")


# All plans, one by one


def answers(spec, view, held):
    """The probability that a partner says yes, by hand: it looks at no luck but `signal` and the one at random."""
    if spec == "random":
        return 0.5
    if spec.startswith("signal"):
        return 0.8 if view.quality == HIGH else 0.3
    script = player(spec, "persuasion").script
    return float(script.move(view, script.numbers, list(held), ZERO_UNIFORMS).kind in (RECOMMEND, BUY))


def value_of(params, seat, spec, plan):
    """Expected gain of a plan, a function from all that the seat has seen to its move, by following all of chance."""
    script = None if spec == "random" else player(spec, "persuasion").script

    def earned(state, held, seen):
        if state.over:
            return rules.gains(params, state)[seat]
        actor = rules.to_act(params, state)
        if actor == CHANCE:
            drawn = ((quality, chance) for (quality, chance) in rules.chance(params, state) if chance)
            return sum(p * earned(rules.apply(params, state, (Move(CHANCE, (q,)),)), held, seen) for q, p in drawn)
        view, kinds = rules.observe(params, state, actor), ((RECOMMEND, DISCOURAGE), (BUY, DECLINE))[actor]
        if actor == seat:
            known = (*seen, state.last_quality, view.quality if seat == 0 else view.said)
            move = kinds[0] if plan(known) else kinds[1]
            return earned(rules.apply(params, state, (Move(move, (0.0,)),)), held, (*known, move))
        noted = list(held)
        if script:
            script.note(view, noted)
        yes, found = answers(spec, view, noted), 0.0
        for move, chance in zip(kinds, (yes, 1 - yes), strict=True):
            if chance:
                after = rules.apply(params, state, (Move(move, (0.0,)),))
                found += chance * earned(after, tuple(noted), (*seen, move) if seat == 0 else seen)
        return found

    return earned(rules.initial(params), tuple(script.start(params)) if script else (), ())


def best_of_all(params, seat, spec):
    """The best plan of all: each function from what the seat may have seen to one of two moves."""
    best, waiting = -9.0, [{}]
    while waiting:
        plan = waiting.pop()
        asked = []

        def moves(known, plan=plan, asked=asked):
            if known not in plan and known not in asked:
                asked.append(known)
            return plan.get(known, True)

        value = value_of(params, seat, spec, moves)
        if asked:
            waiting += [{**plan, asked[0]: yes} for yes in (True, False)]
        else:
            best = max(best, value)
    return best


def test_no_plan_of_all_is_better_and_one_is_as_good():
    """Two rounds: every function from all that a seat has seen to its move, against partners of either seat."""
    for seat, specs in (
        (0, ("grim", "tit-for-tat", "bayes(0.9)", "random")),
        (1, ("quota", "trust-builder(1)", "signal(0.3, 0.8)")),
    ):
        for spec, buyer in product(specs, ("long-living", "myopic")):
            params = market(rounds=2, buyer=buyer)
            assert found(params, seat, spec) == pytest.approx(best_of_all(params, seat, spec)), (spec, buyer)


def test_regret_is_what_the_best_plan_earns_more():
    for spec, seat, market_, payoff, regret in [
        ("never", 0, {}, 0.0, 0.0),
        ("trust(0)", 0, {"rounds": 4, "price": 50.0}, 150.0, 0.25),  # of four products three were sold
        ("honest", 1, {"rounds": 5, "prior": 1.0, "price": 10.0}, 20.0, 0.6),
        ("honest", 1, {"rounds": 5, "price": 10.0}, 50.0, -0.6),  # luck: five good ones, where two are to be expected
        ("honest", 1, {"rounds": None, "max_rounds": 5, "price": 10.0}, 0.0, 0.4),
    ]:
        script = player(spec, "persuasion").script
        assert script_regret(market(**market_), seat, script, payoff) == pytest.approx(regret), (spec, market_)
    with refuses(ValueError, "payoff", "nan"):
        script_regret(market(), 0, None, math.nan)


def test_a_hidden_end_is_taken_to_be_far():
    near, far = (market(rounds=None, max_rounds=last) for last in (3, 99))
    for spec in ("grim", "tit-for-tat"):
        assert found(near, 0, spec) == found(far, 0, spec) == found(market(rounds=40), 0, spec), spec


# What was recorded


def recorded(spec, seat, seeds, **given):
    """As somebody did in matches with one who says and buys this and that."""
    places = [spec, "random"] if seat == 0 else ["signal(0.5)", spec]
    given = {"message_type": "binary", "prior": 0.4, "high_value": 2.0, "rounds": 6, **given}
    return recorded_script([econzoo.play("persuasion", places, seed=seed, **given) for seed in range(seeds)], seat)


def test_the_best_response_to_what_was_recorded_is_that_to_who_did_it():
    """Of partners who go by the signal, or the quality, and by whether the seller was caught."""
    for spec, buyer in (
        ("grim", "long-living"),
        ("trust(0)", "myopic"),
        ("never", "long-living"),
        ("honest", "myopic"),
    ):
        seat = 0 if spec == "honest" else 1
        params = market(rounds=6, buyer=buyer)
        script = recorded(spec, seat, 12, buyer=buyer)
        assert script_response(params, 1 - seat, script) == pytest.approx(found(params, 1 - seat, spec)), spec


def test_rates_are_those_of_the_records():
    script = recorded("signal(0.3, 0.8)", 0, 40)
    for quality, rate in ((LOW, 0.3), (HIGH, 0.8)):
        assert script.numbers[int(quality)] == pytest.approx(rate, abs=0.1)
    assert recorded("never", 1, 3).numbers == (0.0,) * 6
    assert recorded("always", 0, 5, message_type="text").numbers == (1.0, 1.0, 0.0, 0.0)  # words are not set apart


def test_nothing_is_built_on_what_was_not_seen():
    """A buyer who met no liar may forgive or not: what an honest seller regrets is the last round, by itself."""
    records = [
        econzoo.play("persuasion", ["honest", "trust(0)"], seed=seed, message_type="binary", rounds=5, prior=0.5)
        for seed in range(6)
    ]
    params = market(rounds=5, prior=0.5)
    assert script_response(params, 0, recorded_script(records, 1)) == pytest.approx(found(params, 0, "grim"))
