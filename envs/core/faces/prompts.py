"""Prompt templates of games, which users can override one by one."""

from __future__ import annotations

import hashlib
import json
import re
import string
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from itertools import groupby
from json.encoder import encode_basestring
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import dollars as dollars  # noqa: PLC0414 (games take it from here)
from econzoo.envs.core import read_text, reason
from econzoo.envs.core.contract import CODES, UNKNOWN, load_package_toml, parse_toml, short_repr

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema, Event


# Sets of prompts
#
# A set replaces texts, and its table ``[answer]`` sets the wording of answers (`econzoo.envs.core.faces.wording`). An
# optional module ``text_NAME.py`` overrides functions of the game's ``text.py``, can add fields, and can define
# `COPY`, which reads the texts from a user's folder: ``prompts="NAME:DIR"``.


SET_FILE_PREFIX, SET_FILE_SUFFIX = "prompts_", ".toml"

LANGUAGE = "language"
TITLE_KEYS = ("set", "name", "hash", LANGUAGE)
"""Keys of metadata among templates: base set, name, hash and language."""


@lru_cache(maxsize=64)
def sets_of(package: str) -> tuple[str, ...]:
    """Return the names of a game's prompt sets."""
    names = [entry.name for entry in files(package).iterdir()]
    return tuple(
        sorted(
            name[len(SET_FILE_PREFIX) : -len(SET_FILE_SUFFIX)]
            for name in names
            if name.startswith(SET_FILE_PREFIX) and name.endswith(SET_FILE_SUFFIX)
        )
    )


@lru_cache(maxsize=64)
def package_templates(package: str, file: str) -> dict[str, str]:
    return flatten_tables(load_package_toml(package, file))


def flatten_tables(tables: Mapping[str, Any]) -> dict[str, str]:
    """Flatten (nested) tables of texts to texts by ``"table.name"``."""
    out = {}
    for table, texts in tables.items():
        if isinstance(texts, Mapping):
            out.update(_flatten_table(table, texts))
        elif table in TITLE_KEYS:
            out[table] = texts
        else:
            raise ValueError(
                f"prompts: {short_repr(table)} is outside of tables: expected [table] with name = text below it"
            )
    return out


def _flatten_table(table: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    out = {}
    for name, text in texts.items():
        below = table == "answer" and isinstance(text, Mapping)
        out.update(_flatten_table(f"{table}.{name}", text) if below else {f"{table}.{name}": text})
    return out


def load_set(package: str, wanted: str) -> dict[str, str] | None:
    """Load the set ``"NAME"`` or ``"NAME:DIR"``; None if there is no such set."""
    name, colon, folder = wanted.partition(":")
    if name not in sets_of(package):
        return None
    if not colon:
        return {"set": name, "name": name}
    read = getattr(_module(package, name), "COPY", None)
    if read is None:
        raise ValueError(f"invalid prompts={wanted!r}: expected {name!r}, which reads no folder")
    try:
        texts: dict[str, str] = read(Path(folder))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"prompts={wanted!r} cannot be read: {error}; expected a copy of its repository") from None
    except ValueError as error:
        raise ValueError(f"prompts={wanted!r}: {error}") from None
    return {"set": name, "name": f"{name}:{Path(folder).resolve().name}", **texts}


