"""Prompt sets: every move can be expressed and parses back, and prompts contain no playable move."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any
from unittest import SkipTest
from unittest.mock import patch

import numpy as np

from econzoo.envs.core.contract import Game, Invalid, Legal
from econzoo.envs.core.faces import Fields, answer_form, sets_of
from econzoo.testing.playing import draw, has_ended, make_env
from econzoo.testing.suite import check
from econzoo.testing.texts import OBJECT, request_texts

UNFILLED_FIELD = re.compile(r"\{\w*\}")
"""A field in braces; the form of an answer has quotes in them."""

GUIDE = "Sets of prompts"
REMEDY = "say in [answer] how every kind of move and every field is written, each so that it is told from the others"


def positions(game: Game, setting: dict[str, Any], seeds: range) -> Iterator[tuple[Any, str, Any]]:
    """Yield environment, agent and move of every turn of random matches, for every set; then play the move."""
    if not sets_of(game.package):
        raise SkipTest("the game has no prompt sets")
    for name, face, seed in product(sets_of(game.package), ("text", "chat"), seeds):
        env, rng = make_env(game, face=face, prompts=name, **setting), np.random.default_rng(seed)
        env.reset(seed=seed)
        while env.agents:
            agent = env.agent_selection
            if has_ended(env):
                assert env.observe(agent)["text"].strip()
                env.step(None)
                continue
            move = draw(rng, game, env.legal(agent))
            yield env, agent, move
            env.step(env.face(agent).teller.write(move, env.legal(agent)))


@check(GUIDE, REMEDY)
def a_move_is_read_back_in_the_words_of_a_set(game: Game, setting: dict[str, Any], seeds: range) -> None:
    """Moves written in the form of a set parse back, also with prose around them."""
    for env, agent, move in positions(game, setting, seeds):
        face, legal = env.face(agent), env.legal(agent)
        written = face.teller.write(move, legal)
        read = [face.decode(reply, legal) for reply in (written, f"I think.\n{written}\nDone.")]
        wanted = game.actions.parse(game.actions.to_plain(move), legal)
        assert read == [wanted, wanted], f"{written} was read as {read}"
        assert [game.actions.move(one) for one in read] == [game.actions.move(wanted)] * 2


@check(GUIDE, "ask for an answer by placeholders in angle brackets; a model copies what looks like an answer")
def no_request_of_a_set_holds_a_legal_move(game: Game, setting: dict[str, Any], seeds: range) -> None:
    """No line of the rules, the question or the schema parses as a legal move, nor does the answer form itself."""
    tried: dict[tuple[Any, Legal], set[str]] = defaultdict(set)
    for env, agent, _ in positions(game, setting, seeds):
        face, legal = env.face(agent), env.legal(agent)
        form = answer_form(game.actions.fit_to_bounds(legal.bounds), legal, face.teller.words)
        texts = list(request_texts(env, agent))
        pieces = [piece for words in texts for piece in (*words.splitlines(), *OBJECT.findall(words))]
        new = {*pieces, form[form.rindex("{") :]} - tried[env, legal]
        for piece in new:
            assert not piece.strip() or isinstance(face.decode(piece, legal), Invalid), f"{piece!r} can be played"
        tried[env, legal] |= new


@check(GUIDE, REMEDY)
def no_field_of_a_set_is_missing(game: Game, setting: dict[str, Any], seeds: range) -> None:
    """Every text of a set has all its fields."""

    def missing(fields: Fields, key: str) -> str:
        raise AssertionError(f"a text uses the field {{{key}}}, which the text module does not provide here")

    with patch.object(Fields, "__missing__", missing):
        for env, agent, _ in positions(game, setting, seeds):
            assert env.observe(agent)["text"].strip()
            assert not UNFILLED_FIELD.search(env.face(agent).rules(env.information_state(agent).view))
