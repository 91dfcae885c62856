"""EconZoo: economic games for agents that talk, trade and commit.

Language models, reinforcement-learning agents, scripted players and people sit at the same table:

    import econzoo

    env = econzoo.make("bargaining", delta=(0.9, 0.8), face="structured")     # a PettingZoo environment
    record = econzoo.play("bargaining", ["spe", "fair"], seed=1)              # a whole match
    envs = econzoo.make_vec("bargaining", num_envs=10_000)                    # compiled: many games in one step

Importing this package registers every game in Gymnasium (``econzoo/Bargaining-v0``) and PettingZoo
(``econzoo/bargaining-v0``) and imports no heavy library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from econzoo.envs import register_all
from econzoo.envs.core.registry import game, games, register_game, register_players
from econzoo.envs.making import make, make_parallel, make_raw, make_vec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from econzoo.baselines.player import Player
    from econzoo.envs.core.record.record import Record

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "game",
    "games",
    "make",
    "make_parallel",
    "make_raw",
    "make_vec",
    "play",
    "player",
    "register_game",
]

register_all()
register_players("econzoo.baselines.factory:player")


def play(game_name: str, players: Sequence[str | Player], /, seed: int = 0, **params: Any) -> Record:
    """Plays one match.

    Args:
        game_name: For example ``"bargaining"``.
        players: One spec (``"spe"``, ``"boulware(0.2)"``, ``"hf:smollm2"``, ...) or `Player` for each seat.
        seed: Of nature and of every player.
        **params: Parameters of the game, and those options of the environment that records keep (``metrics``, say).

    Returns:
        The record: every turn, the payoffs and the metrics.

    Raises:
        ValueError: Unknown game, spec or parameter, or a wrong number of players.
    """
    from econzoo.evaluate.run.match import play_match

    return play_match(game_name, players, seed=seed, **params)


def player(spec: str) -> Player:
    """The player of a spec; see `econzoo.baselines`.

    Raises:
        ValueError: Unknown spec; the message lists the known ones.
    """
    from econzoo.baselines.factory import player as make_player

    return make_player(spec)
