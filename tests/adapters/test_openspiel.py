"""OpenSpiel's best responses to a policy in our games earn what our backward induction says; its CFR goes below."""

import numpy as np
import pytest

pytest.importorskip("pyspiel")

from open_spiel.python import policy as of_openspiel
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr, fictitious_play

from econzoo.baselines import BatchPolicy
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import numeric_moves
from econzoo.evaluate.adapters import openspiel_game
from econzoo.evaluate.analyses.exploitability import NumericPolicy, setting_exploitability, tabular
from econzoo.evaluate.run import Setting


def weights_of(features, actions):
    """How much a policy likes each action: anything that follows from all that is seen."""
    seen = np.float32(features)
    return 1.1 + np.sin(np.arange(1, actions + 1) * (1 + 7 * seen @ np.arange(1, len(seen) + 1)))


NATURE = 3
"""Values of a trader."""


SLOW = (
    ("negotiation", {"horizon": 2}),
    ("multi_issue", {"items": (1, 1), "values": ((3, 1), (1, 2)), "horizon": 3, "complete_information": True}),
    ("guess_average", {"players": 3, "high": 4, "rounds": 1}),
    ("public_goods", {"players": 3, "endowment": 2, "rounds": 1, "cost": "linear"}),  # some points cost too much
    ("survival_auction", {"players": 2, "days": 2, "start_health": 2}),
    ("double_auction", {"talk": 0}),  # nature draws what only one seat sees
)
"""Games whose trees take minutes together, in Python."""


class Liking:
    """A network that is none."""

    is_masked, metadata = True, {"grid": 5, "grid_range": None}

    def memory_size(self, moves):
        return 0

    def decide(self, seen, legal, kept, moves):
        weights = np.array([weights_of(row, legal.shape[1]) for row in seen]) * legal
        return weights / weights.sum(axis=1, keepdims=True), np.zeros((len(seen), 0), np.float32)


class Same(of_openspiel.Policy):
    """The same policy as OpenSpiel takes it."""

    def action_probabilities(self, state, player_id=None):
        seat = state.current_player() if player_id is None else player_id
        legal = state.legal_actions(seat)
        weights = weights_of(state.node.features(seat), self.game.num_distinct_actions())[legal]
        return dict(zip(legal, weights / weights.sum(), strict=True))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("bargaining", {"horizon": 2, "delta": (0.9, 0.7)}),
        ("matrix", {"rounds": 2}),  # both at once
        ("matrix", {"rounds": 1, "noise": 0.25}),  # nature moves, unseen
        *(pytest.param(*one, marks=pytest.mark.long) for one in SLOW),
    ],
)
def test_both_find_the_same_nash_conv_and_cfr_a_lower_one(name, params):
    game = openspiel_game(name, params, 5, NATURE)
    theirs = exploitability.nash_conv(game, Same(game, list(range(game.num_players()))))

    def make(here):
        moves = numeric_moves(here.actions, 5, here.seats, no_op=False)
        return NumericPolicy(BatchPolicy(Liking(), moves, deterministic=False), here)

    ours = setting_exploitability(find_game(name), Setting("", params), make, nature=NATURE).nash_conv
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert ours > 0.05
    solver = cfr.CFRSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < ours


@pytest.mark.parametrize(("name", "params"), [("bargaining", {"horizon": 2}), ("matrix", {"rounds": 2, "noise": 0.1})])
def test_our_cfr_is_theirs(name, params, monkeypatch):
    monkeypatch.setattr(tabular, "HEAD_START", 0.0)
    monkeypatch.setattr(tabular, "initial_policy", lambda legal, rng: tabular.normalise(1.0 * legal))
    game = openspiel_game(name, params, 4)
    theirs = cfr._CFRSolver(game, alternating_updates=False, linear_averaging=True, regret_matching_plus=True)
    for _ in range(30):
        theirs.evaluate_and_update_policy()
    ours = tabular.solve(name, params, "cfr", 4, iterations=30)
    assert ours.nash_conv == pytest.approx(exploitability.nash_conv(game, theirs.average_policy()), abs=1e-9)
    assert ours.nash_conv > 1e-4, "so that both are on their way"


def test_other_solvers_of_openspiel_go_below_a_policy_that_has_not_learned():
    np.random.seed(0)  # noqa: NPY002 - of MCCFR, which takes no other
    game = openspiel_game("bargaining", {"horizon": 1}, 3)
    for make in (cfr.CFRPlusSolver, fictitious_play.XFPSolver, external_sampling_mccfr.ExternalSamplingSolver):
        solver = make(game)
        step = getattr(solver, "iteration", None) or solver.evaluate_and_update_policy
        before = exploitability.nash_conv(game, Same(game, [0, 1]))
        for _ in range(30):
            step()
        assert exploitability.nash_conv(game, solver.average_policy()) < before / 2, make


def test_networks_of_openspiel_see_what_the_numeric_face_shows():
    pytest.importorskip("torch")
    pytest.importorskip("tree")
    from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

    game = openspiel_game("bargaining", {"horizon": 1}, 3)
    state = game.new_initial_state()
    assert state.observation_tensor(0) == pytest.approx(state.node.features(0))
    assert state.information_state_tensor(0) == state.observation_tensor(0)
    solver = DeepCFRSolver(game, (4,), (4,), num_iterations=2, num_traversals=2)
    solver.solve()
    assert set(solver.action_probabilities(state)) == set(state.legal_actions())
