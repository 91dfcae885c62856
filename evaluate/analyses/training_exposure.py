"""Training exposure of a player: the settings, opponents and seats of its training, as saved by its trainer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines import read_metadata
from econzoo.envs.core import LARGE_FILE_BYTES, check_format, read_text
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import parse_json, to_plain
from econzoo.envs.core.record import Record, identity, split_name
from econzoo.evaluate.run import settings_collection
from econzoo.evaluate.show import COUNT, TEXT, Column, Table

TRAINING = "training.json"
"""File that trainers of language models write beside a checkpoint."""

DRAWS = 1000
"""Samples from a distribution of settings to decide whether it contains one."""

MATCH, OPPONENT, SETTING, NOTHING = "match", "opponent", "setting", "nothing"
"""Part of a match seen in training: all of it, seat included; only the opponents; only the setting; neither."""


@dataclass(frozen=True)
class TrainingExposure:
    """Opponents, settings and seats of a training, in any combination.

    Attributes:
        seats: Seats of the learner.
        settings: Parameters of fixed or listed settings.
        distributions: Names of the distributions of unlisted settings.
        seeds: Seeds of the training runs.
    """

    game: str
    opponents: list[str]
    seats: list[int]
    settings: list[dict[str, Any]]
    distributions: list[str]
    seeds: list[int]

    @classmethod
    def from_matches(
        cls, game: str, opponents: Iterable[str], seats: Iterable[int], settings: Iterable[Mapping[str, Any]], seed: int
    ) -> TrainingExposure:
        """Build the exposure of listed matches, with each opponent, seat and setting once."""
        return cls(game, _unique(opponents), _unique(seats), _unique(map(to_plain, settings)), [], [seed])

    def plain(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return to_plain(asdict(self))

    def merge(self, start: TrainingExposure | None) -> TrainingExposure:
        """Merge with the exposure of the training that it starts from."""
        if start is None or start.game != self.game:
            return self
        lists = {
            name: _unique([*getattr(start, name), *value]) for name, value in asdict(self).items() if name != "game"
        }
        return TrainingExposure(self.game, **lists)

    def classify_match(self, params: Mapping[str, Any], opponents: Iterable[str], seat: int) -> str:
        """Return the part of a match seen in training: `MATCH`, `OPPONENT`, `SETTING` or `NOTHING`."""
        known = {identity(spec) for spec in self.opponents}
        has_opponents = all(identity(spec) in known for spec in opponents)
        setting = setting_text(self.game, params)
        if setting not in self._fixed_settings and not any(
            setting in distribution_settings(self.game, one) for one in self.distributions
        ):
            return OPPONENT if has_opponents else NOTHING
        return (MATCH if seat in self.seats else OPPONENT) if has_opponents else SETTING

    @cached_property
    def _fixed_settings(self) -> set[str]:
        return {setting_text(self.game, one) for one in self.settings}


def _unique(values: Iterable[Any]) -> list[Any]:
    return list({json.dumps(one, sort_keys=True): one for one in values}.values())


def setting_text(game_name: str, params: Mapping[str, Any]) -> str:
    """Return all parameters of a setting, defaults included, as canonical text."""
    return json.dumps(to_plain(find_game(game_name).params(**params)[0]), sort_keys=True)


@cache
def distribution_settings(game_name: str, distribution: str) -> frozenset[str]:
    """Return the listed settings of a collection, the setting of this name, or `DRAWS` samples of a distribution."""
    game, rng = find_game(game_name), np.random.default_rng(0)
    listed = [one.params for one in settings_collection(game, distribution)]
    return frozenset(
        setting_text(game_name, one) for one in listed or [game.sample(distribution, rng) for _ in range(DRAWS)]
    )


def read_training_record(spec: str) -> dict[str, Any]:
    """Read the training record of a player; empty if it was not trained by EconZoo."""
    prefix, _, rest = split_name(spec).spec.partition(":")
    path = Path(rest.partition("?")[0]).expanduser()
    if prefix == "ppo":
        return read_metadata(path)
    if prefix == "hf" and (path / TRAINING).is_file():
        return read_training(path)
    return {}


def read_training(folder: Path) -> dict[str, Any]:
    """Read the file `TRAINING` of a folder."""
    file = folder / TRAINING
    training = parse_json(read_text(file, LARGE_FILE_BYTES))
    if not isinstance(training, dict):
        raise ValueError(f"{file} has type {type(training).__name__}, expected an object")
    check_format(str(file), training.get("format"))
    return training


def read_exposure(spec: str) -> TrainingExposure | None:
    """Read the training exposure of a player; None if it has no record of one."""
    exposure = read_training_record(spec).get("training_exposure")
    try:
        return None if exposure is None else TrainingExposure(**exposure)
    except TypeError:
        raise ValueError(
            f"{spec}: invalid training exposure: expected the fields {', '.join(TrainingExposure.__annotations__)}"
        ) from None


Cells = dict[tuple[str, str], Counter[str]]
"""Counts of matches by part seen in training, for every opponent (joined if there are several) and setting."""

NOTE = (
    "Match: opponent, setting and seat seen in training; opponent, setting: only that; nothing: neither. A match "
    "counts as seen if training could have sampled it."
)


def exposure_cells(specs: Iterable[str], records: Sequence[Record]) -> Cells:
    """Count matches of trained players by part seen in training; empty if no exposure is known."""
    found = Cells()
    known = {identity(spec): exposure for spec in specs if (exposure := read_exposure(spec)) is not None}
    for record in records:
        for seat, exposure in [
            (at, known[identity(who)]) for at, who in enumerate(record.players) if identity(who) in known
        ]:
            others = record.players[:seat] + record.players[seat + 1 :]
            key = " + ".join(sorted(set(others))), json.dumps(to_plain(record.params), sort_keys=True)
            found.setdefault(key, Counter())[exposure.classify_match(record.params, others, seat)] += 1
    return found


def plain_cells(found: Cells) -> list[dict[str, Any]]:
    """Return JSON rows, one per opponent and setting."""
    return [
        {"opponent": opponent, "setting": json.loads(setting), "matches": dict(counts)}
        for (opponent, setting), counts in found.items()
    ]


def exposure_table(found: Cells) -> Table:
    """Return a table with one row per opponent."""
    kinds = (MATCH, OPPONENT, SETTING, NOTHING)
    totals = {one: sum((counts for (name, _), counts in found.items() if name == one), Counter()) for one, _ in found}
    columns = [Column("opponent", "against", TEXT), *(Column(kind, kind=COUNT) for kind in kinds)]
    rows = [[one, *(counts[kind] for kind in kinds)] for one, counts in totals.items()]
    return Table("training_exposure", "Matches by training exposure", columns, rows, NOTE)
