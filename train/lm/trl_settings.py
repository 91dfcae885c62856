"""TRL's settings of a method, from our options and from ``--trl NAME=VALUE`` for fields that we do not set."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from econzoo.envs.core.contract import nearest_names, short_repr
from econzoo.train import current_process

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe

__all__ = [
    "DPO_FIELDS",
    "FAST_PATH",
    "GRPO_FIELDS",
    "SERVER_FIELDS",
    "SFT_FIELDS",
    "TOOLS_FIELDS",
    "common_arguments",
    "make_trl_arguments",
]

FLAGS = {
    "output_dir": "--out",
    "max_steps": "--steps",
    "learning_rate": "--lr",
    "warmup_steps": "--warmup",
    "seed": "--seed",
    "per_device_train_batch_size": "--batch-size and --micro-batch",
    "gradient_accumulation_steps": "--batch-size and --micro-batch",
    "gradient_checkpointing": "--checkpointing",
    "activation_checkpointing": "--checkpointing",
    "save_steps": "--checkpoint-every",
    "save_strategy": "--checkpoint-every",
    "report_to": "--track",
    "beta": "--beta",
    "temperature": "--temperature",
    "entropy_coef": "--entropy",
    "num_generations": "--group-size",
    "generation_batch_size": "--groups and --group-size",
    "steps_per_generation": "--groups and --group-size",
    "max_completion_length": "--max-length",
    "shuffle_dataset": "--opponents self",
    "use_vllm": "--server",
    "vllm_mode": "--server",
    "vllm_server_base_url": "--server",
}
"""Fields with an option of their own."""

OVERRIDABLE = ("lr_scheduler_type", "logging_steps", "save_total_limit")
"""Fields that we set and ``--trl`` may override."""


def _same_reason(names: str, why: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), why)


_MODEL = "TRL gets a loaded model"
_DATA = "TRL gets tokenised and ordered sequences"
_LOSS = "the fast path computes log-probabilities itself"
_TRACKING = "use --track"
_EVALUATION = "evaluations are matches: use --eval and --eval-every"

ALWAYS = {
    **_same_reason("model_init_kwargs trust_remote_code chat_template_path", _MODEL),
    **_same_reason(
        """
        do_eval do_predict eval_strategy eval_steps eval_delay eval_on_start load_best_model_at_end
        per_device_eval_batch_size prediction_loss_only eval_do_concat_batches eval_use_gather_object
        eval_accumulation_steps include_for_metrics batch_eval_metrics metric_for_best_model greater_is_better
        bf16_full_eval fp16_full_eval
        """,
        _EVALUATION,
    ),
    **_same_reason("run_name project trackio_space_id trackio_bucket_id trackio_static_space_id", _TRACKING),
    "num_train_epochs": "use --steps",
    "resume_from_checkpoint": "use --resume",
    "do_train": "always true",
    "save_only_model": "training could not resume from such a checkpoint",
}
"""Fields without effect in every method, with the reason."""

FAST_PATH = {
    **_same_reason(
        """
        dataset_text_field dataset_kwargs dataset_num_proc eos_token pad_token max_length packing
        truncation_mode shuffle_dataset packing_strategy padding_free pad_to_multiple_of eval_packing
        completion_only_loss assistant_only_loss remove_unused_columns label_names data_seed
        train_sampling_strategy length_column_name
        """,
        _DATA,
    ),
    **_same_reason(
        """
        label_smoothing_factor use_liger_kernel liger_kernel_config router_aux_loss_coef torch_compile
        torch_compile_backend torch_compile_mode
        """,
        _LOSS,
    ),
    **_same_reason("bf16 fp16", "use --dtype"),
}
"""Fields without effect on the fast path, with the reason."""

SFT_FIELDS = {**FAST_PATH, "loss_type": _LOSS}
"""Fields without effect in supervised fine-tuning, with the reason."""

DPO_FIELDS = {
    **FAST_PATH,
    **_same_reason(
        "precompute_ref_batch_size sync_ref_model ref_model_mixup_alpha ref_model_sync_steps",
        "the reference is the start model, evaluated once beforehand",
    ),
    "use_weighting": "the weights need all log-probabilities of the start model, which are not kept",
}
"""Fields without effect in DPO, with the reason."""

TOOLS_FIELDS = {
    **_same_reason("remove_unused_columns label_names data_seed", _DATA),
    **_same_reason(
        """
        label_smoothing_factor use_liger_kernel liger_kernel_config router_aux_loss_coef cast_lm_head_to_fp32
        torch_compile torch_compile_backend torch_compile_mode
        """,
        _LOSS,
    ),
    **_same_reason("bf16 fp16", "use --dtype"),
    **_same_reason(
        "sync_ref_model ref_model_mixup_alpha ref_model_sync_steps",
        "the reference is the model at the start",
    ),
    **_same_reason("num_generations_eval", _EVALUATION),
}
"""Fields without effect in GRPO with tools, with the reason."""

GRPO_FIELDS = {
    **TOOLS_FIELDS,
    **_same_reason(
        """
        top_p top_k min_p repetition_penalty generation_kwargs cache_implementation
        use_transformers_continuous_batching transformers_continuous_batching_config
        vllm_model_impl vllm_enable_sleep_mode vllm_structured_outputs_regex vllm_gpu_memory_utilization
        vllm_max_model_length vllm_tensor_parallel_size
        """,
        "TRL gets matches that are played",
    ),
    **_same_reason("use_vllm vllm_mode vllm_server_base_url vllm_server_host vllm_server_port", "use --server"),
    **_same_reason("max_tool_calling_iterations chat_template_kwargs", "there are no tools without --mode tools"),
}
"""Fields without effect in GRPO on the chat face, with the reason."""

SERVER_FIELDS = _same_reason(
    """
    vllm_server_timeout vllm_group_port vllm_importance_sampling_correction vllm_importance_sampling_mode
    vllm_importance_sampling_clip_max vllm_importance_sampling_clip_min
    """,
    "there is no --server",
)
"""Fields without effect in GRPO on the chat face without a server, with the reason."""


FIRST_LOSS = {
    "loss_type": {"GRPOConfig": "grpo bnpo dr_grpo dapo cispo luspo sapo vespo"},
    "importance_sampling_level": {"GRPOConfig": "token sequence"},
    "f_divergence_type": {"DPOConfig": "reverse_kl forward_kl js_divergence alpha_divergence"},
}
"""Values that TRL 1.16 itself refuses only when it computes its first loss, by field and class of settings."""


def common_arguments(recipe: LmRecipe) -> dict[str, Any]:
    """Return the TRL settings that follow from the options of every method, by field."""
    import torch
    from transformers import TrainingArguments

    interval = recipe.checkpoint_every
    known = {field.name for field in fields(TrainingArguments)}
    # Newer versions of transformers have another name for the field, which then replaces the older one.
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
        "gradient_accumulation_steps": recipe.examples // recipe.micro_batch // current_process().size,
        "gradient_checkpointing": None if saving != "gradient_checkpointing" else recipe.checkpointing,
        saving: recipe.checkpointing,
        "report_to": "none",  # `Trackers` reports
        "save_strategy": "steps" if interval else "no",
        "save_steps": interval or recipe.steps,
        "save_total_limit": 1,  # `--resume` takes the newest only
        "logging_steps": 1,
        "disable_tqdm": True,
    }


def make_trl_arguments(
    kind: type[Any], ours: Mapping[str, Any], given: Mapping[str, Any], without_effect: Mapping[str, str] = FAST_PATH
) -> Any:
    """Return TRL's settings of a method: ours, and those of ``--trl``."""
    hints, wanted = get_type_hints(kind), dict(given)
    allowed = [field.name for field in fields(kind)]
    for name, value in wanted.items():
        _refuse_field(name, kind.__name__, allowed, ours, {**ALWAYS, **without_effect})
        wanted[name] = to_type(f"trl: {name}", value, hints[name])
        known = FIRST_LOSS.get(name, {}).get(kind.__name__, "").split()
        if known and wanted[name] not in known:
            raise ValueError(f"invalid trl: {name}={short_repr(value)}: expected {', '.join(known)}")
    try:
        made = kind(**{**ours, **wanted})
        if wanted:
            _try_optimiser(made)
        return made
    except (ValueError, TypeError, ImportError) as error:
        if not wanted:  # no mistake of the user's, so it is shown in full
            raise
        raise ValueError(f"invalid trl={dict(given)!r}: {' '.join(str(error).split())}") from None


