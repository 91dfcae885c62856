"""Tournaments: resumable cross-play over settings and seeds.

    from econzoo.evaluate.run import new_design, run

    design = new_design("bargaining", ["spe", "fair", "boulware(0.2)"], settings=["default"], seeds=100)
    run(design, "runs/first", jobs=2)

Records are appended as matches end. Rerunning `run` plays what is missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from math import ceil
from pathlib import Path
from types import NoneType

from econzoo.baselines import Player
from econzoo.envs.core.contract import check_type
from econzoo.envs.core.record import Record, current_software
from econzoo.evaluate.run.budget import count_previous_costs, must_run_locally
from econzoo.evaluate.run.cost_estimate import iterate_confirmed_matches
from econzoo.evaluate.run.design import Design, check_design, new_design, write_design
from econzoo.evaluate.run.disk_records import COMPILED_MATCHES
from econzoo.evaluate.run.engine import Engine, current_engine
from econzoo.evaluate.run.failures import NoneEndedError, defer_error, exhausted_ids, open_run, report_failures
from econzoo.evaluate.run.folder import read_provenance
from econzoo.evaluate.run.match import CHUNK, PATIENCE, PlayerCache, calls_at_once, chunks, group_by_setting
from econzoo.evaluate.run.match import has_no_batched_player, play_for_seconds, play_together
from econzoo.evaluate.run.processes import LocalWorker
from econzoo.evaluate.run.progress import exit_on_interrupt, progress_bar
from econzoo.evaluate.run.resume_rule import resumable_ids
from econzoo.evaluate.run.table import EnvPool, Match
from econzoo.evaluate.run.workers import Chunk, play_chunks

COMPILED_GAME = "matrix"

MIN_MATCHES_PER_PROCESS = 400
"""Matches below which another process does not pay off."""

REMOTE_CHUNK = 256
"""Scripted matches that a remote worker gets at a time."""

MIN_CHUNKS_PER_WORKER = 4
"""Minimum chunks per remote worker, if there are enough matches: limits idle time at the end of a run, and the phases
at the end of each chunk in which model batches shrink."""

ALLOWED_DESIGN = "a design from new_design"

Shard = tuple[int, int]
"""(i, n): part i of n, counted from 0."""

ProgressCallback = Callable[[int], None]
"""Called with the number of new records."""


def missing_matches(design: Design, folder: str | Path, shard: Shard = (0, 1)) -> list[Match]:
    """Return the matches of a design, or of a shard, that have neither ended in the folder nor failed too often.

    Raises:
        ValueError: A record of the folder does not replay; see `resumable_ids`.
    """
    check_type("design", design, Design, ALLOWED_DESIGN)
    wanted = {id: match for match, id in design.matches_with_ids() if is_in_shard(id, shard)}
    done = {*resumable_ids(Path(folder), wanted.__contains__), *exhausted_ids(Path(folder))}
    return [match for id, match in wanted.items() if id not in done]


def report_other_software(folders: Iterable[str | Path]) -> None:
    """Say in one line if folders to resume were last written by another version or commit of the package."""
    made = [found[-1].software.of_package for folder in folders if (found := read_provenance(folder))]
    own = current_software().of_package
    if others := [one for one in dict.fromkeys(map(str, made)) if one != str(own)]:
        print(f"econzoo: resuming matches of {', '.join(others)} with {own}", file=sys.stderr)


def is_in_shard(match_id: str, shard: Shard) -> bool:
    """Whether a match belongs to a shard: a function of its id, stable when a design grows."""
    return int(match_id, 16) % shard[1] == shard[0]


def parse_shard(text: str) -> Shard:
    """Parse ``"i/n"`` with i from 0 to n - 1."""
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and int(part) < int(parts)):
        raise ValueError(f"invalid shard={text!r}: expected i/n with i from 0 to n - 1, as in 0/4")
    return int(part), int(parts)


def check_run(design: Design, folder: str | Path) -> PlayerCache:
    """Check all that can be checked ahead of the first match, and return the players; nothing is written."""
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
    concurrent: int | None = None,
    on_progress: ProgressCallback = lambda done: None,
    todo: Sequence[Match] | None = None,
    turns: bool = True,
) -> int:
    """Play the missing matches of a design, append them to the folder, and return their number.

    Args:
        folder: Folder of manifest and records; created if missing.
        jobs: Processes for scripted matches; None: as many as pay off. More than one needs specs that a new process can
            load, and in a script the usual ``if __name__ == "__main__":``.
        concurrent: Calls of each model at once; None: see `calls_at_once`.
        todo: Result of `missing_matches`, if known.
        turns: Whether matches in machine code (`econzoo.evaluate.run.compiled_matches`) are recorded with their turns.
    """
    check_type("jobs", jobs, (int, NoneType), "an integer, or None")
    cast = check_run(design, folder)
    if todo is None:
        report_other_software([folder])
        todo = missing_matches(design, folder, shard)
    # Ahead of the matches, so that the folder of an interrupted run has its design.
    write_design(design, folder, {name for spec in design.names() for name in cast(spec).libraries})
    name = "records.jsonl" if shard[1] == 1 else f"records-{shard[0]}-of-{shard[1]}.jsonl"
    with open_run(Path(folder) / name, name) as writer:
        for lines in play_lines(todo, design.game, cast, jobs, concurrent, turns):
            writer.append(lines)
            on_progress(len(lines))
    # Matches of an earlier run, or of another shard, have ended if there were fewer to play.
    if len(todo) == len(design):
        writer.check()
    return len(todo)


def play_missing(
    parts: Mapping[str, Design],
    out: Path,
    jobs: int | None,
    shard: str,
    concurrent: int | None = None,
    unit: str = "matches",
    turns: bool = True,
) -> None:
    """Play the missing matches of designs, or of a shard ``"i/n"``, with a progress bar; interrupts exit cleanly.

    Args:
        parts: Designs by their folders in `out`; ``"."`` is `out` itself.
        jobs: Processes for scripted players; None: as many as pay off.
        shard: Part to play; ``"0/1"``: all.
        concurrent: Calls of each model at once; None: see `calls_at_once`.
        turns: See `run`.
    """
    part, designs = parse_shard(shard), {out / name: design for name, design in parts.items()}
    none_ended: list[NoneEndedError] = []
    # All designs are checked, and previous costs counted, before the first match of any of them.
    for folder, design in designs.items():
        check_run(design, folder)
        count_previous_costs(folder, design.names())
    report_other_software(designs)
    with exit_on_interrupt(out):
        for todo in iterate_confirmed_matches(
            designs, {folder: missing_matches(design, folder, part) for folder, design in designs.items()}
        ):
            with progress_bar(unit, sum(map(len, todo.values()))) as advance:
                for folder, matches in todo.items():
                    with defer_error(none_ended):
                        run(designs[folder], folder, jobs, part, concurrent, advance, matches, turns)
    for folder in designs:
        with defer_error(none_ended):
            report_failures(folder)
    if none_ended:
        raise none_ended[-1]


def play_lines(
    matches: Sequence[Match],
    game_name: str,
    player_of: Callable[[str], Player],
    jobs: int | None,
    concurrent: int | None = None,
    turns: bool = True,
) -> Iterator[list[str]]:
    """Play matches and yield their records as JSON lines, a few at a time.

    Those in machine code come first, then the other scripted ones, sorted by setting and distributed over the workers
    of the engine. The rest go on side by side in this process, or in each remote worker.
    """
    engine = current_engine() or Engine(LocalWorker, os.cpu_count() or 1)
    # Players with prices or limits run here, where the budget is counted (`must_run_locally`).
    if game_name == COMPILED_GAME:
        module = import_module(COMPILED_MATCHES)  # with the players of the game
        compiled, matches = module.split_compiled(matches, player_of)
        yield from module.play_compiled(group_by_setting(compiled), player_of, turns)
    unbatched, remote, local = list[Match](), list[Match](), list[Match]()
    for match in matches:
        if has_no_batched_player(match, player_of):
            unbatched.append(match)
        else:
            (remote if engine.remote and not must_run_locally(match.players) else local).append(match)
    wanted = jobs or min(engine.jobs, 1 + len(unbatched) // MIN_MATCHES_PER_PROCESS)
    if unbatched and (engine.remote or wanted > 1):
        # Remote workers get larger chunks, as each costs a message, but enough of them to share the work.
        size = (
            max(CHUNK, min(REMOTE_CHUNK, len(unbatched) // (wanted * MIN_CHUNKS_PER_WORKER)))
            if engine.remote
            else CHUNK
        )
        scripted = map(Chunk, chunks(group_by_setting(unbatched), size))
        yield from play_chunks(engine, game_name, scripted, min(wanted, ceil(len(unbatched) / size)))
    else:
        pool = EnvPool()
        for played in (
            play_together(part, player_of, pool=pool) for part in chunks(group_by_setting(unbatched), CHUNK)
        ):
            while lines := play_for_seconds(played, PATIENCE).lines:
                yield lines
    if remote:
        workers, gpus = engine.workers_for_models(spec for match in remote for spec in match.players)
        specs = {spec for match in remote for spec in match.players}
        full = concurrent or max(calls_at_once(player_of(spec)) for spec in specs)
        most = min(jobs or workers, ceil(len(remote) / full))
        # At least one full batch.
        size = max(full, ceil(len(remote) / (most * MIN_CHUNKS_PER_WORKER)))
        parts = (Chunk(part, concurrent) for part in chunks(remote, size))
        yield from play_chunks(engine, game_name, parts, most, gpus)
    yield from ([line] for one in play_together(local, player_of, concurrent) for line in one.lines)


def play_all(
    design: Design,
    jobs: int | None = None,
    on_progress: ProgressCallback = lambda done: None,
    failed: list[Record] | None = None,
) -> list[Record]:
    """Play a whole design in memory, and return the records of the matches that did not fail.

    Args:
        failed: Records of the matches that failed are added to it.
    """
    cast = PlayerCache(check_type("design", design, Design, ALLOWED_DESIGN).game)
    for spec in design.names():
        cast(spec)
    records: list[Record] = []
    todo = list(design.matches())
    with open_run(None, todo[0].id) as run_counter:
        for lines in play_lines(todo, design.game, cast, jobs):
            records.extend(map(Record.from_json, run_counter.append(lines)))
            on_progress(len(lines))
    run_counter.check()
    if failed is not None:
        failed += run_counter.failed_records
    return records


__all__ = ["check_run", "is_in_shard", "missing_matches", "new_design", "parse_shard", "play_all", "run"]
