"""A match of the learner, as GRPO takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from econzoo.envs.core.record.record import Record, Turn
from econzoo.train.lm.tokens import Tokens

__all__ = ["Sample", "Span"]


class Span(NamedTuple):
    """Where a reply stands in a sequence of tokens.

    Attributes:
        begin: Its first token.
        end: The one after its last; equal to `begin` where there was no room for a reply.
        is_cut: Whether the limit of its length, or of the match's, came before its end.
        scores: Log-probabilities with which a server sampled its tokens.
    """

    begin: int
    end: int
    is_cut: bool
    scores: tuple[float | None, ...] = ()


@dataclass
class Sample:
    """A match of the learner, as GRPO takes it.

    Attributes:
        record: The match.
        seat: The learner's.
        prompt: Token ids up to the first reply.
        completion: Token ids from there to the last reply.
        own_mask: 1 where the policy chose the token.
        spans: Of replies, one for each of the learner's turns in the record, by its place in `completion`.
        starts: Where in `completion` another sequence begins, whose tokens know nothing of those before it.
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
        """One by one."""
        ids, own = [*self.prompt, *self.completion], [*[0] * len(self.prompt), *self.own_mask]
        edges = [0, *[len(self.prompt) + start for start in self.starts], len(ids)]
        out = [Tokens() for _ in edges[1:]]
        for part, begin, end in zip(out, edges, edges[1:], strict=False):
            part.write(ids[begin:end], own[begin:end])
        return out

    @property
    def scores(self) -> list[float | None]:
        """Of a match that a server sampled: log-probabilities of the completion, 0 where the model read."""
        out: list[float | None] = [0.0] * len(self.completion)
        for span in self.spans:
            out[span.begin : span.end] = span.scores
        return out

    @property
    def turns(self) -> list[Turn]:
        """The learner's answers, also those that could not be used; none of a match without a result."""
        turns = self.record.turns if self.record.has_result else []
        return [turn for turn in turns if turn.seat == self.seat]

    @property
    def has_forfeited(self) -> bool:
        """Whether the learner gave no usable answer."""
        return self.record.forfeit == self.seat
