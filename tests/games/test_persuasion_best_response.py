"""The best reply to scripted partners: known by hand, and the best of all plans tried one by one."""

from functools import cache
from itertools import product

import pytest

import econzoo
from econzoo.baselines.factory import player
from econzoo.envs.core.contract.game import CHANCE, Move
from econzoo.envs.core.contract.scripts import NO_LUCK
from econzoo.envs.games.persuasion import rules
from econzoo.envs.games.persuasion.best_response import script_response
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
        bought = script.move(view, script.numbers, held, NO_LUCK).kind == BUY
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
