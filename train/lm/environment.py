"""A seat of a game as TRL's ``environment_factory``: kinds of moves become tools, other seats play in between.

    from trl import GRPOTrainer
    from econzoo.train.lm.environment import as_trl_environment, make_dataset

    Seat = as_trl_environment("bargaining", seat=0, opponents=["fair"], objective="self_gain")
    data = make_dataset("bargaining", seeds=range(64), seats=[0], opponents=["fair"])
    GRPOTrainer(model, environment_factory=Seat, train_dataset=data, ...)

All samples of a group get the same row, hence the same seed, setting and opponents.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from econzoo.baselines import Player, pool
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Amount, Choice, Invalid, Kind, Message, Objective, Source, check_arguments
from econzoo.envs.core.faces import load_templates
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import EnvPool, MatchTable, PlayerCache
from econzoo.train import Reward, as_reward
from econzoo.train.lm.episode_specs import POLICY_OPPONENTS, EpisodeSpec, make_specs, print_reward
from econzoo.train.lm.rollout import report_failure
from econzoo.train.lm.transcripts import Ending

__all__ = ["as_trl_environment", "make_dataset", "make_tool_ready"]

TOOL_PROMPTS = {"format.answer": "Call the tool for your move."}
"""Replaces the chat face's request for JSON."""

GAME_OVER = "The game is over; no more moves are possible. Say that you are done."

CHATML_TOOLS = """\
{%- if messages[0]['role'] == 'system' or tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] + '\\n' }}{%- endif %}
{%- if tools %}
{{- 'You act by calling a tool, in this form:\\n' }}
{{- '<tool_call>{"name": NAME, "arguments": {...}}</tool_call>\\nYour tools:' }}
{%- for tool in tools %}
{%- set about = tool.function if tool.function is defined else tool %}
{{- '\\n' + about.name + '(' }}
{%- for name, field in about.parameters.properties.items() %}
{{- (', ' if not loop.first else '') + name + ': ' + field.type }}
{%- endfor %}
{{- '): ' + about.description }}
{%- endfor %}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' + (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{%- set made = call.function if call.function is defined else call %}
{{- '<tool_call>{"name": "' + made.name + '", "arguments": ' }}
{{- made.arguments if made.arguments is string else made.arguments | tojson }}
{{- '}</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>' + message.content + '</tool_response><|im_end|>\\n' }}
{%- elif not (message.role == 'system' and loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
"""ChatML with tools; arguments given as JSON text are printed verbatim."""

RESPONSE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
"""Schema by which replies are parsed."""


class _LearnerSeat(Player):
    """Holds the learner's seat: its moves come from outside."""

    face = "chat"


