"""``econzoo train ppo``: one training, several seeds of one, or only what it would be."""

from __future__ import annotations

import sys

from econzoo.evaluate.show.console import drawn, show
from econzoo.train.command_line import command
from econzoo.train.rl_args import PPOArgs
from econzoo.train.rl_evaluation import CURVE

__all__ = ["main", "run"]


def run(args: PPOArgs) -> str:
    """Trains, and tells where the result is and how to play it."""
    if told := args.seats_told():
        print(told, flush=True)
    if args.dry_run:
        return _dry_run(args)
    if args.seeds > 1:
        return _run_seeds(args)
    from econzoo.train.ppo import train

    path = train(args)
    others = " random" * (args.count - 1)
    played = f"econzoo play {args.game} ppo:{path}{others}"
    return f"policy: {path}\nlearning curve: {path.parent / CURVE}\nplay it: {played}"


def _dry_run(args: PPOArgs) -> str:
    from econzoo.train.dry_run import dry_run

    show(drawn(dry_run(args)))
    return "Nothing was written."


def _run_seeds(args: PPOArgs) -> str:
    from econzoo.train.training_seeds import seeds_table, train_seeds, write_seeds

    if args.why and args.progress:
        print(args.why, file=sys.stderr, flush=True)
    folders = [path.parent for path in train_seeds(args)]
    show(drawn(seeds_table(folders)))
    return f"table: {write_seeds(args.out, folders)}\nevaluate them: econzoo evaluate ppo:{args.out}"


main = command(PPOArgs, run)
