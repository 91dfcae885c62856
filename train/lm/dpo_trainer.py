"""TRL's DPO trainer on the fast path: own tokens over several turns, in a given order.

Training data are pairs of plays of one match (same setting, seed, seat and opponents) with different results. The
prompt is the common conversation before the first differing reply. From there on all of the model's own replies are
chosen or rejected; what it read is masked.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.models import LoadedModel, Message
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.record import Record
from econzoo.train import Reward
from econzoo.train.lm.model import batch_of, label_log_probabilities
from econzoo.train.lm.tokens import IGNORED, Tokens, sequences
from econzoo.train.lm.transcripts import RecordedSeat, transcript

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Reference", "make_trainer", "reference_of", "Pair", "Preference", "chat_of", "preferences", "to_pair"]


class Reference(NamedTuple):
    """Log-probabilities of a pair under the reference model, summed over own tokens."""

    chosen: float
    rejected: float


def reference_of(model: Any, pairs: Sequence[Pair], pad: int, dtype: str, size: int) -> list[Reference]:
    """Return the log-probabilities of pairs under a model."""
    import torch

    found: list[Reference] = []
    for start in range(0, len(pairs), size):
        rows = _rows(pairs[start : start + size])
        batch = {name: tensor.to(model.device) for name, tensor in batch_of(rows, pad).items()}
        with torch.no_grad():
            sums = _trl_output(model, batch, dtype).log_probs.sum(1).tolist()
        found += map(Reference, sums[: len(sums) // 2], sums[len(sums) // 2 :])  # the order of `_rows`
    return found


def _rows(pairs: Sequence[Pair]) -> list[Tokens]:
    """In TRL's order: all chosen, then all rejected."""
    return [*(one.chosen for one in pairs), *(one.rejected for one in pairs)]


