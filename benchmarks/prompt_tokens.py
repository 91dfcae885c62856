"""How many tokens a match has with each set of prompts: the rules, all that a seat reads after them, what it writes.

    python benchmarks/prompt_tokens.py [--model hf:smollm2] [--messages]
    python benchmarks/prompt_tokens.py --every-game [--reply 300]

The same matches with each set: two scripts that are slow to agree, in the default setting. With ``--every-game``, a
match of every game between members of its standard pool, as if a model sat in all seats: what a server reads when it
keeps nothing from request to request, what is new to one that does, and what is written. Only the tokenizer of the
model is used.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import econzoo
from econzoo.baselines import filter_by_seat, pool
from econzoo.baselines.models import LoadedModel, Message, load
from econzoo.envs import GAMES
from econzoo.envs.core import all_games
from econzoo.envs.core.contract import Game
from econzoo.train.lm.transcripts import transcripts

PLAYERS = {"bargaining": ("boulware(0.1)", "boulware(0.1)"), "negotiation": ("tough", "tough")}
SETS = (None, "glee", "short")


def tokens(loaded: LoadedModel, chat: Sequence[Message]) -> tuple[int, int, int]:
    """Of the rules, of the prompts after them, of the replies."""

    def of(*roles: str) -> int:
        texts = [message["content"] for message in chat if message["role"] in roles]
        return sum(len(loaded.tokenizer(text, add_special_tokens=False)["input_ids"]) for text in texts)

    return of("system"), of("user"), of("assistant")


class Requests(NamedTuple):
    """What a model in all seats of a match is asked.

    Attributes:
        requests: How often.
        read: Tokens of the whole conversation, each time.
        new: Of them, those that were in no request before.
        written: Tokens of the replies.
        record: Bytes of the record.
    """

    requests: float
    read: float
    new: float
    written: float
    record: float


def requests(loaded: LoadedModel, game: Game, reply: int, seeds: int = 2) -> Requests:
    """Means over matches; replies of so many tokens, or as scripts write them if 0."""
    seats = range(game.seats(game.params()[1]))
    able = [filter_by_seat(game.name, pool(game.name, "standard"), seat) for seat in seats]
    players = [specs[(seat + 2) % len(specs)] for seat, specs in zip(seats, able, strict=True)]
    found = np.zeros(5)
    for seed in range(seeds):
        record = econzoo.play(game.name, players, seed=seed)
        found[4] += len(record.to_json())
        for chat in [chat for seat in seats for chat in transcripts(record, seat, decimals=0)]:
            so_far = 0
            for message in chat:
                size = len(loaded.tokenizer(message["content"], add_special_tokens=False)["input_ids"])
                if message["role"] == "assistant":
                    size = reply or size
                    found += (1, so_far, 0, size, 0)
                else:
                    found[2] += size
                so_far += size
    return Requests(*(found / seeds).tolist())


def tell_every_game(loaded: LoadedModel, reply: int) -> None:
    """A line for each game, and their mean."""
    print(f"{'':20}" + "".join(f"{name:>10}" for name in Requests._fields))
    every = {game.name: requests(loaded, game, reply) for game in all_games(GAMES)}
    mean = Requests(*np.mean(list(every.values()), axis=0).tolist())
    for name, one in {**every, "mean": mean}.items():
        print(f"{name:20}" + "".join(f"{value:10,.0f}" for value in one))


def main() -> None:
    """Prints the numbers."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--model", default="hf:smollm2", help="whose tokenizer")
    parser.add_argument("--messages", action="store_true", help="offers can carry words")
    parser.add_argument("--every-game", action="store_true", help="requests and tokens of a match of every game")
    parser.add_argument("--reply", type=int, default=0, help="with --every-game: tokens of a reply")
    args = parser.parse_args()
    loaded = load(args.model.removeprefix("hf:"))
    if args.every_game:
        tell_every_game(loaded, args.reply)
        return
    print(f"{'':24}{'turns':>6}{'rules':>7}{'prompts':>9}{'replies':>9}{'in all':>8}")
    for game, players in PLAYERS.items():
        for name in SETS:
            options: dict[str, Any] = {"prompts": name} if name else {}
            record = econzoo.play(game, list(players), seed=0, messages=args.messages, **options)
            (chat,) = transcripts(record, 0, decimals=0)
            turns = sum(message["role"] == "assistant" for message in chat)
            rules, prompts, replies = tokens(loaded, chat)
            counts = f"{rules:7,}{prompts:9,}{replies:9,}{rules + prompts + replies:8,}"
            print(f"{game + ', ' + (name or 'its own'):24}{turns:6}{counts}")


if __name__ == "__main__":
    main()
