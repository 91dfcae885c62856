"""Expert iteration: in rounds, a model plays and learns from the best of its own matches.

    econzoo train iterate --model hf:runs/sft --rounds 5 --matches 100 --plays 8 --layers 12 --out runs/iterate

1. The model plays new matches of the training several times each, by sampling.
2. The best share of the plays is kept, by the objective and within each cell of setting, seat and opponents; matches of
   teachers are joined, if there are any.
3. It learns from these by supervised fine-tuning (`econzoo.train.sft`), which leaves a checkpoint in ``round-N``.
4. It is measured in the same matches of the validation after each round. When that has not become better for some
   rounds it ends, and the best checkpoint becomes that of the whole.

The same was called rejection-sampling fine-tuning (Yuan et al. 2023, arXiv:2308.01825) and ReST (Gulcehre et al. 2023,
arXiv:2308.08998); the name is that of Anthony et al. (2017, arXiv:1705.08439).
"""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.training_exposure import met_of
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.show.console import drawn as told_by
from econzoo.evaluate.show.console import show
from econzoo.evaluate.show.csv_files import add_rows
from econzoo.train import sft
from econzoo.train.command_line import alternatives, command, key_values
from econzoo.train.iterate_args import IterateArgs, checked, of_round
from econzoo.train.lm_card import CARD
from econzoo.train.lm_checkpoints import begin
from econzoo.train.lm_decisions import lessons, play_lessons, training_tickets
from econzoo.train.lm_dry_run import in_words
from econzoo.train.lm_model import (
    SETTINGS,
    check,
    clear,
    load_for_training,
    need_training,
    out_folder,
    rows_until,
    write_settings,
)
from econzoo.train.lm_records import Seated, select
from econzoo.train.lm_rollout import Policy
from econzoo.train.lm_self_play import PLAYS, is_learner, sampling_policy, self_played
from econzoo.train.lm_tickets import Ticket
from econzoo.train.lm_validation import Validation
from econzoo.train.lm_validation_curve import CURVE
from econzoo.train.sft_args import checked as checked_sft
from econzoo.train.sft_sequences import prepare
from econzoo.train.tracking import Trackers

ROUNDS = "rounds.csv"
HEADER = ("round", "matches", "kept", "plays", "best", "validation", "low", "high", "legal", "seconds")
"""Means of the objective: of the model's plays (a forfeit is 0), of the kept ones, of the validation."""

NOT_COPIED = (PLAYS, sft.LESSONS, "arguments.json")
"""Files of a round that are not those of the whole."""


class Round(NamedTuple):
    """A round that has ended.

    Attributes:
        number: 0 is the model before the first.
        validation: Mean of the objective in the validation.
        row: Of `ROUNDS`.
    """

    number: int
    validation: float
    row: list[Any]


