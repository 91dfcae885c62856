"""TRL's trainer for DPO, on the fast path: own tokens over several turns, in an order that is given."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.train.lm_fast import batch_of, label_log_probabilities
from econzoo.train.lm_pairs import Pair
from econzoo.train.lm_tokens import IGNORED, Tokens

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Reference", "make_trainer", "reference_of"]


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
            sums = _dense(model, batch, dtype).log_probs.sum(1).tolist()
        found += map(Reference, sums[: len(sums) // 2], sums[len(sums) // 2 :])
    return found


def _rows(pairs: Sequence[Pair]) -> list[Tokens]:
    """As TRL has them: all chosen ones, then all rejected ones."""
    return [*(one.chosen for one in pairs), *(one.rejected for one in pairs)]


def _dense(model: Any, batch: Any, dtype: str) -> SimpleNamespace:
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
                return _dense(plain, {**batch, "weights": torch.zeros_like(batch["labels"])}, dtype)

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
