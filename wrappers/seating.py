"""What a player is told when it sits down at an environment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from econzoo.envs.core.aec import GameEnv
from econzoo.envs.core.game import Game
from econzoo.envs.core.text_face import Teller, TextFace


@dataclass(frozen=True)
class SeatInfo:
    """What a player is told before the first move: nothing that its seat may not know.

    Attributes:
        game: The game.
        seats: Number of seats.
        view: The rules' ``View`` of this seat at the start.
        messages: Whether words may be sent.
        rules: The rules brief of this seat as text; empty for players that do not read.
        role: Name of the seat in texts; empty: as the game names it with default parameters.
        teller: Puts the game into words for this seat; None for players that do not read.
        features: What the numbers of the numeric face say, one by one.
    """

    game: Game
    seats: int
    view: Any
    messages: bool
    rules: str = ""
    role: str = ""
    teller: Teller | None = None
    features: tuple[str, ...] = ()


def seating(env: GameEnv, seat: int) -> SeatInfo:
    """What the player of a seat is told, after `env.reset`."""
    view, face = env.view(seat), env.face(env.possible_agents[seat])
    teller = face.teller if isinstance(face, TextFace) else None
    brief = teller.rules(view) if teller else ""
    features = env.game.feature_names(env.params)
    seats, role = len(env.possible_agents), env.roles[seat]
    return SeatInfo(env.game, seats, view, env.speaks(seat), brief, role, teller, features)


@lru_cache(maxsize=4096)
def newcomer_seed(seed: int, round_number: int) -> int:
    """A seed for somebody who takes a seat during the game, from the seed of the seat."""
    return int(np.random.SeedSequence([seed, round_number]).generate_state(1, np.uint64)[0] >> np.uint64(1))
