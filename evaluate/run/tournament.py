"""Tournaments: cross-play of any players over markets and seeds, that can be stopped at any time.

    design = new_design("bargaining", ["spe", "fair", "boulware(0.2)"], markets=["default"], seeds=100)
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
from econzoo.envs.core.contract.validation import from_json, of_kind
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.budget import counting, stays_here
from econzoo.evaluate.run.design import Design, check_design, new_design, write_design
from econzoo.evaluate.run.engine import Engine, current
from econzoo.evaluate.run.estimating import in_steps
from econzoo.evaluate.run.failures import NoneEndedError, given_up, going_on, kept_run, tell_failed
from econzoo.evaluate.run.folder import id_of_line, recorded_lines
from econzoo.evaluate.run.match import (
    CHUNK,
    CONCURRENT,
    PATIENCE,
    Cast,
    a_while,
    chunks,
    gathered,
    play_together,
    plays_alone,
)
from econzoo.evaluate.run.processes import Process
from econzoo.evaluate.run.progress import progress_bar, stoppable
from econzoo.evaluate.run.records import is_sampled
from econzoo.evaluate.run.replay import replay
from econzoo.evaluate.run.table import EnvPool, Match
from econzoo.evaluate.run.workers import Chunk, play_on

WORTH_A_PROCESS = 400
"""Matches below which another process costs more time than it saves."""

FAR_CHUNK = 256
"""Matches of scripted players that a worker on another machine is given at a time."""

PARTS = 4
"""Chunks for each worker on another machine at least, if there are enough matches; so that it matters little which ends
last, and that at the end of each of them there are fewer and fewer models to ask at once."""

PLANNED = "a design, as new_design makes it"

Shard = tuple[int, int]
"""(i, n): the part i of n, counted from 0."""

Told = Callable[[int], None]
"""Called with the number of matches that have just been recorded."""


def missing(design: Design, folder: str | Path, shard: Shard = (0, 1)) -> list[Match]:
    """The matches of a design, or of a shard of it, that have not ended in the folder, nor failed too often.

    Raises:
        ValueError: A record of one of them does not replay: it was changed, or is of another version of the game.
    """
    of_kind("design", design, Design, PLANNED)
    wanted = {id: match for match, id in design.identified() if in_shard(id, shard)}
    done = replayed_ids(folder, wanted) | given_up(Path(folder))
    return [match for id, match in wanted.items() if id not in done]


_REPLAYED: set[bytes] = set()
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
        id = id_of_line(line)
        if id is None or id not in wanted:
            continue
        if is_sampled(len(ids), id) and (seen := sha256(line).digest()) not in _REPLAYED:
            for problem in replay(from_json(line), pool):
                goes_on = f"a run goes on only if its records replay; to see which do not: econzoo replay {folder}"
                raise ValueError(f"{path}, line {number}: {problem}; {goes_on}")
            _REPLAYED.add(seen)
        ids.add(id)
    return ids


def in_shard(match_id: str, shard: Shard) -> bool:
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


def check(design: Design, folder: str | Path) -> Cast:
    """Everything that can be wrong before the first match; nothing is written.

    Returns:
        The players of the design.

    Raises:
        ValueError: A spec is not allowed, or the folder cannot take the design.
    """
    check_design(of_kind("design", design, Design, PLANNED), folder)
    cast = Cast(design.game)
    for spec in design.names():
        cast(spec)
    return cast


def run(
    design: Design,
    folder: str | Path,
    jobs: int | None = None,
    shard: Shard = (0, 1),
    concurrent: int = CONCURRENT,
    told: Told = lambda done: None,
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
        told: See `Told`.
        todo: What `missing` gives, if that is known already.

    Returns:
        The number of matches played.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
        ValueError: A spec is unknown, the folder has another design, or another process writes there.
    """
    of_kind("jobs", jobs, (int, NoneType), "a whole number, or None")
    cast = check(design, folder)
    todo = missing(design, folder, shard) if todo is None else todo
    write_design(design, folder)
    name = "records.jsonl" if shard[1] == 1 else f"records-{shard[0]}-of-{shard[1]}.jsonl"
    with kept_run(Path(folder) / name, name) as kept:
        for lines in play_lines(todo, design.game, cast, jobs, concurrent):
            kept.append(lines)
            told(len(lines))
    if len(todo) == len(design):
        kept.check()
    return len(todo)


