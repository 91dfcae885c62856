"""The model to train: loaded, with those weights that learn, what it says of the tokens that are learned, and saved.

The fast path: only the layers that learn keep gradients, and the head is computed at labels only. Of the tokens of a
match a model writes one in ten. The others need no logits, and at a vocabulary of 49,152 these cost more than five
layers of SmolLM2. Layers below the lowest one that learns need no backward pass. Arithmetic is in the type that is
fastest where it runs (`econzoo.baselines.models.dtype`); weights stay in float32.

`label_log_probabilities` is what every method learns from: SFT takes its mean, others take differences of it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.models.chat import ModelError
from econzoo.baselines.models.loading import ADAPTER, LoadedModel, load, release_models
from econzoo.envs.core.extras import require_libraries
from econzoo.train.lm.processes import processes
from econzoo.train.lm.tokens import IGNORED, Tokens

if TYPE_CHECKING:
    from torch import Tensor


def require_training() -> None:
    """Refuses at once where the extra is not installed.

    Raises:
        MissingLibraryError: With the command that installs it.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    require_libraries("training a language model", "torch", "trl", "peft", "datasets", extra="train")
    import datasets

    datasets.disable_progress_bars()


def out_folder(out: str | Path) -> Path:
    """The folder of a checkpoint, made.

    Raises:
        ValueError: There is a file of this name.
    """
    folder = Path(out).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"out={str(out)!r} is not allowed: it is a file; wanted: a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check(condition: bool, name: str, value: Any, allowed: str) -> None:
    """Refuses a value.

    Raises:
        ValueError: Names the argument, its value and what is allowed.
    """
    if not condition:
        raise ValueError(f"{name}={value!r} is not allowed; allowed: {allowed}")


def load_for_training(model: str) -> LoadedModel:
    """A model that nobody else holds, with float32 weights (on a GPU the arithmetic is bfloat16, by autocast).

    Args:
        model: ``hf:smollm2``, ``hf:PATH``, or the same without ``hf:``.

    Raises:
        ValueError: It cannot be loaded, or has no chat template.
    """
    name = model.removeprefix("hf:")
    if not name:
        raise ValueError(f"model={model!r} is not allowed; allowed: hf:smollm2, hf:PATH or hf:HUB_ID")
    release_models()  # a player may hold the same weights, which training would change under it
    try:
        loaded = load(name, process_device(), "float32")
    except ModelError as error:
        raise ValueError(f"model={model!r}: {error}") from None
    release_models()
    loaded.model.requires_grad_(True)  # an adapter that was merged leaves the weights frozen
    if loaded.tokenizer.pad_token is None:
        loaded.tokenizer.pad_token = loaded.tokenizer.eos_token
    return loaded


def process_device() -> str | None:
    """The GPU of this process where there are several processes; None: the usual one."""
    import torch

    here = processes()
    return f"cuda:{here.local_rank}" if here.size > 1 and torch.cuda.is_available() else None


def default_micro_batch(batch: int) -> int:
    """How many sequences of a step are computed together: all on a GPU, on a CPU two.

    A CPU is no faster with more, but those computed together are as long as the longest of them.
    """
    if find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            return batch
    return 1 if batch % 2 else 2


class LabelScores(NamedTuple):
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


def train_top_layers(model: Any, layers: int) -> None:
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


def prepare_trainable(model: Any, layers: int, rank: int) -> Any:
    """Lets the top layers learn, or all, where no adapter shall; then it returns the adapter's settings.

    Args:
        model: A decoder-only transformers model.
        layers: How many from the top; 0: all.
        rank: Of the adapter; 0: none.

    Raises:
        ValueError: It has fewer layers than that.
    """
    total = depth(model)
    check(layers <= total, "layers", layers, f"0 to {total}")
    if not rank:
        train_top_layers(model, layers)
    return lora(rank, layers, total)


def make_learner(model: Any, layers: int, rank: int) -> Any:
    """The model with those weights trainable that learn, its adapter included; arguments as `prepare_trainable`."""
    adapter = prepare_trainable(model, layers, rank)
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
    return LabelScores(scores.gather(-1, chosen[:, None])[:, 0], entropies, likeliest, batch["weights"][:, 1:][where])


def save(trainer: Any, loaded: LoadedModel, source: str, folder: Path) -> None:
    """Writes the checkpoint that ``hf:FOLDER`` plays: the whole model, or the adapter if one was trained.

    An adapter on top of an adapter is merged and saved whole, because it would name the wrong base. Of several
    processes the first writes; the others give it their share of the weights.
    """
    model, here = trainer.accelerator.unwrap_model(trainer.model), processes()
    stacked = (Path(source.removeprefix("hf:")).expanduser() / ADAPTER).is_file()
    gathered = {"state_dict": trainer.accelerator.get_state_dict(trainer.model)} if here.size > 1 else {}
    if not here.is_first:
        return
    clear(folder)
    if hasattr(model, "merge_and_unload") and stacked:
        model, gathered = model.merge_and_unload(), {}
    model.save_pretrained(folder, **gathered)
    for place in (folder, *seat_adapter_folders(folder)):
        loaded.tokenizer.save_pretrained(place)


def clear(folder: Path) -> None:
    """Takes away the model in a folder, since adapter and whole model must not stand side by side."""
    for name in (ADAPTER, "adapter_model.safetensors", "config.json", "model.safetensors"):
        (folder / name).unlink(missing_ok=True)
    for place in seat_adapter_folders(folder):
        shutil.rmtree(place)


def seat_adapter_folders(folder: Path) -> list[Path]:
    """The folders of the adapters of seats, but for the first; see `econzoo.train.lm.adapters`."""
    return [one.parent for one in folder.glob(f"seat-*/{ADAPTER}")]
