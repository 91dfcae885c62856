"""Prompts in another language: the file to translate, and what of it is still in English."""

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
"""Names in the warning of what is in English."""

_FILE_HEAD = """\
# All texts of {game}, to translate: econzoo play {game} ... -p prompts={file}
# Fields such as {{name}} stay as they are. A text that is deleted stays in English.
# With a language, every run says which texts are still in English; without this line none does.
language = {language}
"""

_ERRORS = """
# Errors have texts by their code, with the fields {{problem}} (in English) and {{key}}; docs/prompts.md tells of more.
# [error]
{codes}"""


def translation_template(game: str, file: str, language: str, texts: Mapping[str, str]) -> str:
    """A TOML file of the texts, which read as ``prompts`` gives the same texts.

    Args:
        game: Its name.
        file: Name of the file, for the command in its head.
        language: Of the translation.
        texts: Templates by ``"table.name"``, those of a table one after the other.
    """
    out = [_FILE_HEAD.format(game=game, file=file, language=_quote(language))]
    for table, names in groupby(sorted(texts, key=_table), key=_table):
        out += [f"\n[{table}]\n", *(f"{_key(name[len(table) + 1 :])} = {_quote(texts[name])}\n" for name in names)]
    codes = "".join(f'# {code} = "{{problem}}"\n' for code in CODES)
    return "".join([*out, _ERRORS.format(codes=codes)])


def untranslated_texts(own_names: Collection[str], texts: Mapping[str, str], shipped: Mapping[str, str]) -> list[str]:
    """Names of the texts that are in English; of those that a person reads only where some are given.

    Args:
        own_names: Names of own texts.
        texts: All texts, with the own ones in their place.
        shipped: All texts as they are shipped.
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
    """Warns once if prompts that are meant in another language have texts in English; see `untranslated_texts`."""
    found = [] if language == "en" else untranslated_texts(given, texts, english)
    if found:
        first = ", ".join(found[:MAX_NAMES_SHOWN]) + ", ..." * (len(found) > MAX_NAMES_SHOWN)
        name = given.get("name", "given")
        warn_once(f"prompts {name!r}: {len(found)} texts are in English, not in {language!r}: {first}")


@cache
def warn_once(text: str) -> None:
    """Warns in one line; the templates are read anew for every environment."""
    warnings.warn_explicit(text, UserWarning, "prompts", 1)


def _has_words(text: str) -> bool:
    """Whether there is anything to translate beside fields."""
    return any(re.search(r"[^\W\d_]{2}", said) for said, *_ in string.Formatter().parse(text))


def _table(name: str) -> str:
    return name.partition(".")[0]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _quote(name)


def _quote(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
