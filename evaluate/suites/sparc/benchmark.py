"""The SPARC benchmark: players on every item, in selected variants and with selected prompts.

    design = benchmark_design(["hf:smollm2"], prompts=["zero-shot", "chain-of-thought"], variants=["plain", "masked"])
    run(design, "runs/sparc")
    analyze("runs/sparc", "sparc").show()

The folder is a tournament folder (`econzoo.evaluate.run.tournament`), which can be interrupted and resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Annotated, Any

from econzoo.baselines.code_reading import BASELINES
from econzoo.envs.core.contract import Flag, ListOf, OneOf, Option, unknown_name
from econzoo.envs.core.env import check_choice
from econzoo.envs.core.record import split_name
from econzoo.envs.games.code_reading import ANSWERS, SETS, VARIANTS
from econzoo.envs.games.code_reading.items import Item, item_numbers, items, set_members
from econzoo.evaluate.analyses.sparc import GAME, PROMPTS, is_model
from econzoo.evaluate.run import Design, Setting, new_design, read_suite
from econzoo.evaluate.suites import Suite, SuiteRequest

PUBLISHED = read_suite("sparc")

REQUIRED_LIBRARY = "simulate"
"""The baseline that needs the Axelrod library."""


def select_items(names: Sequence[str] = ()) -> list[Item]:
    """Select items by name.

    Args:
        names: Names of items or of sets (`econzoo.envs.games.code_reading.SETS`); empty: the suite's default.
    """
    chosen: set[int] = set()
    for name in names or PUBLISHED["settings"]:
        if name not in item_numbers() and name not in SETS:
            raise ValueError(
                unknown_name("setting", name, [*SETS, *item_numbers()], ", a set of items or the name of a strategy")
            )
        chosen.update(set_members(name) if name in SETS else [item_numbers()[name]])
    return [items()[number] for number in sorted(chosen)]


def add_prompt(spec: str, prompt: str) -> str:
    """Add a prompt option to the spec of a language model; other specs are unchanged."""
    check_choice("prompt", prompt, tuple(PROMPTS))
    if not PROMPTS[prompt] or not is_model(spec):
        return spec
    name, bare = split_name(spec)
    asked = f"{bare}{'&' if '?' in bare else '?'}{PROMPTS[prompt]}"
    return f"{name} {prompt}={asked}" if name else asked


def baselines() -> list[str]:
    """The available baselines; `simulate` needs the Axelrod library."""
    return [spec for spec in BASELINES if spec != REQUIRED_LIBRARY or find_spec("axelrod") is not None]


def benchmark_design(
    players: Sequence[str],
    variants: Iterable[str] = PUBLISHED["variants"],
    prompts: Sequence[str] = PUBLISHED["prompts"],
    settings: Sequence[str] = (),
    seeds: int = PUBLISHED["seeds"],
    answers: str = PUBLISHED["answers"],
    with_baselines: bool = True,
    **options: Any,
) -> Design:
    """Design of every player with every prompt on every item in every variant."""
    kinds = list(dict.fromkeys(variants))
    for kind in kinds:
        check_choice("variant", kind, tuple(VARIANTS))
    check_choice("answers", answers, tuple(ANSWERS))
    readers = [add_prompt(spec, prompt) for spec in players for prompt in prompts]
    specs = list(dict.fromkeys([*readers, *(baselines() if with_baselines else [])]))
    questions = [
        Setting(f"{one.name}/{kind}", {"item": one.name, "variant": kind, "answers": answers})
        for kind in kinds
        for one in select_items(settings)
    ]
    return new_design(GAME, specs, questions, seeds, **options)


def sparc(
    request: SuiteRequest,
    *,
    variants: Annotated[
        list[str], Option(ListOf(OneOf(*VARIANTS)), "Variants of the program texts (repeatable).")
    ] = PUBLISHED["variants"],
    prompts: Annotated[
        list[str], Option(ListOf(OneOf(*PROMPTS)), "Prompts of language models (repeatable).")
    ] = PUBLISHED["prompts"],
    baselines: Annotated[bool, Option(Flag(), "Include the scripted baselines.")] = True,
    list: Annotated[bool, Option(Flag(), "Print the item names, then exit.")] = False,
) -> Suite:
    """Every player with every prompt on every item in every variant; see `benchmark_design`."""
    request.refuse_options("sparc", "opponents", "pool", "lineups", "reader")
    if list:
        return Suite({}, "", lines=[one.name for one in select_items(request.settings)])
    if prompts != PUBLISHED["prompts"] and not any(map(is_model, request.players)):
        raise ValueError(f"invalid --prompts {', '.join(prompts)}: needs a language model (hf:..., openai:...)")
    seeds, (options, params) = request.seeds or PUBLISHED["seeds"], request.params()
    # Item and variant come from the settings, so that a parameter would contradict them.
    if rest := [name for name in params if name != "answers"]:
        raise ValueError(f"invalid -p {rest[0]}: expected answers or an environment option")
    design = benchmark_design(
        request.players,
        variants,
        prompts,
        settings=request.settings,
        seeds=seeds,
        answers=params.get("answers", PUBLISHED["answers"]),
        with_baselines=baselines,
        **options,
    )
    return Suite({".": design}, "sparc")
