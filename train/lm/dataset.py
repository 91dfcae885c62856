"""Datasets of matches, of teachers or of the model itself, and their training order.

A cell is a setting, a seat and the players in the other seats. Matches are filtered by the objective within a cell,
never across: otherwise matches of the easiest settings would be kept rather than the best play. Cells then take turns,
so that neither long matches nor frequent opponents dominate.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines import Player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import Record, RecordFile, read_record_file
from econzoo.evaluate.run import PlayerCache, play_matches
from econzoo.train import played_value
from econzoo.train.lm.episode_specs import LEARNER, EpisodeSpec, check_opponents, draw_opponents, make_specs
from econzoo.train.lm.episode_specs import make_split_lookup, opponents_or_pool
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.tokens import Tokens

__all__ = [
    "PLAYS",
    "rank_teachers",
    "interleave_cells",
    "is_learner",
    "assign_matches",
    "teacher_means",
    "play_assigned_matches",
    "play_self_matches",
    "top_fraction",
]

PLAYS = "plays.jsonl"
"""Matches of the model, in the folder of a training."""


def assign_matches(
    game_name: str,
    teachers: Sequence[str],
    count: int,
    plays: int,
    opponents: Sequence[str],
    seats: Sequence[int],
    settings: Sequence[str],
    seed: int,
    params: Sequence[Mapping[str, Any]] = ({},),
    rotate_plays: bool = False,
) -> list[tuple[str, EpisodeSpec]]:
    """Assign players to matches; teachers, opponents, seats and settings take turns.

    Args:
        opponents: Specs, or names of training pools; empty: the training pool.
        seats: Seats of the teacher; empty: all.
        params: Parameter combinations, each of which an equal share of the settings gets.
        rotate_plays: Whether seat, teacher and opponent rotate over the plays of a match, so that only the setting is
            shared.
    """
    check_opponents(teachers, game_name)
    others, seats = opponents_or_pool(game_name, opponents), seats or range(find_game(game_name).facts.seats)
    taught: list[tuple[str, EpisodeSpec]] = []
    for part, fixed in enumerate(params[:count]):
        # 2**24 seeds of settings for each training seed, so that trainings with other seeds have other settings.
        seeds = range(seed * 2**24 + part, seed * 2**24 + count, len(params))
        # Rotated plays are drawn as specs of their own, over which seats and opponents take turns; others are copies.
        first, later = (plays, 1) if rotate_plays else (1, plays)
        each, held_back = [one for one in seeds for _ in range(first)], make_split_lookup(game_name, **fixed)
        given = make_specs(game_name, each, seats, others, settings, held_back, **fixed)
        repeated = [one for one in given for _ in range(later)]
        # The setting is drawn by now, so that another seed changes only chance and the players' random numbers.
        drawn = [replace(one, seed=one.seed + number % plays * 2**40) for number, one in enumerate(repeated)]
        drawn = draw_opponents(game_name, drawn, **fixed)
        # In step with the opponents a teacher would meet some of them only. So it stays until seats and opponents have
        # had their turns, or, with rotation, falls back by one whenever all begin again.
        alike = math.gcd(len(teachers), len(others))
        both = len(teachers) * len(others) // alike
        for number, one in enumerate(drawn):
            turn = number // len(seats) if rotate_plays else number // (len(others) * len(seats) * plays)
            shift = turn // both % alike if rotate_plays else 0
            taught.append((teachers[(turn + shift) % len(teachers)], one))
    return taught


def play_assigned_matches(
    game_name: str, assignments: Sequence[tuple[str, EpisodeSpec]], file: Path | None
) -> list[Record]:
    """Play the matches that are not in a file yet, append them, and return the records of all, in order.

    Args:
        file: Record file; None: records are not saved.
    """
    matches = [episode.match(teacher) for teacher, episode in assignments]
    writer = RecordFile(file) if file else None  # repairs a truncated last line
    records = {record.id: record for record in read_record_file(file)} if file and file.exists() else {}
    missing = [match for match in matches if match.id not in records]
    for record in play_matches(missing, PlayerCache(game_name)):
        if writer:
            writer.append(record)
        records[record.id] = record
    return [records[match.id] for match in matches if match.id in records]


def top_fraction(
    data: Sequence[Tokens], cells: Sequence[Hashable], share: float
) -> tuple[list[Tokens], list[Hashable]]:
    """Return the top fraction of sequences by reply weight per token, with their cells, in their order.

    Tokens determine the cost of a step, so this learns most per unit of cost.
    """
    density = [sum(one.weights[place] for place in one.starts) / len(one.ids) for one in data]
    places = sorted(sorted(range(len(data)), key=lambda place: -density[place])[: math.ceil(share * len(data))])
    return [data[place] for place in places], [cells[place] for place in places]


def interleave_cells(cells: Sequence[Hashable], lengths: Sequence[int], batch: int, steps: int, seed: int) -> list[int]:
    """Return a training order in which cells take turns, each giving one sequence at a time.

    Args:
        lengths: Length of every sequence in tokens; batches are sorted by length to reduce padding.

    Returns:
        Indices into `cells`. An order of more steps starts with that of fewer.
    """
    # The constant keeps this stream apart from others of the same seed. Batches are drawn one by one, which makes the
    # order of fewer steps the beginning of that of more.
    endless = _cycle_cells(cells, np.random.default_rng(np.random.SeedSequence([seed, 0x0DE2])))
    batches = ([next(endless) for _ in range(batch)] for _ in range(steps))
    return [place for one in batches for place in sorted(one, key=lambda place: lengths[place])]


def _cycle_cells(cells: Sequence[Hashable], rng: np.random.Generator) -> Iterator[int]:
    """Yield a sequence of each cell, cells in random order, indefinitely."""
    held: dict[Hashable, list[int]] = {}
    for place, cell in enumerate(cells):
        held.setdefault(cell, []).append(place)
    shuffled = [[int(one) for one in rng.permutation(places)] for places in held.values()]
    turn = 0
    while True:
        for number in rng.permutation(len(shuffled)):
            places = shuffled[number]
            yield places[turn % len(places)]
        turn += 1


def teacher_means(
    game: str, teachers: Sequence[str], episode_specs: Sequence[EpisodeSpec], objective: Objective
) -> dict[str, float]:
    """Return each teacher's mean `played_value` in the same matches; an undefined objective counts 0."""
    found = {}
    for teacher in teachers:
        records = play_assigned_matches(game, [(teacher, episode) for episode in episode_specs], None)
        played = zip(records, episode_specs, strict=True)
        values = [played_value(record, episode.seat, objective) for record, episode in played]
        found[teacher] = sum(0.0 if math.isnan(value) else value for value in values) / len(values)
    return found


