"""What the numbers of an observation are, and the numbers of the actions: for ``econzoo show`` and docs/spaces.md.

python -m econzoo.evaluate.commands.space_tables > docs/spaces.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.envs import GAMES
from econzoo.envs.core.contract.actions import Kind
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.marks import Number
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.env.public import ParallelGameEnv
from econzoo.envs.core.faces.grid_range import Ranges
from econzoo.envs.core.faces.numeric_moves import grid_of, numeric_moves
from econzoo.envs.core.registry import all_games, gymnasium_id, pettingzoo_id
from econzoo.evaluate.show.csv_files import markdown

ANY = "-1 to 1"
"""The values of a feature whose name does not say which it takes."""


class Feature(NamedTuple):
    """One number of an observation.

    Attributes:
        number: Its place.
        meaning: What it is, with its scale.
        values: Which it takes.
    """

    number: int
    meaning: str
    values: str


class Actions(NamedTuple):
    """The actions that are one kind of move.

    Attributes:
        first: The first number.
        last: The last number.
        kind: Name of the kind of move.
        meaning: What it does.
        amounts: What the numbers stand for; empty for a kind that is one number.
    """

    first: int
    last: int
    kind: str
    meaning: str
    amounts: str

    @property
    def numbers(self) -> str:
        """``7``, or ``0 to 100``."""
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"

    @property
    def told(self) -> str:
        """What it does, and with which amounts."""
        return f"{self.meaning} {self.amounts}".strip()


def features_of(env: GameEnv) -> list[Feature]:
    """The numbers of an observation of the numeric face, in order."""
    parts = [name.rpartition(": ") for name in env.game.feature_names(env.params)]
    told = [(meaning, values) if meaning else (values, ANY) for meaning, _, values in parts]
    return [Feature(number, *words) for number, words in enumerate(told)]


def actions_of(env: GameEnv) -> list[Actions]:
    """The actions of the numeric face, in order.

    Args:
        env: At the start of a match.
    """
    out: list[Actions] = []
    sizes = numeric_moves(env.actions, env.options.grid, len(env.possible_agents), no_op=False).sizes
    for kind in env.game.actions.kinds:
        first = out[-1].last + 1 if out else 0
        last = first + sizes[len(out)] - 1
        meaning = " ".join((kind.model.__doc__ or "").split())
        out.append(Actions(first, last, kind.name, meaning, _amounts(env, kind)))
    return out


def _amounts(env: GameEnv, kind: Kind) -> str:
    """What the numbers of a kind of move are; of several, all combinations are listed, the last running fastest."""
    if kind.source:
        return f"{', '.join(f'{number} {name}' for number, name in enumerate(kind.source.names()))}."
    index = env.actions.index[kind.name]
    names, told = kind.slots(env.actions.group), []
    for name, mark in kind.numbers.items():
        slot = env.actions.first[index] + names.index(name)
        each = f", {names.count(name)} times" if name in kind.groups else ""
        told.append(f"{name}: {mark.doc}; {_steps(env, mark, name, slot)}{each}.")
    return " ".join(told)


def _steps(env: GameEnv, mark: Number, name: str, slot: int) -> str:
    """The values of one number, in words."""
    if mark.counted:
        steps = range(mark.steps(0, len(env.possible_agents)))
        return ", ".join(str(mark.shown(mark.at(step, (0.0, 0.0), 0))) for step in steps)
    whole = ", rounded to whole numbers" if mark.whole else ""
    start = ", at the start of a match" if env.game.rules.span and not env.game.rules.public_span else ""
    return f"{grid_of(env.options.grid, name)} amounts {_spans(env, slot)}{whole}{start}"


def _spans(env: GameEnv, slot: int) -> str:
    """The usual amounts, seat by seat where they differ."""
    ranges = Ranges(env.options.grid_range, env.actions)
    usual = [ranges.legal(env.legal(agent)).spread[slot] for agent in env.possible_agents]
    spans = [f"from {low:,.12g} to {high:,.12g}" for low, high in usual]
    if len(set(spans)) == 1:
        return spans[0]
    return ", ".join(f"{span} ({role})" for role, span in zip(env.roles, spans, strict=True))


HEAD = """\
# Observations and actions, number by number

<!-- Made by: python -m econzoo.evaluate.commands.space_tables > docs/spaces.md -->

On the numeric face every game observes `Dict(observation, action_mask)` and takes one whole number. This is so for the
Gymnasium id (the learner's seat) and for every agent of the PettingZoo id, in the AEC view and in the parallel view.
With `flat=True` it observes the `observation` alone, and the mask is in the infos.

* `observation` is a float32 vector. Its box is -1 to 1 everywhere; the column *values* says what a number takes of it.
  *Own* is the seat that looks, and *other 1*, *other 2*, ... are the other seats in their order.
* `action_mask` is an int8 vector with 1 for every legal action. The actions list the kinds of move in order. A kind
  with an amount takes `grid` numbers (101, unless `grid=` says otherwise), equally spaced from the least amount to the
  greatest, or over the part of these that `grid_range=` names ([RL libraries](rl_libraries.md#the-prices-that-matter)).
* The parallel view has one action more, the last, where a seat can wait: in games in which the seats take turns, and
  with `black_death=True` in games that a seat can leave before their end. It is a no-op, legal exactly where nothing
  else is.
* *At the start of a match*: later on the least and the greatest amount may follow what the seat has at that moment.
* Words cannot be said with a number. The structured, text and chat faces have them, and exact amounts.

These are the tables of the default parameters. `econzoo show GAME --param NAME=VALUE` prints those of others; some
games observe more numbers when they have more seats.
"""

NO_OP = "No-op, in the parallel view only."
"""The last action of the parallel view, in games in which seats wait."""


def page(games: Sequence[Game]) -> str:
    """The tables of some games at their default parameters, in Markdown."""
    return "\n".join([HEAD, *(line for game in games for line in _section(game))])


def _section(game: Game) -> Iterator[str]:
    env = GameEnv(game)
    env.reset(seed=0)
    features, actions = features_of(env), actions_of(env)
    ids = f"`{gymnasium_id(game.name, game.version)}`, `{pettingzoo_id(game.name, game.version)}`"
    seats = ", ".join(f"`{agent}` {role}" for agent, role in zip(env.possible_agents, env.roles, strict=True))
    yield f"## {game.name}\n\n{ids}. Seats: {seats}.\n"
    yield f"Observation of shape ({len(features)},):\n"
    yield from markdown(("number", "what it is", "values"), [(str(f.number), f.meaning, f.values) for f in features])
    count = actions[-1].last + 1
    together: Any = ParallelGameEnv(game).action_space("player_0")
    yield f"\n{count} actions:\n"
    rows = [(a.numbers, f"`{a.kind}`", a.told) for a in actions] + [(f"{count}", "", NO_OP)] * int(together.n - count)
    yield from markdown(("action", "move", "what it does"), rows)
    yield ""


if __name__ == "__main__":
    print(page(all_games(GAMES)), end="")
