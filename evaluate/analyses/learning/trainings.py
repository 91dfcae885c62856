"""Grouping of policies into trainings: the same recipe with different seeds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from econzoo.baselines import POLICY
from econzoo.envs.core.record import split_name
from econzoo.evaluate.analyses import read_training_record

KINDS = ("ppo", "hf")
"""Spec prefixes of trained players."""

SEED = re.compile(r"seed-(\d+)")
"""Folder of a seed within that of a training."""

NON_RECIPE_OPTIONS = ("seed", "out", "resume", "progress", "threads", "track")
"""Options of a training that are not part of the recipe."""


class Training(NamedTuple):
    """Policies that differ only in their training seed.

    Attributes:
        seeds: Training seed by policy spec; None if unknown.
    """

    name: str
    seeds: dict[str, int | None]


def policies_of(spec: str) -> list[str]:
    """Return the spec, or the specs of the seeds in its folder in order.

    A folder of seeds has no policy itself, but subfolders ``seed-0``, ``seed-1``, ... with one each.
    """
    prefix, folder, options = _parts(spec)
    if prefix not in KINDS or not folder.is_dir() or (folder / POLICY).is_file():
        return [spec]
    found = [(int(match[1]), one) for one in folder.iterdir() if (match := SEED.fullmatch(one.name)) and one.is_dir()]
    return [f"{prefix}:{one}{options}" for _, one in sorted(found)] or [spec]


def trainings(specs: Iterable[str]) -> list[Training]:
    """Group policies into trainings, ordered by first policy."""
    every = [one for spec in specs for one in policies_of(spec)]
    groups: dict[str, dict[str, int | None]] = {}
    for spec in every:
        recipe, seed = _recipe(spec)
        group = groups.setdefault(recipe, {})
        # The same seed twice would count one draw as two.
        twin = next((one for one, of in group.items() if one == spec or of == seed), None)
        if twin is not None:
            both = f"{spec!r} and {twin!r}" if twin != spec else repr(spec)
            raise ValueError(f"duplicate training seed {seed} of {both}: expected each seed once")
        group[spec] = seed
    return [Training(_common_name(list(group)), group) for group in groups.values()]


def _parts(spec: str) -> tuple[str, Path, str]:
    """Split a spec into prefix, path and options."""
    prefix, _, rest = split_name(spec).spec.partition(":")
    path, mark, options = rest.partition("?")
    return prefix, Path(path).expanduser(), mark + options


def _recipe(spec: str) -> tuple[str, int | None]:
    """Return the recipe as text, and the seed; the spec itself without a training record.

    A training that continues from the seeds of another has their folders among its options.
    """
    (prefix, _, options), about = _parts(spec), read_training_record(spec)
    if not about:
        return spec, None
    same = {name: value for name, value in about["options"].items() if name not in NON_RECIPE_OPTIONS}
    trained = {name: value for name, value in about.items() if name in ("game", "timesteps", "algorithm", "network")}
    text = json.dumps([prefix, same, trained, options], sort_keys=True)
    return SEED.sub("seed-*", text), about["options"]["seed"]


def _common_name(specs: list[str]) -> str:
    """Return the common prefix of specs, without a partial seed name."""
    if len(specs) == 1:
        return specs[0]
    common = takewhile(
        lambda letters: len(set(letters)) == 1, zip(*(split_name(one).spec for one in specs), strict=False)
    )
    prefix = "".join(letters[0] for letters in common)
    return re.sub(r"[/._-]*(seed)?[/._-]*\d*$", "", prefix) or specs[0]
