"""What a trained player has met: the settings, opponents and seats that its trainer wrote down beside it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines.policy_files import read_metadata
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity, split_name
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.settings import settings_collection
from econzoo.evaluate.show.parts import COUNT, TEXT, Column, Table

TRAINING = "training.json"
"""What the trainers of language models write beside a checkpoint."""

DRAWS = 1000
"""Settings drawn from a distribution to see whether it gives one."""

MATCH, OPPONENT, SETTING, NOTHING = "match", "opponent", "setting", "nothing"
"""What of a match was met in training: all of it, seat included; or only the opponents, only the setting, neither."""


@dataclass(frozen=True)
class TrainingExposure:
    """What a training has met. Any of its opponents may have been met in any of its settings and seats.

    Attributes:
        game: Name.
        opponents: Specs.
        seats: Of the learner.
        settings: Parameters that were fixed or drawn.
        markets: Names of the distributions that settings were drawn from, if these are not listed.
        seeds: Of the training runs.
    """

    game: str
    opponents: list[str]
    seats: list[int]
    settings: list[dict[str, Any]]
    markets: list[str]
    seeds: list[int]

    @classmethod
    def from_matches(
        cls, game: str, opponents: Iterable[str], seats: Iterable[int], settings: Iterable[Mapping[str, Any]], seed: int
    ) -> TrainingExposure:
        """Of matches that are listed; each opponent, seat and setting once."""
        return cls(game, _unique(opponents), _unique(seats), _unique(map(to_plain, settings)), [], [seed])

    def plain(self) -> dict[str, Any]:
        """As JSON can keep it."""
        return to_plain(asdict(self))

    def merge(self, earlier: TrainingExposure | None) -> TrainingExposure:
        """With what an earlier training of the same player has met."""
        if earlier is None or earlier.game != self.game:
            return self
        lists = {
            name: _unique([*getattr(earlier, name), *value]) for name, value in asdict(self).items() if name != "game"
        }
        return TrainingExposure(self.game, **lists)

    def classify_match(self, params: Mapping[str, Any], opponents: Iterable[str], seat: int) -> str:
        """What of a match was met: `MATCH`, `OPPONENT`, `SETTING_FIELDS` or `NOTHING`."""
        known = {identity(spec) for spec in self.opponents}
        others = all(identity(spec) in known for spec in opponents)
        setting = setting_text(self.game, params)
        if setting not in self._fixed_settings and not any(
            setting in distribution_settings(self.game, one) for one in self.markets
        ):
            return OPPONENT if others else NOTHING
        return (MATCH if seat in self.seats else OPPONENT) if others else SETTING

    @cached_property
    def _fixed_settings(self) -> set[str]:
        return {setting_text(self.game, one) for one in self.settings}


def _unique(values: Iterable[Any]) -> list[Any]:
    return list({json.dumps(one, sort_keys=True): one for one in values}.values())


def setting_text(game_name: str, params: Mapping[str, Any]) -> str:
    """All parameters of a setting, those left out too, as text: equal settings have equal ones."""
    return json.dumps(to_plain(find_game(game_name).params(**params)[0]), sort_keys=True)


@cache
def distribution_settings(game_name: str, distribution: str) -> frozenset[str]:
    """The settings of a distribution: all that are listed, else `DRAWS` that are drawn; or the one of this name."""
    game, rng = find_game(game_name), np.random.default_rng(0)
    listed = [one.params for one in settings_collection(game, distribution)]
    return frozenset(
        setting_text(game_name, one) for one in listed or [game.sample(distribution, rng) for _ in range(DRAWS)]
    )


def read_training_record(spec: str) -> dict[str, Any]:
    """What is written down of the training of a player; nothing if it was not trained here.

    Raises:
        FileNotFoundError: No such policy file.
        ValueError: What is written there is damaged.
    """
    prefix, _, rest = split_name(spec).spec.partition(":")
    path = Path(rest.partition("?")[0]).expanduser()
    if prefix == "ppo":
        return read_metadata(path)
    if prefix == "hf" and (path / TRAINING).is_file():
        found = parse_json(read_text(path / TRAINING, LARGE_FILE_BYTES))
        return found if isinstance(found, dict) else {}
    return {}


def read_exposure(spec: str) -> TrainingExposure | None:
    """What the player of a spec has met in training; None if it was not trained here, or before this was written down.

    Raises:
        FileNotFoundError: No such policy file.
        ValueError: What is written there is damaged.
    """
    found = read_training_record(spec).get("met")
    try:
        return None if found is None else TrainingExposure(**found)
    except TypeError:
        raise ValueError(
            f"{spec}: what was met in training is damaged; allowed: {', '.join(TrainingExposure.__annotations__)}"
        ) from None


Cells = dict[tuple[str, str], Counter[str]]
"""Matches by what of them was met, for every opponent (joined if there are several) and setting."""

NOTE = (
    "match: against this opponent, in this setting and seat; opponent, setting: only that; nothing: neither. A match "
    "counts as met if training could have drawn it."
)


def exposure_cells(specs: Iterable[str], records: Sequence[Record]) -> Cells:
    """What of their matches trained players have met in training; empty if that is not known."""
    found = Cells()
    known = {identity(spec): met for spec in specs if (met := read_exposure(spec)) is not None}
    for record in records:
        for seat, met in [
            (at, known[identity(who)]) for at, who in enumerate(record.players) if identity(who) in known
        ]:
            others = record.players[:seat] + record.players[seat + 1 :]
            key = " + ".join(sorted(set(others))), json.dumps(to_plain(record.params), sort_keys=True)
            found.setdefault(key, Counter())[met.classify_match(record.params, others, seat)] += 1
    return found


def plain_cells(found: Cells) -> list[dict[str, Any]]:
    """For JSON: a row for each opponent and setting."""
    return [
        {"opponent": opponent, "setting": json.loads(setting), "matches": dict(counts)}
        for (opponent, setting), counts in found.items()
    ]


def exposure_table(found: Cells) -> Table:
    """For the terminal: a row for each opponent."""
    kinds = (MATCH, OPPONENT, SETTING, NOTHING)
    met = {one: sum((counts for (who, _), counts in found.items() if who == one), Counter()) for one, _ in found}
    columns = [Column("against", kind=TEXT), *(Column(kind, kind=COUNT) for kind in kinds)]
    rows = [[one, *(counts[kind] for kind in kinds)] for one, counts in met.items()]
    return Table("met_in_training", "Matches by what was met in training", columns, rows, NOTE)
