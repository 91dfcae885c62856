"""A seat of a game as TRL's ``environment_factory``: the kinds of move become tools, the other seats play in between.

    from trl import GRPOTrainer
    from econzoo.train.lm.environment import as_trl_environment, make_dataset

    Seat = as_trl_environment("bargaining", seat=0, opponents=["fair"], objective="self_gain")
    data = make_dataset("bargaining", seeds=range(64), seats=[0], opponents=["fair"])
    GRPOTrainer(model, environment_factory=Seat, train_dataset=data, ...)

All samples of a group get the same row, hence the same seed, setting and opponents. `tool_tokens` has recorded matches
as such calls: what a model reads and writes under ``grpo --mode tools``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from econzoo.baselines.models.loading import Loaded
from econzoo.baselines.player import Player
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.actions import Amount, Choice, Kind, Message, Source
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.validation import Invalid, from_json
from econzoo.envs.core.faces.prompts import load
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.run.table import EnvPool, Table
from econzoo.train.lm.reward import Reward, as_reward
from econzoo.train.lm.tickets import SELF, Ticket, tickets
from econzoo.train.lm.tokens import Tokens
from econzoo.train.lm.tools import make_tool_ready
from econzoo.train.lm.transcripts import Ending, transcript

__all__ = ["as_trl_environment", "make_dataset"]

DONE = "Done."
"""What the model says after the end: TRL always asks once more."""

ASKING = {"format.answer": "Call the tool for your move."}
"""Stands where the chat face asks for JSON."""

AFTER_THE_END = "The game is over; no more moves are possible. Say that you are done."


class _Chair(Player):
    """Keeps the learner's seat: its moves come from outside."""

    face = "chat"


class TrlSeat:
    """Base of the classes that `as_trl_environment` makes: one match at a time, nothing kept over a reset."""

    _draw: Callable[[int, int | None], Ticket]
    _reward: Reward
    _cast: Callable[[str], Player]

    def __init__(self) -> None:
        self._pool = EnvPool()
        self._table: Table | None = None
        self._record: Record | None = None
        self._seat = self._refused = 0

    def reset(self, ticket: str | None = None, seed: int = 0, seat: int | None = None, **row: Any) -> str:
        """Starts the match of a row and returns what the learner reads first, its rules included.

        Args:
            ticket: The row's ticket (see `make_dataset`); without one, the class draws by `seed`.
            seed: Of the match, and of the choice of opponents and setting.
            seat: Of the learner; None: the class's own.
            **row: Other columns; not used.
        """
        self._table, self._record, self._refused = None, None, 0
        return self._start(Ticket.from_json(ticket) if ticket is not None else self._draw(int(seed), seat))

    def get_reward(self) -> float:
        """The objective's value for the learner; the reward of a forfeit if the match is not over."""
        if self._record is None:
            return self._reward.forfeit
        return self._reward.of(self._record, self._seat)

    def _start(self, drawn: Ticket) -> str:
        prompts = load(find_game(drawn.game).package, drawn.params.get("prompts")) | ASKING
        match = replace(drawn, params={**drawn.params, "prompts": prompts}).match()
        players = [_Chair("learner") if i == drawn.seat else self._cast(s).fork() for i, s in enumerate(match.players)]
        self._seat = drawn.seat
        self._table = Table(match, players, self._pool)
        first = self._others_move()
        return f"{self._table.record.rules[drawn.seat]}\n\n{first}"

    def _others_move(self) -> str:
        """Lets the others play until the learner is asked or the match is over; what the learner reads then.

        A learner that is eliminated reads how things stand at that moment; the others play on, for the record.
        """
        table = self._table
        assert table is not None
        ending = Ending(table.env, table.env.possible_agents[self._seat])
        while not table.over and table.seat != self._seat:
            table.ask()
            ending.look()
        text = ending.text
        if table.over:
            self._record = table.close()
            self._record.errors[self._seat] += self._refused
            self._table = None
        return text

    def _move(self, name: str, arguments: dict[str, Any]) -> str:
        if self._table is None:
            raise ValueError(AFTER_THE_END)
        actions, env = self._table.env.game.actions, self._table.env
        plain = {key: value for key, value in arguments.items() if value != ""}
        move = actions.parse(plain if len(actions.kinds) == 1 else {"kind": name, **plain}, self._legal())
        if isinstance(move, Invalid):
            self._refused += 1
            raise ValueError(move.text)
        face: Any = env.face(env.possible_agents[self._seat])
        self._table.answer(face.teller.write(move, self._legal()))
        return self._others_move()

    def _legal(self) -> Any:
        assert self._table is not None
        env = self._table.env
        return env.seen(env.possible_agents[self._seat]).legal


