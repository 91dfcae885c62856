"""How fast a language model learns: TRL's trainer as it comes, and the fast path step by step, in the same run.

    python benchmarks/learning.py [--model hf:smollm2] [--layers 12] [--tokens 1500]

All of them take optimiser steps on the same sequences: matches of `fair`, of whose tokens only its replies are learned.
Figures are tokens of these sequences a second of CPU time, the median of the repeats, which are taken in turns; one
thread.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from econzoo.train.lm.model import batch_of, label_log_probabilities, load_for_training, require_training
from econzoo.train.lm.model import train_top_layers
from econzoo.train.lm.sft import SFTRecipe, select_seats, to_sequences
from econzoo.train.lm.tokens import Tokens

SIZE = 4
"""Sequences in a step."""


def sequences(loaded: Any, tokens: int) -> list[list[Tokens]]:
    """Batches of matches, as many as hold so many tokens."""
    args = SFTRecipe(teacher=["fair"], matches=16 * SIZE, max_length=512, dry_run=True, keep=1.0, decimals=0)
    data = [row for one in select_seats(args) for row in to_sequences(loaded, one, args, (), ())]
    data.sort(key=lambda row: len(row.ids))
    batches, held = [data[start : start + SIZE] for start in range(0, len(data), SIZE)], 0
    chosen = []
    for batch in batches[len(batches) // 2 :]:
        if held < tokens:
            chosen.append(batch)
            held += sum(len(row.ids) for row in batch)
    return chosen


def trl(loaded: Any, batches: Sequence[Sequence[Tokens]], folder: Path) -> Callable[[Any], Any]:
    """The loss of TRL's own trainer."""
    from datasets import Dataset
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    rows = [row for batch in batches for row in batch]
    config = SFTConfig(output_dir=str(folder), max_length=None, use_cpu=True, bf16=False, report_to="none")
    data = Dataset.from_dict({"input_ids": [row.ids for row in rows], "labels": [row.labels for row in rows]})
    model = copy.deepcopy(loaded.model).train()
    trainer = SFTTrainer(model=model, args=config, train_dataset=data, processing_class=loaded.tokenizer)
    return lambda batch: trainer.compute_loss(trainer.model, {n: t for n, t in batch.items() if n != "weights"})


def step(model: Any, loss_of: Callable[[Any], Any]) -> Callable[[Any], None]:
    """An optimiser step."""
    import torch

    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-6)

    def learn(batch: Any) -> None:
        loss_of(batch).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return learn


def fast(loaded: Any, layers: int, dtype: str) -> Callable[[Any], None]:
    """A step on the fast path."""
    model = copy.deepcopy(loaded.model).train()
    train_top_layers(model, layers)
    return step(model, lambda batch: -label_log_probabilities(model, batch, dtype).log_probabilities.mean())


def main() -> None:
    """Prints the speeds."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--model", default="hf:smollm2", help="a model of transformers")
    parser.add_argument("--layers", type=int, default=12, help="from the top")
    parser.add_argument("--tokens", type=int, default=1500, help="of a measurement")
    parser.add_argument("--repeats", type=int, default=3, help="measurements of each")
    args = parser.parse_args()
    require_training()
    import torch

    torch.set_num_threads(1)
    loaded = load_for_training(args.model)
    batches = sequences(loaded, args.tokens)
    ready = [batch_of(batch, loaded.tokenizer.pad_token_id) for batch in batches]
    tokens = sum(len(row.ids) for batch in batches for row in batch)
    with tempfile.TemporaryDirectory() as folder:
        loss = trl(loaded, batches, Path(folder))
        ways = {
            "TRL's trainer, all layers, float32": step(loaded.model, loss),
            "head at labels, all layers, float32": fast(loaded, 0, "float32"),
            f"and the top {args.layers} layers": fast(loaded, args.layers, "float32"),
            "and bfloat16": fast(loaded, args.layers, "bfloat16"),
        }
        found: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(args.repeats):
            for name, learn in ways.items():
                begun = time.process_time()
                for batch in ready:
                    learn(batch)
                found[name].append(tokens / (time.process_time() - begun))
    base = statistics.median(next(iter(found.values())))
    for name, speeds in found.items():
        speed = statistics.median(speeds)
        print(f"{name:38} {speed:8,.0f} tokens a CPU-second {speed / base:6.2f}")


if __name__ == "__main__":
    main()
