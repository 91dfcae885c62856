"""Players that err: how often they move as, the same again with the same seed, and who can be told what they do."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.baselines.factory import player
from econzoo.baselines.learned_opponent import known_opponent
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.games.bargaining.quantal import SHARES, ask_chances
from econzoo.evaluate.run.replay import replay

GAMES = ["bargaining", "negotiation"]
MARKETS: dict[str, list[dict[str, Any]]] = {
    "bargaining": [{}, {"horizon": None}, {"complete_information": False, "delta": (1.0, 0.8)}, {"money": 0.01}],
    "negotiation": [{}, {"horizon": None}, {"complete_information": False}, {"seller_value": 1.5, "buyer_value": 0.8}],
}
REFUSING = {"bargaining": "greedy(1)", "negotiation": "tough(1)"}


def watched(game: str, spec: str, seat: int, seeds: int, **market: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Its first moves in matches of different seeds, and what it knew before the last of them."""
    seen, moves = [], []

    class Watched(type(player(spec, game))):  # type: ignore[misc]
        def move(self, observation: Any) -> dict[str, Any]:
            seen.append(self.view(observation))
            moves.append(super().move(observation))
            return moves[-1]

    for seed in range(seeds):
        made, before = Watched(spec, *[player(spec, game).precision]), len(moves)
        pair = [made, REFUSING[game]] if seat == 0 else ["fair" if game == "bargaining" else "truthful", made]
        econzoo.play(game, pair, seed=seed, messages=False, **market)
        del moves[before + 1 :], seen[before + 1 :]
    return seen[-1], moves


@pytest.mark.parametrize("game", GAMES)
def test_offers_are_drawn_as_often_as_the_equilibrium_says(game):
    """Thirds of the probability: 200 draws come to each of them with a standard error of 0.033."""
    view, moves = watched(game, "quantal(30)", 0, 200, horizon=1)
    amounts, chances = player("quantal(30)", game).offers(view)
    named = np.array([move["gain" if game == "bargaining" else "price"] for move in moves])
    assert set(named.tolist()) <= set(amounts.tolist())
    for edge in (1 / 3, 2 / 3):
        place = int(np.searchsorted(np.cumsum(chances), edge))
        assert np.mean(named <= amounts[place]) == pytest.approx(chances[: place + 1].sum(), abs=0.08)


@pytest.mark.parametrize("game", GAMES)
def test_answers_are_drawn_as_often_as_the_equilibrium_says(game):
    view, moves = watched(game, "quantal(3)", 1, 200, horizon=1)
    chances = player("quantal(3)", game).answers(view)
    kinds = ["accept", "reject", "opt_out"][: len(chances)]
    told = Counter(move["kind"] for move in moves)
    assert [told[kind] / 200 for kind in kinds] == pytest.approx(chances.tolist(), abs=0.08)
    assert 0.5 < chances[0] < 0.9 or game == "negotiation"


def test_it_asks_for_whole_percent_rounded_down_to_cents():
    view, _ = watched("bargaining", "quantal", 0, 1, horizon=3, money=10_000.5)
    amounts, chances = player("quantal", "bargaining").offers(view)
    assert amounts[[0, 1, 50, 100]].tolist() == [0.0, 100.0, 5000.25, 10_000.5]
    assert chances.tolist() == ask_chances((0.9, 0.9), 3, 1, 8.0).tolist()
    assert len(amounts) == len(SHARES)


def test_an_unknown_discount_factor_is_taken_to_be_its_own():
    for spec, precision in (("quantal", 8), ("quantal(5)", 5), ("quantal(precision=0)", 0)):
        view, _ = watched("bargaining", spec, 0, 1, delta=(0.8, 0.95), complete_information=False, horizon=None)
        assert view.other_delta == view.horizon == UNKNOWN, (spec, precision)
        _, chances = player(spec, "bargaining").offers(view)
        assert chances.tolist() == ask_chances((0.8, 0.8), UNKNOWN, 1, precision).tolist(), (spec, precision)


def test_a_match_is_the_same_with_the_same_seed_and_replays():
    for name, market in [(game, market) for game in GAMES for market in MARKETS[game]]:
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
        assert known_opponent(econzoo.game(game), "quantal(5)") is None, game
        assert known_opponent(econzoo.game(game), "quantal(precision~uniform(1, 9))") is None, game


def test_arguments_can_be_drawn():
    record = econzoo.play("bargaining", ["quantal(precision~loguniform(1, 50))", "fair"], seed=3)
    assert record.drawn[0].startswith("quantal(precision=")
    assert replay(record) == []


def test_its_words_name_both_sides():
    record = econzoo.play("bargaining", ["quantal(0)", "greedy(1)"], seed=2, money=1000, horizon=6)
    said = [turn.action["message"] for turn in record.turns if turn.seat == 0 and "message" in turn.action]
    gains = [turn.action["gain"] for turn in record.turns if turn.seat == 0 and "message" in turn.action]
    assert said
    assert all(
        f"${gain:,.0f}" in words and f"${1000 - gain:,.0f}" in words for gain, words in zip(gains, said, strict=True)
    )
