"""Players that err: how often they move as, the same again with the same seed, and who can be told what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from test_scripts_as_arrays import compared

import econzoo
from econzoo.baselines import opponent_function, player
from econzoo.envs.core.contract import UNKNOWN, Move
from econzoo.envs.core.vector import can_compile
from econzoo.envs.core.vector.scripted_seats import pool_entries
from econzoo.envs.games.bargaining import scenarios as bargaining_markets
from econzoo.envs.games.bargaining.quantal import accept_probability, ask_probabilities
from econzoo.envs.games.negotiation import scenarios as negotiation_markets
from econzoo.envs.games.negotiation.quantal import KnownSetting, answer_probabilities, price_probabilities
from econzoo.evaluate.run import replay

GAMES = ["bargaining", "negotiation"]
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "bargaining": [{}, {"horizon": None}, {"complete_information": False, "delta": (1.0, 0.8)}, {"money": 0.01}],
    "negotiation": [{}, {"horizon": None}, {"complete_information": False}, {"seller_value": 1.5, "buyer_value": 0.8}],
}
FIELDS = {"bargaining": "gain", "negotiation": "price"}
SURE = 1e-12
"""How near to where one move ends and the next begins it is told which of them is made."""


def first_view(game: str, market: dict[str, Any], offered: float | None = None) -> Any:
    """What a seat knows that moves in round 1: the first, or the second after an offer in parts of the money."""
    env = econzoo.make(game, face="structured", **market)
    env.reset(seed=1)
    if offered is not None:
        env.step({"kind": "offer", FIELDS[game]: offered * env.params.money})
    return env.view(0 if offered is None else 1)


def drawn_as(spec: str, game: str, view: Any, moves: list[Move], chances: Sequence[float]) -> bool:
    """Whether each of the moves is made by just that part of the luck that is its probability, in this order."""
    script, edge = player(spec, game).script, 0.0
    assert sum(chances) == pytest.approx(1.0)
    for move, chance in zip(moves, chances, strict=True):
        luck = [edge + SURE, edge + chance - SURE] if chance > 3 * SURE else []
        if any(script.move(view, script.numbers, (), (u, 0.0)) != move for u in luck):
            return False
        edge += chance
    return True


def deltas(view: Any) -> tuple[float, float]:
    """Discount factors of both seats, of which an unknown one is taken to be the own one."""
    other = view.own_delta if view.other_delta == UNKNOWN else view.other_delta
    return (view.own_delta, other) if view.seat == 0 else (other, view.own_delta)


def known(view: Any, precision: float) -> KnownSetting:
    """A market of negotiation as a seat knows it."""
    values = (view.own_value, view.other_value)[:: 1 if view.seat == 0 else -1]
    return KnownSetting(view.money, values, view.horizon, view.outside_option == 1, precision)


PRECISIONS = (0.0, 8.0, 200.0, 1e6)


def test_bargaining_moves_are_drawn_as_often_as_the_equilibrium_says():
    offers, answers = [Move(0, (100.0 * percent,)) for percent in range(101)], [Move(1, (0.0,)), Move(2, (0.0,))]
    for number, market in enumerate(bargaining_markets.VALIDATION):
        precision = PRECISIONS[number % 4]
        view = first_view("bargaining", market)
        chances = ask_probabilities(deltas(view), view.horizon, 1, precision)
        assert drawn_as(f"quantal({precision})", "bargaining", view, offers, chances), market
        for asked in (0.2, 0.5, 0.7):
            view = first_view("bargaining", market, asked)
            accepted = accept_probability(deltas(view), view.horizon, 1, precision, 1 - asked)
            chances = accepted, 1 - accepted
            assert drawn_as(f"quantal({precision})", "bargaining", view, answers, chances), (market, asked)


def test_negotiation_moves_are_drawn_as_often_as_the_equilibrium_says():
    answers = [Move(kind, (0.0,)) for kind in (1, 2, 3)]
    for number, market in enumerate([*negotiation_markets.VALIDATION, {"outside_option": False}]):
        precision = PRECISIONS[number % 4]
        view = first_view("negotiation", market)
        low, most = view.own_value, 2 * (view.money if view.other_value == UNKNOWN else 1e9)  # which the rules allow
        step = max(low, view.money) / 100
        offers = [Move(0, (min(round(low + step * percent, 2), most),)) for percent in range(101)]
        chances = price_probabilities(known(view, precision), 1)
        assert drawn_as(f"quantal({precision})", "negotiation", view, offers, chances), market
        for price in (0.7, 1.0, 1.3):
            view = first_view("negotiation", market, price)
            chances = answer_probabilities(known(view, precision), 1, price * view.money)
            assert drawn_as(f"quantal({precision})", "negotiation", view, answers, chances), (market, price)


def test_it_asks_for_whole_percent_rounded_down_to_cents():
    script = player("quantal(0)", "bargaining").script
    view = first_view("bargaining", {"horizon": 3, "money": 10_000.5})
    asked = [script.move(view, script.numbers, (), ((percent + 0.5) / 101, 0.0)).values[0] for percent in range(101)]
    assert (asked[0], asked[1], asked[50], asked[100]) == (0.0, 100.0, 5000.25, 10_000.5)


def test_an_unknown_discount_factor_is_taken_to_be_its_own():
    offers = [Move(0, (100.0 * percent,)) for percent in range(101)]
    view = first_view("bargaining", {"delta": (0.8, 0.95), "complete_information": False, "horizon": None})
    assert view.other_delta == view.horizon == UNKNOWN
    for spec, precision in (("quantal", 8), ("quantal(5)", 5), ("quantal(precision=0)", 0)):
        chances = ask_probabilities((0.8, 0.8), UNKNOWN, 1, precision)
        assert drawn_as(spec, "bargaining", view, offers, chances), spec


def test_a_match_is_the_same_with_the_same_seed_and_replays():
    for name, market in [(game, market) for game in GAMES for market in SETTINGS[game]]:
        first, again, other = (econzoo.play(name, ["quantal(5)", "quantal"], seed=s, **market) for s in (4, 4, 5))
        assert [turn.reply for turn in first.turns] == [turn.reply for turn in again.turns], (name, market)
        assert [turn.reply for turn in first.turns] != [turn.reply for turn in other.turns], (name, market)
        assert first.errors == [0, 0], (name, market)
        assert replay(first) == replay(other) == [], (name, market)


def test_two_of_a_kind_do_not_draw_alike():
    """Each has luck of its own: what they ask for in the first two rounds differs in nearly every match."""
    for game in GAMES:
        records = [econzoo.play(game, ["quantal(0)", "quantal(0)"], seed=seed, messages=False) for seed in range(40)]
        named = [[turn.action for turn in record.turns if turn.action["kind"] == "offer"][:2] for record in records]
        pairs = [pair for pair in named if len(pair) == 2]
        assert len(pairs) > 5, game
        assert sum(one == other for one, other in pairs) <= 2, game


def test_a_high_precision_plays_the_equilibrium_to_a_percent():
    for game in GAMES:
        record = econzoo.play(game, ["quantal(1000000)", "quantal(1000000)"], seed=1, horizon=1)
        share = econzoo.play(game, ["spe", "spe"], horizon=1).metrics["gains"][0]
        assert record.metrics["gains"][0] == pytest.approx(share, abs=0.011), game


def test_nobody_can_be_told_the_best_reply_to_who_draws():
    for game in GAMES:
        assert not player("quantal", game).deterministic, game
        assert opponent_function(econzoo.game(game), "quantal(5)") is None, game
        assert opponent_function(econzoo.game(game), "quantal(precision~uniform(1, 9))") is None, game


def test_arguments_can_be_drawn():
    record = econzoo.play("bargaining", ["quantal(precision~loguniform(1, 50))", "fair"], seed=3)
    assert record.sampled_players[0].startswith("quantal(precision=")
    assert replay(record) == []


def test_its_words_name_both_sides():
    record = econzoo.play("bargaining", ["quantal(0)", "greedy(1)"], seed=2, money=1000, horizon=6)
    said = [turn.action["message"] for turn in record.turns if turn.seat == 0 and "message" in turn.action]
    gains = [turn.action["gain"] for turn in record.turns if turn.seat == 0 and "message" in turn.action]
    assert said
    assert all(
        f"${gain:,.0f}" in words and f"${1000 - gain:,.0f}" in words for gain, words in zip(gains, said, strict=True)
    )


def test_one_who_errs_has_a_compiled_form_whatever_its_precision():
    for game in GAMES:
        assert can_compile("quantal(8)", game), game
        pool = pool_entries("quantal(precision~loguniform(1, 200))", game)
        numbers = [entry.script.numbers[0] for entry in pool]
        assert len({*numbers}) == len(pool) == 1024, game
        assert (min(numbers) > 1, max(numbers) < 200, len({entry.script.move for entry in pool})) == (True, True, 1), (
            game
        )


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_compiled_it_moves_as_at_a_table_and_is_drawn_anew(game):
    """In machine code; `test_scripts_as_arrays` has more positions, in Python."""
    pytest.importorskip("numba")
    table = compared(game, ("quantal(8)", "quantal(1000)", "quantal(precision~loguniform(1, 200))"), 300)
    assert not table.batch.errors.any()
    pool = [entry.spec for entry in table.scripts.pool]
    table.scripts.seated_players[:] = -1
    table.scripts.redraw(10, np.random.default_rng(1))
    again = [entry.spec for entry in table.scripts.pool]
    assert sum(one != other for one, other in zip(pool, again, strict=True)) == 10
    table.done[:] = True
    assert sum(table.moved() for _ in range(3)) > 50
