"""TRL's trainer for DPO, on the fast path: own tokens over several turns, in an order that is given.

It learns from pairs of plays of one match, of which one came out better. Both have the same setting, seed, seat and
opponents. Up to the first reply that differs they are the same conversation, which is the prompt. From there on all of
the model's own replies are preferred or not; what it read is not learned.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.models.chat import Message
from econzoo.baselines.models.loading import LoadedModel
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.values import to_plain
from econzoo.train.lm.model import batch_of, label_log_probabilities
from econzoo.train.lm.reward import Reward
from econzoo.train.lm.tokens import IGNORED, Tokens, sequences
from econzoo.train.lm.transcripts import RecordedSeat, transcript

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Reference", "make_trainer", "reference_of", "Pair", "Preference", "chat_of", "preferences", "to_pair"]


class Reference(NamedTuple):
    """What the model at the start says about a pair: sums of log-probabilities of own tokens.

    Attributes:
        chosen: Of the chosen side.
        rejected: Of the rejected side.
    """

    chosen: float
    rejected: float


def reference_of(model: Any, pairs: Sequence[Pair], pad: int, dtype: str, size: int) -> list[Reference]:
    """What a model says about pairs.

    Args:
        model: A decoder-only transformers model.
        pairs: The pairs.
        pad: Token id of padding.
        dtype: Of the arithmetic.
        size: Pairs at once.
    """
    import torch

    found: list[Reference] = []
    for start in range(0, len(pairs), size):
        rows = _rows(pairs[start : start + size])
        batch = {name: tensor.to(model.device) for name, tensor in batch_of(rows, pad).items()}
        with torch.no_grad():
            sums = _trl_output(model, batch, dtype).log_probs.sum(1).tolist()
        found += map(Reference, sums[: len(sums) // 2], sums[len(sums) // 2 :])
    return found


def _rows(pairs: Sequence[Pair]) -> list[Tokens]:
    """As TRL has them: all chosen ones, then all rejected ones."""
    return [*(one.chosen for one in pairs), *(one.rejected for one in pairs)]


def _trl_output(model: Any, batch: Any, dtype: str) -> SimpleNamespace:
    """What TRL reads of a model's output: a number for each place but the first of every row, 0 without a label."""
    import torch

    learned, where = label_log_probabilities(model, batch, dtype), batch["labels"][:, 1:] != IGNORED

    def spread(values: Tensor) -> Tensor:
        blank = torch.zeros(where.shape, dtype=values.dtype, device=values.device)
        return blank.masked_scatter(where, values)

    return SimpleNamespace(
        log_probs=spread(learned.log_probabilities),
        entropy=spread(learned.entropies),
        is_top1=spread(learned.likeliest),
        mean_logits=spread(torch.zeros_like(learned.entropies)),  # not computed, and taken from the logs
    )


