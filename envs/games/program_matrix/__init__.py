"""The open-source iterated game of two moves: both submit programs that read each other and play for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from econzoo.envs.core.contract import Move, Parameter, Real
from econzoo.envs.families.open_source import MATRIX, ROUNDS, TURNS, BaseGame, RandomStreams, load_programs
from econzoo.envs.families.open_source import make_open_source_game, running_conditions
from econzoo.envs.games import matrix
from econzoo.envs.games.matrix.tables import TABLE_PARAMETERS, resolve_table
from econzoo.envs.games.program_matrix import rules

NOISE = "Probability that a move is flipped, independently for each program."


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payoff table, and the limits of programs."""
    return {"table": resolve_table(public), **running_conditions(public, MATRIX.moves)}


def apply_noise(params: rules.Params, moves: list[Move], luck: RandomStreams) -> list[Move]:
    """Realised moves of a turn; flips are also sampled for missing moves, to keep the random stream aligned."""
    if params.noise == 0.0:
        return moves
    slips = luck.nature.random(2) < params.noise
    return [
        move._replace(kind=1 - move.kind) if slip and move.kind != rules.FORFEIT else move
        for move, slip in zip(moves, slips, strict=True)
    ]


GAME = make_open_source_game(
    BaseGame(matrix.GAME, rules.META, MATRIX, program_arguments=lambda params, view: (), realise_moves=apply_noise),
    rules,
    (*TABLE_PARAMETERS, ROUNDS, TURNS, Parameter("noise", 0.0, Real(0.0, 0.5), NOISE)),
    configure,
    name="program_matrix",
    library=partial(load_programs, "matrix"),
    perfect_information=True,
    summary="Both submit programs that read each other and play an iterated game of two moves for them.",
    package=__name__,
    title="Programs for 2x2 games",
    source="Tennenholtz (2004), Program equilibrium, GEB 49(2); Sistla and Kleiman-Weiner (2025), arXiv:2512.00371",
    gain="points per turn, scaled from the smallest (0) to the largest (1) payoff of a turn",
    gain_range=(0.0, 1.0),
)
ACTIONS = GAME.actions
# Pickle finds the class of submissions by this name.
Program = ACTIONS.kinds[0].model