def train(args: IterateArgs) -> Path:
    """Runs the rounds.

    Args:
        args: See `IterateArgs`.

    Returns:
        The folder of the best checkpoint.

    Raises:
        ValueError: An argument is not allowed, the model cannot be loaded, or no match of a round can be learned from.
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    args = checked(args)
    tickets = tickets_of(args)
    need_training()
    every = [one for part in tickets for one in part]
    seats, params = sorted({one.seat for one in every}), key_values(args.param)
    validation = Validation(args.game, args.eval, seats, params, args.objective, every)
    sft.settings(checked_sft(of_round(args, args.model, Path(args.out), Path(args.out))), Path(args.out))
    folder = out_folder(args.out)
    begun = list(folder.glob("round-*"))
    check(args.resume or not begun, "out", args.out, "a folder without rounds, or --resume to go on with them")
    begin(folder, asdict(args), args.resume)
    ended = rounds_of(folder, args.resume) or [start(args, validation, folder)]
    while (number := len(ended)) <= args.rounds and not out_of_patience(ended, args.patience):
        ended.append(one_round(args, number, tickets[number - 1], validation, folder))
    return finish(args, folder, ended)


def tickets_of(args: IterateArgs) -> list[list[Ticket]]:
    """The matches of every round; none is that of another."""
    first, found = args.seed * 2**24, []
    for number in range(args.rounds):
        seeds = range(first + number * args.matches, first + (number + 1) * args.matches)
        fixed = alternatives(args.param)
        found.append(training_tickets(args.game, seeds, args.seat, args.opponent, args.markets, fixed))
    return found


def out_of_patience(ended: Sequence[Round], patience: int) -> bool:
    """Whether the best round is so many rounds ago."""
    return ended[-1].number - best_of(ended).number >= patience


def best_of(ended: Sequence[Round]) -> Round:
    """The first of those with the best validation."""
    return max(ended, key=lambda one: (one.validation, -one.number))


def start(args: IterateArgs, validation: Validation, folder: Path) -> Round:
    """The model before the first round, measured."""
    begun = time.perf_counter()
    loaded = load_for_training(args.model)
    found = validation.of(Policy(loaded, max_length=loaded.context)).point  # as in the rounds
    return keep(folder, [0, 0, 0, "", "", *found, round(time.perf_counter() - begun, 1)])


def one_round(args: IterateArgs, number: int, tickets: Sequence[Ticket], validation: Validation, folder: Path) -> Round:
    """Plays, learns and measures, from where it was cut off."""
    begun, place = time.perf_counter(), out_folder(folder / f"round-{number}")
    model = args.model if number == 1 else f"hf:{folder / f'round-{number - 1}'}"
    learning = checked_sft(of_round(args, model, place, place / PLAYS))
    own = played(args, model, tickets, number, place)
    chosen = [*best(args, own), *taught(args, number, place)]
    if not (place / SETTINGS).is_file():
        sft.learn(learning, chosen, validation)
    for one in place.glob("checkpoint-*"):
        shutil.rmtree(one)
    found = [float(value) if value else float("nan") for value in rows_until(place / CURVE, args.steps)[-1][1:]]
    kept, values = [one.value for one in chosen], [one.value for one in seats_of(args, own, 1.0)]
    forfeits = sum(record.forfeit is not None and is_learner(record.players[record.forfeit]) for record in own)
    mean = sum(values) / (len(values) + forfeits)
    row = [number, len(own), len(chosen), round(mean, 6), round(fmean(kept), 6), *found]
    return keep(folder, [*row, round(time.perf_counter() - begun, 1)])


def played(args: IterateArgs, model: str, tickets: Sequence[Ticket], number: int, place: Path) -> list[Record]:
    """The matches of a model in a round, kept in the folder of the round."""
    policy = sampling_policy(args, load_for_training(model))
    policy.seed += 2**64 * number
    return self_played(policy, tickets, args.plays, Cast(args.game), place / PLAYS)


def best(args: IterateArgs, own: Sequence[Record]) -> list[Seated]:
    """The best of the model's plays.

    Raises:
        ValueError: It forfeited all matches.
    """
    found = seats_of(args, own, args.keep)
    check(bool(found), "model", args.model, "one that can play: it forfeited all matches; see --constrained and sft")
    return found


def seats_of(args: IterateArgs, own: Sequence[Record], share: float) -> list[Seated]:
    """The model's seats, of which a share is kept; empty where it has forfeited everywhere."""
    usable = [record for record in own if record.forfeit is None or not is_learner(record.players[record.forfeit])]
    learners = sorted({spec for record in usable for spec in record.players if is_learner(spec)})
    return select(usable, Objective(args.objective), share, args.seat or None, learners) if usable else []


