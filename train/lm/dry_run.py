"""Dry runs of language-model trainings: examples, tokens, memory and time, from a few measured steps."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from econzoo.baselines.models import fastest_dtype
from econzoo.evaluate.show import Table, format_duration
from econzoo.train import dry_run_table
from econzoo.train.lm.model import batch_of, label_log_probabilities
from econzoo.train.lm.tokens import Tokens

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe, SequenceRecipe

R = TypeVar("R", bound="LmRecipe")

__all__ = ["elsewhere", "learner_of", "learner_rows", "seconds_of_step", "seconds_of_update", "sequences_table"]

SEQUENCES = "Timed on the batches with the median and the longest sequences, at this machine's present load."

GIGABYTE = 2**30


def sequences_table(
    recipe: SequenceRecipe,
    model: Any,
    pad: int,
    data: Sequence[Tokens],
    order: Sequence[int],
    description: dict[str, str],
    sides: int = 1,
) -> Table:
    """Return the table of a training on given sequences.

    Args:
        order: Indices into `data` in training order.
        sides: Sequences per example; 2 for pairs.
    """
    size, dtype = recipe.micro_batch * sides, fastest_dtype(recipe.dtype, model.device.type)
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    by_length = sorted(batches, key=lambda batch: max(len(data[place].ids) for place in batch))
    chosen = [by_length[len(by_length) // 2], by_length[-1]]
    seconds, read = zip(*[seconds_of_step(model, [data[i] for i in one], pad, dtype) for one in chosen], strict=True)
    tokens, own = sum(len(data[place].ids) for place in order), sum(sum(data[place].own_mask) for place in order)
    speed, longest = sum(read) / sum(seconds), max(len(one.ids) for one in data)
    repeated = f"{len(order) // sides:,} with repetition, {recipe.steps:,} steps of {recipe.batch_size}"
    return dry_run_table(
        [
            *([name, value] for name, value in description.items()),
            ["examples", f"{len(data) // sides:,}; {repeated}"],
            ["tokens", f"{tokens:,}, {own:,} of them learned; longest sequence: {longest:,}"],
            *learner_rows(model, dtype),
            ["speed", f"{speed:,.0f} tokens/s"],
            ["time", format_duration(tokens / speed)],
        ],
        SEQUENCES,
    )


@contextmanager
def elsewhere(recipe: R) -> Iterator[R]:
    """Yield the recipe with a temporary folder and no repository: trainers create theirs when they are made."""
    with TemporaryDirectory() as place:
        moved = copy(recipe)  # `replace` would check the options again and lose what is cached, episode specs among it
        moved.out = Path(place)
        moved.trl_fields = {name: value for name, value in recipe.trl_fields.items() if "hub" not in name.split("_")}
        yield moved


def learner_of(trainer: Any) -> Any:
    """Return the model of TRL's trainer with its trainable weights, adapter included."""
    return trainer.accelerator.unwrap_model(trainer.model)


def learner_rows(model: Any, dtype: str, keeps_start: bool = False) -> Iterable[list[str]]:
    """Return rows on trained parameters, arithmetic and memory; `keeps_start`: with a frozen copy of the parameters."""
    learned = sum(p.numel() for p in model.parameters() if p.requires_grad)
    yield ["parameters", f"{learned:,} of {sum(p.numel() for p in model.parameters()):,} learn"]
    yield ["arithmetic", dtype]
    # 4 bytes: weights stay in float32, whatever the arithmetic
    yield ["memory", f"{(peak_memory(model, learned) + 4 * learned * keeps_start) / GIGABYTE:.1f} GiB"]


def seconds_of_update(model: Any, rows: Sequence[Tokens], size: int, pad: int, dtype: str) -> float:
    """Return seconds per update with these sequences in micro-batches of `size`."""
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    return sum(seconds_of_step(model, part, pad, dtype)[0] for part in parts)


def seconds_of_step(model: Any, rows: Sequence[Tokens], pad: int, dtype: str) -> tuple[float, int]:
    """Return seconds of a forward and backward pass, and the number of tokens in it."""
    batch = {name: tensor.to(model.device) for name, tensor in batch_of(rows, pad).items()}

    def once() -> float:
        begun = time.perf_counter()
        found = label_log_probabilities(model, batch, dtype)
        (-found.log_probabilities.mean()).backward()
        model.zero_grad(set_to_none=True)
        return time.perf_counter() - begun

    once()  # warms up caches and memory, and is not timed
    return once(), int(batch["attention_mask"].sum())


def peak_memory(model: Any, parameters: int) -> float:
    """Return the peak memory in bytes so far, plus AdamW's two moments and the gradients."""
    import torch

    moments = 3 * 4 * parameters
    if model.device.type == "cuda":
        return float(torch.cuda.max_memory_allocated() + moments)
    unit = 1 if sys.platform == "darwin" else 1024  # macOS reports bytes, Linux KiB
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + moments)
