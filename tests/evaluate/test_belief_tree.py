"""Best responses found by play against copies of opponents: closed forms, brute force, bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import Any

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core import game
from econzoo.evaluate.analyses.ceilings import cells, search_families
from econzoo.evaluate.analyses.ceilings.belief_tree import GRID, Tree, value
from econzoo.evaluate.run import Setting
from econzoo.evaluate.suites import evaluate_families
from refusals import refuses

STEPS = 6
THREE_ROUNDS = {"horizon": 3, "delta": (0.9, 0.8), "messages": False}
POOL = ("deadline(0.6, 2, 0.4)", "acceptor(0.45)", "greedy(0.6)", "generated('grudge', 900002)")


def tree_of(name: str, seat: int = 0, grid: int | None = None, **setting: Any) -> Tree:
    return Tree(game(name), game(name).params(**setting)[1], seat, grid)


@pytest.mark.parametrize("least", [0.1, 0.25, 0.4])
def test_a_threshold_leaves_what_it_does_not_ask_for(least: float) -> None:
    known = {f"acceptor({least})": 1.0}
    assert value(tree_of("bargaining", horizon=1), known, 1) == pytest.approx(1.0 - least)
    # Who answers first waits a round, or accepts.
    tree = tree_of("bargaining", 1, horizon=2, delta=(0.9, 0.8))
    (line,) = tree.copies(f"acceptor({least})", 1, 1.0)
    ((_, offer),) = line.replies
    assert value(tree, known, 1) == pytest.approx(max(1.0 - offer[0] / 10_000, 0.8 * (1.0 - least)))


def test_a_price_threshold_leaves_the_rest_of_the_surplus() -> None:
    """The seller's value is 0.8, the buyer's 1.2: a buyer that insists on three quarters leaves one."""
    tree = tree_of("negotiation", horizon=1, seller_value=0.8, buyer_value=1.2)
    assert value(tree, {"fixed-price(0.75)": 1.0}, 1) == pytest.approx(0.25 * 0.4)


class Chooses(Player):
    """Makes given offers, and accepts in round 2 or not."""

    def __init__(self, first: float, then: float | None) -> None:
        super().__init__("acceptor")
        self.first, self.then = first, then

    def act(self, observation: Any, info: Any) -> dict[str, Any]:
        if observation["proposing"]:
            share = self.first if observation["round"] == 1 or self.then is None else self.then
            return {"kind": "offer", "gain": share * observation["money"]}
        return {"kind": "accept" if self.then is None else "reject"}


def play_all_plans() -> tuple[float, float, float]:
    """Return the value of the best policy, of the best plan, and the mean over opponents of the best plan for each."""
    shares = [step / (STEPS - 1) for step in range(STEPS)]
    plans: dict[tuple[float, float | None], list[float]] = {}
    policies = []
    for first in shares:
        groups: dict[Any, list[int]] = defaultdict(list)
        for then in (None, *shares):
            plans[first, then] = []
            for place, spec in enumerate(POOL):
                record = econzoo.play("bargaining", [Chooses(first, then), spec], **THREE_ROUNDS)
                plans[first, then].append(record.metrics["gains"][0])
                if then is None:
                    groups[str([turn.action for turn in record.turns if turn.seat == 1])].append(place)
        policies.append(
            sum(max(sum(plans[first, then][k] for k in group) for then in (None, *shares)) for group in groups.values())
        )
    informed = fmean(max(gains[k] for gains in plans.values()) for k in range(len(POOL)))
    return max(policies) / len(POOL), max(map(fmean, plans.values())), informed


def test_the_bayes_adaptive_value_is_that_of_all_policies_and_lies_between_plan_and_full_information() -> None:
    policy, plan, informed = play_all_plans()
    tree = tree_of("bargaining", 0, STEPS, **THREE_ROUNDS)
    assert tree.is_full
    adaptive = value(tree, dict.fromkeys(POOL, 1.0 / len(POOL)), 1)
    assert adaptive == pytest.approx(policy)
    assert fmean(value(tree, {spec: 1.0}, 1) for spec in POOL) == pytest.approx(informed)
    assert plan < adaptive - 0.01 < informed - 0.02


def test_what_the_exact_solution_finds_is_reached_but_for_the_grid() -> None:
    pool = ["boulware(0.3)", "acceptor(0.3)", "greedy(0.8)", "deadline(0.6, 2, 0.4)"]
    settings = [Setting("short", {"horizon": 4, "delta": (0.9, 0.8)}), Setting("long", {"horizon": 9})]
    exact = cells(game("bargaining"), pool, settings)
    found = search_families(game("bargaining"), {spec: [spec] for spec in pool}, settings)
    for spec, gain in found.informed.items():
        best = fmean(cell.full_information[spec] for cell in exact)
        assert best - 1.0 / (GRID - 1) <= gain <= best + 1e-6, spec
    best = fmean(cell.bayes_adaptive for cell in exact)
    assert best - 1.0 / (GRID - 1) <= found.bayes_adaptive <= best + 1e-6
    assert found.bayes_adaptive < fmean(found.informed.values())
    assert not found.are_exact  # sequences of nine rounds are too many


class Draws(Player):
    """Accepts any share above a number that it draws."""

    def reset(self, seat: int, info: Any, seed: int) -> None:
        self.least = Random(f"{self.spec} {seed}").random()

    def act(self, observation: Any, info: Any) -> dict[str, Any]:
        return {"kind": "accept" if observation["offered"] >= self.least * observation["money"] else "reject"}


def halves(copies: int, draws: Sequence[int]) -> tuple[float, float]:
    """Return the mean value of the chosen offer in the half by which it was chosen, and in the other one."""
    tree = tree_of("bargaining", 0, GRID, horizon=1)
    found = [tree.solve(tree.copies(Draws(str(draw)), copies, 1.0)) for draw in draws]  # type: ignore[arg-type]
    return fmean(one[0] for one in found), fmean(one[1] for one in found)


def test_nothing_is_gained_by_fitting_noise() -> None:
    """A share s is refused with probability s: the most is 1/4, by half."""
    fitted, measured = halves(3, range(200))
    assert fitted > 0.35
    assert measured < 0.25
    assert halves(500, [0])[1] == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("name", ["negotiation", "multi_issue"])
def test_knowing_more_is_worth_more(name: str) -> None:
    kinds = {one: [f"generated('{one}', {number})" for number in (900_000, 900_001)] for one in ("mirror", "steps")}
    settings = [Setting("short", {"horizon": 4, "complete_information": False})]
    found = search_families(game(name), kinds, settings)
    assert found.are_exact
    assert 0.0 < found.bayes_adaptive <= fmean(found.informed.values())


def test_tables_by_family_have_both_values() -> None:
    kinds = {"firm": ["greedy(0.8)", "fair"], "late": ["deadline(0.6, 2, 0.4)"]}
    found = evaluate_families(
        "bargaining", ["acceptor(0.3)"], kinds, ["ultimatum", "two-rounds"], jobs=1, ceilings=True
    )
    assert found.ceilings_are_exact
    assert found.bayes_adaptive is not None
    assert (found.by_script.mean(axis=2) <= [[*found.informed.values()]]).all()
    table, _ = found.tables()
    assert [row[-1] for row in table.rows] == [
        *found.informed.values(),
        fmean(found.informed.values()),
        found.bayes_adaptive,
    ]
    with refuses(ValueError, "--families --ceiling", "persuasion"):
        evaluate_families("persuasion", ["random"], {"a": ["honest"]}, ["default"], ceilings=True)
