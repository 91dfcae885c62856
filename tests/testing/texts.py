"""Texts: replies parse back, prompts contain no playable move, and events are complete and not repeated."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple
from unittest import SkipTest
from unittest.mock import patch

import numpy as np

from econzoo.envs.core.contract import ActionSchema, Game, Invalid, Legal, clean
from econzoo.envs.core.faces import Fields, answer_form, declared_wording, parse_reply, render_reply
from econzoo.testing.playing import draw, has_ended, library_size, make_env, play, positions_of, random_policy
from econzoo.testing.suite import check

GUIDE = "Texts"
REMEDY = "define in text.py every field that prompts.toml uses, and format every event once"


OBJECT = re.compile(r"\{[^{}]*\}")
FENCE = re.compile(r"```.*?```", re.DOTALL)
EXAMPLE = re.compile(
    r"(?:for example|for instance|such as|e\.g\.|suppose|say,)([^.\n]*(?:\.\d[^.\n]*)*)", re.IGNORECASE
)
PLACEHOLDER = re.compile(r"<[^<>\n]*>")
KIND = re.compile(r'"kind":(?:<one of: )?"?([^">]*)')


class Reply(NamedTuple):
    """A reply to parse.

    Attributes:
        message: Message of the move.
        prefix: Prose on the lines above it.
        suffix: Prose on the lines below it.
        low: Lower bound of amounts.
        amount: The amount.
        high: Upper bound.
    """

    message: str
    prefix: str = ""
    suffix: str = ""
    low: float = 0.0
    amount: float = 50.0
    high: float = 100.0


REPLIES = (
    Reply(""),
    Reply("Let us be fair.", "I think: ", " Done."),
    Reply('</think> ```json {"kind": "accept"} ```', "So", "That is all."),
    Reply('"\\\n\t{}[]', "", "\n"),
    Reply("\u202e\U0001f469\u200d\U0001f9b0\ud83d\0 \u05e9\u05dc\u05d5\u05dd", "\n\n", "", -1e9, 0.1, 1e12),
    Reply("<think>", "x", "y", 0.0, 0.0, 0.0),
)


@check(GUIDE, REMEDY)
def a_reply_is_read_back_as_it_was_meant(game: Game) -> None:
    """A rendered reply is parsed to the same move, whatever its words and the prose around it."""
    for reply in REPLIES:
        check_read_back(game, reply)


def check_read_back(game: Game, reply: Reply) -> None:
    """Render and parse a move of every kind."""
    message, prefix, suffix, low, amount, high = reply
    for index, kind in enumerate(game.actions.kinds):
        words = message[: kind.marks[kind.message].max_length] if kind.message else ""
        places = library_size(game, index)
        if places:
            low, amount, high = 0.0, abs(amount) % places, places
        sums = [float(math.floor(x)) for x in (low, amount, high)] if kind.is_integer else [low, amount, high]
        marks = [mark for marks in game.actions.marks for mark in marks]
        bounds = tuple(mark.widest_bounds((sums[0], sums[2]), seats=2) for mark in marks)
        own = zip(game.actions.marks[index], bounds[game.actions.first[index] :], strict=False)
        values = [amount] if places else [pair[1] if mark.is_discrete else sums[1] for mark, pair in own]
        action = game.actions.make(index, values, words)
        legal = Legal((True,) * len(game.actions.kinds), bounds, True)
        wanted = game.actions.make(index, values, clean(words))
        rendered = render_reply(game.actions, action)
        assert parse_reply(rendered, game.actions, legal) == wanted
        # Prose around it changes nothing.
        assert parse_reply(f"{prefix}\n{rendered}\n{suffix}", game.actions, legal) == wanted


@check(GUIDE, "tell the form of an answer by names, units and ranges; a model copies what looks like an answer")
def no_request_holds_a_legal_move(game: Game, setting: dict[str, Any], seeds: range) -> None:
    """No line of the rules, the question, the schema or the feedback parses as a legal move."""
    for face, seed in product(("text", "chat"), seeds):
        env = make_env(game, face=face, **setting)
        tried: dict[Legal, set[str]] = defaultdict(set)
        for agent in positions_of(env, random_policy(seed), seed):
            if not has_ended(env):
                for words in dict.fromkeys(request_texts(env, agent)):
                    copied = find_playable(env, agent, words, tried[env.legal(agent)])
                    assert copied is None, f"{copied!r} can be played, and stands in: {words}"


@check(GUIDE, "leave the form of an answer to the declarations, or tell it by placeholders in angle brackets")
def a_form_that_is_sent_back_is_refused_as_such(game: Game) -> None:
    """The answer form itself is an invalid answer, and the feedback says so."""
    if game.actions.source is not None:
        raise SkipTest("the answer form of a text is not JSON")
    env = make_env(game, face="text")
    env.reset(seed=0)
    while env.agents and not has_ended(env):
        legal = env.legal(env.agent_selection)
        form = answer_form(game.actions.fit_to_bounds(legal.bounds), legal, declared_wording(game.actions))
        found = parse_reply(form[form.rindex("{") :], game.actions, legal)
        assert isinstance(found, Invalid), f"{found} was played"
        assert found.code == "placeholder", found.text
        env.step(random_policy(1)(env, env.agent_selection))


@check(GUIDE, "tell the kinds of move by the declarations; whoever reads must be able to ask for another order")
def kinds_stand_in_the_order_that_is_asked_for(game: Game) -> None:
    """The answer form and the JSON schema list the kinds of move in the order of the option ``kind_order``."""
    if len(game.actions.kinds) == 1:
        raise SkipTest("only one kind of move")
    names = list(game.actions.names)
    rotated = names[1:] + names[:1]
    for order, chosen in (("declared", names), ("reversed", names[::-1]), (rotated, rotated)):
        env = make_env(game, face="text", kind_order=order)
        env.reset(seed=0)
        choose = random_policy(0)
        while env.agents and not has_ended(env):
            agent = env.agent_selection
            possible = [name for name in chosen if env.legal(agent).kinds[game.actions.index[name]]]
            asked = KIND.findall(env.face(agent).teller.format(env.legal(agent)))
            listed = [name.strip() for part in asked for name in part.split(",")]
            assert sorted(listed) == sorted(possible)
            assert listed[0] == possible[0], f"{order}: {listed} instead of {possible}"
            assert kinds_in(env.json_schema(agent)) == possible
            env.step(choose(env, agent))


def kinds_in(schema: dict[str, Any]) -> list[str]:
    """Return the kinds of move in a JSON schema, in order."""
    return [option["properties"]["kind"]["const"] for option in schema.get("anyOf", [schema])]


def request_texts(env: Any, agent: str) -> Iterator[str]:
    """Return the request for a move: rules, question, feedback, schema; without the history of the match."""
    face, seen = env.face(agent), env.information_state(agent)
    yield face.rules(seen.view)
    yield face.teller.question(seen)
    for problem in problems(env, agent, env.legal(agent)):
        yield face.teller.question(seen._replace(error=problem))
    yield json.dumps(env.json_schema(agent), ensure_ascii=False)
    yield from strings(env.json_schema(agent))


@lru_cache(maxsize=16)
def problems(env: Any, agent: str, legal: Legal) -> list[Invalid]:
    """Return the feedback on invalid answers: each kind with missing, wrong and extra fields."""
    face, actions = env.face(agent), env.game.actions.fit_to_bounds(legal.bounds)
    wrong: list[Any] = ["", "No.", "{", "{}", {"kind": "?"}]
    for index, kind in enumerate(actions.kinds):
        named = {"kind": kind.name} if len(actions.kinds) > 1 else {}
        wrong += [
            named,
            {**named, "?": 0},
            *({**named, name: value} for name in kind.marks for value in (None, "?", -1e15)),
        ]
        if kind.message:
            wrong.append({**named, kind.message: "?" * (legal.max_message or kind.marks[kind.message].max_length + 1)})
        if not legal.kinds[index]:
            wrong.append(named)
    read = [face.decode(answer if isinstance(answer, str) else json.dumps(answer), legal) for answer in wrong]
    return [found for found in read if isinstance(found, Invalid)]


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, unescaped, and every other value as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        yield json.dumps(value, ensure_ascii=False)
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def find_playable(env: Any, agent: str, text: str, tried: set[str]) -> str | None:
    """Return a line or JSON object of a text that the game's parser accepts as a move.

    Lines that failed once are not parsed again.
    """
    legal, actions = env.legal(agent), env.game.actions
    pieces = [text, *text.splitlines(), *(match[0] for match in FENCE.finditer(text)), *OBJECT.findall(text)]
    for piece in pieces:
        for written in (piece, piece.replace("'", '"'), piece.replace('\\"', '"')):
            if written.strip() and written not in tried:
                if not isinstance(parse_reply(written, actions, legal), Invalid):
                    return piece
                tried.add(written)
    return find_suggestion(text, actions, legal)


def find_suggestion(text: str, actions: ActionSchema, legal: Legal) -> str | None:
    """Return a phrase that suggests a value or kind of move as an example."""
    for match in EXAMPLE.finditer(PLACEHOLDER.sub("", text)):
        names = {name for name, ok in zip(actions.names, legal.kinds, strict=True) if ok}
        if names & set(re.findall(r"\w+", match[1])):
            return match[0]
        numbers = [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", match[1])]
        if any(low <= number <= high for number in numbers for low, high in legal.bounds):
            return match[0]
    return None


@check(GUIDE, REMEDY)
def no_field_of_a_shipped_text_is_missing(game: Game, setting: dict[str, Any], seeds: range) -> None:
    def missing(fields: Fields, key: str) -> str:
        raise AssertionError(f"{game.name}: a text uses the field {{{key}}}, which text.py does not give at this point")

    with patch.object(Fields, "__missing__", missing):
        for face, seed in product(("text", "chat"), seeds):
            env = make_env(game, face=face, **setting)
            for _ in positions_of(env, random_policy(seed), seed):
                texts = [env.observe(agent)["text"] for agent in env.agents]
                assert all(text.strip() for text in texts)


@check(GUIDE, REMEDY)
def the_full_text_tells_rules_story_and_question(game: Game, setting: dict[str, Any]) -> None:
    env = make_env(game, face="text", **setting)
    for agent in positions_of(env, random_policy(1), 1):
        view, text = env.information_state(agent).view, env.last()[0]["text"]
        teller = env.face(agent).teller
        events = env.information_state(agent).events
        lines = [env.face(agent).rules(view), *teller.event_lines(view, events)]
        places = [text.find(line) for line in lines]
        assert -1 not in places
        assert places == sorted(places), "rules first, then what happened in its order"


def separate_lines(text: str) -> str:
    """Return a text with its own line breaks around every line, so that whole lines can be counted."""
    return "\n" + text.replace("\n", "\n\n") + "\n"


@check(GUIDE, REMEDY)
def chat_tells_everything_once(game: Game, seeds: range) -> None:
    """A player that keeps its transcript is informed of every move of the others exactly once.

    Of its own moves it receives only newly revealed information.
    """
    for seed in seeds:
        env = make_env(game, face="chat")
        received: dict[str, list[str]] = {agent: [] for agent in env.possible_agents}
        for turn in play(env, random_policy(seed), seed):
            received[turn.agent].append(dict(turn.observation[1])["text"][1])
        for seat, agent in enumerate(env.possible_agents):
            view = game.rules.observe(env.params, env.game_state, seat)
            out = game.rules.alive and not game.rules.alive(env.params, env.game_state, seat)
            for event in env.visible_events(seat):
                times = separate_lines("\n".join(received[agent])).count(
                    separate_lines(env.face(agent).teller.event_lines(view, [event])[0])
                )
                if event.seat == seat:
                    assert times == (event.fact is not None)
                elif not out:
                    assert times == 1, f"seed {seed}: {agent} reads {times} times of {event}"


@check(GUIDE, REMEDY)
def an_invalid_action_is_explained_with_the_question(game: Game) -> None:
    for face in ("text", "chat"):
        env = make_env(game, face=face)
        env.reset(seed=0)
        asked = env.last()[0]["text"]
        env.step("I cannot decide.")
        again, info = env.last()[0]["text"], env.last()[4]
        assert info["error"] in again
        assert info["error"] not in asked
        assert asked.splitlines()[-1] == again.splitlines()[-1], "the same question once more"


@check(GUIDE, REMEDY)
def text_is_rendered_only_when_asked_for(game: Game) -> None:
    """Text is rendered only when it is observed."""
    env = make_env(game, face="text")
    rng = np.random.default_rng(1)
    with patch.object(
        type(env.face("player_0")), "text", side_effect=AssertionError("rendered without being asked for")
    ):
        env.reset(seed=1)
        while env.agents:
            env.last(observe=False)
            env.step(
                None if has_ended(env) else render_reply(game.actions, draw(rng, game, env.legal(env.agent_selection)))
            )
