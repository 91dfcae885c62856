"""Episodes of the single-agent view against players that draw nothing, as text: one line an episode."""

from __future__ import annotations

from random import Random
from typing import Any
from zlib import crc32

import numpy as np

from econzoo.baselines import make_single_agent
from econzoo.wrappers import SingleAgentEnv

DEADLY: dict[str, Any] = {"supply": (8, 24), "start_health": 3, "reward": "survival"}

EPISODES: dict[str, tuple[Any, dict[str, Any]]] = {
    "bargaining": (["spe", "fair", "boulware(0.2)"], {"seat": "both", "settings": "train", "penalty": 0.125}),
    "negotiation": ({0: ["tough", "anchor(2)"], 1: ["concede(0.2)"]}, {"seat": "both", "objective": "nash_product"}),
    "water_allocation": (["need-based", "bid(1)", "shade(0.5)"], {"seat": "both", "objective": "fairness", **DEADLY}),
    "survival_auction": (["reserve(3)", "bid(100)"], {"seat": 2, "start_health": 3, "max_cycles": 8}),
    "guess_average": ({0: "nash", 2: ["k-level(1)", "mono(40, 5)"]}, {"seat": 1, "players": 3, "health": 4}),
    "matrix": (["tit-for-tat", "grudger"], {"seat": "both", "noise": 0.3, "rounds": 9, "black_death": True}),
}
"""Opponents and further arguments by game."""


def episodes(name: str, seeds: int = 4) -> str:
    """Two episodes for each seed: the seat, the opponents, the learner's actions, what it saw, and what came out."""
    opponents, arguments = EPISODES[name]
    env, rng = make_single_agent(name, opponents, **arguments), Random(name)
    return "".join(f"seed {s}: {_episode(env, given, rng)}\n" for s in range(seeds) for given in (s, None))


def _episode(env: SingleAgentEnv, seed: int | None, rng: Random) -> str:
    observation, info = env.reset(seed=seed)
    actions, seen, rewards = [], 0, 0.0
    for _ in range(1000):
        seen = crc32(observation["observation"].tobytes(), seen)
        actions.append(rng.choice(np.flatnonzero(observation["action_mask"]).tolist() or [0]))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        rewards += reward
        if terminated or truncated:
            break
    told = f"{info['errors']} errors, {'terminated' if terminated else 'truncated'}, {len(info['params'])} parameters"
    known = f"seat {info['seat']} against {info['opponent']}; actions {actions}, observations {seen:08x}"
    end = f"payoffs {info['payoffs']}, {info['outcome']}" if terminated else f"position {info['position_payoffs']}"
    return f"{known}; reward {rewards!r}, {end}, {told}"
