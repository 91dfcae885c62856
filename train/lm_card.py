"""The card of a trained model: what it learned from, what it came to, how to play it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["CARD", "write_card"]

CARD = "README.md"

HEAD = """---
library_name: transformers
tags:
- econzoo
- {method}
---

# {name}

`{model}` after {steps} steps of {method} on {game}, trained with EconZoo.

    econzoo play {game} hf:{folder} random
    econzoo evaluate hf:{folder} --game {game} --pool validation
"""

MEASURED = """
## Evaluation

{matches} matches in settings and against opponents of the validation, none of which it was trained on, and scripts in
the same seats of the same matches. Replies are not held to the form of a legal move. Differences are paired by match,
with 95% intervals over matches.

| player | {objective} | this model less it | legal replies |
|---|---|---|---|
"""


def write_card(
    folder: Path,
    method: str,
    game: str,
    args: Any,
    about: Mapping[str, Any],
    rows: Sequence[Sequence[str]] = (),
    matches: int = 0,
) -> None:
    """Writes ``README.md`` of a checkpoint.

    Args:
        folder: Of the checkpoint.
        method: For example ``sft``.
        game: Name of the game.
        args: Arguments of the method.
        about: What it learned from, by name.
        rows: Of the table of the evaluation; see `econzoo.train.lm_validation.card_rows`.
        matches: Of the evaluation.
    """
    text = HEAD.format(method=method, name=folder.name, model=args.model, steps=args.steps, game=game, folder=folder)
    if rows:
        text += MEASURED.format(matches=matches, objective=args.objective)
        text += "".join(f"| {' | '.join(row)} |\n" for row in rows)
    text += "\n## What it learned from\n\n| | |\n|---|---|\n"
    text += "".join(f"| {name} | {value} |\n" for name, value in about.items())
    (folder / CARD).write_text(text, encoding="utf-8")
