"""Every text of the pages, in any language: one TOML file, which may also tell the games in other words.

    lang = "de"                          # of the pages, as browsers know it
    thousands = "."                      # numbers, as they are shown and typed
    decimal = ","

    [start]                              # texts of the pages, those of texts_en.toml
    title = "Spiel ein ökonomisches Spiel"

    [words]                              # words and phrases: roles, endings, parameters, options of forms
    deal = "Einigung"
    "a number from # to #" = "eine Zahl von # bis #"

    [games.bargaining]                   # a game on the first pages
    title = "Verhandeln"
    summary = "..."
    [games.bargaining.parameters]
    money = "Dollar, die zu teilen sind."
    [games.bargaining.moves]             # its moves, as pages tell them
    offer = "{gain} behalten"
    [games.negotiation.buttons]          # what the button of a move says, where not its name
    opt_out = "Mit jemand anderem handeln"
    [games.multi_issue.silent]           # a move of words, without any
    talk = "nichts sagen"
    [games.public_goods.others]          # a field with a number for each of the others: what it is for one of them
    points = "Punkte für {who}"
    [games.bargaining.rest]              # what is told while a number is typed
    gain = "{who} bekommt {rest}."
    [games.bargaining.prompts.turn]      # what its players read: see docs/prompts.md
    propose = "..."

    [prompts.person]                     # what the players of every game read

What is missing is English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from importlib.resources import files
from string import ascii_uppercase
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from econzoo.envs.core.contract.validation import parse_toml, short_repr, unknown_name
from econzoo.envs.core.faces.prompt_sets import flatten_tables
from econzoo.envs.core.faces.prompts import fields_of, load_templates
from econzoo.envs.core.files import read_text, reason
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import games as all_games

TEXTS_PACKAGE, FILE_SUFFIX = "econzoo.people.texts", ".toml"
"""Where the files of texts lie, and how their names end."""

ENGLISH = "en"

GAME_TEXTS = ("title", "summary", "gain")
GAME_TABLES = ("labels", "parameters", "allowed", "players", "moves", "buttons", "silent", "others", "rest")
"""What may be told of a game besides its prompts: texts, and tables of them."""

MOVE_TABLES = ("moves", "buttons", "silent")
"""Those of them that have a text for a kind of move."""


NUMBER = re.compile(r"(?<![\w.,])-?[$]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w,]|\.\d)")
"""A number as English has it, alone and not in a name."""

FIGURE, HASH = re.compile(r"-?\d+(?:[.,]\d+)*(?:e\d+)?"), re.compile("#")
"""A number in a phrase, and what stands in its place where phrases are looked up."""

ENGLISH_SIGNS = (",", ".")


class Texts(NamedTuple):
    """What pages say.

    Attributes:
        lang: The language, as browsers know it.
        signs: Between thousands, and before decimals.
        entries: Texts by ``"table.name"``.
        words: Words and phrases by the English ones.
        games: Of games by name: ``title``, ``summary``, ``gain``, ``labels.NAME``, ``parameters.NAME``,
            ``allowed.NAME``, ``players.SPEC``, ``moves.KIND``, ``buttons.KIND``, ``silent.KIND``,
            ``others.FIELD``, ``rest.FIELD``.
        prompts: What the players of a game read, by its name, where it is not what the game ships.
        points: What dollars of games are called; empty: dollars.
    """

    lang: str
    signs: tuple[str, str]
    entries: Mapping[str, str]
    words: Mapping[str, str]
    games: Mapping[str, Mapping[str, str]]
    prompts: Mapping[str, Mapping[str, str]]
    points: str = ""

    def say(self, name: str, /, **fields: Any) -> str:
        """A text with its fields; of a text with a `count`, the form for one thing or for several."""
        return self._plural_form(name, fields).format(**fields)

    def say_markup(self, name: str, /, **fields: Any) -> Markup:
        """A text for a page, in which nothing but what is marked up in its fields makes an element."""
        return Markup(escape(self._plural_form(name, fields))).format(**fields)

    def _plural_form(self, name: str, fields: Mapping[str, Any]) -> str:
        one = f"{name}_one"
        return self.entries[one if fields.get("count") == 1 and one in self.entries else name]

    def word(self, english: str) -> str:
        """A word, or the English one."""
        return self.words.get(english, english)

    def phrase(self, english: str) -> str:
        """A sentence, or the English one; among the `words` its numbers are written ``#``."""
        numbers = iter(FIGURE.findall(english))
        told = self.words.get(FIGURE.sub("#", english))
        return english if told is None else HASH.sub(lambda _: next(numbers), told)

    def localize_numbers(self, text: str) -> str:
        """A text that was made with English numbers (``"6,000.50"``), with those of the language."""
        if self.signs == ENGLISH_SIGNS:
            return text
        signs = {ord(","): self.signs[0], ord("."): self.signs[1]}
        return NUMBER.sub(lambda found: found[0].translate(signs), text)

    def match_options(self, game: str, *settings: Mapping[str, Any]) -> dict[str, Any]:
        """The option of matches that gives their players other texts and other names, if there are some.

        Args:
            game: The game.
            *settings: Public parameters that are not the game's own, of all these matches.
        """
        roles = {name for names in roles_by_setting(game, settings or [{}]) for name in names}
        names = {f"word.{name}": self.words[name] for name in sorted(roles) if name in self.words}
        own = {**names, **self.prompts.get(game, {})}
        return {"prompts": own} if own else {}

    def with_neutral_names(self, game: str, settings: Iterable[Mapping[str, Any]]) -> Texts:
        """The same, with neutral names (``Player A``) for a game's own, not for those that a study has chosen."""
        own = find_game(game).roles(len(ascii_uppercase))
        chosen = any(names[: len(own)] != own[: len(names)] for names in roles_by_setting(game, settings))
        if chosen or not find_game(game).facts.has_person_names:
            return self
        neutral = {name: self.say("study.player", letter=one) for one, name in zip(ascii_uppercase, own, strict=True)}
        return self._replace(words={**neutral, **self.words})

    def game_text(self, game: str, name: str, default: str) -> str:
        """What is told of a game, or what it says of itself."""
        return self.games.get(game, {}).get(name, default)


