"""``econzoo status``: progress of runs and trainings, read from their folders while others write."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from econzoo.baselines import POLICY, read_metadata
from econzoo.envs.command_line import CONFIG_FILE, command
from econzoo.envs.core import escape_name, read_text
from econzoo.envs.core.contract import Flag, ListOf, Option, Text, check_options, parse_toml
from econzoo.envs.core.record import RECORD_SUFFIX, is_compressed, read_lines, record_paths
from econzoo.evaluate.analyses import read_curve
from econzoo.evaluate.run import CURVE, FAILED, MANIFEST, MAX_TRIES, RunStart, failed_matches, find_line_id, read_design
from econzoo.evaluate.run import read_run_start
from econzoo.evaluate.show import COUNT, SHARE, TEXT, Column, Table, format_duration, show, undefined_to_none

MIN_SECONDS = 0.5
"""Minimum seconds of work for a speed estimate."""


class FolderStatus(NamedTuple):
    """Progress of one folder.

    Attributes:
        planned: Number of planned matches, or of the learner's moves.
        failed: Number of matches that failed and were not completed since.
        given_up: Number of failed matches that are not retried.
        new: Number completed since the start of the last command.
        began: Start of the last command, in seconds since 1970; NaN: unknown.
        last: Time of the last completion; NaN: none.
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
        """Number still to be done."""
        return max(0, self.planned - self.done - self.given_up)

    @property
    def work_seconds(self) -> float:
        """Seconds from the start of the last command to the last completion; NaN: unknown."""
        return self.last - self.began

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        speed, left = pace([self])
        derived = {"missing": self.missing, "speed": speed, "seconds_left": left}
        return undefined_to_none({**self._asdict(), **derived})


def pace(parts: Sequence[FolderStatus]) -> tuple[float, float]:
    """Speed per second of work, and remaining seconds at that speed; NaN: unknown."""
    worked = until = 0.0
    busy = sorted((one for one in parts if one.new and one.work_seconds > 0), key=lambda one: one.began)
    # Several commands may write several folders at the same time: common time counts once.
    for one in busy:
        worked += max(0.0, one.last - max(one.began, until))
        until = max(until, one.last)
    speed = sum(one.new for one in busy) / worked if worked >= MIN_SECONDS else math.nan
    missing = sum(one.missing for one in parts)
    return speed, missing / speed if missing else 0.0


def run_status(folder: Path, name: str) -> FolderStatus:
    """Progress of the matches of a design."""
    design, begun = read_design(folder), read_run_start(folder) or RunStart(math.nan, {})
    assert design is not None
    planned = {id for _, id in design.matches_with_ids()}
    done: set[str] = set()
    new = 0
    for path in record_paths(folder):
        at = path.stat().st_size if is_compressed(path) else 0  # compressed files are complete
        for _, line in read_lines(path):
            at += len(line)
            if (id := find_line_id(line, planned)) in planned and id not in done:
                done.add(id)
                # New is what ends beyond the size that the file had when the last command started.
                new += at > begun.sizes.get(path.name, 0)
    failed = [tries for record, tries in failed_matches(folder, done) if record.id in planned]
    last = max(
        (one.stat().st_mtime for end in ("", FAILED) for one in folder.glob(f"*{RECORD_SUFFIX}{end}")), default=math.nan
    )
    given_up = sum(tries >= MAX_TRIES for tries in failed)
    return FolderStatus(name, design.game, len(planned), len(done), len(failed), given_up, new, begun.at, last)


def training_status(folder: Path, name: str) -> FolderStatus | None:
    """Progress of a training; None if its recipe gives no number of moves."""
    given: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        given = parse_toml(read_text(folder / CONFIG_FILE))
    if not isinstance(given.get("timesteps"), int):
        return None
    began = (folder / CONFIG_FILE).stat().st_mtime
    checkpoints = [*_checkpoint_moves(folder)]
    done, last = max(checkpoints, default=(0, math.nan))
    # A resumed training continues from the last checkpoint before its start.
    previous = max((moves for moves, at in checkpoints if at < began), default=0)
    return FolderStatus(name, str(given.get("game", "")), given["timesteps"], done, 0, 0, done - previous, began, last)


