"""Trains pairs that talk in symbols and pairs that do not, by self-play, and says what their talk is worth.

    python docs/make_cheap_talk.py runs/cheap-talk
    python docs/make_cheap_talk.py runs/cheap-talk --game persuasion --seeds 1

One network has all seats. Then its likeliest actions play each other with its symbols heard, lost and drawn at random
on their way (`econzoo.evaluate.analyses.behaviour.channel`), in the same matches. Gains are means over seats and
matches of each seed; the information of symbols is that of `econzoo.evaluate.analyses.behaviour.talk`. Beside them
stands what theory says.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.baselines import POLICY
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import frame
from econzoo.evaluate.analyses.behaviour.talk import symbol_measures
from econzoo.evaluate.run import FIRST_SEED, play_match
from econzoo.train.rl.ppo import train_ppo
from econzoo.train.rl.recipe import PPORecipe

MEASURES = ("signalling", "consistency", "coordination", "listening", "influence")


class Arm(NamedTuple):
    """A training.

    Attributes:
        game: Name.
        name: Of its folder.
        settings: Parameters of the game.
        recipe: Options of the training that are not the usual ones.
    """

    game: str
    name: str
    settings: dict[str, Any]
    recipe: dict[str, Any]


MARKET = {"prior": 1 / 3, "high_value": 2.0, "rounds": 8}
"""A buyer who does not buy by the prior: babbling sells nothing, a seller who could commit would sell two in three."""

COMMON = {"objective": "0.5*efficiency + 0.5*fairness", "memory": "none", "entropy": 0.1, "entropy_end": 0.001}
"""Good products bought and bad ones not, for both seats: a common interest. With a history of earlier decisions and the
usual entropy bonus one of three seeds finds the code."""

STAG_HUNT, SEXES = ({"stage_game": name, "rounds": 4} for name in ("stag-hunt", "battle-of-the-sexes"))
ARMS = (
    Arm("persuasion", "own gain, 2 symbols", {**MARKET, "messages": 2}, {}),
    Arm("persuasion", "common interest, 2 symbols", {**MARKET, "messages": 2}, COMMON),
    Arm("persuasion", "common interest, silent", {**MARKET, "messages": False}, COMMON),
    Arm("matrix", "stag hunt, 4 symbols", {**STAG_HUNT, "messages": 4}, {}),
    Arm("matrix", "stag hunt, silent", {**STAG_HUNT, "messages": False}, {}),
    Arm("matrix", "battle of the sexes, 4 symbols", {**SEXES, "messages": 4}, {}),
    Arm("matrix", "battle of the sexes, silent", {**SEXES, "messages": False}, {}),
    Arm("double_auction", "values told and 4 symbols", {"messages": 4}, {"grid": 21}),
    Arm("double_auction", "values told", {"messages": False}, {"grid": 21}),
    Arm("double_auction", "no talk", {"messages": False, "talk": 0}, {"grid": 21}),
)


def trained(arm: Arm, out: Path, seed: int, timesteps: int) -> Path:
    """The folder of a seed; trains it if it is not there."""
    quiet: dict[str, Any] = {"eval_every": 0, "checkpoint_every": 0, "eval_episodes": 2, "progress": False}
    folder = out / arm.game / arm.name.replace(", ", "-").replace(" ", "-") / f"seed-{seed}"
    known = {"opponents": ["self"], "eval_opponents": ["random"], "settings": json.dumps(arm.settings), "seed": seed}
    recipe = PPORecipe(arm.game, timesteps=timesteps, out=folder, **{**known, **quiet, **arm.recipe})
    return folder if (folder / POLICY).exists() else train_ppo(recipe).parent


def played(arm: Arm, folder: Path, matches: int, channel: str) -> list[Record]:
    """Matches of a policy with itself."""
    spec, seeds = f"ppo:{folder}", range(FIRST_SEED, FIRST_SEED + matches)
    return [play_match(arm.game, [spec, spec], seed, channel=channel, **arm.settings) for seed in seeds]


def gains(records: list[Record]) -> dict[str, float]:
    """Mean gain of the first seat, of the second, and mean efficiency and fairness."""
    table = frame(records)
    found = {f"gain of seat {seat}": table[table["seat"] == seat]["self_gain"].mean() for seat in (0, 1)}
    return {**found, **{name: table[name].mean() for name in ("efficiency", "fairness")}}


def measured(arm: Arm, folder: Path, matches: int) -> dict[str, float]:
    """All figures of one seed."""
    on = played(arm, folder, matches, "open")
    out = gains(on)
    if arm.settings["messages"]:
        scrambled = played(arm, folder, matches, "scrambled")
        for channel, records in (("lost", played(arm, folder, matches, "off")), ("scrambled", scrambled)):
            out |= {f"{name}, symbols {channel}": value for name, value in gains(records).items()}
        rows = symbol_measures(on, scrambled)
        for measure in MEASURES:
            bits = [row.bits for row in rows if row.measure == measure]
            out |= {measure: fmean(bits)} if bits else {}
    return out


def theory(arm: Arm) -> str:
    """What the payoffs of theory are in the scale of gains, which is linear in both games that have some here."""
    found = find_game(arm.game)
    params = found.params(**arm.settings)[1]
    unit = {"persuasion": lambda p: p.price * p.rounds, "double_auction": lambda p: p.money}.get(arm.game)
    if unit is None:
        return "  gains in theory: not told"
    points = found.solution.reference(params).items()
    told = [f"{name} {' and '.join(f'{payoff / unit(params):.3f}' for payoff in payoffs)}" for name, payoffs in points]
    return "  gains in theory: " + "; ".join(told)


def main() -> None:
    """Trains, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--game", choices=sorted({arm.game for arm in ARMS}), action="append")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--timesteps", type=int, default=400_000)
    parser.add_argument("--matches", type=int, default=100)
    given = parser.parse_args()
    for arm in ARMS:
        if given.game and arm.game not in given.game:
            continue
        folders = [trained(arm, given.out, seed, given.timesteps) for seed in range(given.seeds)]
        found = [measured(arm, folder, given.matches) for folder in folders]
        print(f"{arm.game}, {arm.name}", theory(arm), sep="\n")
        for name in dict.fromkeys(name for one in found for name in one):
            values = [one[name] for one in found if name in one]
            print(
                f"  {name:<34} {fmean(values):+.3f}   seeds {', '.join(f'{value:+.3f}' for value in values)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
