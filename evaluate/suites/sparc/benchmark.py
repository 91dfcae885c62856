"""SPARC as a benchmark: any players, some variants and prompts, on every item.

    plan = benchmark_plan(["hf:smollm2"], prompts=["zero-shot", "chain-of-thought"], variants=["plain", "masked"])
    run(plan, "runs/sparc")
    analyze("runs/sparc", "sparc").show()

The folder is that of a tournament (`econzoo.evaluate.run.tournament`): it can be stopped at any time and goes on with
what is missing, and everything that reads records can read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any

from econzoo.baselines.code_reading import BASELINES
from econzoo.envs.core.env.options import one_of
from econzoo.envs.core.record.spec import named
from econzoo.envs.games.code_reading import ANSWERS, SETS, VARIANTS
from econzoo.envs.games.code_reading.items import Item, items, members, numbers
from econzoo.evaluate.analyses.sparc.answers import GAME, PROMPTS, is_model
from econzoo.evaluate.run.plan import Plan, new_plan
from econzoo.evaluate.run.settings import Market

REQUIRED_LIBRARY = "simulate"
"""The baseline that needs Axelrod."""


def chosen_items(chosen: str = "all", names: Sequence[str] = ()) -> list[Item]:
    """The items to ask about, by name and never by place in any list.

    Args:
        chosen: One of `econzoo.envs.games.code_reading.SETS`.
        names: Only these.

    Raises:
        ValueError: A set or name is unknown.
    """
    one_of("items", chosen, tuple(SETS))
    unknown = [name for name in names if name not in numbers()]
    if unknown:
        raise ValueError(f"unknown item {unknown[0][:80]!r}; allowed: names of strategies, such as TitForTat")
    found = [items()[number] for number in members(chosen)]
    return [one for one in found if not names or one.name in names]


def prompted(spec: str, prompt: str) -> str:
    """A spec with the option of a prompt; players that are no language models have no prompts.

    Raises:
        ValueError: There is no such prompt.
    """
    one_of("prompt", prompt, tuple(PROMPTS))
    if not PROMPTS[prompt] or not is_model(spec):
        return spec
    name, bare = named(spec)
    asked = f"{bare}{'&' if '?' in bare else '?'}{PROMPTS[prompt]}"
    return f"{name} {prompt}={asked}" if name else asked


def baselines() -> list[str]:
    """The baselines that can play here: `simulate` needs the Axelrod library."""
    return [spec for spec in BASELINES if spec != REQUIRED_LIBRARY or find_spec("axelrod") is not None]


def benchmark_plan(
    players: Sequence[str],
    variants: Iterable[str] = ("plain",),
    prompts: Sequence[str] = ("zero-shot",),
    chosen: str = "all",
    names: Sequence[str] = (),
    seeds: int = 1,
    form: str = "probability",
    with_baselines: bool = True,
    **options: Any,
) -> Plan:
    """Every player with every prompt on every item in every variant.

    Args:
        players: Specs.
        variants: Of `econzoo.envs.games.code_reading.VARIANTS`.
        prompts: Of `PROMPTS`.
        chosen: See `chosen_items`.
        names: See `chosen_items`.
        seeds: Answers of each player to each question.
        form: ``"probability"`` or ``"words"``.
        with_baselines: Whether the baselines play too.
        **options: See `econzoo.evaluate.run.plan.new_plan`.

    Raises:
        ValueError: Something is unknown or not allowed, or there is no item.
    """
    kinds = list(dict.fromkeys(variants))
    for kind in kinds:
        one_of("variant", kind, tuple(VARIANTS))
    one_of("answers", form, tuple(ANSWERS))
    asked = [prompted(spec, prompt) for spec in players for prompt in prompts]
    specs = list(dict.fromkeys([*asked, *(baselines() if with_baselines else [])]))
    markets = [
        Market(f"{one.name}/{kind}", {"item": one.name, "variant": kind, "answers": form})
        for kind in kinds
        for one in chosen_items(chosen, names)
    ]
    if not markets:
        raise ValueError(f"none of the items {', '.join(names)[:80]} is among items={chosen!r}")
    return new_plan(GAME, specs, markets, seeds, **options)
