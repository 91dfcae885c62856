"""``econzoo show GAME``: everything there is to know about a game before playing it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines.factory import filter_by_seat
from econzoo.baselines.pools import pool
from econzoo.envs.command_line import command
from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, Integer, ListOf, Text
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.faces.prompts import SHARED_TABLES, load_templates
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.faces.translation import translation_template
from econzoo.envs.core.files import write_file
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import gymnasium_id, pettingzoo_id
from econzoo.evaluate.analyses.description import rules_of
from econzoo.evaluate.analyses.solutions import solution_part
from econzoo.evaluate.analyses.transcript import replay_texts
from econzoo.evaluate.commands.space_tables import actions_of, features_of
from econzoo.evaluate.run.settings import format_value, game_settings, parse_params


@dataclass
class ShowOptions:
    """Show a game: rules, parameters, observation, moves, prompts, theory and an example dialogue.

    Example: econzoo show bargaining --param delta=0.9,0.8 --param horizon=3

    Raises:
        ValueError: A value is not allowed.
    """

    game: Annotated[str, Option(Text(), "Name of the game; see econzoo games.", positional=True)]
    players: Annotated[
        list[str], Option(ListOf(Text()), "Players of the example, one for each seat.", positional=True)
    ] = field(default_factory=list)
    param: Annotated[
        list[str], Option(ListOf(Text()), "Parameter of the setting shown: NAME=VALUE (repeatable).", letter="-p")
    ] = field(default_factory=list)
    seed: Annotated[int, Option(Integer(0), "Of the example match.")] = 1
    prompts: Annotated[
        str, Option(Text(), "File to write instead: all texts as TOML, to translate; read by -p prompts=FILE.")
    ] = ""
    json: Annotated[bool, Option(Flag(), "Machine-readable output.")] = False

    def __post_init__(self) -> None:
        check_options(self)


def run(options: ShowOptions) -> str:
    """The game as JSON or for people; or what was written.

    Raises:
        ValueError: The game is unknown, or the file of prompts exists or cannot be written.
    """
    if options.prompts:
        return write_prompts(find_game(options.game), Path(options.prompts))
    told = describe(find_game(options.game), parse_params(options.param), options.players, options.seed)
    return json.dumps(told, indent=2, ensure_ascii=False) if options.json else _text(told)


def write_prompts(game: Game, path: Path) -> str:
    """Writes all texts of a game to translate, and says how many.

    Raises:
        ValueError: The file exists.
        OSError: It cannot be written.
    """
    texts = load_templates(game.package)
    try:
        write_file(path, translation_template(game.name, path.name, path.stem, texts), must_be_new=True)
    except FileExistsError:
        raise ValueError(f"prompts={str(path)!r} exists; allowed: a new file") from None
    return f"{path}: {len(texts)} texts to translate; play with them by -p prompts={path}"


def describe(game: Game, params: Mapping[str, Any], players: Sequence[str] = (), seed: int = 1) -> dict[str, Any]:
    """All facts about a game as plain values.

    Args:
        game: The game.
        params: Of the market whose rules texts, theory and example are given.
        players: Of the example; empty: two of the standard pool.
        seed: Of the example.
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
        "markets": {name: to_plain(market) for name, market in game_settings(game).items()},
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
    """Reference payoffs of the market, by name."""
    reference = solution_part(game, "reference")
    if reference is not None:
        return {name: [float(x) for x in payoffs] for name, payoffs in reference(env.params).items()}
    equilibrium = solution_part(game, "equilibrium_payoffs")
    return {} if equilibrium is None else {"equilibrium": [float(x) for x in equilibrium(env.params)]}


def _example(
    game: Game, params: Mapping[str, Any], players: Sequence[str], seed: int, roles: list[str]
) -> dict[str, Any]:
    from econzoo.evaluate.run.match import play_match

    specs = pool(game.name, "standard")
    able = [filter_by_seat(game.name, specs, seat) for seat in range(len(roles))]
    chosen = list(players) or [some[(seat + 2) % len(some)] for seat, some in enumerate(able)]
    record = play_match(game.name, chosen, seed, **params)
    return {"players": record.players, "dialogue": dialogue(record, roles), "payoffs": record.payoffs}


