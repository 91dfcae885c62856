"""What a training of a language model would be: examples, tokens, memory and time, by a few measured steps."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

from econzoo.evaluate.show.console import TextTable
from econzoo.train.lm_fast import batch_of, label_log_probabilities
from econzoo.train.lm_tokens import Tokens

__all__ = ["GIGABYTE", "in_words", "memory", "seconds_of_step", "sft_table"]

NOTE = "Time by the batches with the median and the longest sequences, on this machine as busy as it is now"

GIGABYTE = 2**30


def sft_table(
    args: Any,
    model: Any,
    pad: int,
    data: Sequence[Tokens],
    order: Sequence[int],
    about: dict[str, str],
    dtype: str,
    sides: int = 1,
) -> TextTable:
    """What learning from given sequences would be.

    Args:
        args: Of the method.
        model: With those weights trainable that would learn.
        pad: Token id of padding.
        data: The sequences.
        order: Places in `data`, as they would be learned from.
        about: Rows to begin with.
        dtype: Of the arithmetic.
        sides: Sequences of an example, which stand side by side; 2 for pairs.
    """
    size = args.micro_batch * sides
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    by_length = sorted(batches, key=lambda batch: max(len(data[place].ids) for place in batch))
    chosen = [by_length[len(by_length) // 2], by_length[-1]]
    seconds, read = zip(*[seconds_of_step(model, [data[i] for i in one], pad, dtype) for one in chosen], strict=True)
    tokens = sum(len(data[place].ids) for place in order)
    speed = sum(read) / sum(seconds)
    learned = sum(p.numel() for p in model.parameters() if p.requires_grad)
    longest = max(len(one.ids) for one in data)
    rows = [
        *([name, value] for name, value in about.items()),
        [
            "examples",
            f"{len(data) // sides:,}; {len(order) // sides:,} with repetition, {args.steps:,} steps of {args.batch}",
        ],
        ["tokens", f"{tokens:,}, of which {sum(sum(data[p].own) for p in order):,} are learned; longest: {longest:,}"],
        ["parameters", f"{learned:,} of {sum(p.numel() for p in model.parameters()):,} learn"],
        ["arithmetic", dtype],
        ["memory", f"{memory(model, learned) / GIGABYTE:.1f} GiB"],
        ["speed", f"{speed:,.0f} tokens/s"],
        ["time", in_words(tokens / speed)],
    ]
    return TextTable("Dry run", ["training", "what"], rows, NOTE)


def seconds_of_step(model: Any, rows: Sequence[Tokens], pad: int, dtype: str) -> tuple[float, int]:
    """Seconds of a forward and backward pass, and the tokens that it reads."""
    batch = {name: tensor.to(model.device) for name, tensor in batch_of(rows, pad).items()}

    def once() -> float:
        begun = time.perf_counter()
        found = label_log_probabilities(model, batch, dtype)
        (-found.log_probabilities.mean()).backward()
        model.zero_grad(set_to_none=True)
        return time.perf_counter() - begun

    once()
    return once(), int(batch["attention_mask"].sum())


def memory(model: Any, learned: int) -> float:
    """Bytes at the most so far, and the two moments and the gradient that AdamW keeps of what learns."""
    import torch

    moments = 3 * 4 * learned
    if model.device.type == "cuda":
        return float(torch.cuda.max_memory_allocated() + moments)
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + moments)


def in_words(seconds: float) -> str:
    """A time in hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
