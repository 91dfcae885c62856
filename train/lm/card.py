"""Model card of a checkpoint: training data, evaluation and how to play it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import write_file
from econzoo.envs.core.record import current_software

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe

CARD = "README.md"

LIBRARIES = ("numpy", "peft", "torch", "transformers", "trl")
"""Libraries that train language models; cards, ``config.toml`` and ``training.json`` have their versions."""

HEAD = """---
library_name: transformers
tags:
- econzoo
- {method}
---

# {name}

`{model}` after {steps} steps of {method} on {game}, trained with {software}.

    econzoo play {game} hf:{folder} random
    econzoo evaluate {game} hf:{folder} --pool validation
"""

EVALUATION_SECTION = """
## Evaluation

{matches} validation matches: settings and opponents held out from training, and scripts in the same seats of the same
matches. Replies are sampled without constrained decoding. Differences are paired by match, with 95% intervals over
matches.

| player | {objective} | difference | legal replies |
|---|---|---|---|
"""


def write_card(
    folder: Path,
    recipe: LmRecipe,
    steps: int,
    description: Mapping[str, Any],
    rows: Sequence[Sequence[str]] = (),
    matches: int = 0,
) -> None:
    """Write ``README.md`` of a checkpoint; `description` holds the training data by name, the ``game`` among it."""
    names = {"method": recipe.METHOD, "name": folder.name, "model": recipe.model, "steps": steps, "folder": folder}
    text = HEAD.format(**names, game=description["game"], software=current_software(*LIBRARIES))
    if rows:
        text += EVALUATION_SECTION.format(matches=matches, objective=recipe.objective)
        text += "".join(f"| {' | '.join(row)} |\n" for row in rows)
    text += "\n## Training data\n\n| | |\n|---|---|\n"
    text += "".join(f"| {name} | {value} |\n" for name, value in description.items())
    write_file(folder / CARD, text)
