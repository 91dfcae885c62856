"""Commands of this folder."""

from __future__ import annotations

import json
from textwrap import fill
from typing import Annotated

import typer

from econzoo.baselines.presets import presets

WIDTH = 80
"""Of lines of text."""


def agents(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False) -> None:
    """List the agents of published studies that a language model can be: what they stand for, and from where.

    Example: econzoo play water_allocation "openai:MODEL@URL?agent=alympics" random random random random
    """
    if as_json:
        print(json.dumps({name: {**one._asdict(), "options": dict(one.options)} for name, one in presets().items()}))
        return
    said: set[str] = set()
    for name, one in presets().items():
        print(f"{name}: {'&'.join(f'{key}={value}' for key, value in one.options.items())}")
        for label, text in (("One turn", one.gives), ("Source", one.source), ("Not as published", one.differs)):
            told = "as above" if text in said else text
            print(fill(f"{label}: {told}", WIDTH, initial_indent="  ", subsequent_indent="  "))
            said.add(text)
        print()
    print("One of them plays as hf:MODEL?agent=NAME; options behind it count more: &temperature=0.")