def base_templates(package: str, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the templates of the base set of custom templates, if they name one."""
    name = given.get("set")
    if name is None:
        return {}
    if name not in sets_of(package):
        expected = ", ".join(sets_of(package)) or "none, as the game has no sets"
        raise ValueError(f"prompts: unknown set {short_repr(name)}: expected {expected}")
    return package_templates(package, f"{SET_FILE_PREFIX}{name}{SET_FILE_SUFFIX}")


def digest(texts: Mapping[str, str]) -> str:
    """Hash texts, independent of order and name, to 12 hexadecimal digits."""
    plain = sorted((name, text) for name, text in texts.items() if name not in ("name", "hash"))
    # A lone surrogate cannot be encoded; a mark stands for it.
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()[:12]


def extra_fields(package: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Return additional fields by table that custom texts or a set may use."""
    return getattr(_module(package, given.get("set")), "FIELDS", {})


@lru_cache(maxsize=64)
def text_module(package: str, name: str) -> Any:
    """Return a game's text module, with functions overridden by a set."""
    return SimpleNamespace(**{**vars(import_module(f"{package}.text")), **vars(_module(package, name))})


def _module(package: str, name: str | None) -> Any:
    """Return the text module of a set, or the game's own (None)."""
    path = f"{package}.text" if name is None else f"{package}.text_{name}"
    return SimpleNamespace() if find_spec(path) is None else import_module(path)


# Markup
#
# Tokenizers and servers interpret such strings in any text as special tokens: the end of a turn, a thought, a tool
# result. So a blank is inserted after the first character of each in messages of players.


_MARKER_LIST = """
<s> </s> <bos> <eos> <pad> <unk> <mask> <sop> <eop> <eot> <eod> <eoh> <eoa> <BOS_TOKEN> <EOS_TOKEN> <PAD> <UNK> <CLS>
<SEP> [BOS] [EOS] [PAD] [UNK] [CLS] [SEP] [MASK] [gMASK] [sMASK] [EOT] <unused0> [unused0] <extra_id_0> <SPECIAL_10>
<start_of_turn> <end_of_turn> <start_of_image> <end_of_image> <end_of_utterance> <image> <AI> <\u7528\u6237>
[INST] [/INST] <<SYS>> <</SYS>> [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [THINK] [/THINK] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS]
[TOOL_CALLS] [/TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CONTENT] [/TOOL_CONTENT] [MODEL_SETTINGS]
[/MODEL_SETTINGS] [ARGS] [CALL_ID] [PREFIX] [MIDDLE] [SUFFIX] [IMG] [IMG_BREAK] [IMG_END]
<|im_start|> <|im_end|> <|endoftext|> <|eot_id|> <|start_header_id|> <|start|> <|return|> <|channel|> <|channel> <turn|>
<|START_OF_TURN_TOKEN|> [|system|] [|endofturn|] <\uff5cUser\uff5c> <\uff5cend\u2581of\u2581sentence\uff5c>
]~b] ]~!b[ [e~[
<think> </think> <thinking> </thinking> <thought> </thought> <seed:think> \u25c1think\u25b7 \u25c1/think\u25b7
<response> </response>
<tool_call> </tool_call> <tool_calls> </tool_calls> <tool_response> </tool_response> <tool_result> </tool_result>
<tool_results> </tool_results> <tools> </tools> <tool> </tool> <arg_key> </arg_key> <arg_value> </arg_value>
<function> </function> <function=offer> <parameter=gain> </parameter> <functions> </functions> <function_calls>
</function_calls> <TOOLCALL> </TOOLCALL> <AVAILABLE_TOOLS> </AVAILABLE_TOOLS> <TOOL_RESPONSE> </TOOL_RESPONSE>
</minimax:tool_call>
"""

MARKERS = tuple(_MARKER_LIST.split())
"""Markup of Llama, Mistral, Qwen, DeepSeek, Gemma, Phi, gpt-oss, GLM, Command, Granite, Nemotron, Kimi, MiniMax,
Seed-OSS, InternLM, EXAONE, Baichuan, MiniCPM and others; families with many tokens (see `_FORMS`) are examples."""

_FORMS = (
    r"<\|[^\s<>|]{1,60}\|>",  # <|im_end|>
    r"<\|[\w/]{1,60}>",  # <|channel>
    r"<[\w/]{1,60}\|>",  # <channel|>
    r"<\uff5c[^\s<>\uff5c]{1,60}\uff5c>",
    r"\[\|[^\s\[\]|]{1,60}\|\]",
    r"</?[a-z]{1,20}:[a-z_]{1,60}>",  # <seed:think>
    r"<(?:unused|reserved_|extra_id_|SPECIAL_|TOKENS_UNUSED_)\d{1,6}>",
    r"\[unused\d{1,6}\]",
    r"<(?:function|parameter|invoke|tool)[= ]",
)
_FIRST_CHARACTERS = "<[]\u25c1"
"""First characters of all markup."""


def _rest_of_pattern(pattern: str) -> str:
    """Return a pattern without its first character."""
    return pattern[2:] if pattern.startswith("\\") else pattern[1:]


_REST_PATTERNS = [*map(_rest_of_pattern, _FORMS), *(re.escape(marker[1:]) for marker in MARKERS)]
_MARKUP = re.compile(rf"([{re.escape(_FIRST_CHARACTERS)}])(?={'|'.join(_REST_PATTERNS)})")


_has_first_character = re.compile(f"[{re.escape(_FIRST_CHARACTERS)}]").search


def break_markup(words: str) -> str:
    """Insert a blank into everything that a model could interpret as markup: ``"< |im_end|>"``."""
    return _MARKUP.sub(r"\1 ", words) if _has_first_character(words) else words


__all__ = ["Prompts", "dollars", "format_number", "quote_message"]

PROMPTS_FILE = "prompts.toml"

Prompts = Mapping[str, str]
"""Templates by ``"table.name"``."""

SHARED_FILE = "shared_texts.toml"

SHARED_TEXTS: Prompts = package_templates(__package__, SHARED_FILE)
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

    Chat markup is neutralized, too: see `econzoo.envs.core.faces.prompts`.
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
        own: Templates by ``"table.name"``; the path of a TOML file; the name of a prompt set of the game (``"NAME"``),
            with an optional source folder (``"NAME:DIR"``); or None.
    """
    shipped = default_templates(game_package)
    if own is None:
        return dict(shipped)
    if not isinstance(own, Mapping | str | Path):
        raise ValueError(f"invalid prompts={own!r}: expected templates by name, a set, or the path of a TOML file")
    given = (
        dict(own)
        if isinstance(own, Mapping)
        else load_set(game_package, str(own)) or _file_templates(game_package, own)
    )
    base = base_templates(game_package, given)
    shipped, allowed = (
        {**shipped, **base},
        _fields_by_table({**shipped, **base}, extra_fields(game_package, given)),
    )
    stated = given.pop("hash", None)
    for name, template in given.items():
        _check(name, template, shipped, allowed)
    # The language is no text: prompts that differ only in it have one hash.
    language = given.pop(LANGUAGE, "en")
    if stated is not None and stated != digest(given):
        raise ValueError(f"prompts: hash {short_repr(stated)} does not match the texts: expected {digest(given)}")
    texts = {**shipped, **given}
    warn_of_english(language, given, texts, shipped)
    return texts


def changed_templates(game_package: str, own: Mapping[str, str] | str | Path) -> dict[str, str]:
    """Return the templates that differ from the game's own, so that records are self-contained.

    For a set or file also its name and the hash of these templates (`econzoo.envs.core.faces.prompts.digest`).
    """
    shipped = default_templates(game_package)
    differing = {name: text for name, text in load_templates(game_package, own).items() if text != shipped.get(name)}
    return differing | ({"hash": digest(differing)} if "name" in differing else {})


@lru_cache(maxsize=64)
def default_templates(package: str) -> Prompts:
    own = package_templates(package, PROMPTS_FILE)
    return own | {name: text for name, text in SHARED_TEXTS.items() if name not in own}


def _file_templates(package: str, given: str | Path) -> dict[str, str]:
    """Load the templates of a user's file; the default name is that of the file."""
    path, sets = Path(given), "".join(f", or {name}" for name in sets_of(package))
    try:
        tables = parse_toml(read_text(path))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"prompts={str(path)!r} cannot be read: {reason(error)}; expected a TOML file of templates{sets}"
        ) from None
    return flatten_tables(tables) | {"name": str(tables.get("name", path.stem))}


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
    # A text may use every field that the texts of its table use, as the game fills a table in one way.
    out: dict[str, set[str]] = {ERROR: {"problem", "key"}}
    for name, template in prompts.items():
        out.setdefault(name.partition(".")[0], set()).update(fields_of(template) if "." in name else ())
    for table, names in more.items():
        out.setdefault(table, set()).update(names)
    shared = {name.partition(".")[0] for name in SHARED_TEXTS}
    return {table: fields | (out["brief"] if table not in {*shared, ERROR} else set()) for table, fields in out.items()}


