"""Players that plan: their posterior is Bayes' rule, their plans are best responses, and their work is no clock's."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from small_training import SMALL

import econzoo
from econzoo.baselines import bargaining, player
from econzoo.baselines.bargaining.planner import Plan
from econzoo.baselines.offers import planner
from econzoo.baselines.offers import productions as p
from econzoo.baselines.offers.generated import FAMILIES, sample_numbers
from econzoo.train.rl.recipe import PPORecipe
from later import Later
from refusals import refuses

ppo = Later("econzoo.train.rl.ppo")

GAMES = ("bargaining", "negotiation", "multi_issue")
PRIVATE = {
    "bargaining": {"horizon": None, "max_rounds": 9, "money": 80.0, "delta": (0.9, 0.7)},
    "negotiation": {"horizon": None, "max_rounds": 9, "money": 7.0, "seller_value": 0.7, "buyer_value": 1.3},
    "multi_issue": {"items": (2, 1, 3), "values": ((7, 1, 0), (3, 30, 9)), "delta": 0.9},
}
"""Settings in which seats are told little, with stakes other than the usual ones."""

SURE = 1e-3
"""Spread of strategies that are known but for rounding."""


def known(*strategies: tuple[str, int], spread: float = SURE, slip: float = 0.0) -> planner.Prior:
    """A prior of equally likely strategies of the grammar."""
    rows = np.array([sample_numbers(*one) for one in strategies])
    each = np.ones(len(rows))
    return planner.Prior(rows, spread * each, slip * each, np.log(each / len(rows)))


class Knows(Plan):
    """Plans against strategies that it is told."""

    told: ClassVar[planner.Prior]
    outlook = Plan.outlook._replace(lead=0.0)

    def prior(self, classes: int) -> planner.Prior:
        return self.told


def seen_by(seat: int, offers: list[tuple[int, float]], horizon: int = 6) -> dict[str, Any]:
    """What a seat of bargaining for a dollar has observed after refused offers: makers and what they kept."""
    history = [{"kind": "offer", "seat": s, "round": r, "gain": kept} for r, (s, kept) in enumerate(offers, start=1)]
    asked = {s: next((kept for who, kept in reversed(offers) if who == s), None) for s in (0, 1)}
    return {
        "seat": seat,
        "round": len(offers) + 1,
        "horizon": horizon,
        "money": 1.0,
        "own_delta": 0.9,
        "other_delta": 0.9,
        "proposing": int(len(offers) % 2 == seat),
        "offered": None,
        "own_ask": asked[seat],
        "other_ask": asked[1 - seat],
        **dict.fromkeys(("over", "agreed"), 0),
        **dict.fromkeys(("own_gain", "own_payoff")),
        "history": history,
        "legal_actions": ["offer"],
    }


def test_the_posterior_is_that_of_bayes_rule():
    spread, slip = 0.05, 0.2
    prior = known(("firm", 2), ("firm", 7), spread=spread, slip=slip)
    prior = prior._replace(weights=np.log([0.3, 0.7]))
    demands, least = prior.strategies[:, p.HEAD + p.HIGH], prior.strategies[:, p.HEAD + p.LEAST]
    take = prior.strategies[:, p.HEAD + p.TAKE]
    assert {*take} == {p.CONSTANT, p.NEXT}
    # It asked for 0.7, and refused 0.4 of the dollar.
    frame = player("plan", "bargaining").frame(seen_by(0, [(0, 0.6), (1, 0.7)]))
    belief = planner.believe(frame, prior)
    likely = []
    for own, limit, kind, chance in zip(demands, least, take, (0.3, 0.7), strict=True):
        threshold = own if kind == p.NEXT else limit
        asked = (1 - slip) * math.exp(-abs(0.7 - own) / spread) / (2 * spread) + slip
        refused = (1 - slip) / (1 + math.exp((0.4 - threshold) / spread)) + slip / 2
        likely.append(chance * asked * refused)
    assert belief.weights[:, 0] == pytest.approx(np.array(likely) / sum(likely), rel=1e-9)


def test_it_finds_out_which_strategy_it_meets():
    for family in FAMILIES:
        names = [(family, 3), ("firm", 8), ("clock", 12)]
        record = econzoo.play("bargaining", [f"generated{names[0]}", "greedy(1.0)"], seed=0, horizon=6, messages=False)
        moves = [(t.seat, t.action["gain"] / 10_000) for t in record.turns if t.action["kind"] == "offer"]
        if len(moves) < 5:  # it took nothing for an answer
            continue
        frame = player("plan", "bargaining").frame(seen_by(1, moves[:5]))
        belief = planner.believe(frame, known(*names, spread=0.02, slip=0.1))
        assert belief.weights[:, 0].argmax() == 0, family


def test_it_best_responds_to_a_strategy_that_it_knows():
    game, market = econzoo.game("bargaining"), {"horizon": 5, "delta": (0.9, 0.8), "messages": False}
    for name in [("clock", 5), ("firm", 2), ("steps", 9), ("grudge", 4), ("aspiration", 6), ("mirror", 2)]:
        other, Knows.told = f"generated{name}", known(name)
        for seat in (0, 1):
            pair = [Knows(), other][:: 1 if seat == 0 else -1]
            params = game.params(**market)[1]
            opponent = bargaining.make_opponent(other)
            best = game.solution.best_response(params, seat, opponent, memory=opponent.memory)
            won = econzoo.play("bargaining", pair, seed=0, **market).payoffs[seat]
            # Offers are in percent, and plans are few.
            assert won >= best.value - 0.03 * params.money, (name, seat, won, best.value)


def test_it_replays_and_depends_on_no_seed_and_no_earlier_match():
    for game in GAMES:
        setting = {**PRIVATE[game], "complete_information": False}
        for seat in (0, 1):
            plan, records = player("plan(0.01)", game), []
            for seed, one in ((0, "plan(0.01)"), (7, plan), (0, plan)):
                pair = [one, "generated('irregular', 5)"][:: 1 if seat == 0 else -1]
                records.append(econzoo.play(game, pair, seed=seed, **setting))
            for record in records:
                assert (record.errors, record.forfeit) == ([0, 0], None), (game, seat)
                assert [t.action for t in record.turns] == [t.action for t in records[0].turns], (game, seat)


class Opens(Knows):
    """Makes the first offer that it plans, and plays on by its policy, but takes what is left at the end."""

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        if observation["round"] > 1:
            move: dict[str, Any] = self.policy.act(observation, info)
            is_last = observation["round"] == observation["horizon"] and "accept" in observation["legal_actions"]
            return {"kind": "accept"} if is_last else move
        offer = super().act(observation, info)
        self.expected = self.best_offer(observation, self.frame(observation))[1]
        return offer


@pytest.mark.models
@pytest.mark.slow
def test_roll_outs_of_a_policy_earn_what_it_earns_at_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a plan on it earns no less than it does, against a strategy that is known (Bertsekas and Castanon 1999)."""
    setting = {"horizon": 4, "delta": (0.9, 0.8), "messages": False}
    # Nothing but roll-outs of the policy tells what an offer is worth.
    monkeypatch.setattr(planner, "evaluate_offers", lambda *given: np.full(len(given[5]), -math.inf))
    for memory in ("history", "gru"):
        recipe = PPORecipe(
            "bargaining", out=tmp_path / memory, settings=json.dumps(setting), **{**SMALL, "memory": memory}
        )
        policy = ppo.train_ppo(recipe).parent
        for name in [("clock", 5), ("firm", 2), ("steps", 9), ("aspiration", 6), ("mirror", 2)]:
            other, Knows.told = f"generated{name}", known(name)
            alone = econzoo.play("bargaining", [f"ppo:{policy}", other], seed=0, **setting)
            plan = Opens(policy=policy)
            earned = econzoo.play("bargaining", [plan, other], seed=0, **setting).metrics["gains"][0]
            assert earned == pytest.approx(plan.expected, abs=0.011), (memory, name)
            assert earned >= alone.metrics["gains"][0] - 0.011, (memory, name)


