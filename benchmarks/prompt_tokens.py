"""How many tokens a match has with each set of prompts: the rules, all that a seat reads after them, what it writes.

    python benchmarks/prompt_tokens.py [--model hf:smollm2] [--messages]

The same matches with each set: two scripts that are slow to agree, in the default setting. Only the tokenizer of the
model is used.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import econzoo
from econzoo.baselines.models.chat import Message
from econzoo.baselines.models.loading import Loaded, load
from econzoo.train.lm.transcripts import transcripts

PLAYERS = {"bargaining": ("boulware(0.1)", "boulware(0.1)"), "negotiation": ("tough", "tough")}
SETS = (None, "glee", "short")


def tokens(loaded: Loaded, chat: Sequence[Message]) -> tuple[int, int, int]:
    """Of the rules, of the prompts after them, of the replies."""

    def of(*roles: str) -> int:
        texts = [message["content"] for message in chat if message["role"] in roles]
        return sum(len(loaded.tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts)

    return of("system"), of("user"), of("assistant")


def main() -> None:
    """Prints the numbers."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--model", default="hf:smollm2", help="whose tokenizer")
    parser.add_argument("--messages", action="store_true", help="offers can carry words")
    args = parser.parse_args()
    loaded = load(args.model.removeprefix("hf:"))
    print(f"{'':24}{'turns':>6}{'rules':>7}{'prompts':>9}{'replies':>9}{'in all':>8}")
    for game, players in PLAYERS.items():
        for name in SETS:
            options: dict[str, Any] = {"prompts": name} if name else {}
            record = econzoo.play(game, list(players), seed=0, messages=args.messages, **options)
            (chat,) = transcripts(record, 0, decimals=0)
            turns = sum(message["role"] == "assistant" for message in chat)
            rules, prompts, replies = tokens(loaded, chat)
            told = f"{rules:7,}{prompts:9,}{replies:9,}{rules + prompts + replies:8,}"
            print(f"{game + ', ' + (name or 'its own'):24}{turns:6}{told}")


if __name__ == "__main__":
    main()
