"""The fast path of learning: only the layers that learn keep gradients, and the head is computed at labels only.

Of the tokens of a match a model writes one in ten. The others need no logits, and at a vocabulary of 49,152 these cost
more than five layers of SmolLM2. Layers below the lowest one that learns need no backward pass. Arithmetic is in the
type that is fastest where it runs (`econzoo.baselines.models.dtype`); weights stay in float32.

`label_log_probabilities` is what every method learns from: SFT takes its mean, others take differences of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.train.lm.tokens import IGNORED, Tokens

if TYPE_CHECKING:
    from torch import Tensor

    from econzoo.train.lm.recipe import LmRecipe

__all__ = ["Learned", "autocast", "batch_of", "depth", "label_log_probabilities", "learn_top", "learning_part", "lora"]


class Learned(NamedTuple):
    """What a model says about the labels of a batch; one number for each label, in the order of rows and places.

    Attributes:
        log_probabilities: Natural logarithms, float32, with a gradient.
        entropies: Of the distribution that each label was drawn from, in nats; with a gradient only if asked for.
        likeliest: Whether the label was the likeliest token.
        weights: Of the labels.
    """

    log_probabilities: Tensor
    entropies: Tensor
    likeliest: Tensor
    weights: Tensor


def depth(model: Any) -> int:
    """How many transformer layers a model has."""
    return int(model.config.get_text_config().num_hidden_layers)


def learn_top(model: Any, layers: int) -> None:
    """Lets only the top layers and the norm behind them learn; embeddings and head, which may be one, stay.

    Args:
        model: A decoder-only transformers model.
        layers: How many; 0: everything learns.

    Raises:
        ValueError: The model's decoder has no list of layers.
    """
    model.requires_grad_(layers == 0)
    if layers == 0:
        return
    decoder = model.get_decoder()
    stack = getattr(decoder, "layers", None)
    if stack is None:
        raise ValueError(f"layers={layers!r} is not allowed for {type(model).__name__}; allowed: 0, all of it")
    for part in [*list(stack)[-layers:], getattr(decoder, "norm", None)]:
        if part is not None:
            part.requires_grad_(True)


def lora(rank: int, layers: int, total: int) -> Any:
    """The adapter to train: of this rank on the linear layers of the top of the model; None for rank 0.

    Args:
        rank: Of the adapter.
        layers: How many layers from the top have one; 0: all.
        total: How many layers there are.
    """
    if rank == 0:
        return None
    from peft import LoraConfig

    chosen = list(range(total - layers, total)) if layers else None
    return LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", layers_to_transform=chosen, task_type="CAUSAL_LM"
    )


def learning_part(recipe: LmRecipe, model: Any) -> Any:
    """Lets the top layers learn, or all, where no adapter shall; then it returns the adapter's settings.

    Args:
        recipe: Of the training.
        model: A decoder-only transformers model.

    Raises:
        ValueError: It has fewer layers than that.
    """
    total = depth(model)
    if recipe.layers > total:
        raise ValueError(f"layers={recipe.layers!r} is not allowed; allowed: 0 to {total}")
    if not recipe.lora:
        learn_top(model, recipe.layers)
    return lora(recipe.lora, recipe.layers, total)


def as_learner(recipe: LmRecipe, model: Any) -> Any:
    """The model with those weights trainable that learn, its adapter included."""
    adapter = learning_part(recipe, model)
    if adapter is None:
        return model
    from peft import get_peft_model

    return get_peft_model(model, adapter)


def autocast(device: Any, dtype: str) -> AbstractContextManager[Any]:
    """Arithmetic in this type; nothing to do for float32.

    Args:
        device: Of the model.
        dtype: ``float32`` or ``bfloat16``.
    """
    import torch

    return nullcontext() if dtype == "float32" else torch.autocast(device.type, getattr(torch, dtype))


def batch_of(rows: Sequence[Tokens], pad: int) -> dict[str, Tensor]:
    """Sequences side by side, padded on the right.

    Args:
        rows: Token ids, own tokens and their weights.
        pad: Token id of padding.

    Returns:
        ``input_ids``, ``attention_mask``, ``labels`` (`IGNORED` where nothing is learned) and ``weights``.
    """
    import torch

    width = max(len(row.ids) for row in rows)

    def filled(lists: Sequence[Sequence[float]], blank: float, kind: Any) -> Tensor:
        return torch.tensor([[*one, *[blank] * (width - len(one))] for one in lists], dtype=kind)

    return {
        "input_ids": filled([row.ids for row in rows], pad, torch.long),
        "attention_mask": filled([[1] * len(row.ids) for row in rows], 0, torch.long),
        "labels": filled([row.labels for row in rows], IGNORED, torch.long),
        "weights": filled([row.weights for row in rows], 0.0, torch.float32),
    }


def label_log_probabilities(
    model: Any, batch: Mapping[str, Tensor], dtype: str = "float32", temperature: float = 1.0, bonus: bool = False
) -> Learned:
    """What the model says about the labels of a batch.

    Args:
        model: A decoder-only transformers model, also with an adapter.
        batch: As `batch_of` makes it.
        dtype: Of the arithmetic.
        temperature: Above 0; of the distribution that is meant.
        bonus: Whether entropies have a gradient.
    """
    import torch

    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    with autocast(base.device, dtype):
        read = base.get_decoder()(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], use_cache=False
        ).last_hidden_state
        labels = batch["labels"][:, 1:]
        where = labels != IGNORED
        logits = base.get_output_embeddings()(read[:, :-1][where])
    scores = torch.log_softmax(logits.float() / temperature, -1)
    chosen = labels[where]
    with torch.set_grad_enabled(bonus and torch.is_grad_enabled()):
        entropies = -(scores.exp() * scores).sum(-1)
    with torch.no_grad():
        likeliest = scores.argmax(-1) == chosen
    return Learned(scores.gather(-1, chosen[:, None])[:, 0], entropies, likeliest, batch["weights"][:, 1:][where])