def test_it_accepts_no_loss_and_trades_no_good_of_less_value_to_the_buyer():
    for seat, told in [(s, t) for s in (0, 1) for t in (True, False)]:
        pair = ["plan", "truthful"][:: 1 if seat == 0 else -1]
        market = {"seller_value": 1.4, "buyer_value": 0.9, "complete_information": told, "horizon": 4}
        assert econzoo.play("negotiation", pair, seed=0, **market).payoffs[seat] >= 0.0


def test_security_is_the_least_that_it_takes_or_asks_for():
    """So nobody who knows it gets more than the rest, and those who insist on more get nothing."""
    for security, horizon, seat in [(0.3, 3, 0), (0.4, 4, 1), (0.45, 1, 1), (0.5, 3, 1)]:
        for other in ("greedy(0.6)", "greedy(0.9)", "boulware(0.1)", "conceder(5)"):
            pair = [f"plan(0.01, security={security})", other][:: 1 if seat == 0 else -1]
            record = econzoo.play("bargaining", pair, seed=0, horizon=horizon, delta=(1.0, 1.0))
            asked = [turn.reply["gain"] for turn in record.turns if turn.seat == seat and turn.reply["kind"] == "offer"]
            assert min(asked, default=10_000.0) >= security * 10_000.0 - 1e-6, (security, other)
            own, met = (record.metrics["gains"][one] for one in (seat, 1 - seat))
            assert own >= security - 1e-9 or own == met == 0.0, (security, other)
    # In the last round an adversary is left what is not kept, and without security nearly everything.
    gained = {
        (security, share): econzoo.play(
            "bargaining", [f"greedy({share})", f"plan(0.01, security={security})"], seed=0, horizon=1
        ).metrics["gains"][0]
        for security, share in [(0.0, 0.9), (0.4, 0.6), (0.4, 0.61)]
    }
    assert gained == {(0.0, 0.9): 0.9, (0.4, 0.6): 0.6, (0.4, 0.61): 0.0}


