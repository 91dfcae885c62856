"""Prompt templates: files beside a game, that users can replace text by text."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.amounts import dollars as dollars  # noqa: PLC0414 (games take it from here)
from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.envs.core.contract.validation import CODES, parse_toml, short_repr
from econzoo.envs.core.faces import prompt_sets, translation
from econzoo.envs.core.faces.markup import break_markup
from econzoo.envs.core.files import read_text, reason

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema
    from econzoo.envs.core.contract.game import Event

__all__ = ["Prompts", "dollars", "format_number", "quote_message"]

PROMPTS_FILE = "prompts.toml"

Prompts = Mapping[str, str]
"""Templates by ``"table.name"``."""

SHARED_FILE = "shared_texts.toml"

SHARED_TEXTS: Prompts = prompt_sets.package_templates(__package__, SHARED_FILE)
"""Texts that all games share: how an answer is asked for, its form, and what a person at a terminal reads."""

SHARED_TABLES = ("form.", "person.")
"""Beginnings of the names of texts that no game has words of its own for."""

MAX_EXTRA = 2_000
"""Characters that are asked for under a key of an answer that is no part of the move."""

ERROR, ANSWER, WORD = "error", "answer", "word"
"""Tables whose texts no game has: the words of an error by its code, how an answer is written, and other words for
those that stand in fields (``"word.high"``)."""


def quote_message(words: str) -> str:
    """Words as they stand in texts: quoted as JSON, so that a message cannot pretend to be a line of the game.

    Nor can it be the markup of a turn: see `econzoo.envs.core.faces.markup`.
    """
    return encode_basestring(break_markup(words))


@lru_cache(maxsize=256)
def format_number(value: float) -> str:
    """A number without a tail of rounding noise (10, 12.5); in words if it is UNKNOWN."""
    return "unknown" if value == UNKNOWN else f"{value:.10g}"


def format_share(amount: float, whole: float) -> str:
    """What an amount is of a whole, in percent with one digit behind the point; a dash where that is nothing."""
    return format_number(round(100 * amount / whole, 1)) if whole > 0 else "-"


def load_templates(game_package: str, own: Mapping[str, str] | str | Path | None = None) -> dict[str, str]:
    """The templates of a game, with others in their place.

    Templates that say their ``"language"`` are looked through for what is in English, and a warning tells of it once.

    Args:
        game_package: Import path of the game's folder.
        own: Templates by ``"table.name"``; the path of a TOML file of the game's form; the name of a set that the game
            has (``"NAME"``), with a folder of the user's own from which it takes its wording (``"NAME:DIR"``); or None.

    Returns:
        Every template by ``"table.name"``. Of a set, also what it is called: ``"set"``, whose texts those that are not
        given come from, and ``"name"``.

    Raises:
        ValueError: A template has a name that the game does not use, is no text, or has a field that the
            original has not, or one with a format; or the file, set or folder cannot be read.
    """
    shipped = _default_templates(game_package)
    if own is None:
        return dict(shipped)
    if not isinstance(own, Mapping | str | Path):
        raise ValueError(
            f"prompts={own!r} is not allowed; allowed: templates by name, a set, or the path of a TOML file"
        )
    given = (
        dict(own)
        if isinstance(own, Mapping)
        else prompt_sets.load_set(game_package, str(own)) or _file_templates(game_package, own)
    )
    base = prompt_sets.base_templates(game_package, given)
    known, allowed = (
        {**shipped, **base},
        _fields_by_table({**shipped, **base}, prompt_sets.extra_fields(game_package, given)),
    )
    stated = given.pop("hash", None)
    for name, template in given.items():
        _check(name, template, known, allowed)
    language = given.pop(prompt_sets.LANGUAGE, "en")
    if stated is not None and stated != prompt_sets.digest(given):
        raise ValueError(
            f"prompts: hash {short_repr(stated)} is not that of the texts; allowed: {prompt_sets.digest(given)}"
        )
    texts = {**known, **given}
    translation.warn_of_english(language, given, texts, known)
    return texts


def changed_templates(game_package: str, own: Mapping[str, str] | str | Path) -> dict[str, str]:
    """The templates that differ from the game's own, so that a record needs no other file to be understood.

    Of a set or a file also its name, and the hash of these templates (`econzoo.envs.core.faces.prompt_sets.digest`).

    Raises:
        ValueError: See `load`.
    """
    shipped = _default_templates(game_package)
    differing = {name: text for name, text in load_templates(game_package, own).items() if text != shipped.get(name)}
    return differing | ({"hash": prompt_sets.digest(differing)} if "name" in differing else {})


@lru_cache(maxsize=64)
def _default_templates(package: str) -> Prompts:
    own = prompt_sets.package_templates(package, PROMPTS_FILE)
    return own | {name: text for name, text in SHARED_TEXTS.items() if name not in own}


def _file_templates(package: str, given: str | Path) -> dict[str, str]:
    """The templates of a user's file, with its name if it has none of its own."""
    path, sets = Path(given), "".join(f", or {name}" for name in prompt_sets.sets_of(package))
    try:
        tables = parse_toml(read_text(path))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"prompts={str(path)!r} cannot be read: {reason(error)}; allowed: a TOML file of templates{sets}"
        ) from None
    return prompt_sets.flatten_tables(tables) | {"name": str(tables.get("name", path.stem))}


