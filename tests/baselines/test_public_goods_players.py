"""The scripted players of public goods: what each contributes and whom it assigns points."""

from __future__ import annotations

from typing import Any

import pytest

import econzoo
from econzoo.baselines import player, pool
from refusals import refuses


def choice(spec: str, *, gave: Any = (0, 0, 0, 0), round: int = 2, income: Any = (20.0,) * 4, **more: Any) -> Any:
    """Tokens, or points, of a player in seat 0."""
    seen: dict[str, Any] = {
        "seat": 0,
        "round": round,
        "rounds": 10,
        "endowment": 20,
        "mpcr": 0.4,
        "cost": 1,
        "assigning": int(more.pop("assigning", False)),
        "gave": list(map(float, gave)),
        "income": list(income),
        "total": [0.0] * 4,
        "over": 0,
    }
    move = player(spec, "public_goods").act({**seen, **more}, {})
    return move.get("tokens", move.get("points"))


def test_first_contributions() -> None:
    for spec, tokens in [
        ("free-rider", 0),
        ("cooperator", 20),
        ("conditional-cooperator", 10),
        ("conditional-cooperator(0.8, 1)", 20),
        ("hump-shaped", 10),
        ("punisher(5, 1, 0.75)", 15),
        ("antisocial", 2),
    ]:
        assert choice(spec, round=1) == tokens, (spec, tokens)


def test_answers_to_means_of_0_5_10_15_and_20() -> None:
    """The own contribution of the round before (20) does not count."""
    for spec, answers in [
        ("free-rider", (0, 0, 0, 0, 0)),
        ("cooperator", (20, 20, 20, 20, 20)),
        ("cooperator(0.25)", (5, 5, 5, 5, 5)),
        ("conditional-cooperator", (0, 5, 10, 15, 20)),
        ("conditional-cooperator(0.8, 1)", (0, 4, 8, 12, 16)),
        ("hump-shaped", (0, 5, 10, 5, 0)),
        ("punisher", (0, 5, 10, 15, 20)),
        ("antisocial", (2, 2, 2, 2, 2)),
    ]:
        assert tuple([choice(spec, gave=(20, mean, mean, mean)) for mean in (0, 5, 10, 15, 20)]) == answers, spec


def test_points() -> None:
    for spec, gave, points in [
        ("free-rider", (0, 20, 20, 20), [0, 0, 0]),
        ("cooperator", (20, 0, 0, 0), [0, 0, 0]),
        ("punisher", (20, 0, 20, 20), [5, 0, 0]),  # 20 tokens below the mean of the three others
        ("punisher", (20, 8, 20, 20), [3, 0, 0]),  # 12 below: 5 * 12 / 20
        ("punisher(10)", (10, 10, 10, 4), [0, 0, 3]),
        ("punisher", (20, 20, 20, 20), [0, 0, 0]),
        ("antisocial", (2, 20, 2, 0), [3, 0, 0]),  # 18 above its own: 2.7
        ("antisocial(10)", (0, 10, 4, 0), [5, 2, 0]),
    ]:
        assert choice(spec, gave=gave, assigning=True, income=(40.0,) * 4) == points, (spec, gave, points)


def test_who_cannot_pay_assigns_less_to_everybody() -> None:
    """10 + 10 points cost 60 tokens, 9 + 9 cost 50, 8 + 8 cost 40, 7 + 7 cost 32, 6 + 6 cost 24."""
    for income, points in ((60.0, [10, 10, 0]), (50.0, [9, 9, 0]), (31.0, [6, 6, 0]), (0.0, [0, 0, 0])):
        assert choice("antisocial(10)", gave=(0, 20, 20, 0), assigning=True, income=(income, 0, 0, 0)) == points, income


def test_arguments_out_of_range_are_refused() -> None:
    for spec, allowed in (
        *(("cooperator(2)", "0 <= share <= 1"), ("conditional-cooperator(-1)", "0 <= slope <= 1")),
        *(("punisher(11)", "0 <= points <= 10"), ("antisocial('much')", "0 <= points <= 10")),
    ):
        with refuses(ValueError, spec, allowed):
            player(spec, "public_goods")


def test_nobody_of_the_validation_pool_is_met_in_training() -> None:
    assert not set(pool("public_goods", "validation")) & set(pool("public_goods", "training"))


def test_matches_of_unconditional_players() -> None:
    for players, payoffs in [
        (["free-rider"] * 4, [200.0] * 4),
        (["cooperator"] * 4, [320.0] * 4),
        (["free-rider", *["cooperator"] * 3], [440.0, 240.0, 240.0, 240.0]),
    ]:
        assert econzoo.play("public_goods", players).payoffs == pytest.approx(payoffs), (players, payoffs)


def test_punishers_make_free_riding_worse_than_contributing() -> None:
    """Three points of each of the three others take nine tenths of 44."""
    three = ["punisher(3, 1, 1)"] * 3
    free, together = (econzoo.play("public_goods", [own, *three], rounds=1) for own in ("free-rider", "cooperator"))
    assert free.payoffs[0] == pytest.approx(44 * 0.1)
    assert together.payoffs[0] == pytest.approx(32)
