"""Whole matches played by the policy in training, as token sequences for GRPO.

A match is played on the chat face. At every turn the policy reads the prompt of play (`Loaded.encode`). A prompt that
continues the sequence so far is appended to it; one that the chat template renders differently by now (without
thoughts, say) begins another sequence (`Turns`). Replies are never re-tokenised: they stay as sampled. Tokens of the
rules, new information and markup between turns are masked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from econzoo.baselines import Player, Usage
from econzoo.baselines.models import Guide, LoadedModel, Message, Reader, Row, generate
from econzoo.envs.core.faces import LENGTH, Reply
from econzoo.envs.core.record import Record, strip_secrets
from econzoo.evaluate.run import play_matches
from econzoo.train.lm.adapters import activate_adapter
from econzoo.train.lm.episode_specs import LEARNER, SELF, EpisodeSpec, matches_of
from econzoo.train.lm.sample import Sample, Span
from econzoo.train.lm.tokens import Turns
from econzoo.wrappers import SeatInfo


@dataclass
class SampledRow(Row):
    """A sampled reply with all its tokens, end token included.

    Attributes:
        own_mask: 1 for a sampled token, 0 for one forced by the grammar.
        scores: Log-probabilities from a sampling server; None: unknown.
        seconds: Duration of the request to a sampling server; None: sampled here.
    """

    own_mask: list[int] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    seconds: float | None = None

    def start(self) -> None:
        """See `Row.start`."""
        super().start()
        self.own_mask = [0] * len(self.tokens)

    def take_token(self, token: int, stops: Any) -> None:
        """See `Row.take_token`; the stop token is stored as well."""
        super().take_token(token, stops)
        if token in stops:
            self.tokens.append(token)
        self.own_mask.append(1)
        # The grammar may have forced tokens behind the sampled one.
        self.own_mask += [0] * (len(self.tokens) - len(self.own_mask))


@dataclass
class Policy:
    """The model in training as a policy.

    Attributes:
        loaded: Tokenizer, stop tokens and the model.
        temperature: Sampling temperature, above 0; also that of TRL's log-probabilities.
        max_new_tokens: Maximum tokens per reply.
        max_length: Maximum tokens per match; a longer match is forfeited. 0, or above the model's context: the context.
        constrained: Whether replies are constrained to the JSON schema of the legal moves. Forced tokens are masked;
            others are sampled from a renormalised distribution that the learner's log-probabilities ignore: a bias.
        model: Model that replies, in training the trainer's; None: the loaded one.
        reply_count: Replies so far; part of the seed of each.
        error: Error of the policy itself, which ends the run, unlike an error of another player, which ends its match.
        weights: Context in which the model has the policy's weights; by default it always has them.
        snapshots: Past policies by spec, as opponents.
    """

    is_served: ClassVar[bool] = False
    """Whether a server samples replies, which then have log-probabilities."""

    loaded: LoadedModel
    temperature: float = 1.0
    max_new_tokens: int = 64
    max_length: int = 0
    constrained: bool = False
    batch_size: int = 64
    model: Any = None
    reply_count: int = 0
    seed: int = 0
    error: Exception | None = None
    weights: Callable[[], AbstractContextManager[None]] = nullcontext
    per_seat_adapters: bool = False
    snapshots: dict[str, Policy] = field(default_factory=dict)
    _readers: dict[int, Reader] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.max_length = min(self.max_length or self.loaded.context, self.loaded.context)

    def role(self, seat: int) -> int:
        """Return the index of the adapter of a seat; 0 if all seats share one."""
        return seat if self.per_seat_adapters else 0

    @contextmanager
    def _activate_role(self, role: int) -> Iterator[Reader]:
        """Activate a role's adapter and yield a reader with its cache."""
        model = self.model or self.loaded.model
        # One reader per role: the cached states are those of its adapter.
        if role not in self._readers or self._readers[role].model is not model:
            self._readers[role] = Reader(model)
        with self.weights(), activate_adapter(model, role) if self.per_seat_adapters else nullcontext():
            yield self._readers[role]

    def forget(self) -> None:
        """Clear the caches: weights are about to change, and the update needs the memory."""
        for one in self._readers.values():
            one.forget()

    def reply(self, prompts: Sequence[Sequence[int]], schemas: Sequence[Any], role: int = 0) -> list[SampledRow]:
        """Sample a reply to every prompt."""
        guides = [self.loaded.grammars.guide(schema) if self.constrained else None for schema in schemas]
        rows = [self._row(prompt, guide) for prompt, guide in zip(prompts, guides, strict=True)]
        # Batches of similar lengths need little padding; each row has its own seed, whatever stands beside it.
        order = sorted(range(len(rows)), key=lambda i: len(rows[i].prompt))
        model = self.model or self.loaded.model
        training = model.training
        model.eval()
        try:
            with self._activate_role(role) as reader, gpu_autocast(model):
                for start in range(0, len(order), self.batch_size):
                    part = [rows[i] for i in order[start : start + self.batch_size]]
                    generate(reader, part, temperature=self.temperature, stops=self.loaded.stop_tokens)
        finally:
            model.train(training)
        return rows

    def _row(self, prompt: Sequence[int], guide: Guide | None = None) -> SampledRow:
        self.reply_count += 1
        seed = int(np.random.SeedSequence([self.seed, self.reply_count]).generate_state(1, np.uint64)[0])
        return SampledRow(prompt, seed, self.max_new_tokens, guide)