def test_more_seconds_are_more_work_by_a_fixed_count():
    few, usual, many = (player(spec, "bargaining").effort for spec in ("plan(0.001)", "plan", "plan(1.0)"))
    assert few < usual < many
    # At the most 20 milliseconds: about 0.5 microseconds for each roll-out, and as much for each of its weights.
    compared, plans = planner.COMPARED + 2 * (101 // planner.COMPARED), len(planner.plan_curves())
    assert usual.samples * plans * compared + usual.strategies <= 40_000
    with refuses(ValueError, "seconds=0", "0 < seconds <= 60"):
        player("plan(0)", "bargaining")
    with refuses(ValueError, "security=0.6", "0 <= security <= 0.5"):
        player("plan(security=0.6)", "bargaining")


def test_strangers_give_in_at_the_end_as_seldom_as_expected():
    for gives_in in (0.0, 0.2, 0.7):
        prior = planner.make_prior(5_000, planner.Outlook(fair=0.1, touchy=0.1, gives_in=gives_in), ("clock",))
        share = prior.strategies[:3_900, p.HEAD + p.SCRAPS].mean()
        assert share == pytest.approx(gives_in, abs=3 * math.sqrt(0.25 / 3_900)), gives_in


def test_an_equal_division_is_left_only_for_more():
    """Against one who asks for 0.6 and takes half, half is offered if more is worth less than the lead above it."""
    for lead, asks in ((0.0, 0.55), (0.03, 0.55), (0.06, 0.5)):
        own = [0.0] * p.SIZE
        own[p.DEMAND], own[p.HIGH], own[p.LOW], own[p.TAKE], own[p.LEAST] = p.FIRM, 0.6, 0.6, p.CONSTANT, 0.45
        rows = np.array([[0.0, p.NEVER, 0.0, 0.0, *own, *own]])
        Knows.told = planner.Prior(rows, np.array([SURE]), np.zeros(1), np.zeros(1))
        one = Knows()
        one.lead = lead
        assert one.act(seen_by(0, []), {})["gain"] == pytest.approx(asks, abs=0.011), lead


def test_left_out_families_are_in_no_prior():
    rows = planner.make_prior(400, planner.Outlook(fair=0.2, touchy=0.1, gives_in=0.5), ("clock", "firm")).strategies
    fair = int(400 * (0.2 + 0.1)) + len(planner.LEVEL_SPREADS)
    assert {*rows[:-fair, p.HEAD + p.DEMAND]} == {p.CLOCK, p.FIRM}
    assert (rows[:-fair, p.KEY] < planner.TRAINED_NUMBERS).all()
