"""What was trained, for a reader of learning curves who was not there: the game, whom the learner met, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from econzoo.baselines.policy_files import read_metadata
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.analyses.description import Played, Setting, played_with, whos
from econzoo.evaluate.analyses.training_exposure import TRAINING
from econzoo.evaluate.run.folder import CURVE
from econzoo.evaluate.run.settings import DEFAULT, shown

TOLD = {
    "model": "The language model that learned.",
    "opponent": "Whom it met.",
    "markets": "Where it learned: a distribution of markets, or their names.",
    "param": "What was set in all markets.",
    "seat": "Which seat learned.",
    "objective": "What the reward is.",
    "algorithm": "How it learned.",
    "timesteps": "Moves of the learner.",
    "steps": "Steps of the optimiser.",
    "eval_opponent": "Whom it met in evaluations.",
    "eval_markets": "Where evaluations were played.",
    "eval_episodes": "Matches against each opponent in an evaluation.",
    "seed": "Of everything that is drawn.",
}
"""Arguments of a training that a reader of its curve needs, and what they are."""


def trained_in(folder: str | Path) -> list[Played]:
    """What was played in the trainings whose learning curves lie in a folder and below it, as far as that is known.

    Args:
        folder: Each training has its policy or its ``training.json`` beside its curve.
    """
    found = []
    for path in sorted(Path(folder).rglob(CURVE)):
        with suppress(OSError, ValueError, TypeError, KeyError):  # of other programs, or older: nothing is known
            found.append(_trained(path.parent))
    return found


def _trained(folder: Path) -> Played:
    kept = _kept(folder)
    game, args, opponents = kept["met"]["game"], kept["args"], kept["met"]["opponents"]
    told = {name: spec for spec, name in labels([*opponents, *args.get("eval_opponent", [])]).items()}
    (played,) = played_with(None, game, [Setting(DEFAULT, {}, {})])
    rows = [(name, _value(args[name], told), meaning) for name, meaning in TOLD.items() if args.get(name)]
    return played._replace(
        game=f"{game}, training in {folder.resolve().name}", same=rows, players=dict(sorted(whos(told, game).items()))
    )


def _kept(folder: Path) -> Mapping[str, Any]:
    """What a training has written down: its arguments, and what the learner has met."""
    if (folder / TRAINING).is_file():
        given: Mapping[str, Any] = from_json((folder / TRAINING).read_text(encoding="utf-8"))
        return given
    return read_metadata(folder)


def _value(given: Any, told: Mapping[str, str]) -> str:
    """An argument in words; players by what tables call them."""
    called = {spec: name for name, spec in told.items()}
    if isinstance(given, list):
        return ", ".join(called.get(one, shown(one)) for one in given)
    return shown(given) if isinstance(given, str | int | float) else json.dumps(given)
