"""TRL's trainer for supervised fine-tuning, on the fast path: weighted labels, in an order that is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.train.lm_fast import batch_of, label_log_probabilities
from econzoo.train.lm_tokens import Tokens

__all__ = ["make_trainer", "weights_of_mean_one"]


def make_trainer(
    model: Any, tokenizer: Any, data: Sequence[Tokens], order: Sequence[int], config: Any, dtype: str, **more: Any
) -> Any:
    """The trainer.

    Args:
        model: A transformers model, with those weights trainable that shall learn.
        tokenizer: Its tokenizer.
        data: Sequences with their labels and weights.
        order: Places in `data`, one for each sequence that is learned from.
        config: TRL's ``SFTConfig``.
        dtype: Of the arithmetic.
        **more: Further arguments of TRL's trainer.
    """
    from datasets import Dataset
    from trl.trainer.sft_trainer import SFTTrainer

    pad = tokenizer.pad_token_id

    class FastSftTrainer(SFTTrainer):
        """Learns from the labels of given sequences, and computes nothing else of them."""

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            """The weighted mean over the labels of the whole optimiser step."""
            learned = label_log_probabilities(self.accelerator.unwrap_model(model), inputs, dtype)
            labels = num_items_in_batch if num_items_in_batch is not None else len(learned.weights)
            seen = self._metrics["train"]
            seen["entropy"].append(learned.entropies.mean().item())
            seen["mean_token_accuracy"].append(learned.likeliest.float().mean().item())
            self._total_train_tokens += int(inputs["attention_mask"].sum())
            seen["num_tokens"] = [self._total_train_tokens]
            return -(learned.weights * learned.log_probabilities).sum() / labels

        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            return list(order)

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Left out: the card is written with what was measured."""

    rows = Dataset.from_dict({"place": list(range(len(data)))})

    def collate(chosen: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return batch_of([data[one["place"]] for one in chosen], pad)

    trainer = FastSftTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, data_collator=collate, **more
    )
    trainer.model_accepts_loss_kwargs = True  # the loss is divided by all labels of a step, not by micro-batches
    return trainer


def weights_of_mean_one(data: Sequence[Tokens]) -> None:
    """Scales the weights of labels in place, so that a label has a weight of 1 on average."""
    total, count = sum(sum(one.weights) for one in data), sum(sum(one.own) for one in data)
    for one in data:
        one.weights = [weight * count / total for weight in one.weights]
