"""Supervised fine-tuning: learn the decisions of teachers, or to play like the best of recorded matches.

    econzoo train sft --teacher ppo:runs/first --param messages=false --layers 12 --out runs/sft
    econzoo train sft records.jsonl --model hf:smollm2 --objective self_gain --keep 0.2 --lora 16 --out runs/sft

1. Let teachers play against the training pool in settings of the training, or read the records of any players: those of
   scripted ones are told again as the chat a model would have had.
2. Keep the best share by the objective within each cell of setting, seat and opponents (`econzoo.train.lm_decisions`).
3. Weigh answers by what is at stake in them (`econzoo.train.lm_stakes`).
4. Train on the tokens of the replies alone; each stands behind exactly the prompt it has when played. Cells take turns.
5. Save a checkpoint that ``hf:OUT`` plays, with ``learning_curve.csv``, ``training.json`` and a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from econzoo.baselines.models.dtype import fastest
from econzoo.envs.core.contract.objectives import Objective
from econzoo.evaluate.analyses.training_exposure import Met, met_of
from econzoo.evaluate.show.console import drawn, show
from econzoo.train.command_line import alternatives, command, key_values
from econzoo.train.lm_adviser import best_first
from econzoo.train.lm_checkpoints import begin
from econzoo.train.lm_course import take_course
from econzoo.train.lm_decisions import lessons, play_lessons
from econzoo.train.lm_dry_run import sft_table
from econzoo.train.lm_fast import learning_part
from econzoo.train.lm_model import (
    curve,
    fast_settings,
    load_for_training,
    need_training,
    out_folder,
    quiet,
    write_settings,
)
from econzoo.train.lm_records import Seated, load_records, select
from econzoo.train.lm_rollout import Policy
from econzoo.train.lm_tickets import Ticket
from econzoo.train.lm_trainer import make_trainer
from econzoo.train.lm_validation import Validation
from econzoo.train.sft_args import SftArgs, checked
from econzoo.train.sft_sequences import Lessons, prepare
from econzoo.train.tracking import Trackers
from econzoo.train.trl_settings import SFT_FIELDS, trl_settings

LESSONS = "lessons.jsonl"
"""The matches of the teachers, in the folder of the checkpoint."""


def train(args: SftArgs) -> Path:
    """Runs the training.

    Args:
        args: See `SftArgs`.

    Returns:
        The folder of the checkpoint.

    Raises:
        ValueError: An argument is not allowed, a record cannot be used or the model cannot be loaded.
        FileNotFoundError: A file of records does not exist.
        KeyboardInterrupt: It was interrupted; a checkpoint was left.
    """
    args = checked(args)
    if args.trl:
        need_training()
        settings(args, Path(args.out))
    args = best_adviser_first(args)
    return learn(args, choose(args, args.out))


def learn(args: SftArgs, chosen: list[Seated], validation: Validation | None = None) -> Path:
    """As `train`, of given seats.

    Args:
        args: As `checked` gives them.
        chosen: The seats of matches to learn from.
        validation: What the model is measured by, and was before; None: what the arguments say.
    """
    need_training()
    measured_before = validation is not None
    loaded = load_for_training(args.model)
    found, validation = prepare(loaded, chosen, args), validation or validation_of(args, chosen)
    folder = out_folder(args.out)
    start = begin(folder, asdict(args), args.resume)

    def trainer_of(done: int, trackers: Trackers) -> Any:
        return fast_trainer(args, loaded, found, folder, done, trackers)

    def policy_of(trainer: Any) -> Policy:
        return Policy(loaded, max_length=loaded.context, model=trainer.accelerator.unwrap_model(trainer.model))

    take_course(
        "sft", args, loaded, folder, start, validation, trainer_of, policy_of, lambda done: found.about, measured_before
    )
    values = [one.value for one in chosen]
    more = {"matches": len(chosen), "sequences": len(found.data), "value": sum(values) / len(values)}
    write_settings(folder, "sft", args, met=met_by(args, chosen).plain(), **more)
    return folder


def choose(args: SftArgs, folder: str | Path) -> list[Seated]:
    """The seats to learn from: of the teachers' matches, which are kept in the folder, or of given records."""
    if args.records:
        records, players = load_records(args.records), tuple(args.player)
    else:
        seated = args.explorer or args.teacher
        taught = taught_by(args, seated)
        kept = None if args.dry_run else out_folder(folder) / LESSONS
        records, players = play_lessons(args.game, taught, kept), tuple(args.player or seated)
    return select(records, Objective(args.objective), args.keep, args.seat or None, players)


