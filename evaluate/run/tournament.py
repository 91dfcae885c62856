"""Tournaments: cross-play of any players over markets and seeds, that can be stopped at any time.

    design = new_design("bargaining", ["spe", "fair", "boulware(0.2)"], settings=["default"], seeds=100)
    run(design, "runs/first", jobs=2)

Records are appended as matches end. Started again, `run` plays what is missing, whatever stopped it before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from math import ceil
from pathlib import Path
from types import NoneType

from econzoo.baselines.player import Player
from econzoo.envs.core.contract.validation import check_type, parse_json
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.budget import count_earlier_costs, must_run_locally
from econzoo.evaluate.run.cost_estimate import iterate_confirmed_matches
from econzoo.evaluate.run.design import Design, check_design, new_design, write_design
from econzoo.evaluate.run.engine import Engine, current_engine
from econzoo.evaluate.run.failures import NoneEndedError, defer_error, exhausted_ids, open_run, report_failures
from econzoo.evaluate.run.folder import read_line_id, recorded_lines
from econzoo.evaluate.run.match import (
    CHUNK,
    CONCURRENT,
    PATIENCE,
    PlayerCache,
    chunks,
    group_by_setting,
    has_no_batched_player,
    play_for_seconds,
    play_together,
)
from econzoo.evaluate.run.processes import LocalWorker
from econzoo.evaluate.run.progress import exit_on_interrupt, progress_bar
from econzoo.evaluate.run.records import is_sampled
from econzoo.evaluate.run.replay import replay
from econzoo.evaluate.run.table import EnvPool, Match
from econzoo.evaluate.run.workers import Chunk, play_chunks

MIN_MATCHES_PER_PROCESS = 400
"""Matches below which another process costs more time than it saves."""

REMOTE_CHUNK = 256
"""Matches of scripted players that a worker on another machine is given at a time."""

MIN_CHUNKS_PER_WORKER = 4
"""Chunks for each worker on another machine at least, if there are enough matches; so that it matters little which ends
last, and that at the end of each of them there are fewer and fewer models to ask at once."""

ALLOWED_DESIGN = "a design, as new_design makes it"

Shard = tuple[int, int]
"""(i, n): the part i of n, counted from 0."""

ProgressCallback = Callable[[int], None]
"""Called with the number of matches that have just been recorded."""


def missing_matches(design: Design, folder: str | Path, shard: Shard = (0, 1)) -> list[Match]:
    """The matches of a design, or of a shard of it, that have not ended in the folder, nor failed too often.

    Raises:
        ValueError: A record of one of them does not replay: it was changed, or is of another version of the game.
    """
    check_type("design", design, Design, ALLOWED_DESIGN)
    wanted = {id: match for match, id in design.matches_with_ids() if is_in_shard(id, shard)}
    done = replayed_ids(folder, wanted) | exhausted_ids(Path(folder))
    return [match for id, match in wanted.items() if id not in done]


_REPLAYED_HASHES: set[bytes] = set()
"""Hashes of the lines that have replayed in this process: most are looked at several times."""


def replayed_ids(folder: str | Path, wanted: Collection[str]) -> set[str]:
    """Those of the ids whose matches are recorded in a folder; of many, some are replayed (`is_sampled`).

    Lines that cannot be read count for nothing; their matches are played again.

    Raises:
        ValueError: A record of one of them does not replay.
    """
    ids: set[str] = set()
    pool = EnvPool()
    for path, number, line in recorded_lines(folder):
        id = read_line_id(line)
        if id is None or id not in wanted:
            continue
        if is_sampled(len(ids), id) and (seen := sha256(line).digest()) not in _REPLAYED_HASHES:
            for problem in replay(parse_json(line), pool):
                goes_on = f"a run goes on only if its records replay; to see which do not: econzoo replay {folder}"
                raise ValueError(f"{path}, line {number}: {problem}; {goes_on}")
            _REPLAYED_HASHES.add(seen)
        ids.add(id)
    return ids


def is_in_shard(match_id: str, shard: Shard) -> bool:
    """Whether a match belongs to a shard: a function of its id, so that it stays when a design grows."""
    return int(match_id, 16) % shard[1] == shard[0]


def parse_shard(text: str) -> Shard:
    """(i, n) of ``"i/n"``, i from 0 to n - 1.

    Raises:
        ValueError: It is not of that form.
    """
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and int(part) < int(parts)):
        raise ValueError(f"shard {text!r} is not allowed; allowed: i/n with i from 0 to n - 1, as in 0/4")
    return int(part), int(parts)


def check_run(design: Design, folder: str | Path) -> PlayerCache:
    """Everything that can be wrong before the first match; nothing is written.

    Returns:
        The players of the design.

    Raises:
        ValueError: A spec is not allowed, or the folder cannot take the design.
    """
    check_design(check_type("design", design, Design, ALLOWED_DESIGN), folder)
    cast = PlayerCache(design.game)
    for spec in design.names():
        cast(spec)
    return cast


def run(
    design: Design,
    folder: str | Path,
    jobs: int | None = None,
    shard: Shard = (0, 1),
    concurrent: int = CONCURRENT,
    on_progress: ProgressCallback = lambda done: None,
    todo: Sequence[Match] | None = None,
) -> int:
    """Plays what is missing of a design and appends it to the folder.

    Args:
        design: See `new_design`.
        folder: Of manifest and records; made if it does not exist.
        jobs: Processes for matches of scripted players; None: as many as are worth it. More than one needs
            specs that a new process can make, and in a script the usual ``if __name__ == "__main__":``.
        shard: The part of the design to play.
        concurrent: Matches at once where players are asked in batches.
        on_progress: See `ProgressCallback`.
        todo: What `missing` gives, if that is known already.

    Returns:
        The number of matches played.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
        ValueError: A spec is unknown, the folder has another design, or another process writes there.
    """
    check_type("jobs", jobs, (int, NoneType), "a whole number, or None")
    cast = check_run(design, folder)
    todo = missing_matches(design, folder, shard) if todo is None else todo
    write_design(design, folder)
    name = "records.jsonl" if shard[1] == 1 else f"records-{shard[0]}-of-{shard[1]}.jsonl"
    with open_run(Path(folder) / name, name) as kept:
        for lines in play_lines(todo, design.game, cast, jobs, concurrent):
            kept.append(lines)
            on_progress(len(lines))
    if len(todo) == len(design):
        kept.check()
    return len(todo)


def play_missing(
    parts: Mapping[str, Design], out: Path, jobs: int | None, shard: str, concurrent: int, unit: str = "matches"
) -> None:
    """Plays what is missing of designs, or of a shard ``"i/n"``, with a progress bar; an interrupt ends it well.

    Args:
        parts: Plans by their folders in `out`; ``"."`` is `out` itself.
        out: Where the command goes on when it is started again.
        jobs: Processes for scripted players; None: as many as are worth it.
        shard: ``"0/1"``: all.
        concurrent: Matches at once where a model is asked in batches.
        unit: What the progress bar says it counts.

    Raises:
        NoneEndedError: Matches of a design have failed and none has ended; the other designs are played before.
        SpentError: The budget is spent, or what the matches cost is not agreed to.
        ValueError: A spec or the shard is not allowed, or a folder cannot take its design.
    """
    part, designs = parse_shard(shard), {out / name: design for name, design in parts.items()}
    none_ended: list[NoneEndedError] = []
    for folder, design in designs.items():
        check_run(design, folder)
        count_earlier_costs(folder, design.names())
    with exit_on_interrupt(out):
        for todo in iterate_confirmed_matches(
            designs, {folder: missing_matches(design, folder, part) for folder, design in designs.items()}
        ):
            with progress_bar(unit, sum(map(len, todo.values()))) as told:
                for folder, matches in todo.items():
                    with defer_error(none_ended):
                        run(designs[folder], folder, jobs, part, concurrent, told, matches)
    for folder in designs:
        with defer_error(none_ended):
            report_failures(folder)
    if none_ended:
        raise none_ended[-1]


def play_lines(
    matches: Sequence[Match], game_name: str, player_of: Callable[[str], Player], jobs: int | None, concurrent: int
) -> Iterator[list[str]]:
    """Plays matches and yields their records as JSON lines, a few at a time.

    Matches of scripted players come first, market by market and spread over the workers of the engine. The others run
    side by side in this process, or in each worker of an engine with other machines.
    """
    engine = current_engine() or Engine(LocalWorker, os.cpu_count() or 1)
    alone, there, here = list[Match](), list[Match](), list[Match]()
    for match in matches:
        if has_no_batched_player(match, player_of):
            alone.append(match)
        else:
            (there if engine.remote and not must_run_locally(match.players) else here).append(match)
    wanted = jobs or min(engine.jobs, 1 + len(alone) // MIN_MATCHES_PER_PROCESS)
    if alone and (engine.remote or wanted > 1):
        size = max(CHUNK, min(REMOTE_CHUNK, len(alone) // (wanted * MIN_CHUNKS_PER_WORKER))) if engine.remote else CHUNK
        scripted = map(Chunk, chunks(group_by_setting(alone), size))
        yield from play_chunks(engine, game_name, scripted, min(wanted, ceil(len(alone) / size)))
    else:
        pool = EnvPool()
        for played in (play_together(part, player_of, 1, pool) for part in chunks(group_by_setting(alone), CHUNK)):
            while lines := play_for_seconds(played, PATIENCE).lines:
                yield lines
    if there:
        room, gpus = engine.workers_for_models(spec for match in there for spec in match.players)
        most = min(jobs or room, ceil(len(there) / concurrent))
        whole = max(concurrent, ceil(len(there) / (most * MIN_CHUNKS_PER_WORKER)))
        parts = (Chunk(part, concurrent) for part in chunks(there, whole))
        yield from play_chunks(engine, game_name, parts, most, gpus)
    yield from ([line] for one in play_together(here, player_of, concurrent) for line in one.lines)


def play_all(
    design: Design, jobs: int | None = None, on_progress: ProgressCallback = lambda done: None
) -> list[Record]:
    """The records of a whole design, kept in memory; those of matches that failed are left out.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
    """
    cast = PlayerCache(check_type("design", design, Design, ALLOWED_DESIGN).game)
    for spec in design.names():
        cast(spec)
    records: list[Record] = []
    todo = list(design.matches())
    with open_run(None, todo[0].id) as kept:
        for lines in play_lines(todo, design.game, cast, jobs, CONCURRENT):
            records.extend(map(Record.from_json, kept.append(lines)))
            on_progress(len(lines))
    kept.check()
    return records


__all__ = ["check_run", "is_in_shard", "missing_matches", "new_design", "parse_shard", "play_all", "run"]
