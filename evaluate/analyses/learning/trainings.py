"""Which policies are seeds of one training: the same recipe, trained again with another seed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from econzoo.baselines.policy_files import POLICY
from econzoo.envs.core.record.spec import split_name
from econzoo.evaluate.analyses.training_exposure import read_training_record

KINDS = ("ppo", "hf")
"""Prefixes of players that are trained here."""

SEED = re.compile(r"seed-(\d+)")
"""Name of the folder of one seed in that of a training."""

NON_RECIPE_ARGUMENTS = ("seed", "out", "resume", "progress", "threads", "track")
"""Arguments of a training that are no part of the recipe."""


class Training(NamedTuple):
    """Policies that only differ in the seed of their training.

    Attributes:
        name: What their specs have in common.
        seeds: Spec of each policy to the seed of its training, None where that is not known.
    """

    name: str
    seeds: dict[str, int | None]


def policies_of(spec: str) -> list[str]:
    """The spec, or those of the seeds in the folder that it names, in their order.

    A folder of seeds has no policy itself, but folders ``seed-0``, ``seed-1``, ... with one each.
    """
    prefix, folder, options = _parts(spec)
    if prefix not in KINDS or not folder.is_dir() or (folder / POLICY).is_file():
        return [spec]
    found = [(int(match[1]), one) for one in folder.iterdir() if (match := SEED.fullmatch(one.name)) and one.is_dir()]
    return [f"{prefix}:{one}{options}" for _, one in sorted(found)] or [spec]


def trainings(specs: Iterable[str]) -> list[Training]:
    """The trainings that policies come from, in the order of their first ones.

    Args:
        specs: Policies, or folders of seeds. What is not known to be trained is a training of its own.

    Raises:
        FileNotFoundError: No such policy file.
        ValueError: A policy is given twice, or two of one recipe have the same seed.
    """
    every = [one for spec in specs for one in policies_of(spec)]
    groups: dict[str, dict[str, int | None]] = {}
    for spec in every:
        recipe, seed = _recipe(spec)
        group = groups.setdefault(recipe, {})
        twin = next((one for one, of in group.items() if one == spec or of == seed), None)
        if twin is not None:
            told = f"{spec!r} and {twin!r}" if twin != spec else repr(spec)
            raise ValueError(f"{told}: the same training with seed {seed}, twice; allowed: each seed once")
        group[spec] = seed
    return [Training(_common_name(list(group)), group) for group in groups.values()]


def _parts(spec: str) -> tuple[str, Path, str]:
    """Prefix, path and options of a spec."""
    prefix, _, rest = split_name(spec).spec.partition(":")
    path, mark, options = rest.partition("?")
    return prefix, Path(path).expanduser(), mark + options


def _recipe(spec: str) -> tuple[str, int | None]:
    """What the seeds of a training have in common, as text, and the seed; the spec itself where nothing is known.

    A training that goes on from the seeds of another one has their folders among its arguments.
    """
    (prefix, _, options), about = _parts(spec), read_training_record(spec)
    args = about.get("args")
    if not isinstance(args, dict):
        return spec, None
    same = {name: value for name, value in args.items() if name not in NON_RECIPE_ARGUMENTS}
    trained = {name: value for name, value in about.items() if name in ("game", "timesteps", "algorithm", "network")}
    seed, text = args.get("seed"), json.dumps([prefix, same, trained, options], sort_keys=True)
    return SEED.sub("seed-*", text), seed if isinstance(seed, int) else None


def _common_name(specs: list[str]) -> str:
    """What specs begin with, without the name of a seed that was begun."""
    if len(specs) == 1:
        return specs[0]
    alike = takewhile(
        lambda letters: len(set(letters)) == 1, zip(*(split_name(one).spec for one in specs), strict=False)
    )
    begun = "".join(letters[0] for letters in alike)
    return re.sub(r"[/._-]*(seed)?[/._-]*\d*$", "", begun) or specs[0]
