"""A network of one's own as a player: at any table, in tournaments by name, and what does not fit is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.baselines import TorchPlayer, bargaining
from econzoo.evaluate.run import new_design
from later import Later
from refusals import refuses

torch = Later("torch")
pytestmark = pytest.mark.models

ACCEPT = 11  # on a grid of 11


def asks(step: int, rows: list[int] | None = None) -> Any:
    """A network that asks for a step of a grid of 11, and accepts everything; `rows` gets the size of each batch."""

    def network(numbers: Any) -> Any:
        if rows is not None:
            rows.append(len(numbers))
        out = torch.zeros(len(numbers), 13)
        out[:, step], out[:, ACCEPT] = 2.0, 3.0
        return out

    return network


@pytest.mark.slow
def test_it_plays_its_likeliest_legal_action_at_a_table_of_any_grid() -> None:
    for settings in ({}, {"grid": 5, "grid_range": (0.0, 0.5)}):
        record = econzoo.play("bargaining", [TorchPlayer("mine", asks(7), grid=11), "fair"], seed=0, **settings)
        assert record.turns[0].action == {"kind": "offer", "gain": 7000.0}
        assert record.errors == [0, 0]
    part = TorchPlayer("mine", asks(7), grid=11, grid_range=(0.25, 0.75))
    assert econzoo.play("bargaining", [part, "fair"], seed=0).turns[0].action == {"kind": "offer", "gain": 6000.0}


def test_a_module_sees_what_the_numeric_face_shows() -> None:
    seen, module = [], torch.nn.Linear(14, 13)
    module.register_forward_hook(lambda _, inputs, out: seen.append((inputs[0], out)))
    econzoo.play("bargaining", [TorchPlayer("mine", module, grid=11), "fair"], seed=0)
    env = econzoo.make("bargaining", grid=11)
    env.reset(seed=0)
    assert np.array_equal(seen[0][0][0].numpy(), env.observe("player_0")["observation"])
    assert not seen[0][1].requires_grad, "nobody learns at the table"


def test_a_network_that_needs_the_mask_overrides_logits() -> None:
    class Last(TorchPlayer):
        """The last legal action."""

        def logits(self, numbers: Any, masks: Any) -> Any:
            return masks.float() * torch.arange(masks.shape[1])

    record = econzoo.play("bargaining", [Last("last", None, grid=11), "fair"], seed=0, horizon=1)  # type: ignore[arg-type]
    assert record.turns[0].action == {"kind": "offer", "gain": 10_000.0}


def test_who_draws_follows_the_seed() -> None:
    drawing = TorchPlayer("mine", asks(7), grid=11, deterministic=False)
    moves = [econzoo.play("bargaining", [drawing, "greedy"], seed=seed).turns for seed in (1, 1, *range(2, 9))]
    plain = [[turn.action for turn in turns] for turns in moves]
    assert plain[0] == plain[1]
    assert len({str(one) for one in plain}) > 1


def test_a_tournament_asks_all_its_matches_together_under_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[int] = []
    network = asks(7, rows)
    monkeypatch.setitem(bargaining.PLAYERS, "mine", lambda spec: TorchPlayer(spec, network, grid=11))
    design = new_design("bargaining", ["mine", "fair", "boulware(0.2)"], seeds=2)
    records = econzoo.run(design, tmp_path, jobs=2)
    assert {player for record in records for player in record.players} == {"mine", "fair", "boulware(0.2)"}
    assert max(rows) > 1


@pytest.mark.parametrize("game", ["public_goods", "water_allocation", "double_auction", "guess_average"])
def test_it_plays_games_of_several_seats_and_numbers(game: str) -> None:
    env = econzoo.make(game, grid=6)
    size = env.action_space("player_0").n  # type: ignore[attr-defined]
    network = TorchPlayer("mine", lambda numbers: torch.zeros(len(numbers), size), grid=6, deterministic=False)
    record = econzoo.play(game, [network] * len(env.possible_agents), seed=3)
    assert record.status == "finished"
    assert sum(record.errors) == 0


def test_what_does_not_fit_is_told() -> None:
    with refuses(ValueError, "'mine'", "(1, 13)", "bargaining", "grid=101", "(1, 103)"):
        econzoo.play("bargaining", [TorchPlayer("mine", asks(7)), "fair"], seed=0)
    with refuses(ValueError, "'mine'", "multi-part"):
        econzoo.play("public_goods", [TorchPlayer("mine", asks(7)), *["random"] * 4], seed=0, players=5)


def test_logits_that_say_nothing_are_refused_and_no_move() -> None:
    for value in (float("nan"), float("-inf")):
        player = TorchPlayer("mine", lambda numbers, value=value: torch.full((len(numbers), 13), value), grid=11)
        with refuses(ValueError, "'mine'", "NaN"):
            econzoo.play("bargaining", [player, "fair"], seed=0)