def rank_teachers(
    game: str, teachers: Sequence[str], episode_specs: Sequence[EpisodeSpec], objective: Objective
) -> list[str]:
    """Return the teachers, best first, ties in the given order; reported on standard error."""
    found = teacher_means(game, teachers, episode_specs, objective)
    order = sorted(teachers, key=lambda teacher: -found[teacher])
    means = ", ".join(f"{teacher} {found[teacher]:.3f}" for teacher in order)
    print(
        f"teacher {order[0]}; mean {objective.spec} of the teachers in {len(episode_specs):,} matches: {means}",
        file=sys.stderr,
    )
    return order


def is_learner(spec: str) -> bool:
    """Whether the seat of a player spec is the model's."""
    return spec.partition(":")[0] == LEARNER


def play_self_matches(
    policy: Policy,
    episode_specs: Sequence[EpisodeSpec],
    plays: int,
    cast: Callable[[str], Player],
    file: Path | None = None,
) -> list[Record]:
    """Sample several plays of every match, and return those in which no other player failed.

    Args:
        file: Record file; recorded matches are not played again. None: records are not saved.
    """
    writer = RecordFile(file) if file else None
    records = {record.id: record for record in read_record_file(file)} if file and file.exists() else {}
    # Parts of one batch. A part is played whole, with random numbers by its place and not by what is on record: so a
    # resumed run yields the matches of an uninterrupted one.
    size = max(1, policy.batch_size // plays)
    parts = [episode_specs[start : start + size] for start in range(0, len(episode_specs), size)]
    found: list[Record] = []
    for number, part in enumerate(parts):
        copies = [one for one in part for _ in range(plays)]
        ids = [one.match(f"{LEARNER}:{place}").id for place, one in enumerate(copies)]
        if not all(one in records for one in ids):
            own = replace(policy, reply_count=0, seed=policy.seed + 2**32 * (number + 1))
            for sample in play_samples(own, copies, cast):
                # A match without a result is not stored, so that it is tried again on resume.
                if writer and sample.record.id not in records and sample.record.has_result:
                    writer.append(sample.record)
                records[sample.record.id] = sample.record
            print(
                f"played {len(found) + len(ids):,} of {len(episode_specs) * plays:,} matches",
                file=sys.stderr,
                flush=True,
            )
        found += [records[one] for one in ids]
    return [record for record in found if record.has_result]
