"""Milliseconds of CPU time that a move of `plan` takes, in the validation settings of four games.

    python benchmarks/planning.py [--player "plan(0.04)"]

It meets a conceder of the grammar (in matrix `gradual`) in every setting, in both seats; the first match of each game,
which compiles, does not count.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import econzoo
from econzoo.baselines import player
from econzoo.evaluate.run import pool_settings

OPPONENTS = dict.fromkeys(("bargaining", "negotiation", "multi_issue"), "generated('clock', 5)") | {"matrix": "gradual"}


def times_of(game: str, spec: str) -> np.ndarray:
    """Milliseconds of every move."""
    one, taken = player(spec, game), list[float]()
    act = one.act

    def timed(observation: Any, info: dict[str, Any]) -> Any:
        begun = time.process_time()
        reply = act(observation, info)
        taken.append(time.process_time() - begun)
        return reply

    one.act = timed  # type: ignore[method-assign]
    settings = [setting.params for setting in pool_settings(econzoo.game(game), "standard")]
    for place, params in enumerate([settings[0], *settings]):
        for pair in ([one, OPPONENTS[game]], [OPPONENTS[game], one]):
            econzoo.play(game, pair, seed=0, **params)
        if place == 0:
            taken.clear()
    return 1e3 * np.array(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="plan(0.04)")
    asked = parser.parse_args()
    for game in OPPONENTS:
        taken = times_of(game, asked.player)
        times = f"mean {taken.mean():5.1f} ms  99% below {np.percentile(taken, 99):5.1f}  worst {taken.max():5.1f}"
        print(f"{game:12s} {len(taken):5d} moves  {times}")


if __name__ == "__main__":
    main()
