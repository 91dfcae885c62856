"""A Llama of about a million parameters with a small tokenizer, built in seconds, to try training in minutes.

    econzoo train tiny records.jsonl --out runs/tiny
    econzoo train sft records.jsonl --model hf:runs/tiny --lr 2e-3 --batch-size 32 --steps 200 --out runs/tiny-sft

The tokenizer is trained on the transcripts of recorded matches; the weights are random.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.command_line import command
from econzoo.envs.core.contract import Integer, ListOf, Option, Text, check_options
from econzoo.train import FOLDER
from econzoo.train.lm.model import out_folder
from econzoo.train.lm.transcripts import load_records, transcripts

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
END, START = "<|im_end|>", "<|im_start|>"


@dataclass
class TinyArgs:
    """Build an untrained Llama of about a million parameters with a tokenizer trained on records."""

    records: Annotated[list[str], Option(ListOf(Text()), "Record files (JSON lines).", positional=True)]
    out: Annotated[Path, Option(FOLDER, "Folder of the model.")] = Path("runs/tiny")
    hidden: Annotated[int, Option(Integer(4), "Width.")] = 128
    layers: Annotated[int, Option(Integer(1), "Depth.")] = 4
    vocabulary: Annotated[int, Option(Integer(1), "Vocabulary size.")] = 768
    context: Annotated[int, Option(Integer(16), "Context length in tokens.")] = 1024
    seed: Annotated[int, Option(Integer(0, 2**32 - 1), "Random seed of the weights.")] = 0

    def __post_init__(self) -> None:
        check_options(self)


def build(args: TinyArgs) -> Path:
    """Write the model folder."""
    records = load_records(args.records)
    seats = [(record, seat) for record in records for seat in range(len(record.players))]
    texts = [m["content"] for record, seat in seats for chat in transcripts(record, seat, decimals=2) for m in chat]
    folder = out_folder(args.out)
    tokenizer = make_tokenizer(texts, args.vocabulary)
    make_model(tokenizer, args).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tokenizer(texts: Iterable[str], vocabulary: int) -> Any:
    """Return a byte-level BPE tokenizer for ChatML, trained on `texts`."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    digits = pre_tokenizers.Split(Regex(r"\d"), "isolated")  # numbers digit by digit, as larger models do
    inner.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=END, pad_token=END)
    tokenizer.chat_template = CHATML
    return tokenizer


def make_model(tokenizer: Any, args: TinyArgs) -> Any:
    """Return a Llama with random weights."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=(len(tokenizer) + 63) // 64 * 64,
        hidden_size=args.hidden,
        intermediate_size=3 * args.hidden,
        num_hidden_layers=args.layers,
        num_attention_heads=4,
        max_position_embeddings=args.context,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(args.seed)
        return LlamaForCausalLM(config)


main = command(TinyArgs, build)