def as_trl_environment(
    game_name: str,
    seat: int = 0,
    opponents: Sequence[str] | None = None,
    objective: str | Objective | Reward = "self_gain",
    settings: Sequence[str] = ("default",),
    **params: Any,
) -> type[TrlSeat]:
    """A class for ``GRPOTrainer(environment_factory=...)``.

    Its methods beside ``reset`` and ``get_reward`` are the kinds of move, with types and docstrings from the game's
    own models. An illegal call raises `ValueError`, which TRL tells the model, and changes nothing.

    Args:
        game_name: The game.
        seat: Of the learner, for rows that name none.
        opponents: Of the other seats; rows without a ticket take turns by their seed. None: the training pool.
        objective: The reward at the end; as a `Reward`, with what unusable answers cost.
        settings: Names of settings or distributions; rows without a ticket take turns by their seed.
        **params: Parameters of the game and options of the environment.

    Raises:
        ValueError: Something is not allowed; the message names it.
    """
    kinds = find_game(game_name).actions.kinds
    opponents = pool(game_name, "training") if opponents is None else list(opponents)
    if SELF in opponents:
        raise ValueError(f"opponent {SELF!r} is not allowed with tools; allowed: scripted players and checkpoints")

    def draw(seed: int, chosen: int | None) -> Ticket:
        turn, first = divmod(seed, len(opponents))
        others = [*opponents[first:], *opponents[:first]]
        place = seat if chosen is None else chosen
        return tickets(game_name, [seed], [place], others, [settings[turn % len(settings)]], **params)[0]

    tickets(game_name, range(len(opponents) * len(settings)), [seat], opponents, settings, **params)  # refuse early
    body: dict[str, Any] = {kind.name: _tool(kind) for kind in kinds}
    body["_draw"], body["_cast"] = staticmethod(draw), staticmethod(Cast(game_name))
    body["_reward"] = as_reward(objective)
    body["__doc__"] = f"A seat of {game_name} for a tool-calling model."
    return type(f"{game_name.title().replace('_', '')}Seat", (TrlSeat,), body)


def _tool(kind: Kind) -> Callable[..., str]:
    """The method of one kind of move, as a tool that TRL can describe to a model."""

    def tool(self: TrlSeat, *given: Any, **arguments: Any) -> str:
        return self._move(kind.name, {**missing, **dict(zip(types, given, strict=False)), **arguments})

    marks, defaults = kind.marks, kind.model._field_defaults
    missing = {name: value for name, value in defaults.items() if name in marks}
    types: dict[str, Any] = {name: _type(kind, name) for name in marks}
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for name, kind_of in types.items():
        default = defaults.get(name, inspect.Parameter.empty)
        parameters.append(inspect.Parameter(name, parameters[0].kind, default=default, annotation=kind_of))
    tool.__name__ = tool.__qualname__ = kind.name
    tool.__annotations__ = {**types, "return": str}
    tool.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    tool.__doc__ = _doc(kind)
    return tool


def _type(kind: Kind, name: str) -> Any:
    """The type of an argument, as a tool call gives it."""
    mark = kind.marks[name]
    one = float if isinstance(mark, Amount) else str if isinstance(mark, Choice | Message | Source) else int
    return list[one] if name in kind.groups else one  # type: ignore[valid-type]


def _doc(kind: Kind) -> str:
    """The model's own docstring, with the arguments in Google style."""
    lines = [inspect.cleandoc(kind.model.__doc__ or kind.name)]
    if kind.marks:
        lines += ["", "Args:", *(f"    {name}: {_told(mark)}" for name, mark in kind.marks.items())]
    return "\n".join([*lines, "", "Returns:", "    What happened since, and what is asked next."])