def _trl_output(model: Any, batch: Any, dtype: str) -> SimpleNamespace:
    """Return the parts of a model's output that TRL reads: one value per position but the first, 0 without a label."""
    import torch

    learned, where = label_log_probabilities(model, batch, dtype), batch["labels"][:, 1:] != IGNORED

    def spread(values: Tensor) -> Tensor:
        blank = torch.zeros(where.shape, dtype=values.dtype, device=values.device)
        return blank.masked_scatter(where, values)

    return SimpleNamespace(
        log_probs=spread(learned.log_probabilities),
        entropy=spread(learned.entropies),
        is_top1=spread(learned.likeliest),
        mean_logits=spread(torch.zeros_like(learned.entropies)),  # not computed, and removed from the logs
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
    """Return the trainer.

    TRL's data path treats all tokens after the prompt as the model's, including read tokens of later turns. So the
    batches are ours, with a mask of own tokens; the loss and its variants are TRL's.

    Args:
        order: Indices into `pairs` in training order.
    """
    import torch
    from datasets import Dataset
    from trl.trainer.dpo_trainer import DPOTrainer

    pad = tokenizer.pad_token_id

    class FastDpoTrainer(DPOTrainer):
        """Reads given pairs and computes the head at their labels only."""

        def _prepare_dataset(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
            return dataset

        def _precompute_ref_logps(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
            return dataset  # part of the batches

        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            """Return TRL's loss, with the model evaluated on the fast path."""
            plain = self.accelerator.unwrap_model(model)

            def read(**batch: Any) -> SimpleNamespace:
                # No loss of TRL's weights single tokens, but labels are read together with their weights.
                return _trl_output(plain, {**batch, "weights": torch.zeros_like(batch["labels"])}, dtype)

            loss = super().compute_loss(read, inputs, *args, **kwargs)
            for name in ("logits/chosen", "logits/rejected"):
                self._metrics["train"].pop(name, None)
            return loss

        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            return list(order)

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Skipped: the card is written with the evaluation results."""

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
"""Statuses of matches that are compared, if they have a result."""


class Preference(NamedTuple):
    """Two plays of one match."""

    better: RecordedSeat
    worse: RecordedSeat

    @property
    def margin(self) -> float:
        """Return the difference in the objective."""
        return self.better.value - self.worse.value


class Pair(NamedTuple):
    """A preference as tokens.

    Attributes:
        chosen: Own tokens are those of valid replies from the first differing one on.
        rejected: Likewise, with invalid replies.
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
    """Pair the best play of every match with the worst, the second best with the second worst, and so on.

    Pairs are in the order of the matches' first records.

    Args:
        margin: Minimum difference, 0 or more; equal plays are never paired.
        seats: To learn from; empty: all.
        players: Specs to learn from; empty: all.
    """
    groups: dict[Any, list[RecordedSeat]] = defaultdict(list)
    for one in _candidates(records, reward, seats, players):
        groups[match_key(one)].append(one)
    found = []
    for plays in groups.values():
        ranked = sorted(plays, key=lambda one: -one.value)
        pairs = [Preference(ranked[place], ranked[-1 - place]) for place in range(len(ranked) // 2)]
        # Of two plays with replaced answers one can have the higher reward; neither is an example to follow.
        found += [pair for pair in pairs if pair.margin > 0 and pair.margin >= margin and not pair.better.has_defaulted]
    return found


def match_key(one: RecordedSeat) -> tuple[Any, ...]:
    """Return what two plays of a pair share: setting, seat, opponents, seed and the seat's face."""
    record = one.record
    return *one.cell, record.seed, json.dumps(to_plain(record.options), sort_keys=True), record.faces[one.seat]


def _candidates(
    records: Iterable[Record], reward: Reward, seats: Sequence[int], players: Sequence[str]
) -> Iterable[RecordedSeat]:
    for record in records:
        if record.status in ENDED_STATUSES and record.has_result and not record.replacements:
            for seat, spec in enumerate(record.players):
                acted = any(turn.seat == seat for turn in record.turns)
                if acted and (not seats or seat in seats) and (not players or spec in players):
                    yield RecordedSeat(record, seat, reward.compute(record, seat))


def chat_of(one: RecordedSeat, decimals: int | None) -> list[Message]:
    """Return a seat's conversation: the recorded one, invalid replies included, or the one a model would have had."""
    record, rules = one.record, one.record.rules[one.seat] if one.record.rules else None
    turns = [turn for turn in record.turns if turn.seat == one.seat]
    if rules is None or not all(isinstance(turn.reply, str) and turn.prompt is not None for turn in turns):
        return transcript(record, one.seat, decimals)
    chat: list[Message] = [{"role": "system", "content": rules}]
    for turn in turns:
        chat += [{"role": "user", "content": str(turn.prompt)}, {"role": "assistant", "content": turn.reply}]
    return chat


def to_pair(loaded: LoadedModel, one: Preference, limit: int, decimals: int | None) -> Pair | None:
    """Return a preference as tokens; None if no own reply differs, or no differing reply fits.

    The chosen side learns valid replies only.

    Args:
        limit: Maximum tokens of a sequence; see `econzoo.train.lm.tokens.sequences`.
    """
    # Chats of unequal length are compared as far as both go: one that only goes on longer does not differ.
    chats = [chat_of(side, decimals) for side in (one.better, one.worse)]
    at = next((place for place, both in enumerate(zip(*chats, strict=False)) if both[0] != both[1]), -1)
    if at < 0 or chats[0][at]["role"] != "assistant":
        return None  # the difference is due to opponents or chance
    refused = _invalid_replies(one.better, chats[0])  # the better play was not chosen for those
    sides = [_sequence_from_reply(loaded, chat, at, limit, out) for chat, out in zip(chats, (refused, ()), strict=True)]
    if sides[0] is None or sides[1] is None:
        return None
    return Pair(sides[0], sides[1], one.better.cell)


def _invalid_replies(one: RecordedSeat, chat: Sequence[Message]) -> list[int]:
    """Return the places of invalid replies in a conversation; a rendered one has none."""
    turns = [turn for turn in one.record.turns if turn.seat == one.seat]
    replies = [place for place, message in enumerate(chat) if message["role"] == "assistant"]
    if len(turns) != len(replies):
        return []
    return [place for place, turn in zip(replies, turns, strict=True) if turn.error is not None]


def _sequence_from_reply(
    loaded: LoadedModel, chat: Sequence[Message], at: int, limit: int, left_out: Sequence[int] = ()
) -> Tokens | None:
    """Return the sequence of a reply, in which it and all later replies but some are own tokens."""
    weights = [
        float(place >= at and place not in left_out)
        for place, message in enumerate(chat)
        if message["role"] == "assistant"
    ]
    # Prompts are truncated at the context only, as in play; a lower limit drops later turns. Where a template needs
    # several sequences, the first with an own reply is compared: a pair has one sequence on each side.
    for tokens in sequences(loaded, chat, limit, weights, truncate=limit == loaded.context):
        if any(tokens.weights):
            return Tokens(tokens.ids, [int(weight > 0) for weight in tokens.weights], tokens.weights)
    return None
