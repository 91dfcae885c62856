"""Loading, training and saving language models, and log-probabilities of labels.

The fast path: only trained layers keep gradients, and the head is computed at labels only. A model writes one in ten
tokens of a match; the others need no logits, which at a vocabulary of 49,152 cost more than five layers of SmolLM2.
Layers below the lowest trained one need no backward pass. Arithmetic uses the fastest type of the device
(`econzoo.baselines.models.dtype`); weights stay in float32.

Every method learns from `label_log_probabilities`: SFT from their mean, the others from differences.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines import ModelError
from econzoo.baselines.models import ADAPTER, LoadedModel, load, release_models
from econzoo.envs.core import require_libraries
from econzoo.evaluate.run import check_output_folder
from econzoo.train import current_process
from econzoo.train.lm.tokens import IGNORED, Tokens

if TYPE_CHECKING:
    from torch import Tensor


def require_training() -> None:
    """Check that the extra is installed."""
    # Against warnings in every run: of tokenizers about forks, of TRL about what it calls experimental.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    require_libraries("training a language model", "torch", "trl", "peft", "datasets", extra="train")
    import datasets

    datasets.disable_progress_bars()


def out_folder(out: str | Path) -> Path:
    """Create the folder of a checkpoint."""
    folder = Path(out).expanduser()
    check_output_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check(condition: bool, name: str, value: Any, allowed: str) -> None:
    """Raise a `ValueError` that names the argument, its value and what is allowed, unless a condition holds."""
    if not condition:
        raise ValueError(f"invalid {name}={value!r}: expected {allowed}")


def load_for_training(model: str) -> LoadedModel:
    """Load a model of its own with float32 weights (on GPU with bfloat16 autocast).

    Args:
        model: ``hf:smollm2``, ``hf:PATH``, or the same without ``hf:``.
    """
    name = model.removeprefix("hf:")
    if not name:
        raise ValueError(f"invalid model={model!r}: expected hf:smollm2, hf:PATH or hf:HUB_ID")
    release_models()  # a cached player may share the weights
    try:
        loaded = load(name, process_device(), "float32")
    except ModelError as error:
        raise ValueError(f"model={model!r}: {error}") from None
    release_models()  # nor may a player loaded later share these weights, which are about to change
    loaded.model.requires_grad_(True)  # merging an adapter leaves the weights frozen
    if loaded.tokenizer.pad_token is None:
        loaded.tokenizer.pad_token = loaded.tokenizer.eos_token  # any token does, as padding is masked
    return loaded


def process_device() -> str | None:
    """Return the GPU of this process if there are several processes, else None: the default device."""
    import torch

    process = current_process()
    return f"cuda:{process.local_rank}" if process.size > 1 and torch.cuda.is_available() else None


def default_micro_batch(batch: int) -> int:
    """Return the sequences per forward pass: the whole batch on GPU, 2 on CPU.

    A CPU is no faster with more, and padding grows with the batch.
    """
    if find_spec("torch"):  # options are checked where the extra is not installed, too
        import torch

        if torch.cuda.is_available():
            return batch
    return 1 if batch % 2 else 2


class LabelScores(NamedTuple):
    """Model outputs at the labels of a batch, one value per label in row-major order.

    Attributes:
        log_probabilities: Natural logarithms, float32, with gradient.
        entropies: Entropy of the predictive distribution at each label in nats; with gradient only if requested.
        likeliest: Whether the label is the most likely token.
    """

    log_probabilities: Tensor
    entropies: Tensor
    likeliest: Tensor
    weights: Tensor


def depth(model: Any) -> int:
    """Return the number of transformer layers."""
    return int(model.config.get_text_config().num_hidden_layers)


def train_top_layers(model: Any, layers: int) -> None:
    """Freeze all but the top layers and the final norm; embeddings and head, possibly tied, stay frozen.

    Args:
        layers: Number of layers; 0: train everything.
    """
    model.requires_grad_(layers == 0)
    if layers == 0:
        return
    decoder = model.get_decoder()
    stack = getattr(decoder, "layers", None)
    if stack is None:
        raise ValueError(f"invalid layers={layers!r} for {type(model).__name__}: expected 0 (all layers)")
    for part in [*list(stack)[-layers:], getattr(decoder, "norm", None)]:
        if part is not None:
            part.requires_grad_(True)


def lora(rank: int, layers: int, total: int) -> Any:
    """Return the configuration of a LoRA adapter on the linear layers of the top of the model; None for rank 0.

    Args:
        layers: Number of top layers with adapters; 0: all.
    """
    if rank == 0:
        return None
    from peft import LoraConfig

    chosen = list(range(total - layers, total)) if layers else None
    # Updates are scaled by alpha / r, here 2 for every rank.
    return LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", layers_to_transform=chosen, task_type="CAUSAL_LM"
    )


def prepare_trainable(model: Any, layers: int, rank: int) -> Any:
    """Unfreeze the top layers, or return the adapter's settings if one is trained instead.

    Args:
        layers: Number of top layers; 0: all.
        rank: Rank of the adapter; 0: no adapter.
    """
    total = depth(model)
    check(layers <= total, "layers", layers, f"0 to {total}")
    if not rank:
        train_top_layers(model, layers)
    return lora(rank, layers, total)


def autocast(device: Any, dtype: str) -> AbstractContextManager[Any]:
    """Return an autocast context of this type; a null context for float32.

    Args:
        dtype: ``float32`` or ``bfloat16``.
    """
    import torch

    return nullcontext() if dtype == "float32" else torch.autocast(device.type, getattr(torch, dtype))


def batch_of(rows: Sequence[Tokens], pad: int) -> dict[str, Tensor]:
    """Stack sequences, padded on the right; ``labels`` are `IGNORED` where the model only read."""
    import torch

    width = max(len(row.ids) for row in rows)

    def pad_rows(lists: Sequence[Sequence[float]], blank: float, kind: Any) -> Tensor:
        return torch.tensor([[*one, *[blank] * (width - len(one))] for one in lists], dtype=kind)

    return {
        "input_ids": pad_rows([row.ids for row in rows], pad, torch.long),
        "attention_mask": pad_rows([[1] * len(row.ids) for row in rows], 0, torch.long),
        "labels": pad_rows([row.labels for row in rows], IGNORED, torch.long),
        "weights": pad_rows([row.weights for row in rows], 0.0, torch.float32),
    }


def label_log_probabilities(
    model: Any, batch: Mapping[str, Tensor], dtype: str = "float32", temperature: float = 1.0, bonus: bool = False
) -> LabelScores:
    """Compute log-probabilities and entropies at the labels of a batch.

    Args:
        temperature: Sampling temperature of the scored distribution, above 0.
        bonus: Whether entropies carry gradients, for an entropy bonus.
    """
    import torch

    # peft puts adapters into the layers of the base, whose decoder and head can be called apart.
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
    return LabelScores(scores.gather(-1, chosen[:, None])[:, 0], entropies, likeliest, batch["weights"][:, 1:][where])


def save(trainer: Any, loaded: LoadedModel, source: str, folder: Path) -> None:
    """Write the checkpoint that ``hf:FOLDER`` plays: the full model, or the adapter if one was trained.

    An adapter on top of an adapter is merged and saved in full, since it would name the wrong base. With several
    processes the first writes; the others contribute their shards of the weights.
    """
    model, process = trainer.accelerator.unwrap_model(trainer.model), current_process()
    stacked = (Path(source.removeprefix("hf:")).expanduser() / ADAPTER).is_file()
    # All processes take part in gathering, so it comes before all but the first return.
    gathered = {"state_dict": trainer.accelerator.get_state_dict(trainer.model)} if process.size > 1 else {}
    if not process.is_first:
        return
    clear(folder)
    if hasattr(model, "merge_and_unload") and stacked:
        model, gathered = model.merge_and_unload(), {}
    model.save_pretrained(folder, **gathered)
    for place in (folder, *seat_adapter_folders(folder)):
        loaded.tokenizer.save_pretrained(place)


def clear(folder: Path) -> None:
    """Delete the model in a folder: an adapter and a full model must not coexist."""
    for name in (ADAPTER, "adapter_model.safetensors", "config.json", "model.safetensors"):
        (folder / name).unlink(missing_ok=True)
    for place in seat_adapter_folders(folder):
        shutil.rmtree(place)


def seat_adapter_folders(folder: Path) -> list[Path]:
    """Return the folders of the adapters of all seats but the first; see `econzoo.train.lm.adapters`."""
    return [one.parent for one in folder.glob(f"seat-*/{ADAPTER}")]
