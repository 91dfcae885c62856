"""Language models as players: ``hf:PATH_OR_ID``, ``hf:smollm2`` and ``openai:MODEL@URL``.

A model sees its own chat transcript: the rules of its seat as system message, then turn by turn what is new and
what it answered itself. An answer that was no move stays in the transcript, followed by what was wrong with it.
Transcripts that grow too long are cut from the oldest turn (`econzoo.baselines.models.chat.fit`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from econzoo.baselines.models import ChatModel, Message, OpenAIChat, TransformersChat
from econzoo.baselines.player import Player, SeatInfo, Usage

MAX_NEW_TOKENS = 96
"""Default length of a reply: a move and a message of a few sentences."""


class LanguageModelPlayer(Player):
    """A chat model in a seat.

    Args:
        spec: Names the player.
        model: Answers; shared by all forks.
        constrained: Whether the model is given the JSON schema of the legal moves, which its decoder (or
            server) then cannot leave.
    """

    face: ClassVar[str] = "chat"

    def __init__(self, spec: str, model: ChatModel, constrained: bool = True) -> None:
        super().__init__(spec)
        self.model = model
        self.wants_schema = constrained
        self.transcript: list[Message] = []
        self._seed = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts a transcript with the rules of the seat."""
        self.transcript = [{"role": "system", "content": info.rules}]
        self._seed = seed

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """The model's reply as it came."""
        return self.act_batch([self], [observation], [info])[0]

    @property
    def batch_key(self) -> Hashable:
        """Matches that share the model are asked together."""
        return id(self.model)

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """One batch for all matches that wait for the same model."""
        seated = [player for player in players if isinstance(player, LanguageModelPlayer)]
        for player, observation in zip(seated, observations, strict=True):
            player.transcript.append({"role": "user", "content": observation["text"]})
        replies = seated[0].model.complete(
            [player.transcript for player in seated],
            [info.get("json_schema") for info in infos],
            [player.next_seed() for player in seated],
        )
        for player, reply in zip(seated, replies, strict=True):
            player.transcript.append({"role": "assistant", "content": reply.text})
            tokens = (reply.prompt_tokens, reply.completion_tokens)
            player.usage = Usage(tokens, reply.cost, reply.truncated_turns, reply.closed)
        return [reply.text for reply in replies]

    def next_seed(self) -> int:
        """A seed for the next reply: a function of the match's seed and the length of the transcript."""
        return int(np.random.SeedSequence([self._seed, len(self.transcript)]).generate_state(1, np.uint32)[0])


Read = Callable[[str], Any]


def yes_or_no(text: str) -> bool:
    """``1``, ``true``, ``yes`` or their opposites."""
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.lower() not in known:
        raise ValueError("yes or no")
    return known[text.lower()]


def prices(text: str) -> tuple[float, float]:
    """Two numbers with a comma: dollars per million tokens read and written."""
    read, written = map(float, text.split(","))
    return read, written


def read_options(spec: str, given: Mapping[str, str], known: Mapping[str, Read]) -> dict[str, Any]:
    """The options behind the question mark of a spec.

    Raises:
        ValueError: Unknown name or unreadable value; the message says what is allowed.
    """
    out = {}
    for name, text in given.items():
        if name not in known:
            raise ValueError(f"player {spec!r}: unknown option {name!r}; allowed: {', '.join(known)}")
        try:
            out[name] = known[name](text)
        except ValueError:
            raise ValueError(f"player {spec!r}: the option {name}={text!r} cannot be read") from None
    return out


HF_OPTIONS: dict[str, Read] = {
    "temperature": float,
    "max_new_tokens": int,
    "constrained": yes_or_no,
    "device": str,
    "dtype": str,
    "context": int,
    "batch_size": int,
}

OPENAI_OPTIONS: dict[str, Read] = {
    "temperature": float,
    "max_tokens": int,
    "constrained": yes_or_no,
    "max_retries": int,
    "requests_per_minute": float,
    "concurrency": int,
    "price_per_million": prices,
    "timeout": float,
    "context": int,
}


def hf_player(spec: str, path_or_id: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``hf:PATH_OR_ID?temperature=0.7&constrained=yes``: a transformers model in this process."""
    options = {"max_new_tokens": MAX_NEW_TOKENS, **read_options(spec, given, HF_OPTIONS)}
    try:
        model = TransformersChat(path_or_id, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, model.constrained)


def openai_player(spec: str, target: str, given: Mapping[str, str]) -> LanguageModelPlayer:
    """``openai:MODEL@URL?temperature=0.7``: any OpenAI-compatible server; without @URL, OpenAI's own."""
    name, _, url = target.rpartition("@") if "@" in target else (target, "", "")
    options = read_options(spec, given, OPENAI_OPTIONS)
    constrained = options.pop("constrained", True)
    try:
        model = OpenAIChat(name, url or None, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    return LanguageModelPlayer(spec, model, constrained)
