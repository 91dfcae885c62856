"""What all training of language models shares: the model to train, adapters, the learning curve, the checkpoint."""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines.models.chat import ModelError
from econzoo.baselines.models.loading import ADAPTER, Loaded, load, release
from econzoo.envs.core.extras import need
from econzoo.evaluate.show.csv_files import add_rows

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe

CURVE = "learning_curve.csv"
SETTINGS = "training.json"


def need_training() -> None:
    """Refuses at once where the extra is not installed.

    Raises:
        MissingLibraryError: With the command that installs it.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    need("training a language model", "torch", "trl", "peft", "datasets", extra="train")
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


def load_for_training(model: str) -> Loaded:
    """A model that nobody else holds, with float32 weights (on a GPU the arithmetic is bfloat16, by autocast).

    Args:
        model: ``hf:smollm2``, ``hf:PATH``, or the same without ``hf:``.

    Raises:
        ValueError: It cannot be loaded, or has no chat template.
    """
    name = model.removeprefix("hf:")
    if not name:
        raise ValueError(f"model={model!r} is not allowed; allowed: hf:smollm2, hf:PATH or hf:HUB_ID")
    release()  # a player may hold the same weights, which training would change under it
    try:
        loaded = load(name, dtype="float32")
    except ModelError as error:
        raise ValueError(f"model={model!r}: {error}") from None
    release()
    loaded.model.requires_grad_(True)  # an adapter that was merged leaves the weights frozen
    if loaded.tokenizer.pad_token is None:
        loaded.tokenizer.pad_token = loaded.tokenizer.eos_token
    return loaded


def at_once(batch: int) -> int:
    """How many sequences of a step are computed together: all on a GPU, on a CPU two.

    A CPU is no faster with more, but those computed together are as long as the longest of them.
    """
    if find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            return batch
    return 1 if batch % 2 else 2


def common_settings(recipe: LmRecipe) -> dict[str, Any]:
    """Settings of TRL that are the same for every method."""
    import torch
    from transformers import TrainingArguments

    every = recipe.checkpoint_every
    known = {field.name for field in fields(TrainingArguments)}
    saving = "activation_checkpointing" if "activation_checkpointing" in known else "gradient_checkpointing"
    return {
        "output_dir": str(recipe.out),
        "max_steps": recipe.steps,
        "learning_rate": recipe.lr,
        "warmup_steps": recipe.warmup,
        "lr_scheduler_type": "linear" if recipe.schedule == "linear" else "constant_with_warmup",
        "seed": recipe.seed,
        "use_cpu": not torch.cuda.is_available(),
        "bf16": False,  # the fast path has a type of its own
        "per_device_train_batch_size": recipe.micro_batch,
        "gradient_accumulation_steps": recipe.examples // recipe.micro_batch,
        "gradient_checkpointing": None if saving != "gradient_checkpointing" else recipe.checkpointing,
        saving: recipe.checkpointing,
        "report_to": "none",
        "save_strategy": "steps" if every else "no",
        "save_steps": every or recipe.steps,
        "save_total_limit": 1,
        "logging_steps": 1,
        "disable_tqdm": True,
    }


def fast_settings(recipe: LmRecipe) -> dict[str, Any]:
    """Settings of TRL that are the same for every method that learns from given sequences on the fast path."""
    return {**common_settings(recipe), "remove_unused_columns": False}


def save(trainer: Any, loaded: Loaded, source: str, folder: Path) -> None:
    """Writes the checkpoint that ``hf:FOLDER`` plays: the whole model, or the adapter if one was trained.

    An adapter on top of an adapter is merged and saved whole, because it would name the wrong base.
    """
    model = trainer.accelerator.unwrap_model(trainer.model)
    stacked = (Path(source.removeprefix("hf:")).expanduser() / ADAPTER).is_file()
    clear(folder)
    if hasattr(model, "merge_and_unload") and stacked:
        model = model.merge_and_unload()
    model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)


def clear(folder: Path) -> None:
    """Takes away the model in a folder, since adapter and whole model must not stand side by side."""
    for name in (ADAPTER, "adapter_model.safetensors", "config.json", "model.safetensors"):
        (folder / name).unlink(missing_ok=True)


def curve(recipe: LmRecipe, done: int = 0, trackers: Any = None) -> Any:
    """A callback that writes ``learning_curve.csv`` and one line a step on standard error.

    Args:
        recipe: Of the training; ``steps`` comes before its columns and ``seconds`` behind them.
        done: Steps of the checkpoint that it goes on from; later ones of the file are dropped.
        trackers: Take the numbers too; see `econzoo.train.tracking.Trackers`.
    """
    from transformers import TrainerCallback

    path, columns, total = recipe.out / CURVE, recipe.COLUMNS, recipe.steps

    class Curve(TrainerCallback):
        def __init__(self) -> None:
            kept = rows_until(path, done)
            self.started = time.perf_counter() - (float(kept[-1][-1]) if kept else 0.0)
            self._write("w", ["steps", *columns, "seconds"])
            for row in kept:
                self._write("a", row)

        def _write(self, mode: str, row: Sequence[Any]) -> None:
            with path.open(mode, newline="", encoding="utf-8") as file:
                add_rows(file, [row])

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            found = {name: (logs or {}).get(key) for name, key in columns.items()}
            if found[next(iter(columns))] is None:
                return  # the summary at the end
            seconds = round(time.perf_counter() - self.started, 1)
            row = [state.global_step, *(None if v is None else round(float(v), 6) for v in found.values()), seconds]
            self._write("a", row)
            if trackers is not None:
                trackers.write(state.global_step, {n: float(v) for n, v in found.items() if v is not None})
            shown = "  ".join(f"{n} {float(v):.4g}" for n, v in found.items() if v is not None)
            left = seconds / max(state.global_step, 1) * (total - state.global_step)
            print(f"step {state.global_step}/{total}  {shown}  ({left:.0f} s left)", file=sys.stderr, flush=True)

    return Curve()


def rows_until(path: Path, done: int) -> list[list[str]]:
    """The rows of a learning curve up to a step."""
    if not done or not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in list(csv.reader(file))[1:] if row and row[0].isdigit() and int(row[0]) <= done]


def quiet(trainer: Any) -> None:
    """Takes away the printing of raw logs: the curve's own line says what matters."""
    from transformers import PrinterCallback, ProgressCallback

    for callback in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(callback)