def event_text(actions: ActionSchema, view: Any, event: Event) -> str:
    """Name of the text that tells what happened: the kind of move, with ``own_`` before and ``_words`` after it."""
    action = event.action
    form = actions.form_of[action.__class__]
    name = form.name + "_words" if form.message and action[-1] else form.name
    return "own_" + name if event.seat == view.seat else name


class Fields(dict[str, str]):
    """Fields of a template; one that does not exist at this point of the game reads as a dash."""

    def __missing__(self, key: str) -> str:
        return "-"


Template = tuple[str, Callable[[Mapping[str, str]], Any], frozenset[str]]
"""A template taken apart, with what stays the same in its place: its form, with ``%s`` for every other field; what
stands there, of fields by name, so that ``form % values(fields)`` is the text; and which fields stay the same."""


def fill_constants(parts: Iterable[tuple[str, str]], known: Mapping[str, str]) -> Template:
    """A template of its `pieces`, and the fields that stay the same."""
    form, left, filled = "", list[str](), set[str]()
    for said, field in parts:
        form += said.replace("%", "%%")
        if field in known:
            form += known[field].replace("%", "%%")
            filled.add(field)
        elif field:
            form += "%s"
            left.append(field)
    return form, itemgetter(*left) if left else _no_values, frozenset(filled)


def _no_values(fields: Mapping[str, str]) -> tuple[()]:
    return ()


@lru_cache(maxsize=1024)
def template_pieces(text: str) -> tuple[tuple[str, str], ...]:
    """What a template says, each time with the field behind it; empty: there is none."""
    return tuple([(said, field or "") for said, field, _, _ in string.Formatter().parse(text)])


def fields_of(template: str) -> set[str]:
    """The fields in a template, with a format or conversion if they have one (``"money:,"``, ``"money!r"``)."""
    out = set()
    for _, field, spec, conversion in string.Formatter().parse(template):
        if field is not None:
            out.add(field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else ""))
    return out


def _fields_by_table(prompts: Prompts, more: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {ERROR: {"problem", "key"}}
    for name, template in prompts.items():
        out.setdefault(name.partition(".")[0], set()).update(fields_of(template) if "." in name else ())
    for table, names in more.items():
        out.setdefault(table, set()).update(names)
    shared = {name.partition(".")[0] for name in SHARED_TEXTS}
    return {table: fields | (out["brief"] if table not in {*shared, ERROR} else set()) for table, fields in out.items()}


def _check(name: str, template: Any, known: Prompts, allowed: Mapping[str, set[str]]) -> None:
    table, _, rest = name.partition(".") if isinstance(name, str) else ("", "", "")
    free = (table in (ANSWER, WORD) and rest) or (table == ERROR and rest in CODES) or name in prompt_sets.TITLE_KEYS
    if name not in known and not free:
        raise ValueError(
            f"prompts: unknown text {short_repr(name)}; allowed: {', '.join(known)}, error.CODE, answer.NAME, word.WORD"
        )
    if not isinstance(template, str):
        raise ValueError(f"prompts: {short_repr(name)} must be text; got {type(template).__name__}")
    if table in (ANSWER, WORD) or name in prompt_sets.TITLE_KEYS:  # with fields of its own, if any: see `wording`
        return
    try:
        unknown = fields_of(template) - allowed[table]
    except ValueError as error:
        raise ValueError(f"prompts: {short_repr(name)} is no format string: {error}") from None
    if unknown:
        told = ", ".join(sorted(allowed[table]))
        field = short_repr(sorted(unknown)[0])
        raise ValueError(
            f"prompts: {short_repr(name)} has the unknown field {field}; allowed: {told}, each as {{name}}"
        )
