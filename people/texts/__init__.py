"""Texts of the pages: one TOML file per language, which may also translate the games.

    lang = "de"                          # language tag of the pages
    thousands = "."                      # number format, shown and typed
    decimal = ","

    [start]                              # texts of the pages, with the keys of en.toml
    title = "Spiel ein ökonomisches Spiel"

    [words]                              # words and phrases: roles, outcomes, parameters, options of forms
    deal = "Einigung"
    "a number from # to #" = "eine Zahl von # bis #"

    [games.bargaining]                   # a game on the first pages
    title = "Verhandeln"
    summary = "..."
    [games.bargaining.parameters]
    money = "Dollar, die zu teilen sind."
    [games.bargaining.moves]             # descriptions of its moves
    offer = "{gain} behalten"
    [games.negotiation.buttons]          # button labels of moves, where not their names
    opt_out = "Mit jemand anderem handeln"
    [games.multi_issue.silent]           # a message move without a message
    talk = "nichts sagen"
    [games.public_goods.others]          # label of a group's number for one other seat
    points = "Punkte für {who}"
    [games.bargaining.rest]              # live text while a number is typed
    gain = "{who} bekommt {rest}."
    [games.bargaining.prompts.turn]      # prompts of its players: see docs/prompts.md
    propose = "..."

    [prompts.person]                     # prompts of the players of every game

Missing texts are in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from importlib.resources import files
from string import ascii_uppercase
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from econzoo.envs.core import game as find_game
from econzoo.envs.core import games as all_games
from econzoo.envs.core import read_text, reason
from econzoo.envs.core.contract import parse_toml, short_repr, unknown_name
from econzoo.envs.core.faces import fields_of, flatten_tables, load_templates

TEXTS_PACKAGE, FILE_SUFFIX = "econzoo.people.texts", ".toml"
"""Package and suffix of the text files."""

ENGLISH = "en"

GAME_TEXTS = ("title", "summary", "gain")
GAME_TABLES = ("labels", "parameters", "allowed", "players", "moves", "buttons", "silent", "others", "rest")
"""Texts of a game besides its prompts, and tables of texts."""

MOVE_TABLES = ("moves", "buttons", "silent")
"""Tables with a text per kind of move."""

NUMBER = re.compile(r"(?<![\w.,])-?[$]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w,]|\.\d)")
"""A number in English notation, not part of a name."""

FIGURE, HASH = re.compile(r"-?\d+(?:[.,]\d+)*(?:e\d+)?"), re.compile("#")
"""A number in a phrase, and its placeholder in the keys of phrases."""

ENGLISH_SIGNS = (",", ".")


class Texts(NamedTuple):
    """Texts of the pages in one language.

    Attributes:
        signs: Thousands and decimal separators.
        entries: Texts by ``"table.name"``.
        words: Words and phrases by the English ones.
        games: Texts of each game, by ``title``, ``summary``, ``gain``, or ``TABLE.NAME`` with one of `GAME_TABLES`.
        prompts: Prompts of each game that replace its own.
        points: Name of points that replace dollars; empty: dollars.
    """

    lang: str
    signs: tuple[str, str]
    entries: Mapping[str, str]
    words: Mapping[str, str]
    games: Mapping[str, Mapping[str, str]]
    prompts: Mapping[str, Mapping[str, str]]
    points: str = ""

    def say(self, name: str, /, **fields: Any) -> str:
        """Fill in a text's fields; a `count` selects the singular or plural form."""
        return self._plural_form(name, fields).format(**fields)

    def say_markup(self, name: str, /, **fields: Any) -> Markup:
        """Fill in a text's fields as HTML; everything but `Markup` in the fields is escaped."""
        # Texts of a file are data too, so they are escaped, except for their fields in braces.
        return Markup(escape(self._plural_form(name, fields))).format(**fields)

    def _plural_form(self, name: str, fields: Mapping[str, Any]) -> str:
        singular = f"{name}_one"
        return self.entries[singular if fields.get("count") == 1 and singular in self.entries else name]

    def word(self, english: str) -> str:
        """Translate a word; untranslated words stay English."""
        return self.words.get(english, english)

    def phrase(self, english: str) -> str:
        """Translate a phrase, whose numbers are ``#`` among the `words`; untranslated ones stay English."""
        # A translation has its numbers in the same order.
        numbers = iter(FIGURE.findall(english))
        phrase = self.words.get(FIGURE.sub("#", english))
        return english if phrase is None else HASH.sub(lambda _: next(numbers), phrase)

    def localize_numbers(self, text: str) -> str:
        """Convert English numbers (``"6,000.50"``) in a text to the notation of the language."""
        if self.signs == ENGLISH_SIGNS:
            return text
        # Both at once: replaced one after the other, a sign could be replaced twice.
        signs = {ord(","): self.signs[0], ord("."): self.signs[1]}
        return NUMBER.sub(lambda number: number[0].translate(signs), text)

    def match_options(self, game: str, *settings: Mapping[str, Any]) -> dict[str, Any]:
        """Match option with translated prompts and role names; empty if there are none."""
        roles = {name for names in roles_by_setting(game, settings or [{}]) for name in names}
        names = {f"word.{name}": self.words[name] for name in sorted(roles) if name in self.words}
        own = {**names, **self.prompts.get(game, {})}
        return {"prompts": own} if own else {}

    def with_neutral_names(self, game: str, settings: Iterable[Mapping[str, Any]]) -> Texts:
        """Replace a game's default person names by neutral ones (``Player A``); names set by a study stay."""
        own = find_game(game).roles(len(ascii_uppercase))
        are_custom = any(names[: len(own)] != own[: len(names)] for names in roles_by_setting(game, settings))
        if are_custom or not find_game(game).facts.has_person_names:
            return self
        neutral = {name: self.say("study.player", letter=one) for one, name in zip(ascii_uppercase, own, strict=True)}
        return self._replace(words={**neutral, **self.words})

    def game_text(self, game: str, name: str, default: str) -> str:
        """Translated text of a game, or the default."""
        return self.games.get(game, {}).get(name, default)


