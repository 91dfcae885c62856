"""Load transformers models with tokenizers, once per process: folders, hub ids and LoRA adapters."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from pickle import UnpicklingError
from types import MappingProxyType
from typing import Any

from econzoo.baselines import ModelError, RefusedError
from econzoo.baselines.models.chat import Conversation, merge_system_message
from econzoo.baselines.models.constrained_decoding import Grammars, Guide
from econzoo.baselines.models.conversations import fill_replies
from econzoo.baselines.models.dtype import fastest_dtype
from econzoo.baselines.models.reading import Reader
from econzoo.baselines.models.smollm2 import smollm2_folder, smollm2_path
from econzoo.envs.core import explain_missing_library, read_text, require_libraries
from econzoo.envs.core.contract import parse_json

HUB = (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
"""Address of the model hub."""

ADAPTER = "adapter_config.json"
_NO_CODE: dict[str, Any] = {"trust_remote_code": False}
"""Explicit, since by default transformers asks at the terminal whether to run a model's code."""

_MARKUP = re.compile(r"[<\[\u25c1]\S+[>\]\u25b7]")
"""Pattern of added tokens that are markup; others may be words or spaces."""

_PLAIN_NAMES = {"system": "Rules", "user": "User", "assistant": "Assistant"}
PLAIN_STOP = "\nUser:"
"""End of a reply of a model without a chat template that continues with the user's lines."""


@dataclass
class LoadedModel:
    """A model in memory with its tokenizer.

    Attributes:
        context: Maximum tokens of prompt and reply.
        lock: Held during generation, since several threads may share the model.
    """

    model: Any
    tokenizer: Any
    stop_tokens: frozenset[int]
    context: int
    lock: Any = field(default_factory=threading.RLock)
    _grammars: Grammars | None = None
    _reader: Reader | None = None

    @classmethod
    def from_model(cls, model: Any, tokenizer: Any) -> LoadedModel:
        """Wrap a transformers model in memory."""
        text_config = model.config.get_text_config()
        context = getattr(text_config, "max_position_embeddings", None) or tokenizer.model_max_length
        # Tokenizers without a limit have 1e30.
        return cls(model, tokenizer, _stop_tokens(model, tokenizer), int(min(context, 2**20)))

    @property
    def grammars(self) -> Grammars:
        """Constrained decoder of this tokenizer, created on first use."""
        if self._grammars is None:
            width = self.model.config.get_text_config().vocab_size
            self._grammars = Grammars(self.tokenizer, width, sorted(self.stop_tokens))
        return self._grammars

    @property
    def reader(self) -> Reader:
        """Reader of this model with a prefix cache, created on first use."""
        if self._reader is None:
            self._reader = Reader(self.model)
        return self._reader

    @property
    def uses_plain_chat(self) -> bool:
        """Whether the model has no chat template."""
        return not self.tokenizer.chat_template

    @cached_property
    def supports_system_message(self) -> bool:
        """Whether the chat template supports system messages."""
        try:
            chat = [{"role": role, "content": role} for role in ("system", "user")]
            return self.uses_plain_chat or bool(self.tokenizer.apply_chat_template(chat, tokenize=False))
        except Exception:
            return False

    @cached_property
    def takes_empty_replies(self) -> bool:
        """Whether the chat template takes turns of the assistant without text, which Mistral's do not."""
        try:
            chat = [{"role": role, "content": text} for role, text in (("user", "?"), ("assistant", ""), ("user", "?"))]
            return self.uses_plain_chat or bool(self.tokenizer.apply_chat_template(chat, tokenize=False))
        except Exception:
            return False

    def render(self, conversation: Sequence[Mapping[str, Any]], answer: bool = True, **more: Any) -> str:
        """Render a chat with the model's chat template, or as labelled lines without one.

        Args:
            answer: Whether to add the generation prompt; always added without a template.
            **more: Arguments of the template, such as ``tools``.
        """
        chat: list[Any] = [
            {**message, "content": self.escape_markup(message["content"], message["role"])}
            for message in (conversation if self.takes_empty_replies else fill_replies(conversation))
        ]
        if self.uses_plain_chat:
            return plain_chat(chat)
        options = {**more, "tokenize": False, "add_generation_prompt": answer}
        try:
            return self.tokenizer.apply_chat_template(chat, **options)
        except Exception as error:
            # Some templates reject the system role; then merge it into the first user message.
            if (merged := merge_system_message(chat)) != chat:
                with suppress(Exception):
                    return self.tokenizer.apply_chat_template(merged, **options)
            raise ModelError(f"the model's chat template rejects the chat: {error}") from error

    def escape_markup(self, text: str, role: str = "user") -> str:
        """Break the model's markup in a text with spaces, so that no player can forge a turn or the rules.

        Replies and rules keep markup that is not a special token, such as ``<think>``: no opponent wrote them.
        """
        is_others = role not in ("assistant", "system")
        for entry in self.tokenizer.added_tokens_decoder.values():
            if len(entry.content) > 1 and (entry.special or (is_others and _MARKUP.fullmatch(entry.content))):
                text = text.replace(entry.content, f"{entry.content[0]} {entry.content[1:]}")
        return text

    def encode(self, conversation: Conversation, template: Mapping[str, Any] = MappingProxyType({})) -> list[int]:
        """Return the token ids of a prompt."""
        return self.tokenizer(self.render(conversation, **template), add_special_tokens=self.uses_plain_chat)[
            "input_ids"
        ]

    def encode_reply(self, text: str) -> list[int]:
        """Return the token ids of a reply, as in later prompts."""
        return self.tokenizer(self.escape_markup(text, "assistant"), add_special_tokens=False)["input_ids"]

    def text(self, tokens: Sequence[int], guide: Guide | None = None) -> str:
        """Decode a reply.

        Args:
            guide: Grammar state of the reply; None: free text.
        """
        if guide is not None:
            return guide.text([token for token in tokens if token not in self.stop_tokens])
        text = self.decode(tokens)
        return (text.split(PLAIN_STOP)[0] if self.uses_plain_chat else text).strip()

    def has_stopped(self, tokens: Sequence[int]) -> bool:
        """Whether the reply of a model without a template ended, so that it continued with the user's lines."""
        return self.uses_plain_chat and PLAIN_STOP in self.decode(tokens)

    def decode(self, tokens: Sequence[int]) -> str:
        """Decode tokens to text without markup."""
        return self.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def plain_chat(conversation: Conversation) -> str:
    """Render a chat without a template: `Rules: ...`, `User: ...`, `Assistant: ...`, separated by blank lines."""
    turns = [f"{_PLAIN_NAMES.get(m['role'], m['role'])}: {m['content']}" for m in conversation]
    return "\n\n".join([*turns, "Assistant:"])


