"""The pages of the games, and of observations and actions: all of it from what the games declare."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import griffe

import econzoo
import game_figures
from econzoo.baselines import description, scripted_name, scripted_players
from econzoo.baselines.factory import usage
from econzoo.envs.core import all_games, players_of
from econzoo.envs.core.contract import Game, turns_of
from econzoo.envs.core.env import GameEnv
from econzoo.evaluate.analyses.description import merge_equal_rules
from econzoo.evaluate.commands.show import MAX_TURNS, describe
from econzoo.evaluate.commands.space_tables import actions_of, features_of
from econzoo.evaluate.run import format_value
from econzoo.evaluate.show import markdown_table

DOCS = Path(__file__).resolve().parents[2] / "docs"

SEED = 1
"""Of the example of every game."""

NO_OP = "No-op, in the parallel API only."
"""The last action of the parallel API, in games in which seats wait."""

FAMILIES = {"families": "Families, for training", "unmet": "Families, for evaluation"}
"""Tables of pools whose members stand by family."""

GAMES = """# Games

Each page has a game's rules, parameters, observations, actions, solution and scripted players, generated from its
declarations. `econzoo show GAME` prints the same for any parameters.
"""

SPACES = """# Observations and actions

Every [game's page](games/index.md) lists its observations and actions, number by number, at the default parameters.
`econzoo show GAME --param NAME=VALUE` prints those of other parameters; some games observe more numbers when they have
more seats. This page says what all games share.

## Numbers

On the numeric face every game has the observation `Dict(observation, action_mask)` and one integer action, for the
Gymnasium id (the learner's seat) and for every agent of the PettingZoo id, in the AEC and in the parallel API. With
`flat=True` the observation is the vector alone, and the mask is in the infos.

* `observation` is a float32 vector with bounds -1 and 1; the column *values* gives the range that a number uses. *Own*
  is the observing seat, and *other 1*, *other 2*, ... are the other seats in order.
* `action_mask` is an int8 vector with 1 for every legal action. Actions list the kinds of move in order. A kind with an
  amount has `grid` actions (default 101), equally spaced from the smallest to the largest amount, or over the part that
  `grid_range=` selects ([environments](environments.md#action-grids)).
* The parallel API has one more action, the last, where a seat can wait: in games with turns, and with
  `black_death=True` in games that a seat can leave early. It is a no-op, legal only if nothing else is.
* *At the start of a match*: later the smallest and the largest amount may depend on what the seat has.
* The numeric face has no messages. The structured, text and chat faces have them, and exact amounts.

## Structures

With `face="structured"` a seat observes a dictionary and makes one typed move, such as `{"kind": "accept"}`. The
dictionary has the fields on the game's page, and in every game `legal_actions` (legal kinds), `bounds` and `span`
(smallest and largest amounts now, and in the whole match), `grid`, `history` (all observed moves), `error` (what was
wrong with the last reply) and `ended`.

## Text

With `face="text"` a seat observes `Dict(observation, text)`: the numbers and a prompt with the whole match so far. With
`face="chat"` the text is what is new since its last turn. The action is a text with one JSON object; the prompt says
which ones are legal. [Prompts](prompts.md) says how to change the words.

## Shapes
"""


def paths() -> list[str]:
    """The pages behind the list of the games."""
    return [f"games/{name}.md" for name in econzoo.envs.GAMES]


def pages() -> dict[str, str]:
    """Path to text: the list of the games, a page for each, and the page on observations and actions."""
    games = all_games(econzoo.envs.GAMES)
    return {
        "games/index.md": "\n".join([GAMES, *_list(games)]),
        **{f"games/{game.name}.md": "\n".join(page(game)) for game in games},
        "spaces.md": "\n".join([SPACES, *_shapes(games)]),
    }


def _list(games: Sequence[Game]) -> Iterator[str]:
    rows = [
        (f"[{game.title()}]({game.name}.md)", f"`{game.name}`", _escaped(game.summary), str(game.facts.seats))
        for game in games
    ]
    yield from markdown_table(("game", "name", "what it is", "seats"), rows)


def _shapes(games: Sequence[Game]) -> Iterator[str]:
    rows = []
    for game in games:
        env = _started(game)
        link = f"[{game.title()}](games/{game.name}.md#observations)"
        rows.append((link, f"({len(features_of(env))},)", str(actions_of(env)[-1].last + 1), str(_together(game))))
    yield from markdown_table(("game", "shape of an observation", "actions", "actions in the parallel API"), rows)


def _started(game: Game) -> GameEnv:
    env = GameEnv(game)
    env.reset(seed=0)
    return env


def _together(game: Game) -> int:
    """Number of actions of the parallel view."""
    return int(econzoo.make_parallel(game.name).action_space("player_0").n)


def page(game: Game) -> Iterator[str]:
    """The lines of the page of a game. docs/games/NAME.md has its beginning: title, a first paragraph, and more."""
    told = describe(game, {}, seed=SEED)
    by_hand = DOCS / "games" / f"{game.name}.md"
    if by_hand.is_file():
        title, first, *rest = by_hand.read_text(encoding="utf-8").split("\n\n")
    else:
        title, first, *rest = f"# {game.title()}", f"{_escaped(told['summary'])} After {_escaped(told['source'])}."
    yield f"{title}\n\n{first}\n"
    yield from _facts(game, told)
    yield "\n\n".join(rest)
    yield "## Rules\n\nThe text that seats read before the first move, with the default parameters.\n"
    for role, rules in merge_equal_rules(told["rules"]).items():
        yield f"**{role}**\n\n{_quoted(rules)}\n"
    yield from _setting(game, told)
    yield from _spaces(game, told)
    yield from _solution(game, told)
    yield from _players(game)
    yield from game_figures.lines(game)
    yield from _example(game, told)
    yield from _prompts(told)


def _facts(game: Game, told: Mapping[str, Any]) -> Iterator[str]:
    facts, seats = game.facts, "<br>".join(game.facts.role_with_part(role) for role in told["roles"])
    rows = [
        ("Gymnasium, PettingZoo", f"`{told['gymnasium']}`, `{told['pettingzoo']}`"),
        ("Seats", f"{facts.seats} by default<br>{seats}"),
        ("Moves", turns_of(game).turn_order),
        ("Chance moves", "yes" if facts.chance else "no"),
        ("Perfect information", "yes" if facts.perfect_information else "no"),
        ("Messages", "yes" if facts.language else "no"),
        ("Gains", facts.gain),
        ("Metrics", ", ".join(f"`{name}`" for name in told["metrics"])),
    ]
    yield from markdown_table(("Name", f"`{game.name}`"), rows)
    yield f'\n```python\nimport econzoo\n\nenv = econzoo.make("{game.name}")\n```\n'


def _setting(game: Game, told: Mapping[str, Any]) -> Iterator[str]:
    yield "## Parameters\n"
    rows = [
        (f"`{one['name']}`", f"`{format_value(one['default'])}`", _escaped(one["allowed"]), _escaped(one["meaning"]))
        for one in told["parameters"]
    ]
    yield from markdown_table(("parameter", "default", "allowed", "what it is"), rows)
    yield "\n### Settings\n\nA name stands for these parameters; the others keep their defaults.\n"
    rows = [
        (f"`{name}`", ", ".join(f"`{key}={format_value(value)}`" for key, value in setting.items()))
        for name, setting in told["settings"].items()
    ]
    yield from markdown_table(("setting", "parameters"), rows)
    yield ""
    yield from _ranges(game, told)


def _ranges(game: Game, told: Mapping[str, Any]) -> Iterator[str]:
    """The ranges of results in the default setting, by the definitions of the metrics."""
    yield "## Results\n\nLeast and greatest results with the default parameters, in any position, by the rules"
    yield f'(`game = econzoo.game("{game.name}")`, `game.ranges(game.params()[1])`). A forfeit pays by its position.\n'
    every = [game.ranges(game.params()[1], definition) for definition in told["metrics"]]
    alike = all(len(set(part)) == 1 for one in every for part in (one.payoffs, one.gains))
    seats = {"": 0} if alike else {role: seat for seat, role in enumerate(told["roles"])}
    rows = [
        (f"{what} of {role}" if role else what, *[_interval(getattr(one, part)[seat]) for one in every])
        for part, what in (("payoffs", "payoff"), ("gains", "self-gain"))
        for role, seat in seats.items()
    ]
    rows += [(name, *[_interval(getattr(one, name)) for one in every]) for name in ("efficiency", "fairness")]
    heads = [f"`{name}`" for name in told["metrics"]] if len(every) > 1 else ["least and greatest"]
    yield from markdown_table(("", *heads), rows)
    yield ""


def _interval(ends: tuple[float, float]) -> str:
    """``"-5.76 to 1"``."""
    return " to ".join(f"{end:,.6g}" for end in ends)


def _spaces(game: Game, told: Mapping[str, Any]) -> Iterator[str]:
    yield "## Moves\n"
    rows = [
        (
            f"`{move['kind']}`",
            _escaped(move["meaning"]),
            "<br>".join(f"`{name}`: {_escaped(doc)}" for name, doc in move["fields"].items()),
        )
        for move in told["moves"]
    ]
    yield from markdown_table(("move", "what it does", "fields"), rows)
    yield "\n## Observations\n\n[Observations and actions](../spaces.md) describes what all games share.\n"
    yield from spaces(game)
    yield '\n### Structures\n\nThe fields of an observation with `face="structured"`.\n'
    fields = _attributes(game.view_type)
    yield from markdown_table(
        ("name", "what it is"), [(f"`{name}`", fields.get(name, "")) for name in game.view_type._fields]
    )
    yield ""


def spaces(game: Game) -> Iterator[str]:
    """The tables of the numeric face."""
    env = _started(game)
    features, actions = features_of(env), actions_of(env)
    seats = ", ".join(f"`{agent}` {role}" for agent, role in zip(env.possible_agents, env.roles, strict=True))
    yield f"### Numbers\n\nSeats: {seats}. Observation of shape ({len(features)},):\n"
    rows = [(str(one.number), _escaped(one.meaning), _escaped(one.values)) for one in features]
    yield from markdown_table(("number", "what it is", "values"), rows)
    count = actions[-1].last + 1
    yield f"\n{count} actions:\n"
    rows = [(one.numbers, f"`{one.kind}`", _escaped(one.description)) for one in actions]
    yield from markdown_table(
        ("action", "move", "what it does"), rows + [(f"{count}", "", NO_OP)] * (_together(game) - count)
    )


def _attributes(view: type) -> dict[str, str]:
    """What the docstring of a class says of its attributes, by name."""
    sections = griffe.parse_google(griffe.Docstring(inspect.getdoc(view) or ""), warnings=False)
    listed = [part.value for part in sections if isinstance(part, griffe.DocstringSectionAttributes)]
    return {one.name: " ".join(one.description.split()) for part in listed for one in part}


def _solution(game: Game, told: Mapping[str, Any]) -> Iterator[str]:
    yield "## Solution\n"
    if told["references"]:
        yield "Payoffs of each seat with the default parameters:\n"
        rows = [(name, *(f"{payoff:,.2f}" for payoff in payoffs)) for name, payoffs in told["references"].items()]
        yield from markdown_table(("", *told["roles"]), rows)
        yield ""
    yield f"::: {game.package}.solution"
    options = {"show_root_heading": False, "show_root_toc_entry": False, "members": False, "summary": False}
    yield from ("    options:", *(f"      {name}: {str(value).lower()}" for name, value in options.items()), "")


def _players(game: Game) -> Iterator[str]:
    pools: Mapping[str, Any] = getattr(players_of(game.name), "POOLS", {})
    plain = {name: specs for name, specs in pools.items() if name not in FAMILIES}
    yield "## Scripted players\n\nNames with arguments, and the [pools](../generalisation.md) that contain them.\n"
    rows = []
    for name, maker in scripted_players(game.name).items():
        within = [pool for pool, specs in plain.items() if name in map(scripted_name, specs)]
        call = usage(name, maker).removesuffix(" without arguments")
        rows.append((f"`{call}`", _escaped(description(name, game.name)), ", ".join(within)))
    yield from markdown_table(("player", "what it does", "pools"), rows)
    yield "\n### Pools\n"
    yield from markdown_table(("pool", "members"), [(name, _specs(specs)) for name, specs in plain.items()])
    yield ""
    for table in filter(pools.get, FAMILIES):
        yield f"### {FAMILIES[table]}\n"
        yield from markdown_table(
            ("family", "members"), [(name, _specs(specs)) for name, specs in pools[table].items()]
        )
        yield ""


def _specs(specs: Iterable[str]) -> str:
    return ", ".join(f"`{spec}`" for spec in specs)


def _example(game: Game, told: Mapping[str, Any]) -> Iterator[str]:
    example = told["example"]
    players = ", ".join(f'"{name}"' for name in example["players"])
    yield f'## Example\n\n```python\nrecord = econzoo.play("{game.name}", [{players}], seed={SEED})\n```\n'
    rows = zip(told["roles"], example["players"], example["payoffs"], strict=True)
    yield from markdown_table(
        ("seat", "player", "payoff"), [(who, f"`{name}`", f"{paid:,.2f}") for who, name, paid in rows]
    )
    yield ""
    turns = [turn for turn in example["dialogue"] if turn["answers"]]
    for turn in turns[:MAX_TURNS]:
        yield f"**{turn['who']}** reads\n\n{_fenced(turn['reads'])}\n\nand answers\n\n{_fenced(turn['answers'])}\n"
    if len(turns) > MAX_TURNS:
        yield f"{len(turns) - MAX_TURNS} more turns follow.\n"
    for turn in example["dialogue"][len(turns) :]:
        yield f"At the end **{turn['who']}** reads\n\n{_fenced(turn['reads'])}\n"


def _prompts(told: Mapping[str, Any]) -> Iterator[str]:
    yield "## Prompts\n\nThe texts of the prompts. [Each can be replaced](../prompts.md).\n"
    for name, template in told["prompts"].items():
        yield f"`{name}`\n\n{_fenced(template)}\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {_escaped(line)}".rstrip() for line in text.splitlines())


def _fenced(text: str) -> str:
    """A text as it is, between fences that it does not have itself."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence} {{ .text .dialogue }}\n{text}\n{fence}"


def _escaped(text: str) -> str:
    """A text of which Markdown shows every character, code between backticks apart."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]<>#])", r"\\\1", part) for part in parts)
