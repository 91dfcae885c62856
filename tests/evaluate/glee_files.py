"""Small games in the forms in which GLEE publishes them, written by hand."""

from __future__ import annotations

import copy
import csv
import io
import json
from dataclasses import dataclass, field


@dataclass
class Game:
    """The two files of a game; tests change what they are about."""

    config: dict
    columns: list
    rows: list = field(default_factory=list)

    def add(self, player, now, **cells):
        """A row."""
        self.rows.append({"player": player, "round": now, **cells})
        return self

    def copy(self):
        return copy.deepcopy(self)

    def save(self, root, name="AB12CD34EF56GH78", newline="\n", bom=False, none=False, old=False):
        """Writes the folder; `none` and `newline` as oTree's files have them, `old` as one line of JSON."""
        folder = root / self.config["game_type"] / name
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.config) if old else json.dumps(self.config, indent=4) + "\n\n"
        table = io.StringIO(newline="")
        writer = csv.DictWriter(table, self.columns, restval="None" if none else "", lineterminator=newline)
        writer.writeheader()
        writer.writerows(self.rows)
        mark = b"\xef\xbb\xbf" if bom else b""
        (folder / "config.json").write_bytes(mark + text.encode())
        (folder / "game.csv").write_bytes(mark + table.getvalue().encode())
        return folder


def config(family, args, models=("vertex_ai/meta/llama-3.3-70b", "gpt-4o")):
    players = [{"public_name": "Alice", "model_name": models[0]}, {"public_name": "Bob", "model_name": models[1]}]
    players[1]["player_id"] = 3
    return {
        "player_1_type": "litellm",
        "player_2_type": "litellm",
        "player_1_args": players[0],
        "player_2_args": players[1],
        "game_type": family,
        "experiment_name": "trial_500_0204",
        "game_args": args,
        "game": None,
        "date": "2025-04-02 17:29:50",
    }


def with_person(game, seat=0):
    """As oTree writes it: a person in one seat, Gemini in the other."""
    for i in (0, 1):
        kind = "otree" if i == seat else "otree_LLM"
        game.config[f"player_{i + 1}_type"] = game.config[f"player_{i + 1}_args"]["model_name"] = kind
    return game


def bargaining(*moves, money=100, deltas=(0.9, 0.8), rounds=12, words=True, in_args=False):
    """Moves are (Alice's, Bob's) or (Alice's, Bob's, message) for offers, words for decisions."""
    args = {"money_to_divide": money, "max_rounds": rounds, "complete_information": True, "messages_allowed": words}
    game = Game(config("bargaining", args), ["alice_gain", "bob_gain", "player", "round", "decision"])
    if words:
        game.columns.insert(2, "message")
    for i, delta in enumerate(deltas, start=1):
        holder, key = (args, f"delta_{i}") if in_args else (game.config[f"player_{i}_args"], "delta")
        holder[key] = delta
    for at, move in enumerate(moves):
        now, player = at // 2 + 1, ("Alice", "Bob", "Bob", "Alice")[at % 4]
        if isinstance(move, str):
            game.add(player, now, decision=move)
        else:
            keys = ("alice_gain", "bob_gain", "message")
            game.add(player, now, **dict(zip(keys, move, strict=False)))
    return game


def negotiation(*moves, values=(1.0, 1.2), money=10_000, rounds=10, words=True):
    """Moves are prices or (price, message) for offers, words for decisions."""
    args = {"seller_value": values[0], "buyer_value": values[1], "product_price_order": money, "max_rounds": rounds}
    args |= {"complete_information": False, "messages_allowed": words}
    columns = [*(["message"] if words else []), "product_price", "player", "round", "decision"]
    game = Game(config("negotiation", args), columns)
    for at, move in enumerate(moves):
        now, player = at // 2 + 1, ("Alice", "Bob", "Bob", "Alice")[at % 4]
        if isinstance(move, str):
            game.add(player, now, decision=move)
        else:
            price, message = move if isinstance(move, tuple) else (move, "")
            game.add(player, now, product_price=price, **({"message": message} if words else {}))
    return game


def persuasion(*rounds, binary=True, myopic=False, v=3.0, c=0.0, p=0.5, price=100):
    """Rounds are (quality, seller, buyer): ``("high", "yes", "no")``; the seller's is a message unless `binary`."""
    args = {"p": p, "v": v, "c": c, "product_price": price, "total_rounds": len(rounds), "is_seller_know_cv": True}
    args |= {"seller_message_type": "binary" if binary else "text", "is_myopic": myopic}
    words = [] if binary else ["message"]
    columns = ["round_quality", "product_worth", "player", "round", *words, "decision"]
    game = Game(config("persuasion", args), columns)
    for now, (quality, said, decision) in enumerate(rounds, start=1):
        worth = price * (v if quality == "high" else c)
        game.add("Nature", now, round_quality=f"{quality}-quality", product_worth=float(worth))
        game.add("Alice", now, **{"decision" if binary else "message": said})
        game.add("the buyer" if myopic else "Bob", now, decision=decision)
    return game


REPEATED = [("high", "yes", "yes")] * 6 + [("low", "no", "no")] * 14
"""A buyer who buys what is good and nothing else: GLEE's code pays it -0.10, its paper 0.60 (v = 3, 20 rounds)."""
