"""``econzoo status``: how far runs and trainings are, by what lies in their folders; whoever writes there goes on."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from econzoo.baselines.policy_files import POLICY, read_metadata
from econzoo.envs.command_line import CONFIG_FILE, command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, ListOf, Text
from econzoo.envs.core.contract.validation import parse_toml
from econzoo.envs.core.files import escape_name, read_text
from econzoo.envs.core.record.lines import RECORD_SUFFIX, is_compressed, read_lines, record_paths
from econzoo.evaluate.analyses.learning_curve import read_curve
from econzoo.evaluate.run.design import read_design
from econzoo.evaluate.run.failures import MAX_TRIES, failed_matches
from econzoo.evaluate.run.folder import CURVE, FAILED, MANIFEST, RunStart, find_line_id, read_run_start
from econzoo.evaluate.show.numbers import format_duration, undefined_to_none
from econzoo.evaluate.show.parts import COUNT, SHARE, TEXT, Column, Table
from econzoo.evaluate.show.terminal import show

MIN_SECONDS = 0.5
"""Seconds of work from which a speed is told."""


class FolderStatus(NamedTuple):
    """How far one folder is.

    Attributes:
        folder: Its name.
        what: Game.
        planned: Matches, or moves of the learner.
        done: Of them.
        failed: Matches that have failed and not ended since.
        given_up: Of them, those that are not played again.
        new: Done since the last command began there.
        began: When it did, in seconds since 1970; NaN: not known.
        last: When something was done for the last time; NaN: never.
    """

    folder: str
    what: str
    planned: int
    done: int
    failed: int = 0
    given_up: int = 0
    new: int = 0
    began: float = math.nan
    last: float = math.nan

    @property
    def missing(self) -> int:
        """What is still to be done."""
        return max(0, self.planned - self.done - self.given_up)

    @property
    def work_seconds(self) -> float:
        """Seconds from the beginning of the last command to what was done last; NaN: not known."""
        return self.last - self.began

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        speed, left = pace([self])
        more = {"missing": self.missing, "speed": speed, "seconds_left": left}
        return undefined_to_none({**self._asdict(), **more})


def pace(parts: Sequence[FolderStatus]) -> tuple[float, float]:
    """How much is done in a second while anything is, and how many seconds are left at that speed; NaN: not known."""
    worked = until = 0.0
    busy = sorted((one for one in parts if one.new and one.work_seconds > 0), key=lambda one: one.began)
    for one in busy:
        worked += max(0.0, one.last - max(one.began, until))
        until = max(until, one.last)
    speed = sum(one.new for one in busy) / worked if worked >= MIN_SECONDS else math.nan
    missing = sum(one.missing for one in parts)
    return speed, missing / speed if missing else 0.0


def run_status(folder: Path, name: str) -> FolderStatus:
    """How far the matches of a design are."""
    design, begun = read_design(folder), read_run_start(folder) or RunStart(math.nan, {})
    assert design is not None
    planned = {id for _, id in design.matches_with_ids()}
    done: set[str] = set()
    new = 0
    for path in record_paths(folder):
        at = path.stat().st_size if is_compressed(path) else 0  # nobody adds to it
        for _, line in read_lines(path):
            at += len(line)
            if (id := find_line_id(line, planned)) in planned and id not in done:
                done.add(id)
                new += at > begun.sizes.get(path.name, 0)
    failed = [tries for record, tries in failed_matches(folder, done) if record.id in planned]
    last = max(
        (one.stat().st_mtime for end in ("", FAILED) for one in folder.glob(f"*{RECORD_SUFFIX}{end}")), default=math.nan
    )
    given_up = sum(tries >= MAX_TRIES for tries in failed)
    return FolderStatus(name, design.game, len(planned), len(done), len(failed), given_up, new, begun.at, last)


def training_status(folder: Path, name: str) -> FolderStatus | None:
    """How far a training is whose recipe says how many moves it takes; None for others."""
    given: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        given = parse_toml(read_text(folder / CONFIG_FILE))
    if not isinstance(given.get("timesteps"), int):
        return None
    began = (folder / CONFIG_FILE).stat().st_mtime
    kept = [*_checkpoint_moves(folder)]
    done, last = max(kept, default=(0, math.nan))
    before = max((moves for moves, at in kept if at < began), default=0)
    return FolderStatus(name, str(given.get("game", "")), given["timesteps"], done, 0, 0, done - before, began, last)


def _checkpoint_moves(folder: Path) -> Iterator[tuple[int, float]]:
    """Moves and time of each file of a training that says how many there were."""
    for path in (folder / "checkpoints").glob("*.zip"):
        if path.stem.isdecimal():
            yield int(path.stem), path.stat().st_mtime
    with suppress(OSError, ValueError):
        yield read_metadata(folder / POLICY)["timesteps"], (folder / POLICY).stat().st_mtime
    with suppress(OSError, ValueError):
        every = [point.step for points in read_curve(folder / CURVE).series.values() for point in points]
        yield int(max(every)), (folder / CURVE).stat().st_mtime


def folder_statuses(folder: Path) -> tuple[list[FolderStatus], list[FolderStatus]]:
    """How far everything in a folder and below it is: runs and trainings.

    Raises:
        FileNotFoundError: There is no such folder, or neither a design nor a training in it.
    """
    places = sorted({path.parent for name in (MANIFEST, CONFIG_FILE) for path in folder.rglob(name)})
    names = {path: escape_name(path.relative_to(folder) if path != folder else path.name) for path in places}
    runs = [run_status(path, name) for path, name in names.items() if (path / MANIFEST).is_file()]
    trainings = [one for path, name in names.items() if (one := training_status(path, name))]
    if not runs and not trainings:
        what = "neither a run nor a training" if folder.is_dir() else "no such folder"
        raise FileNotFoundError(f"{folder}: {what}; allowed: the --out of econzoo run, evaluate or train ppo")
    return runs, trainings


COLUMNS = [
    Column("folder", kind=TEXT),
    Column("what", kind=TEXT),
    Column("planned", kind=COUNT),
    Column("done", kind=COUNT),
    Column("share_done", "%", kind=SHARE),
    Column("missing", kind=COUNT),
    Column("failed", kind=COUNT),
    Column("given_up", kind=COUNT),
    Column("speed", "per second", digits=1),
    Column("last", "last one", kind=TEXT),
    Column("left", "time left", kind=TEXT),
]

SPEED = "Per second: since the last command began there, up to the last one."

GIVEN_UP_NOTE = f"Given up: failed {MAX_TRIES} times, not played again."


def tables(folder: Path, now: float) -> Iterator[Table]:
    """What `standings` says, a row for each folder and one for all."""
    for parts, key, counted in zip(folder_statuses(folder), ("runs", "trainings"), ("matches", "moves"), strict=True):
        rows = [[one.folder, one.what, *_cells([one], now)] for one in parts]
        if len(parts) > 1:
            rows.append(["all", "", *_cells(parts, now)])
        heads = {"planned": counted, "what": "game"}
        columns = [replace(one, head=heads.get(one.key, one.head)) for one in COLUMNS]
        note = f"{SPEED} {GIVEN_UP_NOTE}" if any(one.given_up for one in parts) else SPEED
        yield Table(key, f"{escape_name(folder)}: {key}", columns, rows, note)


def _cells(parts: Sequence[FolderStatus], now: float) -> list[Any]:
    """The columns behind folder and game; numbers that are 0 everywhere and plain are left out."""
    planned, done, missing, failed, given_up = (
        sum(getattr(one, name) for one in parts) for name in ("planned", "done", "missing", "failed", "given_up")
    )
    speed, left = pace(parts)
    last = max((one.last for one in parts if not math.isnan(one.last)), default=None)
    told = "" if last is None else f"{format_duration(max(0.0, now - last))} ago"
    when = "" if math.isnan(left) else format_duration(left) if missing else "none"
    return [planned, done, done / planned, missing, failed or None, given_up or None, speed, told, when]


@dataclass
class StatusOptions:
    """How far runs and trainings are: done, missing, failed, speed, time left. Reads only, also while others write.

    Examples: econzoo status runs/first | econzoo status runs/standard | econzoo status runs/ppo --json

    Raises:
        ValueError: A value is not allowed.
    """

    folders: Annotated[list[str], Option(ListOf(Text(), 1), "Folders of runs, suites or trainings.", positional=True)]
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def run(options: StatusOptions) -> str:
    """Prints how far the folders are.

    Raises:
        FileNotFoundError: See `standings`.
    """
    folders = [Path(folder) for folder in options.folders]
    if options.json:
        found = [one.to_dict() for folder in folders for parts in folder_statuses(folder) for one in parts]
        return json.dumps(found, indent=2)
    for folder in folders:
        show(tables(folder, time.time()))
    return ""


main = command(StatusOptions, run)
