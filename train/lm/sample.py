"""A sampled match of the learner, for GRPO."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from econzoo.envs.core.record import Record, Turn
from econzoo.train.lm.tokens import Tokens

__all__ = ["Sample", "Span"]


class Span(NamedTuple):
    """Location of a reply in a sequence of tokens.

    Attributes:
        begin: Index of its first token.
        end: Index after its last token; equal to `begin` if there was no room for a reply.
        scores: Log-probabilities of its tokens from the sampling server.
    """

    begin: int
    end: int
    is_cut: bool
    scores: tuple[float | None, ...] = ()


@dataclass
class Sample:
    """A sampled match of the learner.

    Attributes:
        prompt: Token ids ahead of the first reply.
        completion: Token ids from the first to the last reply, with what is read in between.
        own_mask: 1 where the policy sampled the token of the completion.
        spans: Places in the completion of the replies of the learner's turns, in order.
        starts: Offsets in the completion at which a further sequence begins, without its context.
    """

    record: Record
    seat: int
    prompt: list[int]
    completion: list[int]
    own_mask: list[int]
    spans: list[Span]
    starts: list[int] = field(default_factory=list)

    @property
    def sequences(self) -> list[Tokens]:
        """Return the sequences separately."""
        ids, own = [*self.prompt, *self.completion], [*[0] * len(self.prompt), *self.own_mask]
        edges = [0, *[len(self.prompt) + start for start in self.starts], len(ids)]
        out = [Tokens() for _ in edges[1:]]
        for part, begin, end in zip(out, edges, edges[1:], strict=False):
            part.write(ids[begin:end], own[begin:end])
        return out

    @property
    def scores(self) -> list[float | None]:
        """Return the sampling server's log-probabilities of the completion, 0 where the model read."""
        out: list[float | None] = [0.0] * len(self.completion)
        for span in self.spans:
            out[span.begin : span.end] = span.scores
        return out

    @property
    def turns(self) -> list[Turn]:
        """Return the learner's turns, invalid ones included; none of a match without a result."""
        turns = self.record.turns if self.record.has_result else []
        return [turn for turn in turns if turn.seat == self.seat]

    @property
    def has_forfeited(self) -> bool:
        """Whether the learner forfeited by giving no valid action."""
        return self.record.forfeit == self.seat
