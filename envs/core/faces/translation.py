"""Translation of prompts: template files and warnings about untranslated texts."""

from __future__ import annotations

import json
import re
import string
import warnings
from collections.abc import Collection, Mapping
from functools import cache
from itertools import groupby
from typing import Any

from econzoo.envs.core.contract.validation import CODES

MAX_NAMES_SHOWN = 5
"""Maximum names in the warning about untranslated texts."""

_FILE_HEAD = """\
# All texts of {game} for translation. Use: econzoo play {game} ... -p prompts={file}
# Keep fields such as {{name}}. Deleted texts stay in English.
# If a language is set, runs list the texts that are still in English.
language = {language}
"""

_ERRORS = """
# Feedback by error code, with the fields {{problem}} (in English) and {{key}}; see docs/prompts.md.
# [error]
{codes}"""


def translation_template(game: str, file: str, language: str, texts: Mapping[str, str]) -> str:
    """Return a TOML file of the texts, valid as the option ``prompts``.

    Args:
        game: Name of the game.
        file: Name of the file, for the command in its header.
        language: Language of the translation.
        texts: Templates by ``"table.name"``, grouped by table.
    """
    out = [_FILE_HEAD.format(game=game, file=file, language=_quote(language))]
    for table, names in groupby(sorted(texts, key=_table), key=_table):
        out += [f"\n[{table}]\n", *(f"{_key(name[len(table) + 1 :])} = {_quote(texts[name])}\n" for name in names)]
    codes = "".join(f'# {code} = "{{problem}}"\n' for code in CODES)
    return "".join([*out, _ERRORS.format(codes=codes)])


def untranslated_texts(own_names: Collection[str], texts: Mapping[str, str], shipped: Mapping[str, str]) -> list[str]:
    """Return the names of untranslated texts; texts for people count only if some are translated.

    Args:
        own_names: Names of custom texts.
        texts: All texts, including custom ones.
        shipped: All shipped texts.
    """
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
