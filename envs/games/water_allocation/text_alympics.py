"""Additional fields of the prompt set ``alympics``: each day is described at once, as in ALYMPICS.

Fields of all texts: those of `text`, and in a turn next_loss, the health that the next dry day costs. Fields of what
happened in a day: day, day_supply, bids, served, standings (a text of the table ``part`` for each resident), and who
has died.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core import dollars, read_text
from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import format_number
from econzoo.envs.families.survival import REWARDS, format_balance
from econzoo.envs.games.water_allocation import text
from econzoo.envs.games.water_allocation.rules import View

FIELDS = {
    "brief": ("low", "high", "residents_list", "persona_described"),
    "turn": ("round", "supply", "own_standing", "name"),
    "event": ("day", "bids", "day_supply", "served", "standings", "who_died"),
    "part": ("who", "balance", "health", "next_loss"),
}

ROWS = ("standings", "own_standing")
"""Fields that are texts of the table ``part`` with the fields of each of their lines."""


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["rules"]


def parts(view: View, happened: Event | None) -> dict[str, str]:
    """Texts inserted as fields of others."""
    persona = "persona" if view.persona == 1 else "no_persona"
    return {"persona_described": persona, "goal": f"goal_{REWARDS[view.reward]}"}


def turn(view: View) -> str:
    return "bid"


def together(view: View, events: Sequence[Event], names: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """Name and fields of the text of a day."""
    results = [(names[event.seat], event.action, event.fact) for event in events]
    winners = [name for name, _, _ in sorted((r for r in results if r[2].place), key=lambda r: r[2].place)]
    dead = [name for name, _, result in results if result.health <= 0]
    day_fields = {
        "day": str(events[0].round),
        "day_supply": format_number(results[0][2].supply),
        "bids": ", ".join(f"{name} bid {dollars(action.bid)}" for name, action, _ in results),
        "served": ", ".join(winners) or "no one",
        "standings": ("standing", [standing_fields(name, result) for name, _, result in results]),
        "who_died": ", ".join(dead),
    }
    return "day_with_deaths" if dead else "day", day_fields


def standing_fields(name: str, result: Any) -> dict[str, str]:
    """Fields of a resident's status; another day without water costs `next_loss` health points."""
    loss = str(result.no_water_days + 1)
    return {"who": name, "balance": format_balance(result.balance), "health": str(result.health), "next_loss": loss}


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    towns = zip(names, view.requirements, view.salaries, strict=True)
    listed = "\n".join(
        f"- {name}: needs {need} units a day; salary ${dollars(paid)} a day" for name, need, paid in towns
    )
    return {**text.constant_fields(view, names), "residents_list": listed, "count": str(len(names))}


def fields(view: View, names: tuple[str, ...]) -> dict[str, Any]:
    shared = text.fields(view, names)
    own = {"who": names[view.seat], "next_loss": str(view.no_water_days[view.seat] + 1)}
    return {**shared, "own_standing": ("standing", [{**own, "balance": shared["balance"], "health": shared["health"]}])}


# From a copy


def COPY(folder: Path) -> dict[str, str]:  # noqa: N802 - a constant of prompt sets
    """The wording of ALYMPICS' rules, questions and results, from a copy of its repository; nothing in it is run."""
    rules = _texts(folder / "src" / "run.py", "game_setting")["game_setting"]
    game = _texts(folder / "src" / "waterAllocation.py", "inquiry_prompt", "round_results_prompt", "PERSONA_A")
    frame = _generalise_name(game["PERSONA_A"], "Alex", "src/waterAllocation.py", "PERSONA_A")
    asked = _fill_braces(game["inquiry_prompt"], ["name", "round", "supply", "own_standing"], "inquiry_prompt")
    results = _fill_braces(
        game["round_results_prompt"], ["day", "bids", "day_supply", "served", "standings"], "round_results_prompt"
    )
    return {
        "brief.rules": f"{frame}{{persona_described}}" + _insert_range(rules),
        "turn.bid": asked,
        "part.no_persona": "",
        "part.standing": _status_template(folder / "src" / "waterAllocation.py"),
        "event.day": results,
        "event.day_with_deaths": f"{results}\n{{who_died}}: dead.",
    }


def _texts(path: Path, *names: str) -> dict[str, str]:
    """Read string assignments of a program by name."""
    found = {}
    for node in _nodes(path):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for target in node.targets:
                found[getattr(target, "attr", getattr(target, "id", ""))] = node.value.value
    for name in names:
        if name not in found:
            raise ValueError(f"{path.name}: missing text {name!r}: expected {', '.join(names)}")
    return found


def _nodes(path: Path) -> list[ast.AST]:
    """All nodes of the syntax tree of a program."""
    try:
        return list(ast.walk(ast.parse(read_text(path))))
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from None


STATUS_FIELDS = {"name": "who", "balance": "balance", "hp": "health", "no_drink": "next_loss"}
"""Attributes of a player in ALYMPICS' program, and our fields."""


def _status_template(path: Path) -> str:
    """Template of a resident's status, as returned by the function ``get_status`` of a program."""
    for node in _nodes(path):
        if isinstance(node, ast.FunctionDef) and node.name == "get_status" and isinstance(node.body[-1], ast.Return):
            pieces = getattr(node.body[-1].value, "values", [])
            names = [getattr(getattr(piece, "value", None), "attr", "") for piece in pieces]
            if pieces and all(
                isinstance(p, ast.Constant) or n in STATUS_FIELDS for p, n in zip(pieces, names, strict=True)
            ):
                fixed = [_escape_braces(str(p.value)) if isinstance(p, ast.Constant) else "" for p in pieces]
                return "".join(text or f"{{{STATUS_FIELDS[name]}}}" for text, name in zip(fixed, names, strict=True))
    raise ValueError(f"{path.name} has no get_status that tells {', '.join(STATUS_FIELDS)}")


def _fill_braces(template: str, fields: list[str], name: str) -> str:
    """A template with a pair of braces for each field."""
    pieces = template.split("{}")
    if len(pieces) != len(fields) + 1 or "{" in "".join(pieces):
        raise ValueError(f"waterAllocation.py: invalid placeholders in {name}: expected {len(fields)} of {{}}")
    out = pieces[0]
    for field, piece in zip(fields, pieces[1:], strict=True):
        out += f"{{{field}}}{piece}"
    return out


def _generalise_name(template: str, name: str, file: str, what: str) -> str:
    """A text about one resident as one about each."""
    if name not in template:
        raise ValueError(f"{file}: {what} does not name {name}")
    return _escape_braces(template).replace(name, "{name}")


def _insert_range(rules: str) -> str:
    """The rules with the range of the supply in the place of its two words."""
    for word in ("LOWER", "UPPER"):
        if word not in rules:
            raise ValueError(f"run.py: game_setting has no placeholder {word}")
    return _escape_braces(rules).replace("LOWER", "{low}").replace("UPPER", "{high}")


def _escape_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
