"""Files of trained policies: metadata and tensors.

A policy file is a zip with the tensors of the network and of its optimiser (``policy.pth``, ``policy.optimizer.pth``),
the state of the games that it was trained in (``state.pth``, `COMPILED` only), and one entry, ``econzoo.json``, with
the metadata of the training. That of Stable-Baselines3 has more entries, which are not read.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from econzoo.envs.core import ARCHIVE_BYTES, LARGE_FILE_BYTES, Member, check_format, escape_name, list_members
from econzoo.envs.core import read_bytes, reason
from econzoo.envs.core.contract import Domain, Game, parse_json, short_repr
from econzoo.envs.core.faces import FRACTION_RANGE_OR_NONE, FractionRange
from econzoo.envs.core.record import current_software, is_software

COMPILED, SB3, SB3_UNMASKED = ALGORITHMS = ("compiled", "sb3", "sb3-unmasked")
"""PPO on compiled games, and that of Stable-Baselines3 with and without action masks."""

MEMORIES = ("none", "history", "gru")
"""What a policy of `COMPILED` knows of its earlier decisions in a match: nothing, what it saw at the last few, or a
state of its own."""

METADATA = "econzoo.json"
"""Entry of the zip that says what a policy was trained for."""

WEIGHTS, OPTIMIZER, STATE = "policy.pth", "policy.optimizer.pth", "state.pth"
"""Entries with the tensors of the network, of its optimiser, and of all else that a training continues from."""

LONGEST_METADATA = 10**7

MAX_UNPACKED_RATIO = 2
"""Maximum ratio of unpacked to packed size of a policy file: tensors hardly compress."""

TENSORS = re.compile(r"collections OrderedDict|torch._utils _rebuild_(tensor_v2|parameter)|torch \w+Storage")
"""Globals that a pickle of named tensors may refer to."""

MAX_FEATURES, MAX_UNITS, MAX_FREQUENCIES = 10**6, 2**16, 16

POLICY = "policy.zip"
"""File name of a trained policy; its folder can be given instead."""

KEYS = (
    *("format", "game", "versions", "seats", "features", "grid", "grid_range", "algorithm", "net", "timesteps"),
    *("options", "training_exposure", "network", "software"),
)
"""What the metadata has; see `metadata_of`."""


def metadata_of(
    game: Game,
    grid: int,
    algorithm: str,
    net: Sequence[int],
    timesteps: int,
    options: Any,
    params: Any = None,
    training_exposure: Mapping[str, Any] | None = None,
    network: Mapping[str, Any] | None = None,
    grid_range: FractionRange | None = None,
    symbols: int = 0,
    libraries: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the metadata of a policy file, with the present software.

    Args:
        net: Units per hidden layer.
        timesteps: Training moves of the learner.
        params: Parameters of the rules in a training setting, which determine seats and features; None: the default
            ones.
        training_exposure: Settings and opponents seen in training, in the form of
            `econzoo.evaluate.analyses.training_exposure.TrainingExposure`; None: unknown.
        network: Options of `COMPILED`: ``memory`` (one of `MEMORIES`), ``history`` (number of past decisions),
            ``ordinal`` (whether neighbouring amounts share parameters), ``predicts_next`` (whether it predicts the next
            observation), ``fourier`` (frequencies per input); empty for Stable-Baselines3.
        grid_range: Range of amounts that it chooses from, as fractions of the full range; None: all.
        symbols: Size of its message vocabulary; 0: no symbols (`econzoo.envs.core.contract.symbols`).
    """
    params = game.params()[1] if params is None else params
    seats, features = game.seats(params), list(game.feature_names(params, symbols))
    return {
        "format": 1,
        "game": game.name,
        "versions": {"rules": game.version, "numeric": game.numeric_version},
        "seats": seats,
        "features": features,
        "grid": grid,
        "grid_range": None if grid_range is None else list(grid_range),
        "algorithm": algorithm,
        "net": list(net),
        "timesteps": timesteps,
        "options": options,
        "training_exposure": training_exposure,
        "network": dict(network or {}),
        "software": current_software(*libraries).to_plain(),
    }


def policy_path(file: str | Path) -> Path:
    """Return the policy file at a path, which may be its folder."""
    path = Path(file).expanduser()
    path = path / POLICY if path.is_dir() else path
    if seeds := sorted(folder.parent for folder in path.parent.glob(f"seed-*/{POLICY}")) * (not path.is_file()):
        allowed = ", ".join(map(str, seeds))
        raise FileNotFoundError(f"{path.parent} has several seeds of a training: expected one of {allowed}")
    if not path.exists():
        raise FileNotFoundError(f"no policy file at {path}; train one with: econzoo train ppo GAME --out FOLDER")
    return path


