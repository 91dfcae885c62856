"""Matches to learn from, of teachers or of the model itself, and in which order they are learned from.

A cell is a setting, a seat and the players in the other seats. Matches are kept or dropped by the objective within a
cell, never across, since else the matches of the easiest settings would be kept and not the best play. Then cells take
turns, so that neither long matches nor frequent opponents crowd out others.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines.player import Player
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record, RecordFile, read_record_file
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import PlayerCache, play_matches
from econzoo.train.lm.episode_specs import (
    EpisodeSpec,
    check_opponents,
    draw_opponents,
    make_specs,
    make_split_lookup,
    opponents_or_pool,
)
from econzoo.train.lm.reward import outcome_of
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.self_play import LEARNER
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
"""The matches of the model, in the folder of a training."""


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
    """Who plays in which matches; teachers, opponents, seats and settings take turns.

    Args:
        game_name: The game.
        teachers: Specs; or those of who plays in a teacher's place.
        count: Different matches.
        plays: Times that each of them is played, with other luck.
        opponents: Specs, or names of pools to be trained against; empty: the training pool.
        seats: Of the teacher; empty: all.
        settings: Names of settings, or of distributions that they are drawn from, others in place of those that
            are held back.
        seed: Of everything.
        params: Parameters of the game and options of the environment that hold in every setting of an equal part.
        rotate_plays: Whether each time that a match is played is for the next seat, teacher and opponent: only the
            setting stays.

    Raises:
        ValueError: Something is not allowed, or belongs to the validation or the test.
    """
    check_opponents(teachers, game_name)
    others, seats = opponents_or_pool(game_name, opponents), seats or range(find_game(game_name).facts.seats)
    taught: list[tuple[str, EpisodeSpec]] = []
    for part, fixed in enumerate(params[:count]):
        seeds = range(seed * 2**24 + part, seed * 2**24 + count, len(params))
        first, later = (plays, 1) if rotate_plays else (1, plays)
        each, held_back = [one for one in seeds for _ in range(first)], make_split_lookup(game_name, **fixed)
        given = make_specs(game_name, each, seats, others, settings, held_back, **fixed)
        again = [one for one in given for _ in range(later)]
        drawn = [replace(one, seed=one.seed + number % plays * 2**40) for number, one in enumerate(again)]
        drawn = draw_opponents(game_name, drawn, **fixed)
        apart = len(seats) if rotate_plays else len(others) * len(seats) * plays
        taught += [(teachers[number // apart % len(teachers)], one) for number, one in enumerate(drawn)]
    return taught


def play_assigned_matches(
    game_name: str, assignments: Sequence[tuple[str, EpisodeSpec]], file: Path | None
) -> list[Record]:
    """Plays the matches that are not in a file yet, and keeps them there.

    Args:
        game_name: The game.
        assignments: See `assign_matches`.
        file: Of records; None: nothing is kept.

    Returns:
        All of them.
    """
    matches = [ticket.match(teacher) for teacher, ticket in assignments]
    kept = RecordFile(file) if file else None  # which mends a line that was cut off
    there = {record.id: record for record in read_record_file(file)} if file and file.exists() else {}
    missing = [match for match in matches if match.id not in there]
    for record in play_matches(missing, PlayerCache(game_name)):
        if kept:
            kept.append(record)
        there[record.id] = record
    return [there[match.id] for match in matches if match.id in there]


def top_fraction(
    data: Sequence[Tokens], cells: Sequence[Hashable], share: float
) -> tuple[list[Tokens], list[Hashable]]:
    """The share of the sequences whose replies weigh the most a token that is read, with their cells, in their order.

    What a step costs is the tokens that it reads; so most is learned for it where most is at stake.
    """
    density = [sum(one.weights[place] for place in one.starts) / len(one.ids) for one in data]
    places = sorted(sorted(range(len(data)), key=lambda place: -density[place])[: math.ceil(share * len(data))])
    return [data[place] for place in places], [cells[place] for place in places]


def interleave_cells(cells: Sequence[Hashable], lengths: Sequence[int], batch: int, steps: int, seed: int) -> list[int]:
    """In which order sequences are learned from: cells take turns, each with one of its sequences after the other.

    Args:
        cells: Of every sequence.
        lengths: Of every sequence, in tokens: within a batch the shorter ones come first, so that those computed
            together have little padding.
        batch: Sequences of an optimiser step.
        steps: How many of them.
        seed: Of the order.

    Returns:
        Places in `cells`. More steps go on where fewer end.
    """
    endless = _cycle_cells(cells, np.random.default_rng(np.random.SeedSequence([seed, 0x0DE2])))
    batches = ([next(endless) for _ in range(batch)] for _ in range(steps))
    return [place for one in batches for place in sorted(one, key=lambda place: lengths[place])]


def _cycle_cells(cells: Sequence[Hashable], rng: np.random.Generator) -> Iterator[int]:
    """One sequence of each cell, cells in random order, again and again."""
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
    """What each teacher comes to on average in the same matches; where the objective is not defined it is 0.

    Args:
        game: The game.
        teachers: Specs.
        episode_specs: The matches; each teacher takes the place that is free in them.
        objective: What is meant.
    """
    found = {}
    for teacher in teachers:
        records = play_assigned_matches(game, [(teacher, ticket) for ticket in episode_specs], None)
        values = [
            0.0 if ticket.seat == record.forfeit else objective.reward(record.payoffs, outcome_of(record), ticket.seat)
            for record, ticket in zip(records, episode_specs, strict=True)
        ]
        found[teacher] = sum(values) / len(values)
    return found


def rank_teachers(
    game: str, teachers: Sequence[str], episode_specs: Sequence[EpisodeSpec], objective: Objective
) -> list[str]:
    """The teachers, the best one first; of equal ones, that which was given first. Told on standard error."""
    found = teacher_means(game, teachers, episode_specs, objective)
    order = sorted(teachers, key=lambda teacher: -found[teacher])
    told = ", ".join(f"{teacher} {found[teacher]:.3f}" for teacher in order)
    print(
        f"{order[0]} advises; {objective.spec} of the teachers in {len(episode_specs):,} matches: {told}",
        file=sys.stderr,
    )
    return order


def is_learner(spec: str) -> bool:
    """Whether a seat of such a match is the model's."""
    return spec.partition(":")[0] == LEARNER