class TrlSeat:
    """Base of the classes that `as_trl_environment` returns: one match at a time, no state across resets."""

    _draw_spec: Callable[[int, int | None], EpisodeSpec]
    _reward: Reward
    _cast: Callable[[str], Player]

    def __init__(self) -> None:
        self._pool = EnvPool()
        self._table: MatchTable | None = None
        self._record: Record | None = None
        self._seat = self._refused = 0
        self._forfeit: float | None = None

    def reset(self, episode_spec: str | None = None, seed: int = 0, seat: int | None = None, **row: Any) -> str:
        """Start the match of a row and return the learner's first text, rules included.

        Args:
            episode_spec: Episode spec of the row (see `make_dataset`); None: the class draws one by `seed`.
            seed: Seed of the match, and of the choice of opponents and setting without an episode spec.
            seat: Seat of the learner; None: the class's default.
        """
        self._table, self._record, self._refused = None, None, 0
        drawn = self._draw_spec(int(seed), seat) if episode_spec is None else EpisodeSpec.from_json(episode_spec)
        return self._start(drawn)

    def get_reward(self) -> float | None:
        """Return the objective's value for the learner; the forfeit reward if the match is not over.

        None, which TRL skips, if another player's error ended the match, or none has begun.
        """
        if self._record is None:
            return self._forfeit
        return self._reward.compute(self._record, self._seat) if self._record.has_result else None

    def _start(self, drawn: EpisodeSpec) -> str:
        prompts = load_templates(find_game(drawn.game).package, drawn.params.get("prompts")) | TOOL_PROMPTS
        match = replace(drawn, params={**drawn.params, "prompts": prompts}).match()
        players = [
            _LearnerSeat("learner") if i == drawn.seat else self._cast(s).fork() for i, s in enumerate(match.players)
        ]
        self._seat = drawn.seat
        self._forfeit = self._reward.scale(drawn.game, match.params, match.options, drawn.seat).forfeit
        self._table = table = MatchTable(match, players, self._pool, on_error="failed")
        first = self._play_others()  # all there is if others end the match before the learner moves
        return f"{table.record.rules[drawn.seat] or ''}\n\n{first}".lstrip()

    def _play_others(self) -> str:
        """Play the other seats until the learner's turn or the end, and return the learner's text.

        An eliminated learner gets its text of that moment; the others play on for the record.
        """
        table = self._table
        assert table is not None
        ending = Ending(table.env, table.env.possible_agents[self._seat]) if table.record.status != "failed" else None
        while not table.is_over and table.seat != self._seat:
            table.ask()
            if ending:
                ending.capture_text()
        text = ending.text if ending else ""
        if table.is_over:
            self._record, self._table = table.close(), None
            # Illegal calls are refused ahead of the environment; they cost what its retries cost.
            self._record.errors[self._seat] += self._refused
        if self._record is None or self._record.has_result:
            return text
        report_failure(self._record)
        return GAME_OVER

    def _move(self, name: str, arguments: dict[str, Any]) -> str:
        if self._table is None:
            raise ValueError(GAME_OVER)
        actions, env = self._table.env.game.actions, self._table.env
        plain = {key: value for key, value in arguments.items() if value != ""}  # an empty message is none
        # Replies name the kind only where a game has several.
        move = actions.parse(plain if len(actions.kinds) == 1 else {"kind": name, **plain}, self._legal())
        if isinstance(move, Invalid):
            self._refused += 1
            raise ValueError(move.text)
        face: Any = env.face(env.possible_agents[self._seat])
        self._table.answer(face.teller.write(move, self._legal()))  # the seat has the chat face, which takes text
        return self._play_others()

    def _legal(self) -> Any:
        assert self._table is not None
        env = self._table.env
        return env.information_state(env.possible_agents[self._seat]).legal


@check_arguments
def as_trl_environment(
    game_name: str,
    seat: int = 0,
    opponents: Sequence[str] | None = None,
    objective: str | Objective | Reward = "self_gain",
    settings: Sequence[str] = ("default",),
    **params: Any,
) -> type[TrlSeat]:
    """Return a class for ``GRPOTrainer(environment_factory=...)``.

    Its methods besides ``reset`` and ``get_reward`` are the kinds of moves, with types and docstrings from the game's
    models. An illegal call raises `ValueError`, which TRL passes to the model, and changes nothing.

    Args:
        game_name: The game.
        seat: Seat of the learner in rows without one.
        opponents: Specs of the other seats; rows without an episode spec take turns by seed. None: the training pool.
        objective: Objective at the end; a `Reward` also has a penalty for invalid actions.
        settings: Names of settings or distributions; rows without an episode spec take turns by seed.
        **params: Game parameters and environment options.

    Raises:
        ValueError: An argument is invalid; the message names it.
    """
    opponents = pool(game_name, "training") if opponents is None else list(opponents)
    check_opponents(opponents)

    def draw(seed: int, chosen: int | None) -> EpisodeSpec:
        # One match takes the first of the opponents that can sit there, so the list is rotated by the seed.
        turn, first = divmod(seed, len(opponents))
        others = [*opponents[first:], *opponents[:first]]
        place = seat if chosen is None else chosen
        return make_specs(game_name, [seed], [place], others, [settings[turn % len(settings)]], **params)[0]

    specs = make_specs(game_name, range(len(opponents) * len(settings)), [seat], opponents, settings, **params)
    print_reward(reward := as_reward(objective), specs)  # both raise early
    return seat_class(game_name, reward, draw)


def check_opponents(opponents: Sequence[str]) -> None:
    """Check the opponents in TRL's loop, where the policy plays one seat."""
    if not opponents:
        raise ValueError("invalid opponents=[]: expected player specs")
    for spec in set(POLICY_OPPONENTS) & set(opponents):
        raise ValueError(f"invalid opponent {spec!r} with tools: expected a scripted player or checkpoint")


def _refuse(seed: int, seat: int | None) -> EpisodeSpec:
    raise ValueError("missing episode spec: expected a row of `make_dataset`")