def dialogue(record: Record, roles: Sequence[str]) -> list[dict[str, str]]:
    """A match as its players read it: who, and what it reads and answers, turn by turn."""
    told = replay_texts(record)
    turns = zip(record.turns, told.prompts, told.moves, strict=True)
    said = [{"who": roles[turn.seat], "reads": read or "", "answers": move} for turn, read, move in turns if move]
    ends = zip(roles, told.endings, strict=False)
    return [*said, *({"who": role, "reads": text, "answers": ""} for role, text in ends if text)]


# For people


MAX_TURNS = 8
"""Of the example that people are shown; one of twenty rounds would bury the rest."""

Line = tuple[str | list[tuple[str, ...]], int]
"""Words or the rows of a table, and how far they are indented; 0: the head of a section."""


def _text(told: Mapping[str, Any]) -> str:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(f"{told['game']}: {told['summary']}", style="bold"))
        for part, indent in _lines(told):
            body = Text(part) if isinstance(part, str) else _table(part)
            console.print(Padding(body, (0, 0, 0, indent)) if indent else Text(f"\n{part}", style="bold"))
    return capture.get().removesuffix("\n")


def _table(rows: Sequence[Sequence[str]]) -> Any:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for row in rows:
        table.add_row(*row)
    return table


def _lines(told: Mapping[str, Any]) -> Iterator[Line]:
    yield f"After {told['source']}. Gymnasium {told['gymnasium']}, PettingZoo {told['pettingzoo']}.", 2
    for role, rules in told["rules"].items():
        yield f"What {role} is told", 0
        yield rules, 2
    yield from _setting(told)
    yield "Observation for learning (numbers from -1 to 1)", 0
    yield [(str(f["number"]), f["meaning"], f["values"]) for f in told["observation"]], 2
    yield "Actions for learning", 0
    yield [(a["numbers"], a["kind"], a["amounts"]) for a in told["actions"]], 2
    yield from _theory(told)
    yield "Prompts (every text can be replaced)", 0
    yield from ((f"{name}: {template}", 2) for name, template in told["prompts"].items())
    yield from _dialogue(told["example"])


def _setting(told: Mapping[str, Any]) -> Iterator[Line]:
    yield "Parameters", 0
    for p in told["parameters"]:
        yield f"{p['name']} = {format_value(p['default'])}", 2
        yield f"{p['meaning']} Allowed: {p['allowed']}.", 6
    yield "Named markets", 0
    for name, params in told["markets"].items():
        yield f"{name}: {', '.join(f'{k}={format_value(v)}' for k, v in params.items()) or 'the defaults'}", 2
    yield "Moves", 0
    for move in told["moves"]:
        fields = "".join(f" {name}: {doc}." for name, doc in move["fields"].items())
        yield f"{move['kind']}: {move['meaning']}{fields}", 2


def _theory(told: Mapping[str, Any]) -> Iterator[Line]:
    if not told["references"]:
        return
    yield f"Reference payoffs of this market ({', '.join(told['roles'])}); the equilibrium by what seats are told", 0
    for name, payoffs in told["references"].items():
        yield f"{name:<20} {', '.join(dollars(x, cents=True) for x in payoffs)}", 2
    yield f"Metrics by: {', '.join(told['metrics'])}.", 2


def _dialogue(example: Mapping[str, Any]) -> Iterator[Line]:
    yield f"An example: {' against '.join(example['players'])}", 0
    turns = [turn for turn in example["dialogue"] if turn["answers"]]
    ending = example["dialogue"][len(turns) :]
    yield from _turns(turns[:MAX_TURNS])
    if len(turns) > MAX_TURNS:
        yield f"... {len(turns) - MAX_TURNS} more turns (--json has all of them) ...", 2
    yield from _turns(ending)


def _turns(dialogue: Sequence[Mapping[str, str]]) -> Iterator[Line]:
    for turn in dialogue:
        yield f"{turn['who']} reads:", 2
        yield turn["reads"], 6
        if turn["answers"]:
            yield f"{turn['who']} answers: {turn['answers']}", 2


main = command(ShowOptions, run)
