"""Small games as games of OpenSpiel (Lanctot et al. 2019), for its solvers: exact best responses, CFR and others.

    game = openspiel_game("bargaining", {"horizon": 2}, grid=5)
    CFRSolver(game).evaluate_and_update_policy()

Actions are those of the numeric face; payoffs are self-gains. Who move at once move one after the other, unseen. A seat
knows everything that the numeric face has shown it, and its own actions: it forgets nothing. Networks of OpenSpiel get
what the face shows now.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import CHANCE, DONE, PASS, SEVERAL, Move
from econzoo.envs.core.contract.moves import Legal
from econzoo.envs.core.extras import needed_for
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.exploitability.positions import NATURE, outcomes

with needed_for("games of OpenSpiel", "openspiel"):
    import pyspiel

__all__ = ["openspiel_game"]

LONGEST = 10_000
"""Moves of a match that OpenSpiel is told of."""

_NUMBER = count()


def openspiel_game(name: str, params: Mapping[str, Any], grid: int, nature: int = NATURE) -> Any:
    """A game with one set of public parameters as a ``pyspiel.Game``.

    Args:
        name: Of the game.
        params: Public parameters.
        grid: Values of an amount.
        nature: Values that stand for a continuum that nature draws from.

    Raises:
        ValueError: Something is not allowed.
    """
    setup = _Setup(name, params, grid, nature)
    kind, info = setup.described()

    class SpielGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, given: Any = None) -> None:
            super().__init__(kind, info, given or {})
            self.setup = setup

        def new_initial_state(self) -> _SpielState:
            return _SpielState(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
            return _Observer(len(setup.game.feature_names(setup.params)))

    pyspiel.register_game(kind, SpielGame)  # its positions look it up by name
    return SpielGame()


class _Setup:
    """What all positions share, also where OpenSpiel copies them."""

    def __init__(self, name: str, params: Mapping[str, Any], grid: int, nature: int) -> None:
        self.game, self.nature = (game := find_game(name)), nature
        self.rules, self.params = game.rules, game.params(**params)[1]
        self.seats = game.seats(self.params)
        self.face = NumericFace(game, grid, actions=game.actions_of(self.params), seats=self.seats)

    def __deepcopy__(self, memo: Any) -> _Setup:
        return self

    def outcomes(self, position: Any) -> list[tuple[float, float]]:
        if self.rules.to_act(self.params, position) != CHANCE:
            return []
        return [*outcomes(self.game, self.params, position, self.nature)]

    def described(self) -> tuple[Any, Any]:
        facts, kinds, name = self.game.facts, pyspiel.GameType, f"econzoo_{self.game.name}_{next(_NUMBER)}"
        chance = kinds.ChanceMode.EXPLICIT_STOCHASTIC if facts.chance else kinds.ChanceMode.DETERMINISTIC
        told = kinds.Information.IMPERFECT_INFORMATION, kinds.Utility.GENERAL_SUM, kinds.RewardModel.TERMINAL
        seats = self.seats, self.seats
        kind = kinds(name, name, kinds.Dynamics.SEQUENTIAL, chance, *told, *seats, True, True, False, True, {})
        most = len(self.outcomes(self.rules.initial(self.params)))
        return kind, pyspiel.GameInfo(self.face.size, most, self.seats, *facts.gain_range, 0.0, LONGEST)


class _Observer:
    def __init__(self, features: int) -> None:
        self.tensor = np.zeros(features, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        self.tensor[:] = state.features(player)

    def string_from(self, state: Any, player: int) -> str:
        return repr(state.known[player])


class _SpielState(pyspiel.State):  # type: ignore[misc]
    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.of, self.rules = game.setup, game.setup.rules
        self.position, self.chosen = self.rules.initial(self.of.params), dict[int, Move]()
        self.known: list[tuple[Any, ...]] = [(self.features(seat),) for seat in range(self.of.seats)]

    def features(self, seat: int) -> tuple[float, ...]:
        return tuple(self.rules.features(self.rules.observe(self.of.params, self.position, seat)))

    def current_player(self) -> int:
        turn = self.rules.to_act(self.of.params, self.position)
        if turn == SEVERAL:
            return next(seat for seat in self.several() if seat not in self.chosen)
        return {CHANCE: pyspiel.PlayerId.CHANCE, DONE: pyspiel.PlayerId.TERMINAL}.get(turn, turn)

    def several(self) -> list[int]:
        return [seat for seat in range(self.of.seats) if any(self.legal(seat).kinds)]

    def legal(self, seat: int) -> Legal:
        p, s, rules = self.of.params, self.position, self.rules
        span = None if rules.span is None else rules.span(p, s, seat)
        refused = None if rules.refuses is None else partial(self.refused, seat)
        return Legal(
            rules.legal(p, s, seat), rules.bounds(p, s, seat), False, span, None, refused, self.of.game.grid(p)
        )

    def refused(self, seat: int, move: Move) -> str | None:
        return str(self.rules.refuses(self.of.params, self.position, seat, move) or "") or None

    def _legal_actions(self, player: int) -> list[int]:
        return [action for action, allowed in enumerate(self.of.face.mask(self.legal(player)).tolist()) if allowed]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(place, weight) for place, (_, weight) in enumerate(self.of.outcomes(self.position)) if weight > 0.0]

    def _apply_action(self, action: int) -> None:
        seat, blank = self.current_player(), (0.0,) * self.of.game.actions.width
        if seat == pyspiel.PlayerId.CHANCE:
            moves: tuple[Move, ...] = (Move(CHANCE, (self.of.outcomes(self.position)[action][0], *blank[1:])),)
        else:
            moves = (Move(*self.of.game.actions.move(self.of.face.decode(action, self.legal(seat)))),)
            self.known[seat] = (*self.known[seat], action)
        if self.rules.to_act(self.of.params, self.position) == SEVERAL:
            self.chosen[seat] = moves[0]
            if len(self.chosen) < len(self.several()):
                return
            moves, self.chosen = tuple(self.chosen.get(i, Move(PASS, blank)) for i in range(self.of.seats)), {}
        self.position = self.rules.apply(self.of.params, self.position, moves)
        self.known = [(*past, self.features(i)) for i, past in enumerate(self.known)]

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        return bool(self.rules.to_act(self.of.params, self.position) == DONE)

    def returns(self) -> list[float]:
        ended = self.is_terminal()
        return [*self.of.game.metrics.outcome(self.of.params, self.position).gains] if ended else [0.0] * self.of.seats

    def __str__(self) -> str:
        return f"{self.position} {sorted(self.chosen)}"