def seat_class(
    game_name: str, reward: Reward, draw: Callable[[int, int | None], EpisodeSpec] = _refuse
) -> type[TrlSeat]:
    """Return the class of `as_trl_environment`."""
    body: dict[str, Any] = {kind.name: _tool(kind) for kind in find_game(game_name).actions.kinds}
    body |= {"_reward": reward, "_cast": staticmethod(PlayerCache(game_name)), "_draw_spec": staticmethod(draw)}
    body["__doc__"] = f"A seat of {game_name} for a tool-calling model."
    return type(f"{game_name.title().replace('_', '')}Seat", (TrlSeat,), body)


def _tool(kind: Kind) -> Callable[..., str]:
    """Return the method of a kind of move, as a tool that TRL can describe to a model."""

    def tool(self: TrlSeat, *given: Any, **arguments: Any) -> str:
        return self._move(kind.name, {**missing, **dict(zip(types, given, strict=False)), **arguments})

    marks, defaults = kind.marks, kind.model._field_defaults
    missing = {name: value for name, value in defaults.items() if name in marks}
    types: dict[str, Any] = {name: _argument_type(kind, name) for name in marks}
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for name, kind_of in types.items():
        default = defaults.get(name, inspect.Parameter.empty)
        parameters.append(inspect.Parameter(name, parameters[0].kind, default=default, annotation=kind_of))
    tool.__name__ = tool.__qualname__ = kind.name
    tool.__annotations__ = {**types, "return": str}
    tool.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    tool.__doc__ = _tool_docstring(kind)
    return tool


def _argument_type(kind: Kind, name: str) -> Any:
    """Return the type of an argument in a tool call."""
    mark = kind.marks[name]
    one = float if isinstance(mark, Amount) else str if isinstance(mark, Choice | Message | Source) else int
    return list[one] if name in kind.groups else one  # type: ignore[valid-type]


def _tool_docstring(kind: Kind) -> str:
    """Return the docstring of the kind's model, with the arguments in Google style."""
    lines = [inspect.cleandoc(kind.model.__doc__ or kind.name)]
    if kind.marks:
        lines += ["", "Args:", *(f"    {name}: {_describe_argument(mark)}" for name, mark in kind.marks.items())]
    return "\n".join([*lines, "", "Returns:", "    What happened since, and what is asked next."])


def _describe_argument(mark: Any) -> str:
    """Describe an argument; options of a `Choice` have the form that becomes an ``enum`` of the tool's schema."""
    return f"{mark.doc} (choices: {json.dumps(mark.options)})" if isinstance(mark, Choice) else mark.doc


@check_arguments
def make_dataset(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int] = (0,),
    opponents: Sequence[str] | None = None,
    settings: Sequence[str] = ("default",),
    **params: Any,
) -> Any:
    """Return a `datasets.Dataset` for `as_trl_environment`: columns ``prompt``, ``seed``, ``seat``, ``episode_spec``.

    Args:
        game_name: The game.
        seeds: One row each.
        seats: Seats of the learner.
        opponents: Specs of the other seats; None: the training pool.
        settings: Names of settings or distributions of settings.
        **params: Game parameters and environment options.

    Raises:
        ValueError: An argument is invalid; the message names it.
    """
    return dataset_of(make_specs(game_name, list(seeds), list(seats), opponents, list(settings), **params))


def dataset_of(episode_specs: Sequence[EpisodeSpec]) -> Any:
    """Return a `datasets.Dataset` with a row per episode spec; see `make_dataset`."""
    from datasets import Dataset

    prompt = [{"role": "user", "content": ""}]  # the environment's reset fills it in
    return Dataset.from_list(
        [{"prompt": prompt, "seed": t.seed, "seat": t.seat, "episode_spec": t.to_json()} for t in episode_specs]
    )


@check_arguments
def make_tool_ready(tokenizer: Any) -> Any:
    """Give a ChatML tokenizer without tools (SmolLM2's) a template with them; others are unchanged.

    Raises:
        ValueError: The tokenizer has neither a template with tools nor ChatML markup.
    """
    from trl.chat_template_utils import supports_tool_calling

    if supports_tool_calling(tokenizer):
        return tokenizer
    known = tokenizer.get_vocab()
    if not {"<|im_start|>", "<|im_end|>"} <= known.keys():
        raise ValueError("this model's chat template has no tools: use --mode chat, or a tool-calling model")
    tokenizer.chat_template, tokenizer.response_template = CHATML_TOOLS, RESPONSE
    return tokenizer
