"""Files of a training: policies that say what they were trained for, and the checkpoint to go on from."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.baselines.policy_files import (
    METADATA,
    OPTIMIZER,
    POLICY,
    WEIGHTS,
    DivergedError,
    are_finite,
    metadata_of,
    read_metadata,
    tensors_of,
)
from econzoo.envs.command_line import write_config
from econzoo.envs.core.files import atomic_write
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.training_exposure import TrainingExposure, read_exposure

if TYPE_CHECKING:
    from econzoo.train.rl.recipe import PPORecipe

__all__ = [
    "policy_metadata",
    "find_start",
    "has_ended",
    "save_options",
    "latest_policy",
    "training_exposure",
    "restore",
    "resume_recipe",
    "save",
]
__all__ += ["seed_at", "store", "load_into_model"]

FIXED_KEYS = ("game", "version", "numeric_version", "seats", "grid", "grid_range", "algorithm", "net", "network")
"""What a training that goes on cannot change; the features follow from the first three, up to their wording."""


NOT_FINITE = "the network has numbers that are not finite"


def save(model: Any, path: Path, metadata: dict[str, Any]) -> Path:
    """Saves a model of Stable-Baselines3 with its metadata; a reader never sees half of it.

    Raises:
        DivergedError: Its numbers are not finite.
    """
    _check_finite(model.policy)
    with atomic_write(path) as part:
        model.save(part)
        with zipfile.ZipFile(part, "a") as archive:
            archive.writestr(METADATA, json.dumps(metadata))
    return path


def store(path: Path, network: Any, optimizer: Any, metadata: dict[str, Any]) -> Path:
    """Saves a network and its optimiser with the metadata; a reader never sees half of it.

    Raises:
        DivergedError: Its numbers are not finite.
    """
    import torch

    _check_finite(network)
    with atomic_write(path) as part, zipfile.ZipFile(part, "w") as archive:
        for entry, tensors in ((WEIGHTS, network.state_dict()), (OPTIMIZER, optimizer.state_dict())):
            held = io.BytesIO()
            torch.save(tensors, held)
            archive.writestr(entry, held.getvalue())
        archive.writestr(METADATA, json.dumps(metadata))
    return path


def _check_finite(network: Any) -> None:
    if not are_finite(network.state_dict()):
        raise DivergedError(NOT_FINITE)


def load_into_model(model: Any, path: Path, timesteps: int) -> None:
    """Gives a new model the network, the state of the optimiser and the count of moves of a file.

    Only tensors are read. What Stable-Baselines3 pickles into its files (``data``: classes, spaces, schedules) is not
    looked at, since reading it would run whatever somebody wrote there: the new model has all of it.

    Raises:
        ValueError: The tensors are missing, damaged, or of another network.
    """
    restore(path, model.policy, model.policy.optimizer)
    model.num_timesteps = timesteps
    model._n_updates = timesteps // (model.n_envs * model.n_steps) * model.n_epochs


def restore(path: Path, network: Any, optimizer: Any) -> None:
    """Fills a network and its optimiser with the tensors of a file.

    Raises:
        ValueError: The tensors are missing, damaged, or of another network.
    """
    weights, kept = tensors_of(path, WEIGHTS), tensors_of(path, OPTIMIZER)
    own = optimizer.state_dict()["param_groups"]
    try:
        network.load_state_dict(weights)
        optimizer.load_state_dict({"state": kept["state"], "param_groups": own})
        _check_like(optimizer)
    except (RuntimeError, KeyError, TypeError, ValueError, AttributeError) as error:
        told = " ".join(str(error).split())
        raise ValueError(f"{path}: the training cannot go on from these tensors: {told}"[:300]) from None


def _check_like(optimizer: Any) -> None:
    """Raises `ValueError` if a state of an optimiser is none of the parameter that it stands for."""
    for parameter, state in optimizer.state.items():
        for name, value in state.items():
            if name != "step" and getattr(value, "shape", None) != parameter.shape:
                raise ValueError(f"{name} of the optimiser does not fit a parameter of shape {tuple(parameter.shape)}")


def checkpoint_path(out: Path, timesteps: int) -> Path:
    """Where a checkpoint is kept."""
    return out / "checkpoints" / f"{timesteps}.zip"


def divergence(why: str, moves: int, checkpoint: Path) -> DivergedError:
    """The error of a training that has diverged after so many moves, whose last good network is kept."""
    goes_on = "--resume goes on from there, with a lower --lr if need be"
    return DivergedError(f"stopped at {moves:,} moves, kept in {checkpoint}: {why}; {goes_on}")


def latest_policy(out: Path) -> Path | None:
    """The policy or checkpoint of a folder that was trained for longest; files that cannot be read do not count."""
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
    """The file to go on from; None: start anew.

    Raises:
        ValueError: The folder has a training that would be overwritten, or one that does not fit.
        FileNotFoundError: There is nothing to go on from.
    """
    start = start_of(recipe.out, recipe.resume)
    if start:
        check_same(start, policy_metadata(recipe, 0))
    return start


def save_options(recipe: PPORecipe) -> None:
    """Writes the options of a training into its folder."""
    write_config(recipe.out, recipe, recipe.NOT_RECORDED)


def start_of(out: Path, resume: bool) -> Path | None:
    """The file to go on from; None: start anew.

    Raises:
        ValueError: The folder has a training that would be overwritten.
        FileNotFoundError: There is nothing to go on from.
    """
    found = latest_policy(out)
    if not resume and (found or (out / POLICY).exists()):
        raise ValueError(f"{out} holds a training already; go on with --resume or choose another --out")
    if resume and not found:
        check_undamaged(out)
        raise FileNotFoundError(f"nothing to resume in {out}: no {POLICY} and no checkpoint there")
    return found


def check_undamaged(out: Path) -> None:
    """Raises `ValueError` if there is a policy or checkpoint that cannot be read."""
    for path in _candidates(out):
        read_metadata(path)


def check_same(path: Path, here: dict[str, Any]) -> None:
    """Refuses to go on with another game or network.

    Raises:
        ValueError: Names what differs.
    """
    trained = read_metadata(path)
    for key in FIXED_KEYS:
        if trained[key] != here.get(key):
            raise ValueError(f"{path} was trained with {key} {trained[key]!r}; it cannot go on with {here.get(key)!r}")


def policy_metadata(recipe: PPORecipe, timesteps: int) -> dict[str, Any]:
    """What the policy file says about itself."""
    trained = recipe.kind, recipe.net, timesteps, recipe.to_plain()
    more = recipe.params, training_exposure(recipe).plain(), recipe.network_metadata(), recipe.grid_range
    return metadata_of(find_game(recipe.game), recipe.grid, *trained, *more, symbols=recipe.symbols)


def training_exposure(recipe: PPORecipe) -> TrainingExposure:
    """What a training meets, and what those before it in the same folder have met."""
    settings = ([], [recipe.settings]) if recipe.fixed is None else ([recipe.fixed], [])
    met = TrainingExposure(recipe.game, recipe.named_opponents, list(recipe.learner_seats), *settings, [recipe.seed])
    start = latest_policy(recipe.out) if recipe.resume else None
    return met.merge(read_exposure(f"ppo:{start}") if start else None)


def seed_at(recipe: PPORecipe, timesteps: int) -> int:
    """A seed for a training that starts at this count of moves."""
    return int(np.random.SeedSequence([recipe.seed, timesteps]).generate_state(1)[0] >> 1)


def has_ended(training: PPORecipe | Path) -> bool:
    """Whether a policy was trained for as long as its recipe says; of a folder, the recipe is that of its policy."""
    path = (training if isinstance(training, Path) else training.out) / POLICY
    if not path.is_file():
        return False
    made = read_metadata(path)
    wanted = made["args"]["timesteps"] if isinstance(training, Path) else training.timesteps
    return bool(made["timesteps"] >= wanted)


def resume_recipe(recipe: PPORecipe) -> PPORecipe:
    """The same, to go on with what its folder has."""
    return replace(recipe, resume=latest_policy(recipe.out) is not None)