def gpu_autocast(model: Any) -> AbstractContextManager[Any]:
    """Return a bfloat16 autocast context on GPU, as in the training step; a null context on CPU."""
    import torch

    cuda = model.device.type == "cuda"
    return torch.autocast("cuda", torch.bfloat16) if cuda else nullcontext()


class PolicyPlayer(Player):
    """The policy in a seat; it stores the tokens it read and sampled."""

    face: ClassVar[str] = "chat"
    libraries = ("torch", "transformers")

    def __init__(self, spec: str, policy: Policy) -> None:
        super().__init__(spec)
        self.policy = policy
        self.wants_schema = policy.constrained
        self.chat: list[Message] = []
        self.turns = Turns()
        self.spans: list[Span] = []
        self.outgrown = False
        self.role = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a chat."""
        self.role = self.policy.role(seat)
        self.chat = [{"role": "system", "content": info.rules}]

    def fork(self) -> PolicyPlayer:
        """Return itself if it is the one seat of a sample, else a new player, whose tokens are not needed."""
        return self if self.spec.startswith(f"{LEARNER}:") else PolicyPlayer(self.spec, self.policy)

    @property
    def batch_key(self) -> Hashable:
        """Batch all matches by role."""
        return id(self.policy), self.role

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """Return the policy's reply."""
        return self.act_batch([self], [observation], [info])[0]

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """Sample one batch; a match without room for another reply gets an empty reply."""
        seated = [player for player in players if isinstance(player, PolicyPlayer)]
        policy, role = seated[0].policy, seated[0].role
        try:
            able = [i for i, player in enumerate(seated) if player._read(observations[i]["text"])]
            read = [seated[i].turns.parts[-1].ids for i in able]
            schemas = [infos[i].get("json_schema") for i in able]
            wrote = dict(zip(able, policy.reply(read, schemas, role), strict=True))
            return [player._write(wrote.get(i)) for i, player in enumerate(seated)]
        except Exception as error:
            policy.error = error  # the match loop turns errors of players into failed matches; see `_split_by_learner`
            raise

    def _read(self, text: str) -> bool:
        """Read the present prompt, and return whether it and a reply fit."""
        policy = self.policy
        self.chat.append({"role": "user", "content": text})
        prompt = policy.loaded.encode(self.chat)
        needed = self.turns.length(prompt) + policy.max_new_tokens
        self.outgrown = needed > policy.max_length
        if self.outgrown and not self.turns.parts:  # no match could have a reply, so the limit is at fault
            raise ValueError(_length_error(policy, needed))
        if not self.outgrown:
            self.turns.read(prompt)
        return not self.outgrown

    def _write(self, row: SampledRow | None) -> str:
        """Store the sampled tokens, if any, and return the reply."""
        begin, loaded, reply = self.turns.total, self.policy.loaded, ""
        self.usage = None if row is None else Usage(seconds=row.seconds)
        if row is not None:
            reply, ending = (
                loaded.text(row.tokens, row.guide),
                [one for one in row.tokens[-1:] if one in loaded.stop_tokens],
            )
            self.turns.parts[-1].write(row.tokens, row.own_mask)
            # Later prompts show the reply as the tokenizer splits its text, which need not be as it was sampled.
            self.turns.add_shown_reply([*loaded.encode_reply(reply), *ending])
        self.chat.append({"role": "assistant", "content": reply})
        scores = () if row is None else tuple(row.scores)
        self.spans.append(Span(begin, self.turns.total, row is None or row.is_cut or row.closed_by_grammar, scores))
        cut = row is not None and row.is_cut and not loaded.has_stopped(row.tokens)
        return Reply(reply, LENGTH, self.policy.max_new_tokens) if cut else reply


