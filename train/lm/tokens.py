"""Transcripts as token ids, with a mask that says which tokens are the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from econzoo.baselines.models.chat import Message, fit_to_budget
from econzoo.baselines.models.loading import LoadedModel

IGNORED = -100
"""Label of tokens that are not learned."""

_MARK = "A-reply-stands-here"


@dataclass
class Tokens:
    """One sequence for a model to learn from.

    Attributes:
        ids: Token ids.
        own_mask: 1 where the model wrote the token, 0 where it read it.
        weights: How much each token counts; 0 where the model read it.
        targets: Place to the token that should have been written there, where it is another one.
    """

    ids: list[int] = field(default_factory=list)
    own_mask: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    targets: dict[int, int] = field(default_factory=dict)

    def read(self, ids: Sequence[int]) -> None:
        """Appends tokens that the model reads."""
        self.ids += ids
        self.own_mask += [0] * len(ids)
        self.weights += [0.0] * len(ids)

    def write(self, ids: Sequence[int], own: Sequence[int] | None = None, weight: float = 1.0) -> None:
        """Appends tokens that the model writes; `own` is 0 for those that a grammar forced."""
        chosen = [1] * len(ids) if own is None else list(own)
        self.ids += ids
        self.own_mask += chosen
        self.weights += [weight * one for one in chosen]

    def write_corrected(self, ids: Sequence[int], better: Sequence[int], weight: float = 1.0) -> None:
        """Appends tokens that the model writes where it should write others.

        Learned are those that both begin with, and the first of the others. What follows that stands behind the wrong
        one, and there is nothing to learn from it; see `with_ending`.
        """
        same = _common_length(ids, better)
        if same < len(ids):
            self.targets[len(self.ids) + same] = better[same]
        self.write(ids, [int(at <= same) for at in range(len(ids))], weight)

    def with_ending(self, ids: Sequence[int], weight: float = 1.0) -> Tokens:
        """A copy that ends with these tokens, which the model writes."""
        other = Tokens([*self.ids], [*self.own_mask], [*self.weights], {**self.targets})
        other.write(ids, weight=weight)
        return other

    @property
    def starts(self) -> list[int]:
        """Where the replies begin."""
        return [place for place, own in enumerate(self.own_mask) if own and not (place and self.own_mask[place - 1])]

    @property
    def labels(self) -> list[int]:
        """The ids that are learned, `IGNORED` elsewhere."""
        kept = [token if own else IGNORED for token, own in zip(self.ids, self.own_mask, strict=True)]
        return [self.targets.get(place, token) for place, token in enumerate(kept)]


@dataclass
class Turns:
    """The sequences of a chat, turn by turn: the one way from a chat to tokens that are learned from.

    Turns share a sequence as long as each prompt goes on where the last reply ended. One that was cut to fit, or of a
    template that renders older turns differently, begins another.

    Attributes:
        parts: The sequences; replies are written at the end of the last one.
    """

    parts: list[Tokens] = field(default_factory=list)
    _shown_tokens: list[int] = field(
        default_factory=list
    )  # the last sequence as prompts show it: replies may be sampled so

    @property
    def total(self) -> int:
        """Tokens of all sequences."""
        return sum(len(part.ids) for part in self.parts)

    def read(self, prompt: Sequence[int]) -> Tokens:
        """The sequence that ends with a prompt."""
        if not self._continues(prompt):
            self.parts.append(Tokens())
            self._shown_tokens = []
        self.parts[-1].read(prompt[len(self._shown_tokens) :])
        self._shown_tokens = list(prompt)
        return self.parts[-1]

    def add_shown_reply(self, reply: Sequence[int]) -> None:
        """Takes down with which tokens prompts show the reply that was written."""
        self._shown_tokens += reply

    def length(self, prompt: Sequence[int]) -> int:
        """How long the sequence would be that ends with a prompt."""
        known = len(self.parts[-1].ids) - len(self._shown_tokens) if self._continues(prompt) else 0
        return known + len(prompt)

    def _continues(self, prompt: Sequence[int]) -> bool:
        return bool(self.parts) and list(prompt[: len(self._shown_tokens)]) == self._shown_tokens


def end_of_turn(loaded: LoadedModel) -> int:
    """The token with which a reply ends: the one the chat template sets, if it stops generation."""
    chat: list[Message] = [{"role": "system", "content": "-"}, {"role": "user", "content": "-"}]
    chat.append({"role": "assistant", "content": _MARK})
    for said in [] if loaded.uses_plain_chat else [chat, [*chat, {"role": "user", "content": "-"}]]:
        _, _, after = loaded.render(said, answer=False).rpartition(_MARK)
        following = loaded.tokenizer(after, add_special_tokens=False)["input_ids"]
        if following and following[0] in loaded.stop_tokens:
            return following[0]
    return loaded.tokenizer.eos_token_id


def sequences(
    loaded: LoadedModel,
    transcript: Sequence[Message],
    limit: int,
    weights: Sequence[float] = (),
    truncate: bool = True,
    turn: int = 0,
) -> list[Tokens]:
    """The token sequences in which every reply stands behind exactly the prompt it would have when played.

    Of the replies in which more than one token should be another, such as amounts, one is learned to its end too, in a
    sequence that ends there. Why there are several: see `Turns`.

    Args:
        loaded: The model whose template and tokenizer are used.
        transcript: Ends with an assistant message. Where one has ``"meant"`` beside its content, that is learned.
        limit: The most tokens of a sequence.
        weights: Of the replies, in order; empty: 1 for each.
        truncate: Whether prompts beyond the limit are cut, as in play; else the replies from there on are left out.
        turn: Which of these, counted from 0 and again from the first.

    Raises:
        ValueError: A single reply does not fit.
    """
    end, turns, replies = end_of_turn(loaded), Turns(), 0
    ended: list[Tokens] = []
    for at, message in enumerate(transcript):
        if message["role"] != "assistant":
            continue
        reply = [*loaded.encode_reply(message["content"]), end]
        if len(reply) >= limit:
            raise ValueError(f"a reply has {len(reply)} tokens; allowed: fewer than the length of {limit}")
        if not truncate and len(loaded.encode(transcript[:at])) + len(reply) > limit:
            break
        part = turns.read(fit_prompt(loaded, transcript[:at], limit - len(reply)))
        better = [*loaded.encode_reply(message.get("meant", message["content"])), end]
        weight = weights[replies] if weights else 1.0
        if _several_differ(reply, better) and len(part.ids) + len(better) <= limit:
            ended.append(part.with_ending(better, weight))
        part.write_corrected(reply, better, weight)
        turns.add_shown_reply(reply)
        replies += 1
    return [*turns.parts, *ended[turn % max(len(ended), 1) :][:1]]


def _common_length(ids: Sequence[int], others: Sequence[int]) -> int:
    """How many tokens both begin with."""
    return next((at for at, pair in enumerate(zip(ids, others, strict=False)) if pair[0] != pair[1]), len(ids))


def _several_differ(ids: Sequence[int], others: Sequence[int]) -> bool:
    """Whether more than one token differs."""
    after = _common_length(ids, others) + 1
    return ids[after:] != others[after:]


def fit_prompt(loaded: LoadedModel, chat: Sequence[Message], budget: int) -> list[int]:
    """The prompt of a chat, cut as a player would cut it."""
    messages, _ = fit_to_budget(chat, lambda part: len(loaded.encode(part)), budget)
    return loaded.encode(messages)[-budget:]
