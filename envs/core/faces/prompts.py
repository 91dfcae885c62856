"""Prompt templates of games, which users can override one by one."""

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
"""Texts shared by all games: request and form of an answer, and texts for people at a terminal."""

SHARED_TABLES = ("form.", "person.")
"""Name prefixes of texts that games do not override."""

MAX_EXTRA = 2_000
"""Maximum characters requested for an extra key of an answer."""

ERROR, ANSWER, WORD = "error", "answer", "word"
"""Tables only in custom templates: feedback by error code, wording of answers, and replacements of field values
(``"word.high"``)."""


def quote_message(words: str) -> str:
    """Quote a message as JSON, so that it cannot imitate a line of the game.

    Chat markup is neutralized, too: see `econzoo.envs.core.faces.markup`.
    """
    return encode_basestring(break_markup(words))


@lru_cache(maxsize=256)
def format_number(value: float) -> str:
    """Format a number without rounding noise (10, 12.5); UNKNOWN as text."""
    return "unknown" if value == UNKNOWN else f"{value:.10g}"


def format_share(amount: float, whole: float) -> str:
    """Format an amount as a percentage of `whole` with one decimal; a dash if `whole` is 0."""
    return format_number(round(100 * amount / whole, 1)) if whole > 0 else "-"


def load_templates(game_package: str, own: Mapping[str, str] | str | Path | None = None) -> dict[str, str]:
    """Load the templates of a game with overrides.

    For templates with a ``"language"``, texts left in English are warned of once.

    Args:
        game_package: Import path of the game's folder.
        own: Templates by ``"table.name"``; the path of a TOML file; the name of a prompt set of the game (``"NAME"``),
            with an optional source folder (``"NAME:DIR"``); or None.

    Returns:
        All templates by ``"table.name"``; for a set also ``"set"`` (the base set) and ``"name"``.

    Raises:
        ValueError: Unknown template, not a text, unknown or formatted field, or unreadable file, set or folder.
    """
    shipped = _default_templates(game_package)
    if own is None:
        return dict(shipped)
    if not isinstance(own, Mapping | str | Path):
        raise ValueError(f"invalid prompts={own!r}: expected templates by name, a set, or the path of a TOML file")
    given = (
        dict(own)
        if isinstance(own, Mapping)
        else prompt_sets.load_set(game_package, str(own)) or _file_templates(game_package, own)
    )
    base = prompt_sets.base_templates(game_package, given)
    shipped, allowed = (
        {**shipped, **base},
        _fields_by_table({**shipped, **base}, prompt_sets.extra_fields(game_package, given)),
    )
    stated = given.pop("hash", None)
    for name, template in given.items():
        _check(name, template, shipped, allowed)
    language = given.pop(prompt_sets.LANGUAGE, "en")
    if stated is not None and stated != prompt_sets.digest(given):
        raise ValueError(
            f"prompts: hash {short_repr(stated)} does not match the texts: expected {prompt_sets.digest(given)}"
        )
    texts = {**shipped, **given}
    translation.warn_of_english(language, given, texts, shipped)
    return texts


def changed_templates(game_package: str, own: Mapping[str, str] | str | Path) -> dict[str, str]:
    """Return the templates that differ from the game's own, so that records are self-contained.

    For a set or file also its name and the hash of these templates (`econzoo.envs.core.faces.prompt_sets.digest`).

    Raises:
        ValueError: See `load_templates`.
    """
    shipped = _default_templates(game_package)
    differing = {name: text for name, text in load_templates(game_package, own).items() if text != shipped.get(name)}
    return differing | ({"hash": prompt_sets.digest(differing)} if "name" in differing else {})


@lru_cache(maxsize=64)
def _default_templates(package: str) -> Prompts:
    own = prompt_sets.package_templates(package, PROMPTS_FILE)
    return own | {name: text for name, text in SHARED_TEXTS.items() if name not in own}


def _file_templates(package: str, given: str | Path) -> dict[str, str]:
    """Load the templates of a user's file; the default name is that of the file."""
    path, sets = Path(given), "".join(f", or {name}" for name in prompt_sets.sets_of(package))
    try:
        tables = parse_toml(read_text(path))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"prompts={str(path)!r} cannot be read: {reason(error)}; expected a TOML file of templates{sets}"
        ) from None
    return prompt_sets.flatten_tables(tables) | {"name": str(tables.get("name", path.stem))}


def event_text(actions: ActionSchema, view: Any, event: Event) -> str:
    """Return the template name of an event: the kind of move, with prefix ``own_`` and suffix ``_words``."""
    action = event.action
    form = actions.form_of[action.__class__]
    name = form.name + "_words" if form.message and action[-1] else form.name
    return "own_" + name if event.seat == view.seat else name


class Fields(dict[str, str]):
    """Fields of a template; missing ones are shown as a dash."""

    def __missing__(self, key: str) -> str:
        return "-"


Template = tuple[str, Callable[[Mapping[str, str]], Any], frozenset[str]]
"""A compiled template with constant fields filled in: its form, with ``%s`` for every other field; their getter, so
that ``form % values(fields)`` is the text; and the names of the constant fields."""


def fill_constants(parts: Iterable[tuple[str, str]], known: Mapping[str, str]) -> Template:
    """Compile a template from its pieces and constant fields."""
    form, left, filled = "", list[str](), set[str]()
    for text, field in parts:
        form += text.replace("%", "%%")
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
    """Split a template into (text, following field or "") pairs."""
    return tuple([(words, field or "") for words, field, _, _ in string.Formatter().parse(text)])


def fields_of(template: str) -> set[str]:
    """Return the fields of a template, including format or conversion (``"money:,"``, ``"money!r"``)."""
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
            f"prompts: unknown text {short_repr(name)}: expected {', '.join(known)}, error.CODE, answer.NAME, word.WORD"
        )
    if not isinstance(template, str):
        raise ValueError(f"prompts: {short_repr(name)} must be text, got {type(template).__name__}")
    if table in (ANSWER, WORD) or name in prompt_sets.TITLE_KEYS:  # fields are checked in `wording`
        return
    try:
        unknown = fields_of(template) - allowed[table]
    except ValueError as error:
        raise ValueError(f"prompts: {short_repr(name)} is not a format string: {error}") from None
    if unknown:
        names = ", ".join(sorted(allowed[table]))
        field = short_repr(sorted(unknown)[0])
        raise ValueError(
            f"prompts: {short_repr(name)} has the unknown field {field}: expected {names}, each as {{name}}"
        )
