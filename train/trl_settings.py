"""``--trl NAME=VALUE``: any field of TRL's settings of a method, unless what we do would override it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, get_type_hints

from econzoo.train.command_line import key_values
from econzoo.train.typed_values import typed

__all__ = ["DPO_FIELDS", "FAST_PATH", "GRPO_FIELDS", "SFT_FIELDS", "TOOLS_FIELDS", "trl_settings"]

FLAGS = {
    "output_dir": "--out",
    "max_steps": "--steps",
    "learning_rate": "--lr",
    "warmup_steps": "--warmup",
    "seed": "--seed",
    "per_device_train_batch_size": "--batch and --micro-batch",
    "gradient_accumulation_steps": "--batch and --micro-batch",
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
}
"""Fields that have an option of their own."""

YIELDING = ("lr_scheduler_type", "logging_steps", "save_total_limit")
"""Fields that we set and ``--trl`` may set otherwise."""


def _all(names: str, why: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), why)


_MODEL = "the model is loaded before TRL gets it"
_DATA = "sequences are tokenised and put in order before TRL gets them"
_LOSS = "the fast path computes log-probabilities by itself"
_TRACKING = "--track passes numbers on"
_EVALUATION = "evaluations are matches: --eval and --eval-every"

ALWAYS = {
    **_all("model_init_kwargs trust_remote_code chat_template_path", _MODEL),
    **_all(
        """
        do_eval do_predict eval_strategy eval_steps eval_delay eval_on_start load_best_model_at_end
        per_device_eval_batch_size prediction_loss_only eval_do_concat_batches eval_use_gather_object
        eval_accumulation_steps include_for_metrics batch_eval_metrics metric_for_best_model greater_is_better
        bf16_full_eval fp16_full_eval
        """,
        _EVALUATION,
    ),
    **_all("run_name project trackio_space_id trackio_bucket_id trackio_static_space_id", _TRACKING),
    "num_train_epochs": "--steps says how long it lasts",
    "resume_from_checkpoint": "--resume says where it goes on",
    "do_train": "the command says so",
    "save_only_model": "no training could go on from such a checkpoint",
}
"""Fields without effect in every method, and why."""

FAST_PATH = {
    **_all(
        """
        dataset_text_field dataset_kwargs dataset_num_proc eos_token pad_token max_length packing
        truncation_mode shuffle_dataset packing_strategy padding_free pad_to_multiple_of eval_packing
        completion_only_loss assistant_only_loss remove_unused_columns label_names data_seed
        train_sampling_strategy length_column_name
        """,
        _DATA,
    ),
    **_all(
        """
        label_smoothing_factor use_liger_kernel liger_kernel_config router_aux_loss_coef torch_compile
        torch_compile_backend torch_compile_mode
        """,
        _LOSS,
    ),
    **_all("bf16 fp16", "--dtype sets it"),
}
"""Fields without effect on the fast path, and why."""

SFT_FIELDS = {**FAST_PATH, "loss_type": _LOSS}
"""Fields without effect in supervised fine-tuning, and why."""

DPO_FIELDS = {
    **FAST_PATH,
    **_all(
        "precompute_ref_batch_size sync_ref_model ref_model_mixup_alpha ref_model_sync_steps",
        "the reference is the model at the start, read once beforehand",
    ),
}
"""Fields without effect in DPO, and why."""

TOOLS_FIELDS = {
    **_all("remove_unused_columns label_names data_seed", _DATA),
    **_all(
        """
        label_smoothing_factor use_liger_kernel liger_kernel_config router_aux_loss_coef cast_lm_head_to_fp32
        torch_compile torch_compile_backend torch_compile_mode
        """,
        _LOSS,
    ),
    **_all("bf16 fp16", "--dtype sets it"),
    **_all(
        "sync_ref_model ref_model_mixup_alpha ref_model_sync_steps",
        "the reference is the model as it was at the start",
    ),
    **_all("num_generations_eval", _EVALUATION),
}
"""Fields without effect in GRPO with tools, and why."""

GRPO_FIELDS = {
    **TOOLS_FIELDS,
    **_all(
        """
        top_p top_k min_p repetition_penalty generation_kwargs cache_implementation
        use_transformers_continuous_batching transformers_continuous_batching_config
        use_vllm vllm_mode vllm_model_impl vllm_enable_sleep_mode vllm_structured_outputs_regex vllm_server_base_url
        vllm_server_host vllm_server_port vllm_server_timeout vllm_group_port vllm_gpu_memory_utilization
        vllm_max_model_length vllm_tensor_parallel_size vllm_importance_sampling_correction
        vllm_importance_sampling_mode vllm_importance_sampling_clip_max vllm_importance_sampling_clip_min
        """,
        "matches are played before TRL gets them",
    ),
    **_all("max_tool_calling_iterations chat_template_kwargs", "there are no tools without --mode tools"),
}
"""Fields without effect in GRPO on the chat face, and why."""


def trl_settings(
    kind: type[Any], ours: Mapping[str, Any], given: Sequence[str], without_effect: Mapping[str, str] = FAST_PATH
) -> Any:
    """TRL's settings of a method: ours, and those of ``--trl``.

    Args:
        kind: Of the settings, for example TRL's ``SFTConfig``.
        ours: What our arguments say, by field.
        given: ``NAME=VALUE``; the value as JSON, or text.
        without_effect: Fields that this method makes nothing of, and why; `ALWAYS` beside them.

    Raises:
        ValueError: There is no such field, the value is not of its type, or it would have no effect.
    """
    hints, wanted = get_type_hints(kind), key_values(list(given))
    allowed = [field.name for field in fields(kind)]
    for name, value in wanted.items():
        _refuse(name, kind.__name__, allowed, ours, {**ALWAYS, **without_effect})
        wanted[name] = typed(f"trl: {name}", value, hints[name])
    try:
        return kind(**{**ours, **wanted})
    except (ValueError, TypeError) as error:
        if not wanted:
            raise
        raise ValueError(f"trl={list(given)!r} is not allowed: {' '.join(str(error).split())}") from None


def _refuse(
    name: str, kind: str, allowed: Sequence[str], ours: Mapping[str, Any], without_effect: Mapping[str, str]
) -> None:
    """Refuses a field that does not exist, or would be overridden.

    Raises:
        ValueError: As `trl_settings`.
    """
    if name not in allowed:
        near = get_close_matches(name, allowed, n=5, cutoff=0.4) or allowed
        raise ValueError(f"trl: {name!r} is not allowed; allowed: fields of TRL's {kind}, such as {', '.join(near)}")
    if name in without_effect:
        raise ValueError(f"trl: {name!r} is not allowed, as it would have no effect: {without_effect[name]}")
    if name in ours and name not in YIELDING:
        raise ValueError(f"trl: {name!r} is not allowed: {FLAGS.get(name, 'this training')} sets it")