def _checkpoint_moves(folder: Path) -> Iterator[tuple[int, float]]:
    """Moves and time of each file of a training that records them."""
    for path in (folder / "checkpoints").glob("*.zip"):
        if path.stem.isdecimal():
            yield int(path.stem), path.stat().st_mtime
    # Files of a training in progress may be missing or half written.
    with suppress(OSError, ValueError):
        yield read_metadata(folder / POLICY)["timesteps"], (folder / POLICY).stat().st_mtime
    with suppress(OSError, ValueError):
        every = [point.step for points in read_curve(folder / CURVE).series.values() for point in points]
        yield int(max(every)), (folder / CURVE).stat().st_mtime


def folder_statuses(folder: Path) -> tuple[list[FolderStatus], list[FolderStatus]]:
    """Progress of the runs and trainings in a folder and its subfolders."""
    places = sorted({path.parent for name in (MANIFEST, CONFIG_FILE) for path in folder.rglob(name)})
    names = {path: escape_name(path.relative_to(folder) if path != folder else path.name) for path in places}
    runs = [run_status(path, name) for path, name in names.items() if (path / MANIFEST).is_file()]
    trainings = [one for path, name in names.items() if (one := training_status(path, name))]
    if not runs and not trainings:
        what = "no run or training" if folder.is_dir() else "no such folder"
        raise FileNotFoundError(f"{folder}: {what}; expected the --out of econzoo run, evaluate or train ppo")
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
    Column("last", "last", kind=TEXT),
    Column("left", "time left", kind=TEXT),
]

SPEED = "Per second: from the start of the last command to the last completion."

GIVEN_UP_NOTE = f"Given up: failed {MAX_TRIES} times, not retried."


def tables(folder: Path, now: float) -> Iterator[Table]:
    """Tables of `folder_statuses`: one row per folder and a total."""
    for parts, key, counted in zip(folder_statuses(folder), ("runs", "trainings"), ("matches", "moves"), strict=True):
        rows = [[one.folder, one.what, *_cells([one], now)] for one in parts]
        if len(parts) > 1:
            rows.append(["total", "", *_cells(parts, now)])
        heads = {"planned": counted, "what": "game"}
        columns = [replace(one, head=heads.get(one.key, one.head)) for one in COLUMNS]
        note = f"{SPEED} {GIVEN_UP_NOTE}" if any(one.given_up for one in parts) else SPEED
        yield Table(key, f"{escape_name(folder)}: {key}", columns, rows, note)


def _cells(parts: Sequence[FolderStatus], now: float) -> list[Any]:
    """Cells after folder and game; zero counts of failures are left empty."""
    planned, done, missing, failed, given_up = (
        sum(getattr(one, name) for one in parts) for name in ("planned", "done", "missing", "failed", "given_up")
    )
    speed, left = pace(parts)
    last = max((one.last for one in parts if not math.isnan(one.last)), default=None)
    when = "" if last is None else f"{format_duration(max(0.0, now - last))} ago"
    remaining = "" if math.isnan(left) else format_duration(left) if missing else "none"
    return [planned, done, done / planned, missing, failed or None, given_up or None, speed, when, remaining]


@dataclass
class StatusOptions:
    """Show the progress of runs and trainings: done, missing, failed, speed, time left (read-only).

    Examples: econzoo status runs/first | econzoo status runs/standard | econzoo status runs/ppo --json

    Raises:
        ValueError: An invalid value.
    """

    folders: Annotated[list[str], Option(ListOf(Text(), 1), "Folders of runs, suites or trainings.", positional=True)]
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def run(options: StatusOptions) -> str:
    folders = [Path(folder) for folder in options.folders]
    if options.json:
        statuses = [one.to_dict() for folder in folders for parts in folder_statuses(folder) for one in parts]
        return json.dumps(statuses, indent=2)
    for folder in folders:
        show(tables(folder, time.time()))
    return ""


main = command(StatusOptions, run)
