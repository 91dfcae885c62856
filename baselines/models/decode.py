"""The decode loop: many replies at once, each with its own random numbers and, if wanted, its own grammar.

Why not `model.generate`: here every row draws from its own seed, so a reply does not depend on the rows beside it;
tokens that a grammar forces are not asked for but fed in one go; finished rows leave the batch; and what all prompts
have in common (the rules of the game) is read once. Rows are padded on the left, wherever they are shorter.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.baselines.models.constrained import Guide

if TYPE_CHECKING:
    from torch import Tensor

_WORTH_SHARING = 16  # tokens; below this, reading the common beginning apart costs more than it saves


@dataclass
class Row:
    """One reply in the making.

    Attributes:
        prompt: token ids of the conversation.
        seed: seed of this reply's random numbers.
        limit: the most tokens the model may write.
        guide: the grammar's state, or None for free text.
        tokens: what was written so far.
        closed: the limit came before the grammar's end, and the ending was filled in.
        cut: the limit came before the end of free text.
    """

    prompt: Sequence[int]
    seed: int
    limit: int
    guide: Guide | None = None
    tokens: list[int] = field(default_factory=list)
    closed: bool = False
    cut: bool = False
    done: bool = False
    pending: list[int] = field(default_factory=list)  # tokens that the model has not read yet
    draws: list[float] = field(default_factory=list)  # one uniform number for each token

    def start(self) -> None:
        """Draw all random numbers, and write what the grammar forces at the beginning."""
        import torch

        source = torch.Generator().manual_seed(self.seed % 2**63)
        self.draws = torch.rand(self.limit, generator=source).tolist()
        self.pending = list(self.prompt)
        self._settle()

    def take(self, token: int, stops: Collection[int]) -> None:
        """Append one chosen token, and all that the grammar forces after it."""
        self.pending = []
        if token in stops:
            self.done = True
            return
        if self.guide is not None:
            self.guide.take(token)
        self.tokens.append(token)
        self.pending.append(token)
        self._settle()

    def _settle(self) -> None:
        if self.guide is not None:
            forced = self.guide.forced()
            self.tokens += forced
            self.pending += forced
            self.done = self.guide.ended
        if not self.done and len(self.tokens) >= self.limit:
            self.done = True
            self.cut = self.guide is None
            if self.guide is not None:
                self.tokens += self.guide.close()
                self.closed = True


def generate(model: Any, rows: Sequence[Row], *, temperature: float, stops: Collection[int]) -> None:
    """Write all rows' replies into them.

    Args:
        model: a decoder-only transformers model.
        rows: the replies to make.
        temperature: 0 takes the likeliest token; above, one random number of the row chooses each token.
        stops: ids of the tokens that end a reply.
    """
    import torch

    for row in rows:
        row.start()
    live = [row for row in rows if not row.done]
    if not live:
        return
    with torch.inference_mode():
        memory = _Memory(model)
        _share(memory, live)
        while live:
            logits = memory.feed([row.pending for row in live])
            for row, token in zip(live, _choose(logits, live, temperature), strict=True):
                row.take(token, stops)
            going = [index for index, row in enumerate(live) if not row.done]
            if going and len(going) < len(live):
                memory.keep(going)
            live = [live[index] for index in going]


def _share(memory: _Memory, rows: Sequence[Row]) -> None:
    """Let the model read the common beginning of all prompts once."""
    beginning = _common_beginning([row.pending[:-1] for row in rows])
    if len(rows) > 1 and len(beginning) >= _WORTH_SHARING:
        memory.feed([beginning])
        memory.spread(len(rows))
        for row in rows:
            row.pending = row.pending[len(beginning) :]


def _common_beginning(lists: Sequence[list[int]]) -> list[int]:
    low, high = min(lists), max(lists)  # all others lie between these two in dictionary order
    different = (index for index, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1])
    return low[: next(different, len(low))]


def _choose(logits: Tensor, rows: Sequence[Row], temperature: float) -> list[int]:
    """One token a row, by inverting the cumulative distribution at the row's own random number."""
    import torch

    # A model that overflows gives NaN; the grammar's tokens must stay ahead of the forbidden ones even then.
    scores = torch.nan_to_num(logits.float(), nan=-1e30, posinf=1e30, neginf=-1e30)
    if any(row.guide is not None for row in rows):
        free = np.ones(scores.shape[-1], dtype=np.bool_)
        allowed = np.stack([free if row.guide is None else row.guide.allowed() for row in rows])
        scores = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
    if temperature == 0:
        return scores.argmax(-1).tolist()
    weights = torch.softmax(scores / temperature, -1)
    mass = weights.cumsum(-1, dtype=torch.float64 if scores.device.type != "mps" else torch.float32)
    drawn = torch.tensor([[row.draws[len(row.tokens)]] for row in rows], dtype=mass.dtype, device=mass.device)
    # right=True steps over tokens of weight 0; a 24-bit draw times the total stays below the total.
    return torch.searchsorted(mass, drawn * mass[:, -1:], right=True).squeeze(-1).tolist()


class _Memory:
    """What the model has read: key-value cache and mask, one row for each reply."""

    def __init__(self, model: Any) -> None:
        import torch
        from transformers import DynamicCache

        self.model = model
        self.cache = DynamicCache(config=model.config)
        self.mask = torch.ones((1, 0), dtype=torch.long, device=model.device)

    def feed(self, pending: Sequence[Sequence[int]]) -> Tensor:
        """Read some more tokens in every row and return the logits after each row's last one."""
        import torch

        width = max(len(tokens) for tokens in pending)
        holes = [width - len(tokens) for tokens in pending]
        ids = torch.tensor([[0] * hole + list(tokens) for hole, tokens in zip(holes, pending, strict=True)])
        seen = torch.tensor([[0] * hole + [1] * (width - hole) for hole in holes])
        before = self.mask if len(self.mask) == len(pending) else self.mask.expand(len(pending), -1)
        self.mask = torch.cat([before, seen.to(before.device)], 1)
        places = (self.mask.cumsum(-1) - 1).clamp(min=0)[:, -width:]
        done = self.model(
            input_ids=ids.to(before.device),
            attention_mask=self.mask,
            position_ids=places,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return done.logits[:, -1]

    def spread(self, rows: int) -> None:
        """Turn one row into many equal ones."""
        self.cache.batch_repeat_interleave(rows)
        self.mask = self.mask.repeat(rows, 1)

    def keep(self, rows: Sequence[int]) -> None:
        """Forget all other rows."""
        import torch

        index = torch.tensor(rows, device=self.mask.device)
        self.cache.batch_select_indices(index)
        self.mask = self.mask[index]
