"""``econzoo benchmark sparc``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.envs.games.code_reading import ANSWERS, SETS, VARIANTS
from econzoo.envs.games.code_reading.items import Item
from econzoo.evaluate.analyses.analyze import analyze
from econzoo.evaluate.analyses.sparc.answers import PROMPTS, is_model
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json, Shard
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.tournament import parse_shard, play_missing
from econzoo.evaluate.suites.sparc.benchmark import benchmark_plan, chosen_items

OUT = Path("runs/sparc")
"""Where the answers go unless a folder is named."""


@budgeted
def sparc(
    player: Annotated[
        list[str] | None, typer.Option(metavar="SPEC...", help="Who reads; the baselines always do.")
    ] = None,
    variant: Annotated[list[str] | None, typer.Option(help=f"Texts: {', '.join(VARIANTS)}.")] = None,
    prompt: Annotated[
        list[str] | None, typer.Option(help=f"Of language models: {', '.join(PROMPTS)}; commas between several.")
    ] = None,
    chosen: Annotated[str, typer.Option("--items", help=f"Which items: {', '.join(SETS)}.")] = "all",
    subset: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="Only these items, by name, such as TitForTat.")
    ] = None,
    form: Annotated[str, typer.Option("--answers", help=f"What is asked for: {', '.join(ANSWERS)}.")] = ANSWERS[0],
    seeds: Annotated[int, typer.Option(min=1, help="Answers of each player to each question.")] = 1,
    no_baselines: Annotated[bool, typer.Option("--no-baselines", help="Leave the baselines out.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the answers; started again, it goes on.")] = OUT,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    list_items: Annotated[bool, typer.Option("--list", help="Print the names of the items and end.")] = False,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Make the data of the items anew in this file, and end.")
    ] = None,
    check_texts: Annotated[
        bool, typer.Option("--check", help="Play every text against its original in all variants, and end.")
    ] = False,
    as_json: Json = False,
) -> None:
    """SPARC: will this program cooperate in ten rounds with a cooperator? 239 strategies of the Axelrod library.

    The programs' texts come from the installed library (econzoo[programs]). It can be stopped at any time; the same
    command asks what is missing.

    Examples: econzoo benchmark sparc | econzoo benchmark sparc --player hf:smollm2 --prompt zero-shot,chain-of-thought
    --variant plain masked | econzoo benchmark sparc --player hf:tiny --subset TitForTat Grudger
    """
    if player and (list_items or labels is not None or check_texts):
        raise ValueError("--player is not allowed with --list, --labels and --check, which ask nobody")
    if list_items:
        print("\n".join(one.name for one in chosen_items(chosen, subset or ())))
        return
    if labels is not None:
        _make(labels, chosen_items(chosen, subset or ()))
        return
    if check_texts:
        _compare(chosen_items(chosen, subset or ()), spread(variant, list(VARIANTS)), parse_shard(shard))
        return
    need("benchmark sparc", "jinja2", extra="evaluate")
    if prompt and not any(is_model(spec) for spec in player or ()):
        raise ValueError("--prompt is not allowed without a language model; allowed: with --player hf:..., openai:...")
    prompts = spread(prompt, ["zero-shot"])
    kinds = spread(variant, ["plain"])
    plan = benchmark_plan(player or [], kinds, prompts, chosen, subset or (), seeds, form, not no_baselines)
    play_missing({".": plan}, out, jobs, shard, concurrent, plan.game)
    made = analyze(out, "sparc")
    path = made.write(out)
    if as_json:
        print(made.to_json())
        return
    made.show()
    print(f"\nPage: {path}")


def spread(given: list[str] | None, default: list[str]) -> list[str]:
    """Several values, each given by itself or with commas between them."""
    return [part.strip() for text in given or default for part in text.split(",") if part.strip()]


def _compare(chosen: list[Item], variants: list[str], part: tuple[int, int]) -> None:
    """Plays the texts against their originals; ends in 1 if one plays otherwise."""
    from econzoo.evaluate.suites.sparc.equality import differences

    own, found = chosen[part[0] :: part[1]], 0
    with progress_bar("check", len(own)) as told:
        for one in differences(own, variants, lambda: told(1)):
            found += 1
            print(
                f"{one.item}, {one.variant}, {one.meeting.opponent} seed {one.meeting.seed}: "
                f"{one.played} instead of {one.wanted}",
                flush=True,
            )
    print(f"{len(own)} items in {len(variants)} variants ({', '.join(variants)}): {found} matches differ")
    if found:
        raise typer.Exit(1)


def _make(file: Path, chosen: list[Item]) -> None:
    """Makes the labels; takes long."""
    from econzoo.evaluate.suites.sparc.labels import write_labels

    with progress_bar("labels", len(chosen)) as told:
        count = write_labels(file, lambda: told(1), chosen=chosen)
    print(f"{count} items in {file}")
