"""Transcripts as token ids, with a mask of the model's own tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from econzoo.baselines.models import LoadedModel, Message, fit_to_budget

IGNORED = -100
"""Label of masked tokens."""

_MARK = "A-reply-stands-here"


@dataclass
class Tokens:
    """One training sequence.

    Attributes:
        own_mask: 1 where the model wrote the token, 0 where it read it.
        weights: Loss weight of each token; 0 where the model read it.
        targets: Position to target token, where it differs from the token written there.
    """

    ids: list[int] = field(default_factory=list)
    own_mask: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    targets: dict[int, int] = field(default_factory=dict)

    def read(self, ids: Sequence[int]) -> None:
        """Append tokens that the model reads."""
        self.ids += ids
        self.own_mask += [0] * len(ids)
        self.weights += [0.0] * len(ids)

    def write(self, ids: Sequence[int], own: Sequence[int] | None = None, weight: float = 1.0) -> None:
        """Append tokens that the model writes; `own` is 0 for tokens forced by a grammar."""
        chosen = [1] * len(ids) if own is None else list(own)
        self.ids += ids
        self.own_mask += chosen
        self.weights += [weight * one for one in chosen]

    def write_corrected(self, ids: Sequence[int], better: Sequence[int], weight: float = 1.0) -> None:
        """Append tokens that the model writes where it should write others.

        The loss covers the common prefix and the first differing token. Later tokens follow a wrong one and carry no
        training signal; see `with_ending`.
        """
        same = _common_length(ids, better)
        if same < len(ids):
            self.targets[len(self.ids) + same] = better[same]
        self.write(ids, [int(at <= same) for at in range(len(ids))], weight)

    def with_ending(self, ids: Sequence[int], weight: float = 1.0) -> Tokens:
        """Return a copy that ends with these tokens, written by the model."""
        other = Tokens([*self.ids], [*self.own_mask], [*self.weights], {**self.targets})
        other.write(ids, weight=weight)
        return other

    @property
    def starts(self) -> list[int]:
        """Return the offsets at which replies begin."""
        return [place for place, own in enumerate(self.own_mask) if own and not (place and self.own_mask[place - 1])]

    @property
    def labels(self) -> list[int]:
        """Return the target token ids, `IGNORED` where masked."""
        targets = [token if own else IGNORED for token, own in zip(self.ids, self.own_mask, strict=True)]
        return [self.targets.get(place, token) for place, token in enumerate(targets)]


@dataclass
class Turns:
    """The sequences of a chat, turn by turn; the only path from a chat to training tokens.

    Turns share a sequence as long as each prompt continues from the last reply. A prompt that was truncated, or whose
    template renders earlier turns differently, begins a new one.
    """

    parts: list[Tokens] = field(default_factory=list)
    _shown_tokens: list[int] = field(
        default_factory=list
    )  # the last sequence as prompts render it; sampled replies may differ

    @property
    def total(self) -> int:
        """Return the number of tokens of all sequences."""
        return sum(len(part.ids) for part in self.parts)

    def read(self, prompt: Sequence[int]) -> Tokens:
        """Return the sequence that ends with a prompt."""
        if not self._continues(prompt):
            self.parts.append(Tokens())
            self._shown_tokens = []
        self.parts[-1].read(prompt[len(self._shown_tokens) :])
        self._shown_tokens = list(prompt)
        return self.parts[-1]

    def add_shown_reply(self, reply: Sequence[int]) -> None:
        """Store the tokens with which prompts render the last reply."""
        self._shown_tokens += reply

    def length(self, prompt: Sequence[int]) -> int:
        """Return the length of the sequence that would end with a prompt."""
        known = len(self.parts[-1].ids) - len(self._shown_tokens) if self._continues(prompt) else 0
        return known + len(prompt)

    def _continues(self, prompt: Sequence[int]) -> bool:
        return bool(self.parts) and list(prompt[: len(self._shown_tokens)]) == self._shown_tokens


def end_of_turn(loaded: LoadedModel) -> int:
    """Return the end-of-turn token: the one the chat template sets, if it stops generation."""
    chat: list[Message] = [{"role": "system", "content": "-"}, {"role": "user", "content": "-"}]
    chat.append({"role": "assistant", "content": _MARK})
    # Some templates end a reply only when another message follows, hence the second chat.
    for messages in [] if loaded.uses_plain_chat else [chat, [*chat, {"role": "user", "content": "-"}]]:
        _, _, after = loaded.render(messages, answer=False).rpartition(_MARK)
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
    """Return the token sequences in which every reply follows exactly the prompt it would have in play.

    A reply in which more than one token should differ, such as an amount, is also learned to its end in one further
    sequence that ends there. For why there are several sequences see `Turns`.

    Args:
        transcript: Ends with an assistant message. The target of a message is its ``"meant"``, if present.
        limit: Maximum tokens of a sequence.
        weights: Weights of the replies, in order; empty: 1 each.
        truncate: Whether prompts beyond the limit are truncated, as in play; else later replies are dropped.
        turn: Index of the corrected reply to learn to its end, modulo their number.
    """
    end, turns, replies = end_of_turn(loaded), Turns(), 0
    ended: list[Tokens] = []
    for at, message in enumerate(transcript):
        if message["role"] != "assistant":
            continue
        reply = [*loaded.encode_reply(message["content"]), end]
        if len(reply) >= limit:
            raise ValueError(f"a reply has {len(reply)} tokens: expected fewer than the maximum length of {limit}")
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
    # One of them only: each repeats the match up to its reply, and tokens are what training costs.
    return [*turns.parts, *ended[turn % max(len(ended), 1) :][:1]]


def _common_length(ids: Sequence[int], others: Sequence[int]) -> int:
    """Return the length of the common prefix."""
    return next((at for at, pair in enumerate(zip(ids, others, strict=False)) if pair[0] != pair[1]), len(ids))


def _several_differ(ids: Sequence[int], others: Sequence[int]) -> bool:
    """Whether more than one token differs."""
    after = _common_length(ids, others) + 1
    return ids[after:] != others[after:]


def fit_prompt(loaded: LoadedModel, chat: Sequence[Message], budget: int) -> list[int]:
    """Return the prompt of a chat, truncated as a player would."""
    messages, _ = fit_to_budget(chat, lambda part: len(loaded.encode(part)), budget)
    return loaded.encode(messages)[-budget:]