def roles_by_setting(game: str, settings: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Names of the seats under each setting."""
    rules = find_game(game)
    for setting in settings:
        public, params = rules.params(**setting)
        yield rules.roles(rules.seats(params), public)


def format_clock(seconds: int) -> str:
    """Format remaining seconds: ``1:05``."""
    return f"{seconds // 60}:{seconds % 60:02d}"


@cache
def languages() -> tuple[str, ...]:
    """Languages with a shipped file."""
    return tuple(
        sorted(
            one.name.removesuffix(FILE_SUFFIX)
            for one in files(TEXTS_PACKAGE).iterdir()
            if one.name.endswith(FILE_SUFFIX)
        )
    )


@cache
def load_texts(language: str = ENGLISH) -> Texts:
    """Load the texts of a shipped language (``"de"``) or of a TOML file; ValueError for unknown names and fields."""
    shared = _load_language(ENGLISH)
    english = flatten_tables({name: table for name, table in shared.items() if name not in ("lang", "games")})
    tables = _load_language(language) if language in languages() else _load_file(language)
    lang = str(tables.pop("lang", ENGLISH))
    signs = str(tables.pop("thousands", ENGLISH_SIGNS[0])), str(tables.pop("decimal", ENGLISH_SIGNS[1]))
    words, games, prompts = (dict(tables.pop(name, {})) for name in ("words", "games", "prompts"))
    own = flatten_tables(tables)
    for name, text in own.items():
        _check_text(name, text, english)
    game_texts = {name: dict(_game_texts(name, table)) for name, table in shared["games"].items()}
    for name, table in games.items():
        game_texts[name] = game_texts.get(name, {}) | dict(_game_texts(name, table))
    if signs != ENGLISH_SIGNS:
        prompts["answer"] = {"thousands": signs[0], "decimal": signs[1], "unit": "$", **prompts.get("answer", {})}
    by_game = {name: _game_prompts(name, lang, prompts, games.get(name, {}).get("prompts", {})) for name in all_games()}
    return Texts(lang, signs, english | own, words, game_texts, {name: own for name, own in by_game.items() if own})


def _load_language(lang: str) -> dict[str, Any]:
    """Tables of a shipped language."""
    return dict(parse_toml(files(TEXTS_PACKAGE).joinpath(f"{lang}{FILE_SUFFIX}").read_text(encoding="utf-8")))


def _load_file(path: str) -> dict[str, Any]:
    try:
        return dict(parse_toml(read_text(path)))
    except (OSError, ValueError) as error:
        allowed = f"{', '.join(languages())}, or a TOML file of texts"
        raise ValueError(f"--texts={path!r} cannot be read: {reason(error)}; expected {allowed}") from None


def _check_text(name: str, text: Any, english: Mapping[str, str]) -> None:
    """Raise ValueError for an unknown text, or one with an unknown field."""
    if name not in english:
        tables = [f"[{one}]" for one in dict.fromkeys(one.partition(".")[0] for one in english)]
        known = [one for one in english if one.partition(".")[0] == name.partition(".")[0]] or tables
        raise ValueError(f"--texts: unknown text {short_repr(name)}: expected one of {', '.join(known)}")
    _check_fields(name, text, fields_of(english[name]))


def _check_fields(name: str, text: Any, known: Set[str]) -> None:
    try:
        unknown = fields_of(text) - known
    except (TypeError, ValueError) as error:
        raise ValueError(f"--texts: {short_repr(name)} is not a text with fields in braces: {error}") from None
    if unknown:
        allowed = ", ".join(sorted(known)) or "none"
        raise ValueError(f"--texts: unknown field {short_repr(min(unknown))} in {short_repr(name)}; fields: {allowed}")


def _game_texts(game: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of a game's table."""
    if game not in all_games():
        raise ValueError(f"--texts: {unknown_name('game', game, all_games())}")
    for name, value in table.items():
        if name in GAME_TEXTS:
            yield name, value
        elif name in GAME_TABLES:
            for part, text in value.items():
                _check_part(game, name, part, text)
                yield f"{name}.{part}", text
        elif name != "prompts":
            allowed = ", ".join([*GAME_TEXTS, *GAME_TABLES, "prompts"])
            raise ValueError(f"--texts: unknown text {short_repr(f'games.{game}.{name}')}: expected one of {allowed}")


def _check_part(game: str, table: str, part: str, text: str) -> None:
    """Raise ValueError for a text on an unknown part of a game, or with an unknown field."""
    kinds = {kind.name: kind for kind in find_game(game).actions.kinds}
    groups = [name for kind in kinds.values() for name in kind.groups]
    numbers = [name for kind in kinds.values() for name in kind.numbers]
    lists = {"players": [part], "others": groups, "rest": numbers}
    known = list(kinds) if table in MOVE_TABLES else lists.get(table, [one.name for one in find_game(game).parameters])
    if part not in known:
        nouns = {"others": "group of numbers", "rest": "number"}
        noun = "move" if table in MOVE_TABLES else nouns.get(table, "parameter")
        raise ValueError(f"--texts: {game} has no {noun} {short_repr(part)}: expected one of {', '.join(known)}")
    if table in MOVE_TABLES:
        _check_fields(f"games.{game}.{table}.{part}", text, set(kinds[part].marks) if table == "moves" else set())
    elif table == "others":
        _check_fields(f"games.{game}.others.{part}", text, {"who"})
    elif table == "rest":
        _check_fields(f"games.{game}.rest.{part}", text, {"own", "rest", "who"})


def _game_prompts(game: str, lang: str, shared: Mapping[str, Any], tables: Mapping[str, Any]) -> dict[str, str]:
    """Merge and check the prompts of a game."""
    own = flatten_tables(shared) | flatten_tables(tables)
    if own:
        own = {"name": lang, **own}
        try:
            load_templates(find_game(game).package, own)
        except ValueError as error:
            raise ValueError(f"--texts: {game}: {error}") from None
    return own
