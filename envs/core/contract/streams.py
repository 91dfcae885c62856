"""Random streams of a match.

All random numbers of a match derive from seeds that are a function of the setting (game and public parameters), the
seed of the match, a purpose (nature, a player, ...) and an index, such as the seat. They do not depend on who plays:
players are compared under common random numbers. Streams of different settings, seeds, seats and purposes are
independent.

Anyone who knows setting and seed can compute these seeds; untrusted programs get seeds from `stretch_seed`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from econzoo.envs.core.contract.parameters import Parameter
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.contract.versions import STREAM_VERSION

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

Purpose = Literal["nature", "channel", "kind order", "referee", "player", "market", "next match"]
"""Purpose of a random stream, hashed into its seeds: "market", of drawn settings, keeps its name so that draws do."""

SCRYPT_COST = {"n": 2**14, "r": 8, "p": 1}
"""scrypt parameters: 16 MiB and about 50 ms; about two minutes in the sandbox's interpreter."""


def setting_parameters(declared: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that define a setting: all but those whose `Parameter.in_seed` is ``"never"``."""
    without = [one.name for one in declared if one.in_seed == "never"]
    return {name: value for name, value in given.items() if name not in without}


def setting_of(game: Game, public: Mapping[str, Any]) -> str:
    """Return the hash of a game and the public parameters that are in its seeds: 32 hexadecimal digits."""
    # As text, because a dictionary cannot be a key of the cache.
    return _setting(game, json.dumps(public))


@lru_cache(maxsize=1024)
def _setting(game: Game, public: str) -> str:
    given = setting_parameters(game.parameters, parse_json(public))
    for one in game.parameters:
        # Both sides went through JSON, so that tuples compare with lists.
        if one.in_seed == "unless default" and given.get(one.name) == parse_json(json.dumps(one.default)):
            del given[one.name]
    text = json.dumps([game.name, given], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@lru_cache(maxsize=4096)
def derive_seed(setting: str, seed: int, purpose: Purpose, *index: int) -> int:
    """Derive a seed from 0 to 2**63 - 1.

    Args:
        index: Index among streams of the same purpose, such as seat or round.
    """
    return hash_seed(setting, seed, purpose, *index)


def stream(setting: str, seed: int, purpose: Purpose) -> np.random.Generator:
    """Return the random generator of a purpose; arguments are those of `derive_seed`."""
    return np.random.default_rng(derive_seed(setting, seed, purpose))


def hash_seed(*parts: int | str) -> int:
    """Hash all parts to an integer from 0 to 2**63 - 1."""
    return int.from_bytes(hashlib.blake2b(repr((STREAM_VERSION, parts)).encode(), digest_size=8).digest()) >> 1


@lru_cache(maxsize=1024)
def stretch_seed(*parts: int | str) -> int:
    """Hash with key stretching, so that programs in the sandbox cannot recover the parts by brute force.

    Verifying a single guess takes a program longer than a match of a hundred turns.
    """
    key = hashlib.scrypt(repr((STREAM_VERSION, parts)).encode(), salt=b"econzoo", dklen=8, **SCRYPT_COST)
    return int.from_bytes(key) >> 1
