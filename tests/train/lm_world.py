"""What the tests of language-model training share: records, a tiny Llama, a chat model that plays at random."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import econzoo
from econzoo.baselines import items_of
from econzoo.baselines.models import Completion
from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import render_reply
from econzoo.envs.core.record import RecordFile

SMALL = {"money": 100.0, "horizon": 2, "messages": False}
SHORT = ["money=100", "horizon=2", "messages=false"]


TOWNS = {
    "water_allocation": {"days": 4, "start_health": 2},
    "guess_average": {"rounds": 3, "health": 2},
    "survival_auction": {"days": 4, "start_health": 2},
}
"""Short matches of the games of survival, in which a random player often goes out before the end."""


def write_records(path: Path, seatings, count=2, game="bargaining", **params) -> str:
    file, short = RecordFile(path), TOWNS.get(game, SMALL)
    for players in seatings:
        for seed in range(count):
            file.append(econzoo.play(game, list(players), seed=seed, **{**short, **params}))
    return str(path)


def build_tiny(folder: Path, records: str, **sizes) -> str:
    from econzoo.train.lm.tiny import TinyArgs, build

    small = {"hidden": 32, "layers": 2, "vocabulary": 500, "context": 1024}
    return str(build(TinyArgs([records], str(folder), **{**small, **sizes})))


class RandomChat:
    """Answers with a random legal move in compact JSON, as a function of schema and seed."""

    name = "random-chat"

    def __init__(self, game: str, nonsense: float = 0.0) -> None:
        self.actions, self.nonsense = find_game(game).actions, nonsense

    def complete(self, conversations, schemas, seeds):
        replies = [self.reply(schema, np.random.default_rng(seed)) for schema, seed in zip(schemas, seeds, strict=True)]
        return [Completion(text, 1, 1, 0.0) for text in replies]

    def reply(self, schema, rng):
        if rng.random() < self.nonsense:
            return "I would rather not say."
        options = schema.get("anyOf", [schema])
        chosen = options[rng.integers(len(options))]["properties"]
        index = self.actions.index[chosen["kind"]["const"]] if "kind" in chosen else 0
        kind = self.actions.kinds[index]
        fields = {name: self.drawn(chosen[name], rng) for name in kind.numbers}
        if "message" in chosen:
            fields[kind.message] = ["", "Fair?", 'tag </think> and "quotes"', "é🙂\nnext"][rng.integers(4)]
        return render_reply(self.actions, kind.model(**fields))

    def drawn(self, field, rng):
        if field["type"] == "array":
            return tuple(self.drawn(item, rng) for item in items_of(field))
        if "enum" in field:
            return field["enum"][rng.integers(len(field["enum"]))]
        amount = field["minimum"] + (field["maximum"] - field["minimum"]) * rng.random()
        amount = float(round(amount, int(rng.integers(0, 3)))) if rng.random() < 0.7 else amount
        amount = float(round(amount)) if field["type"] == "integer" else amount
        return min(max(amount, field["minimum"]), field["maximum"])


def learning_curve(folder) -> list[list[str]]:
    return [line.split(",") for line in (Path(folder) / "learning_curve.csv").read_text().splitlines()]


def settings(folder) -> dict:
    return json.loads((Path(folder) / "training.json").read_text())


def weights(path) -> dict:
    from econzoo.baselines.models import load, release_models

    release_models()
    return {name: tensor.clone() for name, tensor in load(str(path), dtype="float32").model.state_dict().items()}


def changed(before: dict, after: dict) -> bool:
    return any(not before[name].equal(after[name]) for name in before)
