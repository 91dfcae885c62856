"""Matches of EconZoo's language-model players in any turn-based PettingZoo environment with text observations."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from econzoo.baselines import LanguageModelPlayer, Player
from econzoo.baselines.parts import Parts
from econzoo.envs.core.contract import check_arguments, derive_seed
from econzoo.evaluate.run import seat_players
from econzoo.wrappers import SeatInfo

__all__ = ["TextMatch", "play_text"]


class TextMatch(NamedTuple):
    """A text match; its replies replay it in the same environment with the same seed.

    Attributes:
        env: Name of the environment.
        seed: Seed of the match.
        players: Player specs.
        turns: (seat, observation, reply), in order.
        rewards: Total rewards by seat.
        infos: Final infos by seat.
    """

    env: str
    seed: int
    players: list[str]
    turns: list[tuple[int, str, str]]
    rewards: list[float]
    infos: list[dict[str, Any]]


@check_arguments
def play_text(env: Any, players: Sequence[str | Player], seed: int = 0) -> TextMatch:
    """Play a match.

    Args:
        env: A PettingZoo AEC environment, such as a `TextArenaGame`, with observations ``{"text": ...}`` and text
            actions.
        players: Per agent, the spec of a language model without parts (memory, reasoning, ..., which need an EconZoo
            game), or a `Player` that needs only texts.
        seed: Seed of the match and of all players.

    Raises:
        ValueError: The wrong number of players, or a player that needs an EconZoo game.
    """
    agents, name = list(env.possible_agents), str(env.metadata["name"])
    seated = seat_players("", players)
    if len(seated) != len(agents):
        raise ValueError(f"invalid players={players!r}: expected one for each of the {len(agents)} agents")
    for player in seated:
        if not needs_only_texts(player):
            expected = "expected a language model without parts, or a player that reads texts"
            raise ValueError(f"player {player.spec!r} needs an EconZoo game: {expected}")
    env.reset(seed=seed)
    for seat, player in enumerate(seated):
        rules = f"You are player {seat} (counted from 0) of {len(agents)} in {name}, a game played by texts."
        info = SeatInfo(NO_GAME, len(agents), None, messages=True, rules=rules)
        # As in EconZoo's matches, every player has a random stream of its own.
        player.reset(seat, info, derive_seed(name, seed, "player", seat))
    turns: list[tuple[int, str, str]] = []
    rewards, infos = dict.fromkeys(agents, 0.0), dict[str, dict[str, Any]]()
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, infos[agent] = env.last()
        rewards[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        seat = agents.index(agent)
        turns.append((seat, seen["text"], str(seated[seat].act(seen, {}))))
        env.step(turns[-1][2])
    final_infos = [infos.get(agent, {}) for agent in agents]
    return TextMatch(name, seed, [player.spec for player in seated], turns, list(rewards.values()), final_infos)


NO_GAME: Any = SimpleNamespace(name="", actions=SimpleNamespace(source=None))
"""Stub of a game, sufficient for a language model without parts."""


def needs_only_texts(player: Player) -> bool:
    """Whether a player works without the views and move kinds of an EconZoo game."""
    if isinstance(player, LanguageModelPlayer):
        given, plain = player.parts, Parts()
        same = [type(getattr(given, part)) is type(getattr(plain, part)) for part in ("persona", "memory", "reasoning")]
        return all(same) and not given.tools
    return player.face in ("text", "chat") and not player.wants_seen
