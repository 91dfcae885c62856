"""Opponents by name: pools, families, and Python files of opponents of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.baselines.factory import ANY_GAME_PLAYERS, PREFIXES, player, scripted_players
from econzoo.baselines.pools import FAMILIES, HELD_OUT_FAMILIES, POOLS, TRAINERS, families, find_pools
from econzoo.envs.core import PlayerFile, add_player_file, games, read_text, remove_player_file
from econzoo.envs.core.contract import unknown_name
from econzoo.envs.core.record import split_name

SUFFIX = ".py"
"""Ending of an opponent that is a file."""

MIXED = ("irregular", "switch")
"""Families of a grammar whose members may have the rule of another one."""

_FAMILIES: dict[PlayerFile, Mapping[str, Mapping[str, Sequence[str]]]] = {}

Families = dict[str, Sequence[str]]
"""Specs by family."""


def _is_file(spec: str) -> bool:
    return spec.endswith(SUFFIX) and split_name(spec).spec.partition(":")[0] not in PREFIXES


def is_pool_name(game: str, name: str) -> bool:
    """Whether an opponent is the name of a training pool or a family."""
    return name in TRAINERS or name in families(game)


def group_by_family(game: str, specs: Iterable[str], table: str = FAMILIES) -> Families:
    """Group opponents by family; a pool or a player is a group of its own.

    A Python file of opponents is run, so it must come from the person who asks, never from a record.
    """
    known, kinds = find_pools(game), families(game, table)
    found: Families = {}
    for spec in specs:
        own = _families_of_files(game)
        if _is_file(spec):
            found |= load_opponents(game, spec)
            continue
        if spec in TRAINERS and spec not in known:
            allowed = ", ".join(name for name in TRAINERS if name in known) or "specs"
            raise ValueError(f"invalid opponent={spec!r}: {game} has no such pool; expected {allowed}")
        if spec not in kinds and spec in families(game, HELD_OUT_FAMILIES):
            problem = f"invalid opponent={spec!r}: this family is held out for evaluation"
            raise ValueError(f"{problem}; expected specs, pools, or {', '.join(kinds)}")
        if spec == FAMILIES:
            found |= kinds
        elif spec == "wide":
            found[spec] = [*known.get("training", ()), *known[spec]]
        else:
            found[spec] = kinds.get(spec) or own.get(spec) or (known[spec] if spec in TRAINERS else [spec])
    return found


def members(game: str, specs: Iterable[str], table: str = FAMILIES) -> list[str]:
    """Expand the names of training pools, families and files in a list of specs."""
    return [one for spec in specs for group in group_by_family(game, [spec], table).values() for one in group]


def members_left_out(game: str, names: Iterable[str]) -> set[str]:
    """Return the training opponents of families, and of those whose members may have their rules."""
    kinds, away = families(game), set(names)
    for name in names:
        if name not in (allowed := [*families(game, HELD_OUT_FAMILIES)]):
            raise ValueError(unknown_name("family", name, allowed, f" in {game}"))
    generated = {name for name, specs in kinds.items() if any(spec.startswith("generated") for spec in specs)}
    away |= {*MIXED} & generated if away & (generated - {*MIXED}) else set()
    return {spec for name in away for spec in kinds.get(name, ())}


# Files


def _families_of_files(game: str) -> dict[str, Sequence[str]]:
    return {name: specs for found in _FAMILIES.values() for name, specs in found.get(game, {}).items()}


def load_files(game: str, specs: Iterable[str]) -> list[str]:
    """Expand the names of files, and of their families, in a list of specs; other groups stay names."""
    return [
        one
        for spec in specs
        for one in (members(game, [spec]) if _is_file(spec) else _families_of_files(game).get(spec, [spec]))
    ]


def pin_files(game: str, specs: Iterable[str]) -> list[str]:
    """Load the files among opponents, and return each as ``PATH@SHA256``; with another hash it is refused."""
    found: dict[str, str] = {}
    for spec in specs:
        path, at, digest = spec.rpartition("@")
        path = path if at and _is_file(path) else spec
        if _is_file(path):
            load_opponents(game, path)
            now = next(file.digest for file in _FAMILIES if file.path == path)
            if path != spec and digest != now:
                raise ValueError(f"{path} has changed: its SHA-256 was {digest[:12]}..., and is {now[:12]}...")
            found[path] = f"{path}@{now}"
    return [*found.values()]


def load_opponents(game: str, path: str) -> Families:
    """Run a Python file of opponents, register its players, and return its families of a game.

    It defines ``PLAYERS = {game: {name: Class}}``, whose classes are called with (spec, *arguments), and
    ``FAMILIES = {game: {family: [spec, ...]}}``.

    Raises:
        ValueError: The file cannot be run, lacks tables, has a name that is taken or a spec without a player, or has no
            families of the game.
    """
    file = PlayerFile(path, read_text(Path(path).expanduser()))
    if file not in _FAMILIES:
        try:
            _FAMILIES[file] = _check_tables(file)
        except Exception as error:
            remove_player_file(file)
            told = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise ValueError(f"{path}: {told}") from error
    found = _FAMILIES[file].get(game)
    if not found:
        raise ValueError(f"{path}: no families of {game}; it has those of {', '.join(_FAMILIES[file]) or 'no game'}")
    return dict(found)


def _check_tables(file: PlayerFile) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Register the players of a file and return its families."""
    taken = {game: {*scripted_players(game)} for game in games()}
    module = add_player_file(file)
    tables: list[Any] = [getattr(module, name, None) for name in ("PLAYERS", "FAMILIES")]
    for table in tables:
        if not isinstance(table, dict) or not all(isinstance(one, dict) for one in table.values()):
            raise ValueError("expected PLAYERS = {game: {name: Class}} and FAMILIES = {game: {family: [spec, ...]}}")
        for game, own in table.items():
            if game not in taken:
                raise ValueError(unknown_name("game", game, games()))
            groups = {*families(game), *families(game, HELD_OUT_FAMILIES), *_families_of_files(game)}
            for name in own:
                if name in (*taken[game], *groups, *ANY_GAME_PLAYERS, *PREFIXES, *POOLS, *TRAINERS):
                    raise ValueError(f"the name {name!r} is taken in {game}")
    for game, own in tables[1].items():
        for family, specs in own.items():
            if not isinstance(specs, (list, tuple)) or not specs:
                raise ValueError(f"invalid family {family!r}: expected a list of specs")
            for spec in specs:
                try:
                    player(spec, game)
                except Exception as error:
                    raise ValueError(f"family {family!r} of {game}: {spec!r}: {error}") from error
    return tables[1]  # type: ignore[no-any-return]