def play_self_matches(
    policy: Policy,
    episode_specs: Sequence[EpisodeSpec],
    plays: int,
    cast: Callable[[str], Player],
    file: Path | None = None,
) -> list[Record]:
    """Plays every match several times, by sampling.

    Those played side by side draw from random numbers of their own, so that a run that was cut off goes on with the
    same matches as without the break.

    Args:
        policy: The model; so many replies as its ``batch_size`` are sampled at once.
        episode_specs: The matches.
        plays: How often each is played.
        cast: The player of every other spec.
        file: Of records, where they are kept and those found are not played again; None: nowhere.

    Returns:
        All of them but those in which another player failed.
    """
    kept = RecordFile(file) if file else None
    there = {record.id: record for record in read_record_file(file)} if file and file.exists() else {}
    size = max(1, policy.batch_size // plays)
    parts = [episode_specs[start : start + size] for start in range(0, len(episode_specs), size)]
    found: list[Record] = []
    for number, part in enumerate(parts):
        copies = [one for one in part for _ in range(plays)]
        ids = [one.match(f"{LEARNER}:{place}").id for place, one in enumerate(copies)]
        if not all(one in there for one in ids):
            own = replace(policy, reply_count=0, seed=policy.seed + 2**32 * (number + 1))
            for sample in play_samples(own, copies, cast):
                if kept and sample.record.id not in there and sample.record.has_result:
                    kept.append(sample.record)
                there[sample.record.id] = sample.record
            print(
                f"played {len(found) + len(ids):,} of {len(episode_specs) * plays:,} matches",
                file=sys.stderr,
                flush=True,
            )
        found += [there[one] for one in ids]
    return [record for record in found if record.has_result]