def read_metadata(file: str | Path) -> dict[str, Any]:
    """Return the metadata of a policy file; see `metadata_of`."""
    path = policy_path(file)
    try:
        entries = list_members(path, factor=MAX_UNPACKED_RATIO)
        metadata = parse_json(read_bytes(entries[METADATA], LONGEST_METADATA))
    except ValueError as error:
        raise ValueError(f"{escape_name(path)} is not a policy file, or incomplete: {reason(error)}") from None
    except KeyError:
        raise ValueError(f"{escape_name(path)} has no {METADATA}: it was not saved by 'econzoo train ppo'") from None
    if not isinstance(metadata, dict):
        raise ValueError(f"{path}: {METADATA} has type {type(metadata).__name__}, expected an object")
    check_format(str(path), metadata.get("format"))
    if missing := [key for key in KEYS if key not in metadata]:
        raise ValueError(f"{path}: {METADATA} has no {missing[0]}")
    for key, (fits, allowed) in _KINDS.items():
        if not fits(metadata[key]):
            raise ValueError(f"{path}: invalid {key}={short_repr(metadata[key])} in {METADATA}: expected {allowed}")
    return metadata


def _is_count(value: Any, most: int = 2**62) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_list(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) <= MAX_FEATURES and all(map(fits, value))


def _is_in(value: Any, domain: Domain[Any]) -> bool:
    with suppress(TypeError, ValueError):
        domain(value)
        return True
    return False


def _is_network_description(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"memory", "history", "ordinal", "predicts_next", "fourier"}:
        return False
    flags = isinstance(value["ordinal"], bool) and isinstance(value["predicts_next"], bool)
    counts = _is_count(value["history"], 1000) and _is_count(value["fourier"], MAX_FREQUENCIES)
    return value["memory"] in MEMORIES and counts and flags


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (lambda value: isinstance(value, str), "a name"),
    "versions": (
        lambda value: isinstance(value, dict) and set(value) == {"rules", "numeric"},
        "an object of rules and numeric",
    ),
    "features": (lambda value: _is_list(value, lambda one: isinstance(one, str)), "a list of names"),
    "grid": (_is_count, "an integer from 0"),
    "grid_range": (
        lambda value: not isinstance(value, str) and _is_in(value, FRACTION_RANGE_OR_NONE),
        FRACTION_RANGE_OR_NONE.value_range,
    ),
    "training_exposure": (lambda value: value is None or isinstance(value, dict), "an object, or null"),
    "timesteps": (_is_count, "an integer from 0"),
    "algorithm": (lambda value: value in ALGORITHMS, " or ".join(ALGORITHMS)),
    "software": (is_software, "an object of version, commit and libraries"),
    "network": (
        lambda value: value == {} or _is_network_description(value),
        "the network of metadata_of, or an empty object",
    ),
    "net": (
        lambda value: _is_list(value, lambda units: _is_count(units, MAX_UNITS) and units > 0),
        f"a list of integers from 1 to {MAX_UNITS:,}",
    ),
}
"""What the values of the metadata must be that a network is made from."""


def tensors_of(path: Path, entry: str, finite: bool = True) -> dict[str, Any]:
    """Return the tensors of an entry of a policy file, by default finite floats only; nothing in it is executed."""
    try:
        # Checked as bytes, ahead of the import of torch and of its unpickler.
        packed = read_bytes(list_members(path, factor=MAX_UNPACKED_RATIO)[entry], ARCHIVE_BYTES)
        _check_tensors(list_members(f"{path}: {entry}", packed, MAX_UNPACKED_RATIO))
        import torch

        held = torch.load(io.BytesIO(packed), map_location="cpu", weights_only=True)
        right = not finite or are_finite(held)
    except pickle.UnpicklingError:
        raise ValueError(f"{escape_name(path)}: {entry} is damaged, or has other content than tensors") from None
    except (RuntimeError, KeyError, ValueError, TypeError, AttributeError, IndexError, EOFError) as error:
        raise ValueError(f"{escape_name(path)}: {entry} cannot be read: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(held, dict):
        raise ValueError(f"{path}: {entry} has type {type(held).__name__}, expected tensors by name")
    if not right:
        hint = "expected finite floats; try another checkpoint"
        raise ValueError(f"{escape_name(path)}: {entry} has NaN, infinite or integer tensors; {hint}")
    return held


def are_finite(held: Any) -> bool:
    """Whether all tensors in a value, in dictionaries and lists too, have only finite floating-point numbers."""
    if isinstance(held, Mapping):
        return all(map(are_finite, held.values()))
    if isinstance(held, list | tuple):
        return all(map(are_finite, held))
    return not hasattr(held, "isfinite") or (held.is_floating_point() and bool(held.isfinite().all()))


class DivergedError(ValueError):
    """A training has diverged to non-finite numbers."""


def _check_tensors(inner: Mapping[str, Member]) -> None:
    """Refuse a pickle with anything but tensors: some objects that `torch` allows take unlimited memory."""
    try:
        pickles = [read_bytes(one, LARGE_FILE_BYTES) for name, one in inner.items() if name.endswith("data.pkl")]
        operations = [step for one in pickles for step in pickletools.genops(one)]
    except ValueError as error:
        raise pickle.UnpicklingError(str(error)) from None
    named = [argument for operation, argument, _ in operations if operation.name == "GLOBAL"]
    # `torch.save` writes pickle protocol 2, in which GLOBAL holds every name; these take it from elsewhere.
    others = any(operation.name in ("STACK_GLOBAL", "INST", "EXT1", "EXT2", "EXT4") for operation, _, _ in operations)
    if not pickles or others or not all(TENSORS.fullmatch(str(one)) for one in named):
        raise pickle.UnpicklingError("contains objects other than tensors")
