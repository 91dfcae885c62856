"""``econzoo show GAME``: rules, parameters, prompts, theory and an example of a game."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines import filter_by_seat, pool
from econzoo.envs.command_line import command
from econzoo.envs.core import dollars, gymnasium_id, pettingzoo_id, write_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Game, Integer, ListOf, Option, Text, check_options, to_plain
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.faces import SHARED_TABLES, load_templates, role_names, translation_template
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import replay_texts, rules_of, solution_part
from econzoo.evaluate.commands.space_tables import actions_of, features_of
from econzoo.evaluate.run import format_value, game_settings, parse_params


@dataclass
class ShowOptions:
    """Show a game: rules, parameters, observations, moves, prompts, theory and an example dialogue.

    Example: econzoo show bargaining --param delta=0.9,0.8 --param horizon=3

    Raises:
        ValueError: An invalid value.
    """

    game: Annotated[str, Option(Text(), "Name of the game; see econzoo games.", positional=True)]
    players: Annotated[list[str], Option(ListOf(Text()), "Players of the example, one per seat.", positional=True)] = (
        field(default_factory=list)
    )
    param: Annotated[
        list[str], Option(ListOf(Text()), "Parameter NAME=VALUE of the example setting (repeatable).", letter="-p")
    ] = field(default_factory=list)
    seed: Annotated[int, Option(Integer(0), "Random seed of the example match.")] = 1
    prompts: Annotated[
        str, Option(Text(), "Write all texts as a TOML file to translate; use it with -p prompts=FILE.")
    ] = ""
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def run(options: ShowOptions) -> str:
    """Return the description of a game as text or JSON, or write its prompts."""
    if options.prompts:
        return write_prompts(find_game(options.game), Path(options.prompts))
    facts = describe(find_game(options.game), parse_params(options.param), options.players, options.seed)
    return json.dumps(facts, indent=2, ensure_ascii=False) if options.json else _text(facts)


def write_prompts(game: Game, path: Path) -> str:
    """Write all texts of a game for translation; return a message with their number."""
    texts = load_templates(game.package)
    try:
        write_file(path, translation_template(game.name, path.name, path.stem, texts), must_be_new=True)
    except FileExistsError:
        raise ValueError(f"invalid prompts={str(path)!r}: the file exists") from None
    return f"{path}: {len(texts)} texts to translate; use them with -p prompts={path}"


def describe(game: Game, params: Mapping[str, Any], players: Sequence[str] = (), seed: int = 1) -> dict[str, Any]:
    """Return a description of a game as plain values.

    Args:
        players: Players of the example; empty: members of the standard pool.
    """
    env = GameEnv(game, face="chat", **params)
    env.reset(seed=seed)
    roles = role_names(game, len(env.possible_agents))
    return {
        "game": game.name,
        "summary": game.summary,
        "source": game.facts.source,
        "gymnasium": gymnasium_id(game.name, game.version),
        "pettingzoo": pettingzoo_id(game.name, game.version),
        "roles": roles,
        "rules": rules_of(env),
        "parameters": [
            {"name": p.name, "default": to_plain(p.default), "allowed": p.value_range, "meaning": p.doc}
            for p in game.parameters
        ],
        "settings": {name: to_plain(setting) for name, setting in game_settings(game).items()},
        "moves": [_move(kind) for kind in game.actions.kinds],
        "observation": [feature._asdict() for feature in features_of(env)],
        "actions": [{"numbers": actions.numbers, **actions._asdict()} for actions in actions_of(env)],
        "metrics": list(game.metrics.DEFINITIONS),
        "references": _references(game, env),
        "prompts": {
            name: text for name, text in load_templates(game.package).items() if not name.startswith(SHARED_TABLES)
        },
        "example": _example(game, params, players, seed, roles),
    }


def _move(kind: Any) -> dict[str, Any]:
    meaning = " ".join((kind.model.__doc__ or "").split())
    return {"kind": kind.name, "meaning": meaning, "fields": {name: mark.doc for name, mark in kind.marks.items()}}


def _references(game: Game, env: GameEnv) -> dict[str, list[float]]:
    """Reference payoffs of the setting, by name."""
    reference = solution_part(game, "reference")
    if reference is not None:
        return {name: [float(x) for x in payoffs] for name, payoffs in reference(env.params).items()}
    equilibrium = solution_part(game, "equilibrium_payoffs")
    return {} if equilibrium is None else {"equilibrium": [float(x) for x in equilibrium(env.params)]}


def _example(
    game: Game, params: Mapping[str, Any], players: Sequence[str], seed: int, roles: list[str]
) -> dict[str, Any]:
    from econzoo.evaluate.run import play_match

    specs = pool(game.name, "standard")
    able = [filter_by_seat(game.name, specs, seat) for seat in range(len(roles))]
    chosen = list(players) or [some[(seat + 2) % len(some)] for seat, some in enumerate(able)]
    record = play_match(game.name, chosen, seed, **params)
    return {"players": record.players, "dialogue": dialogue(record, roles), "payoffs": record.payoffs}


def dialogue(record: Record, roles: Sequence[str]) -> list[dict[str, str]]:
    """Prompts and replies of a match, turn by turn, and the final texts."""
    texts = replay_texts(record)
    turns = zip(record.turns, texts.prompts, texts.moves, strict=True)
    moves = [{"who": roles[turn.seat], "reads": read or "", "answers": move} for turn, read, move in turns if move]
    ends = zip(roles, texts.endings, strict=False)
    return [*moves, *({"who": role, "reads": text, "answers": ""} for role, text in ends if text)]


# Text output


MAX_TURNS = 8
"""Maximum turns of the printed example."""

Line = tuple[str | list[tuple[str, ...]], int]
"""A text or the rows of a table, and its indentation; 0: a section heading."""


def _text(facts: Mapping[str, Any]) -> str:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(f"{facts['game']}: {facts['summary']}", style="bold"))
        for part, indent in _lines(facts):
            body = Text(part) if isinstance(part, str) else _table(part)
            console.print(Padding(body, (0, 0, 0, indent)) if indent else Text(f"\n{part}", style="bold"))
    return capture.get().removesuffix("\n")


def _table(rows: Sequence[Sequence[str]]) -> Any:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for row in rows:
        table.add_row(*row)
    return table


def _lines(facts: Mapping[str, Any]) -> Iterator[Line]:
    yield f"Source: {facts['source']}. Gymnasium {facts['gymnasium']}, PettingZoo {facts['pettingzoo']}.", 2
    for role, rules in facts["rules"].items():
        yield f"Rules text for {role}", 0
        yield rules, 2
    yield from _setting(facts)
    yield "Numeric observation (values from -1 to 1)", 0
    yield [(str(f["number"]), f["meaning"], f["values"]) for f in facts["observation"]], 2
    yield "Numeric actions", 0
    yield [(a["numbers"], a["kind"], a["amounts"]) for a in facts["actions"]], 2
    yield from _theory(facts)
    yield "Prompts (replaceable with -p prompts=FILE)", 0
    yield from ((f"{name}: {template}", 2) for name, template in facts["prompts"].items())
    yield from _dialogue(facts["example"])


def _setting(facts: Mapping[str, Any]) -> Iterator[Line]:
    yield "Parameters", 0
    for p in facts["parameters"]:
        yield f"{p['name']} = {format_value(p['default'])}", 2
        yield f"{p['meaning']} Range: {p['allowed']}.", 6
    yield "Named settings", 0
    for name, params in facts["settings"].items():
        yield f"{name}: {', '.join(f'{k}={format_value(v)}' for k, v in params.items()) or 'defaults'}", 2
    yield "Moves", 0
    for move in facts["moves"]:
        fields = "".join(f" {name}: {doc}." for name, doc in move["fields"].items())
        yield f"{move['kind']}: {move['meaning']}{fields}", 2


def _theory(facts: Mapping[str, Any]) -> Iterator[Line]:
    if not facts["references"]:
        return
    yield f"Reference payoffs of this setting ({', '.join(facts['roles'])}), given its information structure", 0
    for name, payoffs in facts["references"].items():
        yield f"{name:<20} {', '.join(dollars(x, cents=True) for x in payoffs)}", 2
    yield f"Metric definitions: {', '.join(facts['metrics'])}.", 2


def _dialogue(example: Mapping[str, Any]) -> Iterator[Line]:
    yield f"Example: {' against '.join(example['players'])}", 0
    turns = [turn for turn in example["dialogue"] if turn["answers"]]
    ending = example["dialogue"][len(turns) :]
    yield from _turns(turns[:MAX_TURNS])
    if len(turns) > MAX_TURNS:
        yield f"... {len(turns) - MAX_TURNS} more turns (all with --json) ...", 2
    yield from _turns(ending)


def _turns(dialogue: Sequence[Mapping[str, str]]) -> Iterator[Line]:
    for turn in dialogue:
        yield f"{turn['who']} reads:", 2
        yield turn["reads"], 6
        if turn["answers"]:
            yield f"{turn['who']} replies: {turn['answers']}", 2


main = command(ShowOptions, run)
