"""Matches of our language models in any PettingZoo environment of turns whose observations are texts."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from econzoo.baselines.language_model import LanguageModelPlayer
from econzoo.baselines.parts.spec import Parts
from econzoo.baselines.player import Player
from econzoo.envs.core.contract.streams import derive_seed
from econzoo.evaluate.run.match import seat_players
from econzoo.wrappers.seating import SeatInfo

__all__ = ["TextMatch", "play_text"]


class TextMatch(NamedTuple):
    """A match by texts; its replies, stepped in the same environment from the same seed, play it again.

    Attributes:
        env: Name of the environment.
        seed: Of the match.
        players: Their specs.
        turns: Seat, what it read and what it replied, in order.
        rewards: Of all seats, whole.
        infos: Of all seats, as the environment tells them at the end.
    """

    env: str
    seed: int
    players: list[str]
    turns: list[tuple[int, str, str]]
    rewards: list[float]
    infos: list[dict[str, Any]]


def play_text(env: Any, players: Sequence[str | Player], seed: int = 0) -> TextMatch:
    """Plays a match.

    Args:
        env: A PettingZoo environment of turns (AEC), such as a `TextArenaGame`, with ``{"text": ...}`` as observations
            and replies as actions.
        players: For each agent the spec of a language model without parts (memory, reasoning, ...), which are made for
            games of ours, or a `Player` that reads texts and asks nothing about its game.
        seed: Of the match and of every player.

    Raises:
        ValueError: They are more or fewer than the agents, or one of them needs a game of ours.
    """
    agents, name = list(env.possible_agents), str(env.metadata["name"])
    seated = seat_players("", players)
    if len(seated) != len(agents):
        raise ValueError(f"players={players!r} is not allowed; allowed: one for each of the {len(agents)} agents")
    for player in seated:
        if not needs_only_texts(player):
            allowed = "language models without parts, and players that read texts"
            raise ValueError(f"player {player.spec!r} needs a game of ours; allowed: {allowed}")
    env.reset(seed=seed)
    for seat, player in enumerate(seated):
        told = f"You are player {seat} (counted from 0) of {len(agents)} in {name}, a game played by texts."
        info = SeatInfo(NO_GAME, len(agents), None, messages=True, rules=told)
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
    told_last = [infos.get(agent, {}) for agent in agents]
    return TextMatch(name, seed, [player.spec for player in seated], turns, list(rewards.values()), told_last)


NO_GAME: Any = SimpleNamespace(name="", actions=SimpleNamespace(source=None))
"""All that a language model without parts asks of a game."""


def needs_only_texts(player: Player) -> bool:
    """Whether a player can do without the views and the kinds of move of a game."""
    if isinstance(player, LanguageModelPlayer):
        given, plain = player.parts, Parts()
        same = [type(getattr(given, part)) is type(getattr(plain, part)) for part in ("persona", "memory", "reasoning")]
        return all(same) and not given.tools
    return player.face in ("text", "chat") and not player.wants_seen
