"""Collections of recorded matches for analyses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.record import SERVER_PREFIXES, Record, RecordFile, identity, split_name
from econzoo.evaluate.run.design import Design, read_design
from econzoo.evaluate.run.folder import CURVE, MANIFEST, DuplicateRecords, UnreadableLine, read_folder, record_files
from econzoo.evaluate.run.replay import plausibility_error, replay_error
from econzoo.evaluate.run.table import EnvPool

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Record", "RecordFile", "Records", "read_records"]

ALL, SOME, NONE = "all", "some", "none"
"""Which matches are replayed when records are read."""

ALWAYS_REPLAYED, SAMPLE_INTERVAL = 2_000, 16
"""`SOME` replays the first `ALWAYS_REPLAYED` matches, then one in `SAMPLE_INTERVAL`: ids that end in 0."""


MATCH_COLUMNS = ("game", "players", "seed", "status", "payoffs", "metrics.efficiency", "metrics.fairness", "turns")
NOTEBOOK_ROWS = 20

SERVED = ("http", *SERVER_PREFIXES)
"""Prefixes of players whose matches end in the order of the replies."""


def is_sampled(place: int, id: str) -> bool:
    """Whether a match is replayed under `SOME`.

    Args:
        place: Index of the match, from 0.
    """
    return place < ALWAYS_REPLAYED or id.endswith("0")


@dataclass(frozen=True)
class Records(Sequence[Record]):
    """Recorded matches without duplicates, and what could not be read.

    Attributes:
        records: The matches.
        folder: Their folder or file; analyses write their results there by default.
        unreadable: Invalid lines, and failed matches.
        duplicates: Records left out because a preceding one has the same id.
        replay_mode: Which matches were replayed; those that do not replay are left out.
    """

    records: Sequence[Record]
    folder: Path = Path()
    unreadable: Sequence[UnreadableLine] = ()
    duplicates: DuplicateRecords = field(default_factory=DuplicateRecords)
    replay_mode: str = NONE

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        """Return a match, or several."""
        return self.records[at]

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        """Iterate over the matches."""
        return iter(self.records)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each match: parameters as ``params.delta``, metrics as ``metrics.gains``; turns are counted.

        Lists have an item for each seat.
        """
        import pandas as pd

        # Turns that were left out would be played again for each record that is asked for all of its fields.
        names = [name for name in Record.__dataclass_fields__ if name not in ("turns", "chance")]
        counts = [one.left_out["turns"] if one.left_out else len(one.turns) for one in self.records]
        rows = [{name: getattr(one, name) for name in names} for one in self.records]
        return pd.json_normalize([{**row, "turns": count} for row, count in zip(rows, counts, strict=True)])

    def _repr_html_(self) -> str:
        """The matches in a notebook."""
        return str(self.to_pandas().reindex(columns=MATCH_COLUMNS).to_html(max_rows=NOTEBOOK_ROWS))

    @property
    def place(self) -> Path:
        """Folder of the records."""
        return self.folder.parent if self.folder.is_file() else self.folder

    @property
    def games(self) -> list[str]:
        """Names of the games, in the order of their first match."""
        return list(dict.fromkeys(record.game for record in self))

    @cached_property
    def designs(self) -> list[Design]:
        """Design of the folder, or those of the folders below it; empty if they do not cover the records."""
        top = (self.folder / MANIFEST).is_file()
        places = [self.folder] if top else sorted(path.parent for path in self.folder.rglob(MANIFEST))
        found = [design for design in map(read_design, places) if design is not None]
        games = self.games or [design.game for design in found]
        found = [design for design in found if design.game in games]
        # Records may be added from elsewhere: with other players than those of the designs, these describe only a part.
        known = {identity(name) for design in found for name in design.names()}
        covered = len({*games}) == 1 and known.issuperset(
            map(identity, {spec for record in self for spec in record.players})
        )
        return found if covered else []

    @cached_property
    def design(self) -> Design | None:
        """One design with all players and settings, for names and comparisons; its length is meaningless."""
        if not self.designs:
            return None
        players = tuple(dict.fromkeys(name for design in self.designs for name in design.players))
        opponents = tuple(dict.fromkeys(name for design in self.designs for name in design.opponents))
        settings = tuple({setting.name: setting for design in self.designs for setting in design.settings}.values())
        return replace(self.designs[0], players=players, opponents=opponents, settings=settings)

    def filter(self, is_wanted: Callable[[Record], bool]) -> Records:
        """Select matches."""
        return replace(self, records=[record for record in self if is_wanted(record)])

    def verify(self, mode: str = ALL) -> Records:
        """Replay matches and move those that do not replay to `unreadable`.

        Args:
            mode: `ALL` or `SOME`.
        """
        done = (
            not self.records
            or self.replay_mode in (ALL, mode)
            # Of so few matches, `SOME` has replayed all.
            or (self.replay_mode == SOME and len(self) <= ALWAYS_REPLAYED)
        )
        return self if done else read_records(self.folder, mode)


@check_arguments
def read_records(folder: str | Path, replay_mode: str = NONE) -> Records:
    """Read the records of a folder or file.

    Args:
        folder: See `econzoo.evaluate.run.folder.record_files`.
        replay_mode: Which matches are replayed, and left out if they do not replay: `ALL`, `SOME` or `NONE`. Others get
            a fast check of plausibility.

    Raises:
        FileNotFoundError: There are no records, nor learning curves, whose folder may have no records.
        ValueError: No line is a valid record.
    """
    repeats = DuplicateRecords()
    try:
        doubts: dict[str, Callable[[Record], str | None]] = {
            ALL: partial(replay_error, pool=EnvPool()),
            SOME: _SampledReplay(),
            NONE: plausibility_error,
        }
        records, bad = read_folder(folder, doubts[replay_mode], repeats)
    except FileNotFoundError:
        if not any(Path(folder).rglob(CURVE)):
            raise
        return Records([], Path(folder))
    if not records and bad:
        raise ValueError(f"no valid record: {bad[0]}")
    return Records(_in_order_of_designs(records, folder), Path(folder), bad, repeats, replay_mode)


def _in_order_of_designs(records: Sequence[Record], folder: str | Path) -> Sequence[Record]:
    """Return records with those of designs with served players in the order of these; others keep their places.

    Matches of served players end in any order, and tables have rows in the order of the records.
    """
    places: dict[str, int] = {}
    for place in dict.fromkeys(path.parent for path in record_files(folder)):
        # An invalid manifest is reported where it is needed.
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            design = read_design(place)
            if design and any(split_name(spec).spec.partition(":")[0] in SERVED for spec in design.names()):
                for _, id in design.matches_with_ids():
                    places.setdefault(id, len(places))
    if not places:
        return records
    planned = [record for record in records if record.id in places]
    ordered = iter(sorted(planned, key=lambda record: places[record.id]))
    return [next(ordered) if record.id in places else record for record in records]


class _SampledReplay:
    """Replays `SOME` of a sequence of records."""

    def __init__(self) -> None:
        self._pool, self._seen = EnvPool(), 0

    def __call__(self, record: Record) -> str | None:
        self._seen += 1
        if is_sampled(self._seen - 1, record.id):
            return replay_error(record, pool=self._pool)
        return plausibility_error(record)
