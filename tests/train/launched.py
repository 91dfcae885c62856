"""What each process of a training does, as ``accelerate launch`` starts it; see `test_processes.py`.

accelerate launch --num_processes 2 tests/train/launched.py OUT MODEL [OPTIONS of econzoo train grpo as JSON]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

from econzoo.train.lm import training_run
from econzoo.train.lm.grpo import GRPORecipe, train_grpo
from econzoo.train.lm.rollout_function import MatchRollout
from econzoo.train.processes import current_process


def main(out: str, model: str, options: str) -> None:
    """Trains, and leaves beside the folder what this process played and came to."""
    played: list[list[str]] = []
    play, run = MatchRollout._play, training_run.train_until_interrupt

    def _play(self: MatchRollout, policy: Any, drawn: Any) -> Any:
        samples = play(self, policy, drawn)
        said = [[*sample.prompt, *sample.completion] for sample in samples]
        played.append([[ticket.to_json(), ids] for ticket, ids in zip(drawn, said, strict=True)])  # type: ignore[misc]
        return samples

    def keep(trainer: Any, *given: Any) -> None:
        run(trainer, *given)
        weights = trainer.accelerator.unwrap_model(trainer.model).state_dict()
        torch.save(weights, Path(out).with_suffix(f".{current_process().rank}.pt"))

    MatchRollout._play, training_run.train_until_interrupt = _play, keep  # type: ignore[method-assign]
    train_grpo(GRPORecipe(model=model, out=Path(out), **json.loads(options)))
    Path(out).with_suffix(f".{current_process().rank}.json").write_text(json.dumps(played))


if __name__ == "__main__":
    main(*sys.argv[1:])
