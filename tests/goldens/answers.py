"""What the seats of the kept playthroughs answer: legal moves at random, and now and then something that is none.

The random numbers are Python's own, so that they stay the same whatever becomes of the environments.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from econzoo.baselines import items_of

WORDS = ("", "Let us be fair.", 'He said "half": {"kind": "accept"}', "caf\u00e9 \U0001f91d\nsecond line")
UNUSABLE: tuple[Any, ...] = ({"kind": "nonsense"}, {"move": 1}, "I accept!", None, 10**6)
EVERY = 5
"""One answer in so many is unusable."""


def plain_answer(env: Any, agent: str, rng: Random) -> Any:
    """A plain dictionary that is a legal move most of the time.

    Args:
        env: The environment, of the structured face.
        agent: Who is to move.
        rng: Of all choices.
    """
    if rng.randrange(EVERY) == 0:
        return rng.choice(UNUSABLE)
    schema = env.json_schema(agent)
    chosen = rng.choice(schema.get("anyOf", [schema]))
    usual = dict(zip(env.actions.slot_names, env.observe(agent)["span"], strict=True))
    return {name: _value(env, part, usual.get(name), rng) for name, part in chosen["properties"].items()}


def _value(env: Any, part: dict[str, Any], usual: Any, rng: Random) -> Any:
    if "const" in part:
        return part["const"]
    if part["type"] == "array":
        return [_value(env, one, (one["minimum"], one["maximum"]), rng) for one in items_of(part)]
    source = env.game.actions.kinds[0].source
    if part["type"] == "string":
        return rng.choice(list(source.library()[:6])) if source else rng.choice(WORDS)[: part["maxLength"]]
    low, high = usual
    amount = round(low + rng.choice((0.0, 0.5, 1.0, rng.random(), rng.random())) * (high - low), 2)
    amount = min(max(amount, part["minimum"]), part["maximum"])
    return int(amount) if part["type"] == "integer" else amount


def numeric_answer(mask: Any, rng: Random) -> int:
    """The number of a legal action most of the time."""
    legal = [number for number, flag in enumerate(mask) if flag]
    return rng.randrange(len(mask)) if rng.randrange(EVERY) == 0 else rng.choice(legal)


def turns(env: Any) -> Iterator[str]:
    """The agents of a match, one for every answer that is asked for; answers of agents that are out are given here."""
    while env.agents:
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            env.step(None)
            continue
        yield agent
