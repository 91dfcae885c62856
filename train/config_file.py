"""Arguments of a training from a YAML file, beside the options of the command line.

model: hf:smollm2
steps: 200
opponent: [fair, "acceptor(0.4)"]
trl:
  weight_decay: 0.01
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from econzoo.envs.core.contract.validation import short
from econzoo.envs.yaml_text import from_yaml
from econzoo.train.typed_values import typed

__all__ = ["read_config"]


def read_config(path: str | Path, arguments: type[Any]) -> dict[str, Any]:
    """The arguments that a file gives.

    A list may be given as its only entry, and a list of ``NAME=VALUE`` as names with values.

    Args:
        path: Of the file.
        arguments: A dataclass; its fields are what the file may name.

    Returns:
        By name, of the types of the fields.

    Raises:
        ValueError: The file cannot be read, or has a name or a value that is not allowed.
    """
    what = f"config={str(path)!r}"
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{what} cannot be read: {error}") from None
    given = from_yaml(text, what)
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} is not allowed: it holds {short(given)}; allowed: names with values")
    allowed = [field.name for field in fields(arguments)]
    for name in given:
        if name not in allowed:
            raise ValueError(f"{what}: {short(name)} is not allowed; allowed: {', '.join(allowed)}")
    hints = get_type_hints(arguments)
    try:
        return {name: typed(name, _listed(value, hints[name]), hints[name]) for name, value in given.items()}
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _listed(value: Any, hint: Any) -> Any:
    if get_origin(hint) is list and get_args(hint) == (str,) and isinstance(value, Mapping):
        return [f"{name}={json.dumps(one, default=str)}" for name, one in value.items()]
    return value