def _check(name: str, template: Any, known: Prompts, allowed: Mapping[str, set[str]]) -> None:
    table, _, rest = name.partition(".") if isinstance(name, str) else ("", "", "")
    free = (table in (ANSWER, WORD) and rest) or (table == ERROR and rest in CODES) or name in TITLE_KEYS
    if name not in known and not free:
        raise ValueError(
            f"prompts: unknown text {short_repr(name)}: expected {', '.join(known)}, error.CODE, answer.NAME, word.WORD"
        )
    if not isinstance(template, str):
        raise ValueError(f"prompts: {short_repr(name)} must be text, got {type(template).__name__}")
    if table in (ANSWER, WORD) or name in TITLE_KEYS:  # fields are checked in `wording`
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


# Translation


MAX_NAMES_SHOWN = 5
"""Maximum names in the warning about untranslated texts."""

_FILE_HEAD = """\
# All texts of {game} for translation. Use: econzoo play {game} ... -p prompts={file}
# Keep fields such as {{name}}. Deleted texts stay in English.
# If a language is set, runs list the texts that are in English only.
language = {language}
"""

_ERRORS = """
# Feedback by error code, with the fields {{problem}} (in English) and {{key}}; see docs/prompts.md.
# [error]
{codes}"""


def translation_template(game: str, file: str, language: str, texts: Mapping[str, str]) -> str:
    """Return a TOML file of the texts, valid as the option ``prompts``."""
    out = [_FILE_HEAD.format(game=game, file=file, language=_quote(language))]
    for table, names in groupby(sorted(texts, key=_table), key=_table):
        out += [f"\n[{table}]\n", *(f"{_key(name[len(table) + 1 :])} = {_quote(texts[name])}\n" for name in names)]
    codes = "".join(f'# {code} = "{{problem}}"\n' for code in CODES)
    return "".join([*out, _ERRORS.format(codes=codes)])


