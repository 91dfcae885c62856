"""The open-source coin game: both submit programs that read each other and collect coins for them."""

from __future__ import annotations

from functools import partial
from typing import Any

from econzoo.envs.families.open_source import COIN_GAME, ROUNDS, TURNS, BaseGame, load_programs, make_open_source_game
from econzoo.envs.families.open_source import running_conditions
from econzoo.envs.games import coin_game
from econzoo.envs.games.coin_game.grid import grid_of
from econzoo.envs.games.program_coin import rules


def board(params: Any, view: Any) -> tuple[Any, ...]:
    """The board as a new list for each program: 4 layers of zeros and ones, for A, B, the red and the blue coin."""
    return (grid_of(view).astype(int).tolist(),)


GAME = make_open_source_game(
    BaseGame(
        coin_game.GAME,
        rules.META,
        COIN_GAME,
        board,
        sample_nature=lambda params, rng: int(rng.integers(params.size**2)),
    ),
    rules,
    (coin_game.SIZE, ROUNDS, TURNS),
    partial(running_conditions, moves=COIN_GAME.moves),
    name="program_coin",
    library=partial(load_programs, "coin_game"),
    perfect_information=True,
    summary="Both submit programs that read each other and play the coin game for them.",
    package=__name__,
    title="Programs for the coin game",
    source="Sistla and Kleiman-Weiner (2025), Evaluating LLMs in open-source games, NeurIPS, arXiv:2512.00371",
    parts=("A, red", "B, blue"),
    gain="points per turn",
    gain_range=(-2.0, 1.0),
)
ACTIONS = GAME.actions
# Pickle finds the class of submissions by this name.
Program = ACTIONS.kinds[0].model
