"""Random numbers: where those of a match come from.

Everything that is drawn in a match is drawn from seeds of one function: of the setting (a game and all its public
parameters), the seed of the match, a purpose (nature, a player, ...) and where there are several of a kind, such as
seats, which. Who plays is not among it, so that all who are compared meet the same luck. Settings, seeds, seats and
purposes share none: what is drawn in one says nothing of what is drawn in another.

Whoever knows setting and seed can compute these seeds. Players who are code from strangers are given `stretch_seed`
ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from econzoo.envs.core.contract.parameters import LaterParameter, Parameter, identifying_parameters
from econzoo.envs.core.contract.validation import parse_json

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

STREAM_VERSION = 1
"""Version of all this; it rises when the same match would draw other numbers. Records and manifests keep it."""

SEED_ONLY_VERSION = 0
"""The version in which nature drew from the seed alone, whatever the setting."""

Purpose = Literal["nature", "channel", "kind order", "referee", "player", "market", "next match"]
"""What is drawn: nature's moves, disorder of words, an order of kinds, what a referee needs, a player's luck, ..."""

SCRYPT_COST = {"n": 2**14, "r": 8, "p": 1}
"""Of scrypt: 16 MiB, and about 50 ms; an interpreter in the sandbox takes about two minutes for it."""


def setting_parameters(declared: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters in which settings differ: those without `LaterParameter.changes_seed` make no other setting."""
    without = [one.name for one in declared if isinstance(one, LaterParameter) and not one.changes_seed]
    return {name: value for name, value in given.items() if name not in without}


def setting_of(game: Game, public: Mapping[str, Any]) -> str:
    """The setting of a game with these public parameters: 32 hexadecimal digits.

    As in ids of matches, parameters that came into the game later count only where they change it, and some never do
    (`setting_parameters`).
    """
    return _setting(game, json.dumps(public))


@lru_cache(maxsize=1024)
def _setting(game: Game, public: str) -> str:
    given = identifying_parameters(game.parameters, setting_parameters(game.parameters, parse_json(public)))
    told = json.dumps([game.name, given], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:32]


@lru_cache(maxsize=4096)
def derive_seed(setting: str, seed: int, purpose: Purpose, *index: int) -> int:
    """A seed from 0 to 2**63 - 1.

    Args:
        setting: See `setting_of`.
        seed: Of the match.
        purpose: What is drawn with it.
        index: Of several of the same purpose: the seat, the number of the round, ...
    """
    return hash_seed(setting, seed, purpose, *index)


def stream(setting: str, seed: int, purpose: Purpose, version: int = STREAM_VERSION) -> np.random.Generator:
    """The generator of a `derive_seed`.

    Args:
        setting: See `setting_of`.
        seed: Of the match.
        purpose: What is drawn with it.
        version: `STREAM_VERSION` of the match. In version 0 nature and channel drew from the seed alone, whatever the
            setting; records from then are checked by it.
    """
    if version == SEED_ONLY_VERSION:
        return np.random.default_rng(seed if purpose == "nature" else [seed, 1])
    return np.random.default_rng(derive_seed(setting, seed, purpose))


def hash_seed(*parts: int | str) -> int:
    """A number from 0 to 2**63 - 1 that depends on all parts and tells nothing of them."""
    return int.from_bytes(hashlib.blake2b(repr((STREAM_VERSION, parts)).encode(), digest_size=8).digest()) >> 1


@lru_cache(maxsize=1024)
def stretch_seed(*parts: int | str) -> int:
    """The same by so much work that no program in the sandbox can try what the parts might have been.

    A program that guesses right needs longer to make sure of it than a match of a hundred turns lasts.
    """
    told = hashlib.scrypt(repr((STREAM_VERSION, parts)).encode(), salt=b"econzoo", dklen=8, **SCRYPT_COST)
    return int.from_bytes(told) >> 1