def _try_optimiser(made: Any) -> None:
    """Make the optimiser and schedule of one number, which raises what a training would raise at its first step."""
    import torch
    from transformers import Trainer, get_scheduler

    kind, options = Trainer.get_optimizer_cls_and_kwargs(made)
    optimizer = kind([torch.nn.Parameter(torch.zeros(1))], **options)
    get_scheduler(made.lr_scheduler_type, optimizer, 0, made.max_steps, made.lr_scheduler_kwargs or {})


def _refuse_field(
    name: str, kind: str, allowed: Sequence[str], ours: Mapping[str, Any], without_effect: Mapping[str, str]
) -> None:
    """Check that a field exists and is not set by us."""
    if name not in allowed:
        near = nearest_names(name, allowed, 5) or allowed
        raise ValueError(f"trl: unknown field {name!r}: expected a field of TRL's {kind}, such as {', '.join(near)}")
    if name in without_effect:
        raise ValueError(f"trl: field {name!r} has no effect here: {without_effect[name]}")
    if name in ours and name not in OVERRIDABLE:
        raise ValueError(f"trl: field {name!r} is set by {FLAGS.get(name, 'this training')}")


NAMES: dict[Any, str] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "text",
    Path: "text",
    type(None): "null",
    Any: "anything",
}
"""Names of types in messages."""