def _told(mark: Any) -> str:
    """What an argument is, with the options of a `Choice` in the form that becomes an ``enum`` of the tool's schema."""
    return f"{mark.doc} (choices: {json.dumps(mark.options)})" if isinstance(mark, Choice) else mark.doc


def make_dataset(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int] = (0,),
    opponents: Sequence[str] | None = None,
    settings: Sequence[str] = ("default",),
    **params: Any,
) -> Any:
    """A `datasets.Dataset` of matches for `as_trl_environment`: columns ``prompt``, ``seed``, ``seat``, ``ticket``.

    Args:
        game_name: The game.
        seeds: One row each.
        seats: Where the learner sits.
        opponents: Specs of the other seats; None: the training pool.
        settings: Names of settings or distributions of settings.
        **params: Parameters of the game and options of the environment.

    Raises:
        ValueError: Something is not allowed; the message names it.
    """
    return dataset_of(tickets(game_name, list(seeds), list(seats), opponents, list(settings), **params))


def dataset_of(drawn: Sequence[Ticket]) -> Any:
    """A `datasets.Dataset` with a row for each ticket; see `make_dataset`."""
    from datasets import Dataset

    prompt = [{"role": "user", "content": ""}]  # the environment's reset fills it in
    return Dataset.from_list([{"prompt": prompt, "seed": t.seed, "seat": t.seat, "ticket": t.to_json()} for t in drawn])


def tool_chat(record: Record, seat: int, decimals: int | None = None) -> list[dict[str, Any]]:
    """The transcript of a seat as a chat with tool calls.

    Returns:
        One user message with the rules and the first news, then calls and their results, and `DONE`.
    """
    rules, first, *rest = transcript(record, seat, decimals, prompts=ASKING)
    names = find_game(record.game).actions.names
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"{rules['content']}\n\n{first['content']}"}]
    for message in rest:
        if message["role"] == "assistant":
            messages.append(call(message["content"], names[0]))
        else:
            called = messages[-1]["tool_calls"][0]["function"]["name"]
            messages.append({"role": "tool", "name": called, "content": message["content"]})
    return [*messages, {"role": "assistant", "content": DONE}]


def call(reply: str, only_kind: str) -> dict[str, Any]:
    """A JSON reply as a tool call.

    The arguments are JSON text, as OpenAI's interface has them: were they a dictionary, a table of such messages
    would give every call the arguments of all tools, filled with nulls.
    """
    plain = from_json(reply)
    name = plain.pop("kind", only_kind)
    function = {"name": name, "arguments": json.dumps(plain, ensure_ascii=False, separators=(",", ":"))}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}


def tool_tokens(loaded: Loaded, record: Record, seat: int, limit: int, decimals: int | None = None) -> Tokens:
    """The token sequence of a seat with its calls as the model's own tokens; turns beyond `limit` are left out."""
    make_tool_ready(loaded.tokenizer)
    chat, out = tool_chat(record, seat, decimals), Tokens()
    offered = tools(record.game)
    for at, message in enumerate(chat):
        if message["role"] != "assistant":
            continue
        prompt = render(loaded, chat[:at], offered, answer=True)
        read = loaded.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        said = render(loaded, chat[: at + 1], offered, answer=False)[len(prompt) :]
        reply = _up_to_the_end(loaded, loaded.tokenizer(said, add_special_tokens=False)["input_ids"])
        if len(read) + len(reply) > limit or read[: len(out.ids)] != out.ids:
            break
        out.read(read[len(out.ids) :])
        out.write(reply)
    return out


def _up_to_the_end(loaded: Loaded, ids: list[int]) -> list[int]:
    last = next((at for at, token in enumerate(ids) if token in loaded.stops), len(ids) - 1)
    return ids[: last + 1]


def tools(game_name: str) -> list[Any]:
    """The tools of a game in the order in which TRL offers them: that of their names."""
    environment = as_trl_environment(game_name, opponents=["random"])()
    return [getattr(environment, name) for name in sorted(find_game(game_name).actions.names)]


def render(loaded: Loaded, chat: Sequence[dict[str, Any]], offered: Sequence[Any], answer: bool) -> str:
    """A chat with tools as the model reads it; `answer` opens the next reply."""
    return loaded.tokenizer.apply_chat_template(
        list(chat), tools=list(offered), tokenize=False, add_generation_prompt=answer
    )