def play_samples(policy: Policy, episode_specs: Sequence[EpisodeSpec], cast: Callable[[str], Player]) -> list[Sample]:
    """Play the matches of episode specs in parallel, and return a sample for each, in order.

    A match with several learners is played once and yields a sample for each of them. One in which another player
    failed is reported, and its samples have no result.
    """
    learners = {f"{LEARNER}:{i}": PolicyPlayer(f"{LEARNER}:{i}", policy) for i in range(len(episode_specs))}
    policies = {SELF: policy, **policy.snapshots}
    mirrors = {spec: PolicyPlayer(spec, one) for spec, one in policies.items()}
    for one in policies.values():
        one.error = None

    def seat_of(spec: str) -> Player:
        return mirrors.get(spec) or learners.get(spec) or cast(spec)

    matches = matches_of(episode_specs, list(learners))
    try:
        # All at once, since replies are sampled in batches over matches.
        played = play_matches(matches, seat_of, concurrent=max(len(matches), 1), on_error="failed")
        done = _split_by_learner(list(policies.values()), played)
    finally:
        for one in policies.values():
            one.forget()
    _report_outgrown(policy, [learner.outgrown for learner in learners.values()])
    return [
        _sample(done[spec], episode.seat, learners[spec]) for episode, spec in zip(episode_specs, learners, strict=True)
    ]


def _length_error(policy: Policy, needed: int) -> str:
    """Return the error for a limit that does not fit the rules, the first prompt and a reply."""
    expected = f"expected {needed} or more, for the rules, the first prompt and a reply"
    if needed <= policy.loaded.context:
        return f"invalid max_length={policy.max_length}: {expected}"
    return f"invalid model: its context is {policy.loaded.context} tokens, {expected}"


def _report_outgrown(policy: Policy, overlong: Sequence[bool]) -> None:
    """Report how many matches were forfeited for their length."""
    if any(overlong):
        limit = "model's context" if policy.max_length == policy.loaded.context else "max_length"
        remedies = "messages=false, prompts=short or fewer rounds make them shorter"
        count = f"{sum(overlong)} of {len(overlong)} matches exceeded the {limit} of {policy.max_length} tokens"
        print(f"{count} and were forfeited; {remedies}", file=sys.stderr)


def _split_by_learner(policies: Sequence[Policy], records: Iterable[Record]) -> dict[str, Record]:
    done: dict[str, Record] = {}
    for record in records:
        for error in [one.error for one in policies if one.error is not None]:
            raise error
        report_failure(record)
        done |= {spec: record for spec in record.players if spec.startswith(f"{LEARNER}:")}
    return done


def report_failure(record: Record) -> None:
    """Report a failed match and its reason."""
    if record.status == "failed":
        line = f"match {record.id} failed and is left out of training: {record.reason}"
        print(strip_secrets(line), file=sys.stderr)


def _sample(record: Record, seat: int, learner: PolicyPlayer) -> Sample:
    parts = learner.turns.parts
    if not parts or not record.has_result:  # failed, or ended before the learner's first turn: TRL needs a token
        end, spans = learner.policy.loaded.tokenizer.eos_token_id, learner.spans if record.has_result else []
        return Sample(record, seat, [end], [end], [0], [span._replace(begin=0, end=0) for span in spans])
    ids, own = [i for part in parts for i in part.ids], [i for part in parts for i in part.own_mask]
    cut, ends = learner.spans[0].begin, accumulate(len(part.ids) for part in parts[:-1])
    spans = [span._replace(begin=span.begin - cut, end=span.end - cut) for span in learner.spans]
    return Sample(record, seat, ids[:cut], ids[cut:], own[cut:], spans, [end - cut for end in ends])
