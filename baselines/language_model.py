"""Language models as players: ``hf:PATH_OR_ID``, ``hf:smollm2``, ``openai:MODEL@URL`` and ``mock:TEXT|TEXT``.

A model sees its own chat transcript: the rules of its seat as system message, then turn by turn the news and its own
replies. An invalid reply stays in the transcript, followed by an error message. Transcripts that are too long are
cut from the first turn (`econzoo.baselines.models.chat.fit_to_budget`).

Optional parts (`econzoo.baselines.parts`) are a persona, a memory, which selects what the model reads of the
transcript, a way of reasoning, and tools.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from econzoo.baselines.base import Player, Usage
from econzoo.baselines.calls import wants_logprobs
from econzoo.baselines.models import Call, ChatModel, Completion, Message, make_call
from econzoo.baselines.parts import THOUGHT, Diary, Exchange, Memory, Parts, PersonaChoice, Tool, answer_tool_calls
from econzoo.baselines.parts import describe_tools, log_requests, replay_replies
from econzoo.baselines.parts.reasoning import Question, Request, RequestGenerator, continue_conversation
from econzoo.baselines.scheduling import Task, outcomes_of
from econzoo.envs.core.faces import NO_REPLY_REASONS
from econzoo.envs.core.record import Turn
from econzoo.wrappers import SeatInfo

__all__ = ["LanguageModelPlayer"]


class LanguageModelPlayer(Player):
    """A chat model as a player.

    Args:
        spec: Player spec.
        model: Chat model, shared by all forks.
        constrained: Whether decoding is constrained to the JSON schema of the legal moves; None: unless a move is free
            text, such as a program.
        parts: Persona, memory, reasoning and tools; None: a plain player.

    Attributes:
        memory: Memory of the current match.
    """

    face: ClassVar[str] = "chat"
    wants_seen = True

    def __init__(
        self, spec: str, model: ChatModel, constrained: bool | None = None, parts: Parts | None = None
    ) -> None:
        super().__init__(spec)
        self.model = model
        self.constrained = constrained
        self.parts = parts or Parts()
        self.libraries = getattr(model, "libraries", ())
        self.memory: Memory = self.parts.memory
        self._diary: Diary | None = None
        self._tools: list[Tool] = []
        self._last: Exchange | None = None
        # Requests of the current turn, and of the match so far.
        self._seat = self._seed = self._asked = self._given = 0
        self._moves: Any = None

    @property
    def wants_schema(self) -> bool:  # type: ignore[override]
        """See `Player.wants_schema`; of free replies it tells the kinds whose probabilities are wanted."""
        return self.constrained is not False or self._names_kinds

    @property
    def _names_kinds(self) -> bool:
        """Whether a model that leaves replies free is told the schema, for the probabilities of the kinds of move."""
        return getattr(self.model, "constrained", None) is False and wants_logprobs()

    @property
    def transcript(self) -> list[Message]:
        """System message, then prompts and replies in turn; empty before a match."""
        return self._diary.transcript if self._diary else []

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a transcript with the rules of the seat, the persona and the tools.

        Raises:
            ValueError: No persona for this seat, or the game does not support a tool or the reasoning.
        """
        self._seat, self._seed, self._last = seat, seed, None
        self._diary = diary = Diary(info, seat, self.parts.texts)
        self._begin_model(diary, 0)
        self.memory = self.parts.memory.open(diary)
        self._tools = [*self.parts.tools, *self.memory.tools]
        self._check_parts(diary)
        self.persona = self._persona(diary)
        diary.write("system", self._brief(info, diary))
        if self._tools and not self._is_free(diary):
            diary.transcript[0]["functions"] = self._brief(info, diary, functions=True)

    def _brief(self, info: SeatInfo, diary: Diary, functions: bool = False) -> str:
        """Return rules, persona and tools, which some models get as functions."""
        texts = info.rules, self.persona, describe_tools(self._tools, self.parts.tool_calls, diary.texts, functions)
        return "\n\n".join(text for text in texts if text)

    def _is_free(self, diary: Diary) -> bool:
        """Whether replies are unconstrained."""
        return not self.constrained and (self.constrained is False or diary.game.actions.source is not None)

    def _begin_model(self, diary: Diary, given: int) -> None:
        """Take a fresh copy of the model for this match, if it has state per match."""
        fresh, source = getattr(self.model, "fresh_copy", None), diary.game.actions.source
        self._given = given
        if fresh:
            self.model = fresh(given, source[1].library() if source else ())

    def _persona(self, diary: Diary) -> str | None:
        persona = self.parts.persona
        try:
            persona = persona.resolve(diary.roles[diary.seat]) if isinstance(persona, PersonaChoice) else persona
        except ValueError as error:
            raise ValueError(f"player {self.spec!r}: {error}") from None
        return persona.describe(diary.texts) if persona else None

    def _check_parts(self, diary: Diary) -> None:
        if refusal := self.parts.reasoning.refusal(diary):
            raise ValueError(f"player {self.spec!r}: {refusal}")
        for tool in self._tools:
            if not tool.is_possible(diary):
                raise ValueError(f"player {self.spec!r}: {diary.game.name} has no {tool.name}; leave it out of tools")

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """Return the model's raw reply."""
        reply: str | Exception = self.act_batch([self], [observation], [info])[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def act_in_steps(self, observation: Any, info: dict[str, Any]) -> Task[str]:
        """Return a task that makes the calls of one turn and returns the raw reply."""
        asking = self._turn(observation["text"], info)
        try:
            request = next(asking)
            while True:
                request = asking.send((yield from make_call(self.model, self.call(request))))
        except StopIteration as done:
            reply: str = done.value  # a `Reply` keeps its finish reason
            return reply

    @property
    def concurrency(self) -> int:
        """See `Player.concurrency`."""
        return int(getattr(self.model, "concurrency", 0))

    @property
    def call_key(self) -> Hashable:
        """Calls of one served model are counted together, whatever the options of its players."""
        return self.model.name if self.is_served else id(self.model)

    @property
    def is_served(self) -> bool:
        """See `Player.is_served`."""
        return hasattr(self.model, "answer")

    @property
    def batch_key(self) -> Hashable:
        """Matches that share the model share batches."""
        return id(self.model)

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """Answer matches of one model in parallel."""
        seated = [player for player in players if isinstance(player, LanguageModelPlayer)]
        asked = zip(seated, observations, infos, strict=True)
        return outcomes_of([partial(player.act_in_steps, seen, info) for player, seen, info in asked])

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> str:
        """Replay a recorded turn with the recorded replies, without calling the model.

        Of a turn without a reply it remembers the prompt.
        """
        if turn.finish in NO_REPLY_REASONS and self._diary is not None:
            self._diary.write("user", observation["text"])
            self._diary.write("assistant", "")
            return str(turn.reply)
        replies = [_recorded_completion(**call) for call in turn.calls]
        replies.append(_recorded_completion(str(turn.reply), turn.tokens, turn.finish, turn.limit, turn.reasoning))
        text = replay_replies(self._turn(observation["text"], info), replies)
        assert self._diary is not None, "recall requires a reset"
        # A stateful model, such as canned replies, goes on after the recorded ones.
        self._begin_model(self._diary, self._given + len(replies))
        if text is None:
            raise ValueError(f"player {self.spec!r}: its calls do not match the {len(replies)} recorded ones")
        return text

    def _turn(self, text: str, info: Mapping[str, Any]) -> RequestGenerator[str]:
        """Yield the requests of one turn; return the reply."""
        diary = self._diary
        if diary is None:
            raise ValueError("act requires a reset")
        diary.seen, self._asked, self._moves = info.get("seen"), 0, info.get("json_schema")
        if self._tools or self.memory.needs_seen or self.parts.reasoning.needs_seen:
            diary.require_seen()
        diary.write("user", text)
        exchanges: list[Exchange] = []
        last = self._last if info.get("error") else None
        asking = self._retry(last, text) if last else self._reason(diary, text, info, exchanges)
        reply = yield from log_requests(asking, exchanges) if last else asking
        diary.write("assistant", reply.text)
        # By identity: another request of the turn may have an equal reply.
        final = next((one for one in reversed(exchanges) if one.completion is reply), None)
        self._last = final or Exchange(Request(diary.transcript[:-1], self._schema(info), "answer"), reply)
        self.usage = _usage(reply, [one for one in exchanges if one is not final])
        return reply.reply

    def _reason(
        self, diary: Diary, text: str, info: Mapping[str, Any], exchanges: list[Exchange]
    ) -> RequestGenerator[Completion]:
        """Run memory, reflection, tools and reasoning, in this order."""
        memory, reasoning, schema = self.memory, self.parts.reasoning, self._schema(info)
        # The prompt is the first message of its round, and not of the match: earlier rounds are digested once.
        if 1 < diary.messages_before(diary.round) == len(diary.transcript) - 1:
            yield from log_requests(memory.digest(diary), exchanges)
            back = reasoning.look_back(Question(diary, memory.conversation(diary), schema))
            note = yield from log_requests(back, exchanges)
            diary.transcript[-1]["content"] = f"{note}\n\n{text}" if note else text
        asking = reasoning.turn(Question(diary, memory.conversation(diary), schema))
        return (yield from answer_tool_calls(asking, exchanges, self._tools, self.parts.tool_calls, diary))

    def _retry(self, last: Exchange, text: str) -> RequestGenerator[Completion]:
        """Retry after an invalid reply, keeping its reasoning."""
        conversation = continue_conversation(last.request, last.completion, text)
        return (yield Request(conversation, last.request.schema, "answer"))

    def _schema(self, info: Mapping[str, Any]) -> Any:
        """Return the JSON schema of replies; None: unconstrained."""
        assert self._diary is not None, "act requires a reset"
        return None if self._is_free(self._diary) else info.get("json_schema")

    def call(self, request: Request) -> Call:
        """Convert a request into a call of the model."""
        # Read ahead of `next_seed`, which counts the request.
        number = self._given
        is_move = not request.is_thought and request.about_seat is None
        schema = self._moves if is_move and self._names_kinds else request.schema
        inputs = request.conversation, schema, self.next_seed()
        return Call(self.match, self._seat, number, *inputs, self._limit(request))

    def _limit(self, request: Request) -> int | None:
        """Return the token limit of a reply: of the spec, else as needed for a move or a thought."""
        own = getattr(self.model, "max_tokens", None)
        if request.about_seat is not None and self.parts.simulation_tokens:
            return self.parts.simulation_tokens
        thought = self.parts.thought_tokens or own or THOUGHT
        if request.is_thought:
            return thought
        diary = self._diary
        assert diary is not None, "act requires a reset"
        if own or diary.seen is None:
            return own
        extra = diary.teller.words.extra  # reasoning requested in the reply itself
        return diary.game.actions.tokens(diary.seen.legal) + thought * len(extra)

    def next_seed(self) -> int:
        """Return the seed of the next request: a function of match seed, transcript length, and request number."""
        # Requests of one turn differ by their number only: the transcript does not grow before the reply.
        more = [self._asked] if self._asked else []
        self._asked, self._given = self._asked + 1, self._given + 1
        return int(np.random.SeedSequence([self._seed, len(self.transcript), *more]).generate_state(1, np.uint32)[0])


def _usage(reply: Completion, preceding: Sequence[Exchange]) -> Usage:
    """Return the total usage of a turn."""
    every = [reply, *[one.completion for one in preceding]]
    tokens = sum(one.prompt_tokens for one in every), sum(one.completion_tokens for one in every)
    return Usage(
        tokens,
        cost=sum(one.cost for one in every),
        dropped_turns=max(one.dropped_turns for one in every),
        closed_by_grammar=reply.closed_by_grammar,
        calls=tuple(one.to_record() for one in preceding),
        reasoning=reply.reasoning,
        cached_tokens=sum(one.cached_tokens for one in every),
        unsupported=tuple(dict.fromkeys(name for one in every for name in one.unsupported)),
        served=reply.served,
        seconds=sum(one.seconds for one in every),
        probabilities=reply.probabilities,
    )


def _recorded_completion(
    reply: str,
    tokens: Sequence[int],
    finish: str = "",
    limit: int = 0,
    reasoning: str = "",
    echo: str = "",
    **_: Any,
) -> Completion:
    """Rebuild the completion of a recorded turn or call."""
    read, wrote = tokens
    return Completion(reply, read, wrote, 0.0, finish=finish, limit=limit, reasoning=reasoning, echo=echo)
