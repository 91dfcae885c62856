"""TRL's trainer on weighted token sequences, and the sequences of matches with tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from econzoo.baselines.models import LoadedModel
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record
from econzoo.train import Reward
from econzoo.train.lm.environment import CHATML_TOOLS, TOOL_PROMPTS, make_tool_ready, seat_class
from econzoo.train.lm.model import batch_of, label_log_probabilities
from econzoo.train.lm.tokens import Tokens, Turns
from econzoo.train.lm.transcripts import transcript

__all__ = [
    "make_trainer",
    "tool_chat",
    "tool_tokens",
]

FINAL_MESSAGE = "Done."
"""The model's message after a match with tools: TRL always asks once more."""


def make_trainer(
    model: Any, tokenizer: Any, data: Sequence[Tokens], order: Sequence[int], config: Any, dtype: str, **more: Any
) -> Any:
    """Return the trainer.

    Args:
        order: Indices into `data` in training order.
    """
    from datasets import Dataset
    from trl.trainer.sft_trainer import SFTTrainer

    pad = tokenizer.pad_token_id

    class FastSftTrainer(SFTTrainer):
        """Learns from the labels of given sequences only."""

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            """Return the weighted mean over the labels of the whole optimiser step."""
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
            """Skipped: the card is written with the evaluation results."""

    rows = Dataset.from_dict({"place": list(range(len(data)))})

    def collate(chosen: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return batch_of([data[one["place"]] for one in chosen], pad)

    trainer = FastSftTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, data_collator=collate, **more
    )
    trainer.model_accepts_loss_kwargs = True  # the loss is divided by all labels of a step, not by micro-batches
    return trainer


def tool_chat(record: Record, seat: int, decimals: int | None = None) -> list[dict[str, Any]]:
    """Return the transcript of a seat as a chat with tool calls.

    One user message has the rules and the first observation; calls with their results follow, and `FINAL_MESSAGE`.
    """
    rules, first, *rest = transcript(record, seat, decimals, prompts=TOOL_PROMPTS)
    names = find_game(record.game).actions.names
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"{rules['content']}\n\n{first['content']}"}]
    for message in rest:
        if message["role"] == "assistant":
            messages.append(to_tool_call(message["content"], names[0]))
        else:
            called = messages[-1]["tool_calls"][0]["function"]["name"]
            messages.append({"role": "tool", "name": called, "content": message["content"]})
    return [*messages, {"role": "assistant", "content": FINAL_MESSAGE}]


def to_tool_call(reply: str, only_kind: str) -> dict[str, Any]:
    """Return a JSON reply as a tool call.

    The arguments are JSON text, as in OpenAI's interface: with dictionaries, a table of such messages would give every
    call the arguments of all tools, filled with nulls.
    """
    plain = parse_json(reply)
    name = plain.pop("kind", only_kind)
    function = {"name": name, "arguments": json.dumps(plain, ensure_ascii=False, separators=(",", ":"))}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}


def tool_tokens(
    loaded: LoadedModel, record: Record, seat: int, limit: int, decimals: int | None = None
) -> list[Tokens]:
    """Return the sequences of a seat with its tool calls as own tokens; turns beyond `limit` are dropped."""
    make_tool_ready(loaded.tokenizer)
    chat, turns = tool_chat(record, seat, decimals), Turns()
    more: dict[str, Any] = {"tools": tools(record.game), "chat_template": tool_template(loaded.tokenizer)}
    if loaded.tokenizer.chat_template != CHATML_TOOLS:
        chat = [_parse_call_arguments(message) for message in chat]
    for at, message in enumerate(chat):
        if message["role"] != "assistant":
            continue
        prompt, text = loaded.render(chat[:at], **more), loaded.render(chat[: at + 1], answer=False, **more)
        if not text.startswith(prompt):
            raise ValueError("invalid mode='tools': expected chat, as replies of this model do not begin with calls")
        read, reply = (
            loaded.tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prompt, text[len(prompt) :])
        )
        reply = _cut_at_end(loaded, reply)
        if len(read) + len(reply) > limit:
            break
        turns.read(read).write(reply)
        turns.add_shown_reply(reply)
    return turns.parts


def tool_template(tokenizer: Any) -> str | None:
    """Return TRL's replacement for a template that drops earlier turns; None if the model's own keeps them."""
    from trl.chat_template_utils import get_training_chat_template, is_chat_template_prefix_preserving

    return None if is_chat_template_prefix_preserving(tokenizer) else get_training_chat_template(tokenizer)


def _parse_call_arguments(message: dict[str, Any]) -> dict[str, Any]:
    """Return the message with its calls' arguments parsed, as models' templates expect them."""
    calls = [one["function"] for one in message.get("tool_calls", ())]
    given = [{"type": "function", "function": {**one, "arguments": parse_json(one["arguments"])}} for one in calls]
    return {**message, "tool_calls": given} if given else message


def _cut_at_end(loaded: LoadedModel, ids: list[int]) -> list[int]:
    last = next((at for at, token in enumerate(ids) if token in loaded.stop_tokens), len(ids) - 1)
    return ids[: last + 1]


def tools(game_name: str) -> list[Any]:
    """Return the tools of a game in TRL's order: by name."""
    environment = seat_class(game_name, Reward())()
    return [getattr(environment, name) for name in sorted(find_game(game_name).actions.names)]