_model_cache: dict[tuple[str, str, str], tuple[int, LoadedModel]] = {}
_load_lock = threading.Lock()


def load(path_or_id: str, device: str | None = None, dtype: str | None = None) -> LoadedModel:
    """Load a model; each (model, device, dtype) is in memory once, and reloaded if its files changed.

    Args:
        path_or_id: Transformers folder, folder with a LoRA adapter, hub id, or `smollm2`.
        device: Torch device; None: a GPU if available.
        dtype: `float32`, `bfloat16`, ...; `auto`: the fastest on this machine; None: bfloat16 on a GPU and float32 on
            a CPU.
    """
    require_libraries("an hf: player", "torch", "transformers", extra="llm")
    import torch

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = (
        _resolve_auto_dtype(device)
        if dtype == "auto"
        else dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    )
    # Held while loading, so that two players never load a model twice.
    with _load_lock:
        source = _resolve(path_or_id)
        key, stamp = (source, device, dtype), _modified_at(source)
        if key not in _model_cache or _model_cache[key][0] != stamp:
            _model_cache.pop(key, None)  # free the old one first
            _model_cache[key] = (stamp, _read(source, device, dtype))
        return _model_cache[key][1]


@cache
def _resolve_auto_dtype(device: str) -> str:
    """Resolve `auto`, with one message per process."""
    return fastest_dtype("auto", device.partition(":")[0])


def release_models() -> None:
    """Unload all models to free their memory."""
    with _load_lock:
        _model_cache.clear()