def taught(args: IterateArgs, number: int, place: Path) -> list[Seated]:
    """The seats of the teachers, in other matches in every round."""
    if not args.teacher:
        return []
    fixed, seed = alternatives(args.param), args.seed + 2**16 * number
    drawn = lessons(args.game, args.teacher, args.lessons, 1, args.opponent, args.seat, args.markets, seed, fixed)
    records = play_lessons(args.game, drawn, place / sft.LESSONS)
    return select(records, Objective(args.objective), 1.0, args.seat or None, args.teacher)


def keep(folder: Path, row: list[Any]) -> Round:
    """Writes down a round that has ended."""
    path = folder / ROUNDS
    new = not path.is_file()
    with path.open("a", newline="", encoding="utf-8") as file:
        add_rows(file, [HEADER, row] if new else [row])
    told = "  ".join(f"{name} {value}" for name, value in zip(HEADER, row, strict=True) if value != "")
    print(told, file=sys.stderr, flush=True)
    return Round(int(row[0]), known(row[5]), row)


def known(value: Any) -> float:
    """The mean of a validation; the worst where the objective had no value in any match."""
    return -math.inf if value == "" or math.isnan(float(value)) else float(value)


def rounds_of(folder: Path, resume: bool) -> list[Round]:
    """The rounds that have ended; a line that was cut off is taken away."""
    path = folder / ROUNDS
    whole = [row for row in rows_until(path, sys.maxsize) if len(row) == len(HEADER)] if resume else []
    path.unlink(missing_ok=True)
    return [keep(folder, list(row)) for row in whole]


def finish(args: IterateArgs, folder: Path, ended: Sequence[Round]) -> Path:
    """Makes the best checkpoint that of the whole."""
    found = best_of(ended)
    clear(folder)
    if found.number == 0:
        print("no round was better than the model before: that is what is kept", file=sys.stderr)
        loaded = load_for_training(args.model)
        loaded.model.save_pretrained(folder)
        loaded.tokenizer.save_pretrained(folder)
        met = met_of(args.model)
    else:
        source = folder / f"round-{found.number}"
        for file in source.iterdir():
            if file.is_file() and file.name not in NOT_COPIED:
                shutil.copy2(file, folder)
        text = (source / CARD).read_text(encoding="utf-8").replace(f"hf:{source}", f"hf:{folder}")
        (folder / CARD).write_text(text, encoding="utf-8")
        met = met_of(f"hf:{source}")
    with closing(Trackers(args.track, folder, asdict(args))) as trackers:
        for one in ended:
            trackers.write(one.number, {"rounds/validation": one.validation})
    rows = [dict(zip(HEADER, one.row, strict=True)) for one in ended]
    write_settings(folder, "iterate", args, met=met and met.plain(), best=found.number, rounds=rows)
    return folder


def dry_run(args: IterateArgs) -> Any:
    """What a round would be, by the first matches of it; writes nothing.

    Raises:
        ValueError: As `train`.
    """
    args = checked(args)
    tickets = tickets_of(args)[0]
    need_training()
    loaded = load_for_training(args.model)
    few, begun = tickets[: max(1, args.rollout_batch // args.plays)], time.perf_counter()
    own = self_played(sampling_policy(args, loaded), few, args.plays, Cast(args.game))
    seconds = (time.perf_counter() - begun) / len(own)
    matches = len(tickets) * args.plays
    learning = checked_sft(of_round(args, args.model, Path(args.out), Path(args.out)))
    found = prepare(loaded, best(args, own), learning)
    table = sft.table_of(learning, loaded, found)
    first = [
        ["rounds", f"up to {args.rounds}, each as below; what is learned from is that of the first {len(own):,} plays"],
        ["playing", f"{matches:,} matches in {in_words(seconds * matches)}"],
        ["validation", f"{args.eval:,} matches in {in_words(seconds * args.eval)}"],
    ]
    return table._replace(rows=[*first, *table.rows])


def told(args: IterateArgs) -> str:
    """Runs the command."""
    if args.dry_run:
        show(told_by(dry_run(args)))
        return "Nothing was written."
    return str(train(args))


main = command(IterateArgs, told)
