"""Batched decoding, with a random seed and an optional grammar per reply.

Unlike in `model.generate`, every row samples with its own seed, independently of the batch; tokens forced by a grammar
need no sampling; finished rows leave the batch; and prefixes of previous turns or shared by several prompts, such as
rules, are read once (`Reader`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from econzoo.baselines.models.constrained_decoding import Guide
from econzoo.baselines.models.kind_reader import KindReader
from econzoo.baselines.models.prefix_cache import CACHE_LIMIT
from econzoo.baselines.models.reading import Reader, Reading

if TYPE_CHECKING:
    from torch import Tensor


@dataclass
class Row:
    """One reply during generation.

    Attributes:
        guide: Grammar state, or None for free text.
        kinds: Reads the probabilities of the kinds of move, if they are wanted.
    """

    prompt: Sequence[int]
    seed: int
    limit: int
    guide: Guide | None = None
    kinds: KindReader | None = None
    tokens: list[int] = field(default_factory=list)
    closed_by_grammar: bool = False
    is_cut: bool = False
    is_done: bool = False
    pending: list[int] = field(default_factory=list)  # tokens not yet read by the model
    draws: list[float] = field(default_factory=list)  # one uniform number per token

    def start(self) -> None:
        """Draw all random numbers, and take the tokens forced at the beginning."""
        import torch

        source = torch.Generator().manual_seed(self.seed % 2**63)
        # One draw per position, on the CPU: the same on every device, in every batch, and after forced tokens.
        self.draws = torch.rand(self.limit, generator=source).tolist()
        self.pending = list(self.prompt)
        self._apply_grammar()

    def take_token(self, token: int, stops: Collection[int]) -> None:
        """Append a sampled token and the forced tokens after it."""
        self.pending = []
        if token in stops:
            self.is_done = True
            return
        if self.guide is not None:
            self.guide.take_token(token)
        self.tokens.append(token)
        self.pending.append(token)
        self._apply_grammar()

    def _apply_grammar(self) -> None:
        if self.guide is not None:
            forced = self.guide.take_forced()
            self.tokens += forced
            self.pending += forced
            self.is_done = self.guide.is_complete
        if not self.is_done and len(self.tokens) >= self.limit:
            self.is_done = True
            self.is_cut = self.guide is None
            if self.guide is not None:
                self.tokens += self.guide.close()
                self.closed_by_grammar = True


def generate(
    reader: Reader, rows: Sequence[Row], *, temperature: float, stops: Collection[int], cache_limit: int = CACHE_LIMIT
) -> None:
    """Generate the replies of all rows, in place.

    Args:
        temperature: Sampling temperature; 0 is greedy.
        cache_limit: Size of the prefix cache after the batch in MiB.
    """
    import torch

    for row in rows:
        row.start()
    live = [row for row in rows if not row.is_done]
    with torch.inference_mode():
        for part in reader.split_batches(live) if live else ():
            _write(reader.begin([row.pending for row in part], cache_limit), part, temperature, stops)
    for row in rows:
        if row.kinds is not None:
            row.kinds.follow_unclear_tokens(reader.model, row.prompt, temperature)


def _write(reading: Reading, rows: Sequence[Row], temperature: float, stops: Collection[int]) -> None:
    """Generate the replies of a batch."""
    live = list(rows)
    for row, known in zip(live, reading.known_lengths, strict=True):
        del row.pending[:known]
    while live:
        ready, logits = reading.feed([row.pending for row in live])
        waiting = [live[index] for index in ready]
        for row, scores in zip(waiting, logits, strict=True):
            if row.kinds is not None:
                row.kinds.look(row.tokens, row.guide, scores, temperature)
        for row, token in zip(waiting, _choose(logits, waiting, temperature), strict=True):
            row.take_token(token, stops)
        left = [index for index, row in enumerate(live) if not row.is_done]
        live = [live[index] for index in (reading.retain_rows(left) if len(left) < len(live) else left)]
    reading.end()


def _choose(logits: Tensor, rows: Sequence[Row], temperature: float) -> list[int]:
    """Sample one token per row by inverse transform at the row's random number."""
    import torch

    # A model that overflows gives NaN; allowed tokens must still rank above forbidden ones.
    scores = torch.nan_to_num(logits.float(), nan=-1e30, posinf=1e30, neginf=-1e30)
    if any(row.guide is not None for row in rows):
        free = np.ones(scores.shape[-1], dtype=np.bool_)
        allowed = np.stack([free if row.guide is None else row.guide.allowed_mask() for row in rows])
        scores = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
    if temperature == 0:
        return scores.argmax(-1).tolist()
    weights = torch.softmax(scores / temperature, -1)
    # In float32 the running sum would lose rare tokens; mps has no float64.
    mass = weights.cumsum(-1, dtype=torch.float64 if scores.device.type != "mps" else torch.float32)
    drawn = torch.tensor([[row.draws[len(row.tokens)]] for row in rows], dtype=mass.dtype, device=mass.device)
    # right=True skips tokens of weight 0; a 24-bit draw times the total stays below the total.
    return torch.searchsorted(mass, drawn * mass[:, -1:], right=True).squeeze(-1).tolist()