def _resolve(name: str) -> str:
    """Resolve a name to a folder or hub id; adapters from other machines may name SmolLM2 by its path there."""
    if name == "smollm2" or (not Path(name).exists() and Path(name).name == smollm2_folder().name):
        return str(smollm2_path())
    return str(Path(name).expanduser().resolve()) if Path(name).expanduser().exists() else name


def remote_source(name: str) -> str | None:
    """Return where a model would be downloaded from; None if it is on this machine."""
    if name == "smollm2" or Path(name).name == smollm2_folder().name:
        return None if smollm2_folder().is_dir() else "the package index of pip"
    return None if _is_path(name) or Path(name).expanduser().exists() else HUB


def _modified_at(source: str) -> int:
    """Return the latest modification time, which changes when a checkpoint is overwritten."""
    folder = Path(source)
    return max((f.stat().st_mtime_ns for f in folder.iterdir()), default=0) if folder.is_dir() else 0


def _read(source: str, device: str, dtype: str) -> LoadedModel:
    import torch

    kind = getattr(torch, dtype, None)
    if not isinstance(kind, torch.dtype):
        raise ValueError(f"invalid dtype={dtype!r}: expected a torch dtype such as 'float32' or 'bfloat16'")
    try:
        with _hide_progress_bars():
            model, tokenizer = _model_and_tokenizer(source, kind)
        model = model.to(device).eval()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, UnpicklingError) as error:
        raise RefusedError(_failure(source, error)) from error
    return LoadedModel.from_model(model, tokenizer)


@contextmanager
def _hide_progress_bars() -> Iterator[None]:
    """Hide progress bars of transformers, which would disturb ours."""
    from transformers.utils import logging

    enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if enabled:
            logging.enable_progress_bar()


def _is_path(source: str) -> bool:
    return source.startswith(("/", ".", "~")) or Path(source).exists()


def _reachable_source(source: str) -> str:
    """Return the id if the hub is reachable, else its cache folder: transformers itself retries for a minute."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        get_hf_file_metadata(hf_hub_url(source, "config.json"))
    except HfHubHTTPError:
        return source  # reachable: let transformers report the error
    except Exception as failure:
        try:
            return snapshot_download(source, local_files_only=True)
        except OSError:
            raise OSError(f"the hub is unreachable ({failure}), and the model is not in its cache.") from None
    return source


def _model_and_tokenizer(source: str, dtype: Any) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if not (Path(source) / ADAPTER).is_file():
        path = source if _is_path(source) else _reachable_source(source)
        model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, **_NO_CODE)
        return model, AutoTokenizer.from_pretrained(path, **_NO_CODE)
    with explain_missing_library(f"the LoRA adapter in {source}"):
        from peft import PeftModel
    base = parse_json(read_text(Path(source) / ADAPTER))["base_model_name_or_path"]
    model, tokenizer = _model_and_tokenizer(_resolve(base), dtype)
    if (Path(source) / "tokenizer_config.json").is_file():
        tokenizer = AutoTokenizer.from_pretrained(source, **_NO_CODE)
    # A training that added tokens has saved its adapter for the larger embeddings.
    if len(tokenizer) > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(len(tokenizer))
    # Merged, so that a step costs no more than that of the base model.
    return PeftModel.from_pretrained(model, source).merge_and_unload(), tokenizer


def _stop_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return all tokens that end a turn; some models have several in their generation config."""
    named = [tokenizer.eos_token_id, getattr(model.generation_config, "eos_token_id", None), model.config.eos_token_id]
    ids: Sequence[Any] = [i for entry in named for i in (entry if isinstance(entry, (list, tuple)) else [entry])]
    return frozenset(int(i) for i in ids if i is not None)


def _failure(source: str, error: Exception) -> str:
    reason = " ".join(str(error).split())[:400]
    if Path(source).is_dir():
        why = f", a folder: {reason}"
    elif _is_path(source):
        why = ": there is no such model folder."
    else:
        why = f", read as a hub id since there is no such folder: {reason}"
    return (
        f"cannot load the model {source!r}{why} "
        "Expected a folder from save_pretrained (config.json, safetensors, tokenizer) or a LoRA training "
        "(adapter_config.json), a reachable or cached hub id, or smollm2."
    )
