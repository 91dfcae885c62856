"""Files of a training: policies with metadata, and checkpoints."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines import METADATA, OPTIMIZER, POLICY, STATE, WEIGHTS, DivergedError, are_finite, metadata_of
from econzoo.baselines import read_metadata, tensors_of
from econzoo.envs.core import atomic_write, list_members
from econzoo.envs.core import game as find_game
from econzoo.evaluate.analyses import TrainingExposure, read_exposure
from econzoo.train import write_recipe
from econzoo.train.rl.recipe import PPORecipe

__all__ = [
    "policy_metadata",
    "find_start",
    "has_ended",
    "save_options",
    "latest_policy",
    "training_exposure",
    "restore",
    "restore_errors",
    "resume_recipe",
    "save",
    "read_state",
]
__all__ += ["seed_at", "store", "load_into_model"]

FIXED_KEYS = ("game", "versions", "seats", "grid", "grid_range", "algorithm", "net", "network")
"""Metadata that must not change on resume; features follow from the first three, except for their names."""

GAME_OPTIONS = ("opponents", "settings", "objective", "seats", "n_envs", "seed", "league_rounds")
"""Options that must not change on resume for the games to continue too."""

NOT_FINITE = "network values are not finite"


def save(model: Any, path: Path, metadata: dict[str, Any]) -> Path:
    """Save a model of Stable-Baselines3 with its metadata, atomically.

    Raises:
        DivergedError: Network values are not finite.
    """
    _check_finite(model.policy.state_dict())
    with atomic_write(path) as part:
        model.save(part)
        with zipfile.ZipFile(part, "a") as archive:
            archive.writestr(METADATA, json.dumps(metadata))
    return path


def store(path: Path, weights: Any, optimizer: Any, metadata: dict[str, Any], state: Any = None) -> Path:
    """Save the states of a network and its optimiser with metadata, atomically.

    Args:
        state: All else that a training continues from: nested dictionaries of tensors, arrays and plain values.

    Raises:
        DivergedError: Network values are not finite.
    """
    import torch

    _check_finite(weights)
    entries = {WEIGHTS: weights, OPTIMIZER: optimizer} | ({} if state is None else {STATE: _to_tensors(state)})
    with atomic_write(path) as part, zipfile.ZipFile(part, "w") as archive:
        for entry, tensors in entries.items():
            held = io.BytesIO()
            torch.save(tensors, held)
            archive.writestr(entry, held.getvalue())
        archive.writestr(METADATA, json.dumps(metadata))
    return path


def _check_finite(weights: Any) -> None:
    if not are_finite(weights):
        raise DivergedError(NOT_FINITE)


def _to_tensors(held: Any) -> Any:
    """Convert the arrays in nested dictionaries: files of tensors hold nothing that needs code to be read."""
    import torch

    if isinstance(held, dict):
        return {name: _to_tensors(value) for name, value in held.items()}
    return torch.from_numpy(held) if isinstance(held, np.ndarray) else held


def read_state(path: Path, recipe: PPORecipe) -> dict[str, Any] | None:
    """Return the state saved in a file; None, with a line, if there is none or games with other options are wanted."""
    then, now = read_metadata(path)["options"], recipe.to_plain()
    other = [
        f"{name}={now[name]!r} instead of {then.get(name)!r}" for name in GAME_OPTIONS if now[name] != then.get(name)
    ]
    if not other and STATE in list_members(path):
        return tensors_of(path, STATE, finite=False)
    print(f"resuming in new games: {other[0] if other else f'{path} has none'}", file=sys.stderr, flush=True)
    return None


def load_into_model(model: Any, path: Path, timesteps: int) -> None:
    """Load network, optimiser state and number of moves into a new model.

    Only tensors are read. The pickled ``data`` of Stable-Baselines3 (classes, spaces, schedules) is ignored, since
    unpickling could run arbitrary code; the new model has all of it.
    """
    restore(path, model.policy, model.policy.optimizer)
    model.num_timesteps = timesteps
    model._n_updates = timesteps // (model.n_envs * model.n_steps) * model.n_epochs


def restore(path: Path, network: Any, optimizer: Any) -> None:
    """Load the tensors of a file into a network and its optimiser."""
    weights, state = tensors_of(path, WEIGHTS), tensors_of(path, OPTIMIZER)
    # Learning rate and other hyperparameters are those of the present recipe, not of the file.
    own = optimizer.state_dict()["param_groups"]
    with restore_errors(path):
        network.load_state_dict(weights)
        optimizer.load_state_dict({"state": state["state"], "param_groups": own})
        _check_like(optimizer)


@contextmanager
def restore_errors(path: Path) -> Iterator[None]:
    """Raise one `ValueError` that names the file for whatever does not fit in it."""
    try:
        yield
    except (RuntimeError, LookupError, TypeError, ValueError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: the training cannot resume from these tensors: {reason}"[:300]) from None


def _check_like(optimizer: Any) -> None:
    """Raise `ValueError` if an optimiser state does not fit its parameter, which torch does not check."""
    for parameter, state in optimizer.state.items():
        for name, value in state.items():
            if name != "step" and getattr(value, "shape", None) != parameter.shape:
                raise ValueError(f"{name} of the optimiser does not fit a parameter of shape {tuple(parameter.shape)}")


def checkpoint_path(out: Path, timesteps: int) -> Path:
    return out / "checkpoints" / f"{timesteps}.zip"


def divergence(why: str, moves: int, checkpoint: Path) -> DivergedError:
    """Return the error of a diverged training, whose last finite network is saved."""
    advice = "resume with --resume, with a lower --lr if needed"
    return DivergedError(f"stopped at {moves:,} moves, saved in {checkpoint}: {why}; {advice}")


def latest_policy(out: Path) -> Path | None:
    """Return the policy or checkpoint of a folder with the most moves; unreadable files are skipped."""
    found = [(metadata["timesteps"], path) for path in _candidates(out) if (metadata := _read_if_valid(path))]
    return max(found)[1] if found else None


def _candidates(out: Path) -> list[Path]:
    return [path for path in [out / POLICY, *sorted((out / "checkpoints").glob("*.zip"))] if path.exists()]


def _read_if_valid(path: Path) -> dict[str, Any] | None:
    try:
        return read_metadata(path)
    except ValueError:
        return None


def find_start(recipe: PPORecipe) -> Path | None:
    """Return the file to resume from; None: a new training."""
    start = start_of(recipe.out, recipe.resume)
    if start:
        check_same(start, policy_metadata(recipe, 0))
    return start


def save_options(recipe: PPORecipe) -> None:
    """Write the options of a training into its folder."""
    write_recipe(recipe, libraries_of(recipe))


def start_of(out: Path, resume: bool) -> Path | None:
    """Return the file to resume from; None: a new training."""
    found = latest_policy(out)
    if not resume and (found or (out / POLICY).exists()):
        raise ValueError(f"{out} already holds a training; use --resume or choose another --out")
    if resume and not found:
        check_undamaged(out)
        raise FileNotFoundError(f"nothing to resume in {out}: no {POLICY} and no checkpoint there")
    return found


def check_undamaged(out: Path) -> None:
    """Raise `ValueError` if a policy or checkpoint cannot be read."""
    for path in _candidates(out):
        read_metadata(path)


def check_same(path: Path, here: dict[str, Any]) -> None:
    """Check that game and network are the same."""
    trained = read_metadata(path)
    for key in FIXED_KEYS:
        if trained[key] != here.get(key):
            raise ValueError(f"{path} was trained with {key} {trained[key]!r}; cannot resume with {here.get(key)!r}")
    (old, new) = (one["options"].get("opponent_files") for one in (trained, here))
    if old and old != new:
        raise ValueError(f"{path} was trained with {', '.join(old)}; cannot resume with {', '.join(new) or 'none'}")


def policy_metadata(recipe: PPORecipe, timesteps: int) -> dict[str, Any]:
    trained = recipe.algorithm, recipe.net, timesteps, recipe.to_plain()
    more = recipe.params, training_exposure(recipe).plain(), recipe.network_metadata(), recipe.grid_range
    last = recipe.symbols, libraries_of(recipe)
    return metadata_of(find_game(recipe.game), recipe.grid, *trained, *more, *last)


def libraries_of(recipe: PPORecipe) -> tuple[str, ...]:
    """Return the libraries whose versions policies and options name."""
    return ("numpy", "torch", *recipe.libraries)


def training_exposure(recipe: PPORecipe) -> TrainingExposure:
    """Return the exposure of a training, with that of the training that it resumes."""
    settings = ([], [recipe.settings]) if recipe.fixed is None else ([recipe.fixed], [])
    seats = list(recipe.learner_seats)
    exposure = TrainingExposure(recipe.game, recipe.named_opponents, seats, *settings, [recipe.seed])
    start = latest_policy(recipe.out) if recipe.resume else None
    return exposure.merge(read_exposure(f"ppo:{start}") if start else None)


def seed_at(recipe: PPORecipe, timesteps: int) -> int:
    """Return a seed for a training that starts at this number of moves."""
    return int(np.random.SeedSequence([recipe.seed, timesteps]).generate_state(1)[0] >> 1)


def has_ended(training: PPORecipe | Path) -> bool:
    """Whether a policy has all moves of its recipe; for a folder, of the recipe in its policy file."""
    path = (training if isinstance(training, Path) else training.out) / POLICY
    if not path.is_file():
        return False
    metadata = read_metadata(path)
    wanted = metadata["options"]["timesteps"] if isinstance(training, Path) else training.timesteps
    return bool(metadata["timesteps"] >= wanted)


def resume_recipe(recipe: PPORecipe) -> PPORecipe:
    """Return the recipe, set to resume if its folder has a training."""
    return replace(recipe, resume=latest_policy(recipe.out) is not None)
