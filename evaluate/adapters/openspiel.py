"""Small games as OpenSpiel games (Lanctot et al. 2019), for its solvers: exact best responses, CFR and others.

    game = openspiel_game("bargaining", {"horizon": 2}, grid=5)
    CFRSolver(game).evaluate_and_update_policy()

Actions are those of the numeric face; payoffs are self-gains. Simultaneous moves become hidden sequential moves. Seats
have perfect recall of their numeric observations and own actions. Observation tensors are the current numeric
observation.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np

from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.contract import CHANCE, DONE, check_arguments
from econzoo.evaluate.adapters.extensive_form import ExtensiveForm
from econzoo.evaluate.analyses.exploitability import NATURE

with explain_missing_library("games of OpenSpiel", "openspiel"):
    import pyspiel

__all__ = ["openspiel_game"]

MAX_MOVES = 10_000
"""Maximum game length declared to OpenSpiel."""

# OpenSpiel registers games under a name, so that another setting of the same game needs another one.
_NUMBER = count()


@check_arguments
def openspiel_game(name: str, params: Mapping[str, Any], grid: int, nature: int = NATURE) -> Any:
    """Return a game with one set of public parameters as a ``pyspiel.Game``.

    Args:
        name: Name of the game.
        params: Public parameters.
        grid: Number of values per amount.
        nature: Number of points that discretise continuous chance moves.

    Raises:
        ValueError: An invalid argument.
    """
    form = ExtensiveForm(name, params, grid, nature)
    kind, info = _game_type(form)

    class SpielGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, given: Any = None) -> None:
            super().__init__(kind, info, given or {})
            self.root = form.root

        def new_initial_state(self) -> _SpielState:
            return _SpielState(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
            return _Observer(len(form.root.features(0)))

    pyspiel.register_game(kind, SpielGame)  # states look it up by name
    return SpielGame()


def _game_type(form: ExtensiveForm) -> tuple[Any, Any]:
    facts, kinds, name = form.game.facts, pyspiel.GameType, f"econzoo_{form.game.name}_{next(_NUMBER)}"
    chance = kinds.ChanceMode.EXPLICIT_STOCHASTIC if facts.chance else kinds.ChanceMode.DETERMINISTIC
    model = kinds.Information.IMPERFECT_INFORMATION, kinds.Utility.GENERAL_SUM, kinds.RewardModel.TERMINAL
    seats = form.seats, form.seats
    # The flags: information states have a text and a tensor, observations a tensor only.
    kind = kinds(name, name, kinds.Dynamics.SEQUENTIAL, chance, *model, *seats, True, True, False, True, {})
    most = len(form.root.chance_outcomes()) if form.root.turn == CHANCE else 0
    low, high = zip(*form.game.ranges(form.params).gains, strict=True)
    return kind, pyspiel.GameInfo(form.face.size, most, form.seats, min(low), max(high), 0.0, MAX_MOVES)


class _Observer:
    def __init__(self, features: int) -> None:
        self.tensor = np.zeros(features, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        self.tensor[:] = state.node.features(player)

    def string_from(self, state: Any, player: int) -> str:
        return repr(state.node.information[player])


class _SpielState(pyspiel.State):  # type: ignore[misc]
    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.node = game.root

    def current_player(self) -> int:
        return {CHANCE: pyspiel.PlayerId.CHANCE, DONE: pyspiel.PlayerId.TERMINAL}.get(self.node.turn, self.node.turn)

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(place, weight) for place, (_, weight) in enumerate(self.node.chance_outcomes()) if weight > 0.0]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.child(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        return self.node.turn == DONE

    def returns(self) -> list[float]:
        return self.node.gains() if self.is_terminal() else [0.0] * self.num_players()

    def __str__(self) -> str:
        return f"{self.node.state} {sorted(self.node.chosen_moves)}"