def make_trainer(
    model: Any,
    tokenizer: Any,
    pairs: Sequence[Pair],
    references: Sequence[Reference],
    order: Sequence[int],
    config: Any,
    dtype: str,
    **more: Any,
) -> Any:
    """The trainer.

    TRL's own data path takes all tokens after the prompt for the model's, also those of later turns that it only read.
    So the batches are ours, with a mask of own tokens; the loss and its variants are TRL's.

    Args:
        model: A transformers model, with those weights trainable that shall learn.
        tokenizer: Its tokenizer.
        pairs: What is learned from.
        references: See `reference_of`.
        order: Places in `pairs`, one for each pair that is learned from.
        config: TRL's ``DPOConfig``.
        dtype: Of the arithmetic.
        **more: Further arguments of TRL's trainer.
    """
    import torch
    from datasets import Dataset
    from trl.trainer.dpo_trainer import DPOTrainer

    pad = tokenizer.pad_token_id

    class FastDpoTrainer(DPOTrainer):
        """Reads given pairs, and computes the head at their labels only."""

        def _prepare_dataset(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
            return dataset

        def _precompute_ref_logps(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
            return dataset  # the batches bring them

        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            """TRL's, of a model that is read on the fast path."""
            plain = self.accelerator.unwrap_model(model)

            def read(**batch: Any) -> SimpleNamespace:
                return _trl_output(plain, {**batch, "weights": torch.zeros_like(batch["labels"])}, dtype)

            loss = super().compute_loss(read, inputs, *args, **kwargs)
            for name in ("logits/chosen", "logits/rejected"):
                self._metrics["train"].pop(name, None)
            return loss

        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            return list(order)

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Left out: the card is written with what was measured."""

    def collate(chosen: Sequence[dict[str, Any]]) -> dict[str, Any]:
        places = [one["place"] for one in chosen]
        batch = batch_of(_rows([pairs[place] for place in places]), pad)
        return {
            "input_ids": batch["input_ids"],
            "attention_mask": batch["attention_mask"],
            "completion_mask": (batch["labels"] != IGNORED).long(),
            "ref_chosen_logps": torch.tensor([references[place].chosen for place in places]),
            "ref_rejected_logps": torch.tensor([references[place].rejected for place in places]),
        }

    rows = Dataset.from_dict({"place": list(range(len(pairs)))})
    return FastDpoTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, data_collator=collate, **more
    )


ENDED_STATUSES = ("finished", "truncated", "forfeited")
"""How the matches have ended that are compared, if they have a result."""


class Preference(NamedTuple):
    """Two plays of one match.

    Attributes:
        better: Came out better.
        worse: The other one.
    """

    better: RecordedSeat
    worse: RecordedSeat

    @property
    def margin(self) -> float:
        """By how much."""
        return self.better.value - self.worse.value


class Pair(NamedTuple):
    """A preference as a model reads it.

    Attributes:
        chosen: Own tokens are those of replies from the first that differs.
        rejected: Likewise.
        cell: Setting, seat and opponents.
    """

    chosen: Tokens
    rejected: Tokens
    cell: Any


def preferences(
    records: Iterable[Record],
    reward: Reward,
    margin: float,
    seats: Sequence[int] = (),
    players: Sequence[str] = (),
) -> list[Preference]:
    """The best play of every match with its worst, the second best with the second worst, and so on.

    Args:
        records: Matches; those without a result are left out.
        reward: What is better; a forfeit has its ``forfeit``.
        margin: The least difference, 0 or more; equal plays are no pair.
        seats: To learn from; empty: all.
        players: Specs to learn from; empty: all.

    Returns:
        In the order in which the matches are met.
    """
    groups: dict[Any, list[RecordedSeat]] = defaultdict(list)
    for one in _candidates(records, reward, seats, players):
        groups[match_key(one)].append(one)
    found = []
    for plays in groups.values():
        ranked = sorted(plays, key=lambda one: -one.value)
        pairs = [Preference(ranked[place], ranked[-1 - place]) for place in range(len(ranked) // 2)]
        found += [pair for pair in pairs if pair.margin > 0 and pair.margin >= margin]
    return found


def match_key(one: RecordedSeat) -> tuple[Any, ...]:
    """What two plays of a pair share: setting, seat, opponents, seed and the form in which the seat was asked."""
    record = one.record
    return *one.cell, record.seed, json.dumps(to_plain(record.options), sort_keys=True), record.faces[one.seat]


def _candidates(
    records: Iterable[Record], reward: Reward, seats: Sequence[int], players: Sequence[str]
) -> Iterable[RecordedSeat]:
    for record in records:
        if record.status in ENDED_STATUSES and record.has_result and not record.replaced:
            for seat, spec in enumerate(record.players):
                acted = any(turn.seat == seat for turn in record.turns)
                if acted and (not seats or seat in seats) and (not players or spec in players):
                    yield RecordedSeat(record, seat, reward.compute(record, seat))


def chat_of(one: RecordedSeat, decimals: int | None) -> list[Message]:
    """The conversation of a seat: as it was where it was one, unusable answers included, else as it would have been.

    Args:
        one: A seat of a match.
        decimals: Of amounts in replies that were no text; see `econzoo.train.lm.transcripts.transcript`.
    """
    record, rules = one.record, one.record.rules[one.seat] if one.record.rules else None
    turns = [turn for turn in record.turns if turn.seat == one.seat]
    if rules is None or not all(isinstance(turn.reply, str) and turn.prompt is not None for turn in turns):
        return transcript(record, one.seat, decimals)
    chat: list[Message] = [{"role": "system", "content": rules}]
    for turn in turns:
        chat += [{"role": "user", "content": str(turn.prompt)}, {"role": "assistant", "content": turn.reply}]
    return chat


def to_pair(loaded: LoadedModel, one: Preference, limit: int, decimals: int | None) -> Pair | None:
    """A preference as tokens; None where none of both is the model's own doing, or no differing reply fits.

    Args:
        loaded: The model.
        one: The preference.
        limit: The most tokens of a sequence; see `econzoo.train.lm.tokens.sequences`.
        decimals: See `chat_of`.
    """
    chats = [chat_of(side, decimals) for side in (one.better, one.worse)]
    at = next((place for place, both in enumerate(zip(*chats, strict=False)) if both[0] != both[1]), -1)
    if at < 0 or chats[0][at]["role"] != "assistant":
        return None  # the others, or chance, made the difference
    sides = [_sequence_from_reply(loaded, chat, at, limit) for chat in chats]
    if sides[0] is None or sides[1] is None:
        return None
    return Pair(sides[0], sides[1], one.better.cell)


def _sequence_from_reply(loaded: LoadedModel, chat: Sequence[Message], at: int, limit: int) -> Tokens | None:
    """The sequence with the reply at a place, in which the replies from there on are own tokens."""
    weights = [float(place >= at) for place, message in enumerate(chat) if message["role"] == "assistant"]
    for made in sequences(loaded, chat, limit, weights, truncate=limit == loaded.context):
        if any(made.weights):
            return Tokens(made.ids, [int(weight > 0) for weight in made.weights], made.weights)
    return None
