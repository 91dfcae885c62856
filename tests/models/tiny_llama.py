"""A Llama with random weights and a tokenizer trained on the spot: all of the machinery, none of the sense."""

from __future__ import annotations

from pathlib import Path

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CORPUS = [
    'Answer with one JSON object: {"kind":"offer","gain":6000,"message":"Let us split it."} or {"kind":"accept"}.',
    "You divide 10000 dollars with another player. Each round the sum loses ten percent of its worth.",
    "Round 3. The other player refused and asks 4500 for itself. It is your turn to make an offer or to accept.",
]


def tiny_tokenizer(template: str | None = CHATML):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|im_start|>", "<|im_end|>"]
    inner.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|im_end|>")
    tokenizer.chat_template = template
    return tokenizer


def build(folder: Path, *, template: str | None = CHATML, context: int = 512, seed: int = 0, layers: int = 2) -> Path:
    """Write a model folder as `save_pretrained` does; about 50,000 parameters, a few hundred milliseconds."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = tiny_tokenizer(template)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = LlamaConfig(
            vocab_size=(len(tokenizer) // 64 + 1) * 64,  # wider than the tokenizer, as real models are
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=context,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
            pad_token_id=tokenizer.pad_token_id,
            initializer_range=0.3,  # far from uniform, so that greedy and sampled replies differ
        )
        LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