def taught_by(args: SftArgs, seated: Sequence[str]) -> list[tuple[str, Ticket]]:
    """Who of these plays in which matches."""
    return lessons(
        args.game,
        seated,
        args.matches,
        args.plays,
        args.opponent,
        args.seat,
        args.markets,
        args.seed,
        alternatives(args.param),
        bool(args.explorer),
    )


def best_adviser_first(args: SftArgs) -> SftArgs:
    """The arguments with the teacher in front that comes to the most by the objective, where several could advise."""
    if not args.advised or len(args.teacher) == 1:
        return args
    met = [ticket for _, ticket in taught_by(args, args.teacher[:1])]
    return replace(args, teacher=best_first(args.game, args.teacher, met, Objective(args.objective)))


def settings(args: SftArgs, folder: Path) -> Any:
    """TRL's settings; see `trl_settings`."""
    from trl.trainer.sft_config import SFTConfig

    ours = {
        **fast_settings(args, folder),
        "max_length": None,
        "dataset_kwargs": {"skip_prepare_dataset": True},
    }
    return trl_settings(SFTConfig, ours, args.trl, SFT_FIELDS)


def fast_trainer(
    args: SftArgs, loaded: Any, found: Lessons, folder: Path, done: int = 0, trackers: Trackers | None = None
) -> Any:
    """TRL's trainer on sequences that are tokenised, weighted and put in order already."""
    adapter = learning_part(args, loaded.model)
    columns = {"loss": "loss", "token_accuracy": "mean_token_accuracy", "entropy": "entropy", "grad_norm": "grad_norm"}
    trainer = make_trainer(
        loaded.model,
        loaded.tokenizer,
        found.data,
        found.order,
        settings(args, folder),
        fastest(args.dtype, loaded.model.device.type),
        peft_config=adapter,
        callbacks=[curve(folder, columns, args.steps, done, trackers)],
    )
    quiet(trainer)
    return trainer


def validation_of(args: SftArgs, chosen: Sequence[Seated]) -> Validation | None:
    """What the model is measured by: in the seats that it learns from, in matches that it does not."""
    if not args.eval:
        return None
    seats = sorted({one.seat for one in chosen})
    game, params = chosen[0].record.game, key_values(args.param)
    met = [Ticket.of(one.record, one.seat) for one in chosen]
    return Validation(game, args.eval, seats, params, args.objective, met)


def dry_run(args: SftArgs) -> Any:
    """What `train` would do with these arguments; writes nothing.

    Raises:
        ValueError: As `train`.
    """
    args = best_adviser_first(checked(args))
    chosen = choose(args, args.out)
    need_training()
    loaded = load_for_training(args.model)
    return table_of(args, loaded, prepare(loaded, chosen, args))


def table_of(args: SftArgs, loaded: Any, found: Lessons) -> Any:
    """What learning from these would be."""
    model, adapter = loaded.model, learning_part(args, loaded.model)
    if adapter is not None:
        from peft import get_peft_model

        model = get_peft_model(model, adapter)
    dtype = fastest(args.dtype, loaded.model.device.type)
    return sft_table(args, model, loaded.tokenizer.pad_token_id, found.data, found.order, found.about, dtype)


def met_by(args: SftArgs, chosen: Sequence[Seated]) -> Met:
    """What the players learned from have met, each in its seat, the teachers themselves, and the model before."""
    others = [spec for one in chosen for seat, spec in enumerate(one.record.players) if seat != one.seat]
    seats, params = [one.seat for one in chosen], [one.record.params for one in chosen]
    met = Met.once(chosen[0].record.game, others, seats, params, args.seed).joined(met_of(args.model))
    for spec in args.teacher:
        met = met.joined(met_of(spec))
    return met


def told(args: SftArgs) -> str:
    """Runs the command."""
    if args.dry_run:
        show(drawn(dry_run(args)))
        return "Nothing was written."
    return str(train(args))


main = command(SftArgs, told)
