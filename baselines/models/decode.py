"""The decode loop: many replies at once, each with its own random numbers and, if wanted, its own grammar.

Why not `model.generate`: here every row draws from its own seed, so a reply does not depend on the rows beside it;
tokens that a grammar forces are not asked for but only read; finished rows leave the batch; and what was read in
earlier turns, or is the beginning of several prompts (the rules of the game), is read once (`Reader`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from econzoo.baselines.models.constrained_decoding import Guide
from econzoo.baselines.models.prefix_cache import CACHE_LIMIT
from econzoo.baselines.models.reading import Reader, Reading

if TYPE_CHECKING:
    from torch import Tensor


@dataclass
class Row:
    """One reply in the making.

    Attributes:
        prompt: token ids of the conversation.
        seed: seed of this reply's random numbers.
        limit: the most tokens the model may write.
        guide: the grammar's state, or None for free text.
        tokens: what was written so far.
        closed_by_grammar: the limit came before the grammar's end, and the ending was filled in.
        is_cut: the limit came before the end of free text.
    """

    prompt: Sequence[int]
    seed: int
    limit: int
    guide: Guide | None = None
    tokens: list[int] = field(default_factory=list)
    closed_by_grammar: bool = False
    is_cut: bool = False
    is_done: bool = False
    pending: list[int] = field(default_factory=list)  # tokens that the model has not read yet
    draws: list[float] = field(default_factory=list)  # one uniform number for each token

    def start(self) -> None:
        """Draw all random numbers, and write what the grammar forces at the beginning."""
        import torch

        source = torch.Generator().manual_seed(self.seed % 2**63)
        self.draws = torch.rand(self.limit, generator=source).tolist()
        self.pending = list(self.prompt)
        self._apply_grammar()

    def take_token(self, token: int, stops: Collection[int]) -> None:
        """Append one chosen token, and all that the grammar forces after it."""
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
    """Write all rows' replies into them.

    Args:
        reader: reads with the model, and knows what it has read before.
        rows: the replies to make.
        temperature: 0 takes the likeliest token; above, one random number of the row chooses each token.
        stops: ids of the tokens that end a reply.
        cache_limit: MiB of what was read that stay in memory for later.
    """
    import torch

    for row in rows:
        row.start()
    live = [row for row in rows if not row.is_done]
    with torch.inference_mode():
        for part in reader.split_batches(live) if live else ():
            _write(reader.begin([row.pending for row in part], cache_limit), part, temperature, stops)


def _write(reading: Reading, rows: Sequence[Row], temperature: float, stops: Collection[int]) -> None:
    """Write the replies of a batch that has begun."""
    live = list(rows)
    for row, known in zip(live, reading.known_lengths, strict=True):
        del row.pending[:known]
    while live:
        ready, logits = reading.feed([row.pending for row in live])
        asked = [live[index] for index in ready]
        for row, token in zip(asked, _choose(logits, asked, temperature), strict=True):
            row.take_token(token, stops)
        going = [index for index, row in enumerate(live) if not row.is_done]
        live = [live[index] for index in (reading.retain_rows(going) if len(going) < len(live) else going)]
    reading.end()


def _choose(logits: Tensor, rows: Sequence[Row], temperature: float) -> list[int]:
    """One token a row, by inverting the cumulative distribution at the row's own random number."""
    import torch

    # A model that overflows gives NaN; the grammar's tokens must stay ahead of the forbidden ones even then.
    scores = torch.nan_to_num(logits.float(), nan=-1e30, posinf=1e30, neginf=-1e30)
    if any(row.guide is not None for row in rows):
        free = np.ones(scores.shape[-1], dtype=np.bool_)
        allowed = np.stack([free if row.guide is None else row.guide.allowed_mask() for row in rows])
        scores = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
    if temperature == 0:
        return scores.argmax(-1).tolist()
    weights = torch.softmax(scores / temperature, -1)
    mass = weights.cumsum(-1, dtype=torch.float64 if scores.device.type != "mps" else torch.float32)
    drawn = torch.tensor([[row.draws[len(row.tokens)]] for row in rows], dtype=mass.dtype, device=mass.device)
    # right=True steps over tokens of weight 0; a 24-bit draw times the total stays below the total.
    return torch.searchsorted(mass, drawn * mass[:, -1:], right=True).squeeze(-1).tolist()