def roles_by_setting(game: str, settings: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """The names of the seats, in every setting."""
    known = find_game(game)
    for one in settings:
        public, params = known.params(**one)
        yield known.roles(known.seats(params), public)


def format_clock(seconds: int) -> str:
    """What is left of a time: ``1:05``."""
    return f"{seconds // 60}:{seconds % 60:02d}"


@cache
def languages() -> tuple[str, ...]:
    """The languages that are here already."""
    return tuple(
        sorted(
            one.name.removesuffix(FILE_SUFFIX)
            for one in files(TEXTS_PACKAGE).iterdir()
            if one.name.endswith(FILE_SUFFIX)
        )
    )


@cache
def load_texts(language: str = ENGLISH) -> Texts:
    """The texts of a language that is shipped, or of a file.

    Args:
        language: ``"de"`` or the path of a TOML file.

    Raises:
        ValueError: There are none, or a text has a name or a field that the English one has not.
    """
    shared = _load_language(ENGLISH)
    english = flatten_tables({name: table for name, table in shared.items() if name not in ("lang", "games")})
    tables = _load_language(language) if language in languages() else _load_file(language)
    lang = str(tables.pop("lang", ENGLISH))
    signs = str(tables.pop("thousands", ENGLISH_SIGNS[0])), str(tables.pop("decimal", ENGLISH_SIGNS[1]))
    words, games, prompts = (dict(tables.pop(name, {})) for name in ("words", "games", "prompts"))
    own = flatten_tables(tables)
    for name, text in own.items():
        _check_text(name, text, english)
    read = {name: dict(_game_texts(name, told)) for name, told in shared["games"].items()}
    for name, told in games.items():
        read[name] = read.get(name, {}) | dict(_game_texts(name, told))
    if signs != ENGLISH_SIGNS:
        prompts["answer"] = {"thousands": signs[0], "decimal": signs[1], "unit": "$", **prompts.get("answer", {})}
    plays = {name: _game_prompts(name, lang, prompts, games.get(name, {}).get("prompts", {})) for name in all_games()}
    return Texts(lang, signs, english | own, words, read, {name: own for name, own in plays.items() if own})


def _load_language(lang: str) -> dict[str, Any]:
    """The file of a language that is shipped."""
    return dict(parse_toml(files(TEXTS_PACKAGE).joinpath(f"{lang}{FILE_SUFFIX}").read_text(encoding="utf-8")))


def _load_file(path: str) -> dict[str, Any]:
    try:
        return dict(parse_toml(read_text(path)))
    except (OSError, ValueError) as error:
        allowed = f"{', '.join(languages())}, or a TOML file of texts"
        raise ValueError(f"--texts={path!r} cannot be read: {reason(error)}; allowed: {allowed}") from None


def _check_text(name: str, text: Any, english: Mapping[str, str]) -> None:
    """Refuses a text that no page shows, or that asks for what its page does not know."""
    if name not in english:
        tables = [f"[{one}]" for one in dict.fromkeys(one.partition(".")[0] for one in english)]
        known = [one for one in english if one.partition(".")[0] == name.partition(".")[0]] or tables
        raise ValueError(f"--texts: unknown text {short_repr(name)}; allowed: {', '.join(known)}")
    _check_fields(name, text, fields_of(english[name]))


def _check_fields(name: str, text: Any, known: Set[str]) -> None:
    try:
        unknown = fields_of(text) - known
    except (TypeError, ValueError) as error:
        raise ValueError(f"--texts: {short_repr(name)} is no text with fields in braces: {error}") from None
    if unknown:
        allowed = ", ".join(sorted(known)) or "none"
        raise ValueError(
            f"--texts: {short_repr(name)} has the unknown field {short_repr(min(unknown))}; allowed: {allowed}"
        )


def _game_texts(game: str, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a file says of a game, by name."""
    if game not in all_games():
        raise ValueError(f"--texts: {unknown_name('game', game, all_games())}")
    for name, value in told.items():
        if name in GAME_TEXTS:
            yield name, value
        elif name in GAME_TABLES:
            for part, text in value.items():
                _check_part(game, name, part, text)
                yield f"{name}.{part}", text
        elif name != "prompts":
            allowed = ", ".join([*GAME_TEXTS, *GAME_TABLES, "prompts"])
            raise ValueError(f"--texts: unknown text {short_repr(f'games.{game}.{name}')}; allowed: {allowed}")


def _check_part(game: str, table: str, part: str, text: str) -> None:
    """Refuses a text about what a game has not, or that asks for a field that a move has not."""
    kinds = {kind.name: kind for kind in find_game(game).actions.kinds}
    groups = [name for kind in kinds.values() for name in kind.groups]
    numbers = [name for kind in kinds.values() for name in kind.numbers]
    lists = {"players": [part], "others": groups, "rest": numbers}
    known = list(kinds) if table in MOVE_TABLES else lists.get(table, [one.name for one in find_game(game).parameters])
    if part not in known:
        named = {"others": "group of numbers", "rest": "number"}
        what = "move" if table in MOVE_TABLES else named.get(table, "parameter")
        raise ValueError(f"--texts: {game} has no {what} {short_repr(part)}; allowed: {', '.join(known)}")
    if table in MOVE_TABLES:
        _check_fields(f"games.{game}.{table}.{part}", text, set(kinds[part].marks) if table == "moves" else set())
    elif table == "others":
        _check_fields(f"games.{game}.others.{part}", text, {"who"})
    elif table == "rest":
        _check_fields(f"games.{game}.rest.{part}", text, {"own", "rest", "who"})


def _game_prompts(game: str, lang: str, shared: Mapping[str, Any], tables: Mapping[str, Any]) -> dict[str, str]:
    """What the players of a game read, checked as the option ``prompts`` is."""
    own = flatten_tables(shared) | flatten_tables(tables)
    if own:
        own = {"name": lang, **own}
        try:
            load_templates(find_game(game).package, own)
        except ValueError as error:
            raise ValueError(f"--texts: {game}: {error}") from None
    return own