def to_type(name: str, value: Any, hint: Any) -> Any:
    """Convert a value to the type of a field.

    Args:
        value: Value from JSON or YAML. Text is parsed as a number where only a number is valid: YAML reads ``1e-4`` as
            text. A list with one entry can stand for the entry.
    """
    if isinstance(value, str) and not is_of_type(value, hint):
        value = _number(value)
    if not isinstance(value, list) and not is_of_type(value, hint) and is_of_type([value], hint):
        value = [value]
    if not is_of_type(value, hint):
        raise ValueError(f"invalid {name}={short_repr(value)}: expected {describe_type(hint)}")
    return value


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def is_of_type(value: Any, hint: Any) -> bool:
    """Whether a plain value is of a type; for enumerations, whether it is the value of a member."""
    hint, inner = _strip_annotated(hint), get_args(hint)
    origin = get_origin(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        named = [one for one in inner if _is_enum(one)]  # "SchedulerType | str" expects the name of a scheduler
        return any(is_of_type(value, one) for one in inner if not (named and one is str))
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in inner)
    if origin is list:
        return isinstance(value, list) and all(is_of_type(one, inner[0]) for one in value)
    if origin is dict or hint is dict:
        return isinstance(value, dict) and (not inner or all(is_of_type(one, inner[1]) for one in value.values()))
    if _is_enum(hint):
        return value in [one.value for one in hint]
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    return isinstance(value, str) if hint is Path else type(value) is hint


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


def _strip_annotated(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def describe_type(hint: Any) -> str:
    hint, inner = _strip_annotated(hint), get_args(hint)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        named = any(_is_enum(one) for one in inner)
        return " or ".join(describe_type(one) for one in inner if not (named and one is str))
    if origin is list:
        return f"a list of {describe_type(inner[0])}"
    if origin is dict or hint is dict:
        return "names with values"
    if origin is Literal:
        return ", ".join(map(str, inner))
    if _is_enum(hint):
        return ", ".join(str(one.value) for one in hint)
    return NAMES.get(hint, getattr(hint, "__name__", str(hint)))