def play_missing(
    parts: Mapping[str, Design], out: Path, jobs: int | None, shard: str, concurrent: int, counted: str = "matches"
) -> None:
    """Plays what is missing of designs, or of a shard ``"i/n"``, with a progress bar; an interrupt ends it well.

    Args:
        parts: Plans by their folders in `out`; ``"."`` is `out` itself.
        out: Where the command goes on when it is started again.
        jobs: Processes for scripted players; None: as many as are worth it.
        shard: ``"0/1"``: all.
        concurrent: Matches at once where a model is asked in batches.
        counted: What the progress bar says it counts.

    Raises:
        NoneEndedError: Matches of a design have failed and none has ended; the other designs are played before.
        SpentError: The budget is spent, or what the matches cost is not agreed to.
        ValueError: A spec or the shard is not allowed, or a folder cannot take its design.
    """
    part, designs = parse_shard(shard), {out / name: design for name, design in parts.items()}
    none_ended: list[NoneEndedError] = []
    for folder, design in designs.items():
        check(design, folder)
        counting(folder, design.names())
    with stoppable(out):
        for todo in in_steps(designs, {folder: missing(design, folder, part) for folder, design in designs.items()}):
            with progress_bar(counted, sum(map(len, todo.values()))) as told:
                for folder, matches in todo.items():
                    with going_on(none_ended):
                        run(designs[folder], folder, jobs, part, concurrent, told, matches)
    for folder in designs:
        with going_on(none_ended):
            tell_failed(folder)
    if none_ended:
        raise none_ended[-1]


def play_lines(
    matches: Sequence[Match], game_name: str, cast: Callable[[str], Player], jobs: int | None, concurrent: int
) -> Iterator[list[str]]:
    """Plays matches and yields their records as JSON lines, a few at a time.

    Matches of scripted players come first, market by market and spread over the workers of the engine. The others run
    side by side in this process, or in each worker of an engine with other machines.
    """
    engine = current() or Engine(Process, os.cpu_count() or 1)
    alone, there, here = list[Match](), list[Match](), list[Match]()
    for match in matches:
        if plays_alone(match, cast):
            alone.append(match)
        else:
            (there if engine.remote and not stays_here(match.players) else here).append(match)
    wanted = jobs or min(engine.jobs, 1 + len(alone) // WORTH_A_PROCESS)
    if alone and (engine.remote or wanted > 1):
        size = max(CHUNK, min(FAR_CHUNK, len(alone) // (wanted * PARTS))) if engine.remote else CHUNK
        scripted = map(Chunk, chunks(gathered(alone), size))
        yield from play_on(engine, game_name, scripted, min(wanted, ceil(len(alone) / size)))
    else:
        pool = EnvPool()
        for played in (play_together(part, cast, 1, pool) for part in chunks(gathered(alone), CHUNK)):
            while lines := a_while(played, PATIENCE).lines:
                yield lines
    if there:
        room, gpus = engine.for_models(spec for match in there for spec in match.players)
        most = min(jobs or room, ceil(len(there) / concurrent))
        whole = max(concurrent, ceil(len(there) / (most * PARTS)))
        parts = (Chunk(part, concurrent) for part in chunks(there, whole))
        yield from play_on(engine, game_name, parts, most, gpus)
    yield from ([line] for one in play_together(here, cast, concurrent) for line in one.lines)


def play_all(design: Design, jobs: int | None = None, told: Told = lambda done: None) -> list[Record]:
    """The records of a whole design, kept in memory; those of matches that failed are left out.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
    """
    cast = Cast(of_kind("design", design, Design, PLANNED).game)
    for spec in design.names():
        cast(spec)
    records: list[Record] = []
    todo = list(design.matches())
    with kept_run(None, todo[0].id) as kept:
        for lines in play_lines(todo, design.game, cast, jobs, CONCURRENT):
            records.extend(map(Record.from_json, kept.append(lines)))
            told(len(lines))
    kept.check()
    return records


__all__ = ["check", "in_shard", "missing", "new_design", "parse_shard", "play_all", "run"]