def untranslated_texts(own_names: Collection[str], texts: Mapping[str, str], shipped: Mapping[str, str]) -> list[str]:
    """Return the names of untranslated texts; texts for people count only if some are translated."""
    for_people = any(_table(name) == "person" for name in own_names)
    out = [
        name
        for name, text in shipped.items()
        if texts[name] == text and _has_words(text) and (for_people or _table(name) != "person")
    ]
    return out + ["error.CODE"] * all(_table(name) != "error" for name in own_names)


def warn_of_english(
    language: str, given: Mapping[str, str], texts: Mapping[str, str], english: Mapping[str, str]
) -> None:
    """Warn once about untranslated texts in prompts with a language; see `untranslated_texts`."""
    names = [] if language == "en" else untranslated_texts(given, texts, english)
    if names:
        first = ", ".join(names[:MAX_NAMES_SHOWN]) + ", ..." * (len(names) > MAX_NAMES_SHOWN)
        name = given.get("name", "given")
        warn_once(f"prompts {name!r}: {len(names)} texts are in English, not in {language!r}: {first}")


@cache
def warn_once(text: str) -> None:
    """Warn once per text, because every environment loads the templates."""
    warnings.warn_explicit(text, UserWarning, "prompts", 1)


def _has_words(text: str) -> bool:
    """Whether a text has anything to translate besides fields."""
    return any(re.search(r"[^\W\d_]{2}", part) for part, *_ in string.Formatter().parse(text))


def _table(name: str) -> str:
    return name.partition(".")[0]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _quote(name)


def _quote(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
