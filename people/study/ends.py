"""Ends of a study, each with a return URL and a code for the recruiting platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import Option
from econzoo.people.study.toml_reading import TomlTable, pattern_domain

COMPLETED, SCREENED_OUT, NO_CONSENT, FULL, WITHDRAWN, TIMED_OUT = ENDS = (
    *("completed", "screened_out", "no_consent", "full", "withdrawn", "timed_out"),
)
"""Ends for a participant: completed, failed code word or quiz, no consent, no free place, withdrawn, or timed out (no
partner arrived, or they left a match)."""

TIMEOUT_EVENTS = ("alone", "left")
"""Event kinds that make the end `TIMED_OUT`: no partner arrived, or a match was left."""

WRONG_WORD, WRONG_ANSWERS = SCREENING_REASONS = ("code word", "quiz")
"""Reasons of exclusion by the study; other reasons are the operator's."""

CODE_PLACEHOLDER = "{code}"
"""Placeholder of the code in a URL."""


@dataclass(frozen=True)
class End:
    """Return URL and code of an end.

    Attributes:
        url: URL, in which `CODE_PLACEHOLDER` is filled in; empty: none.
        code: Code shown to all at this end; empty: only paid participants have a personal code.
    """

    url: Annotated[str, Option(pattern_domain(r"(https?://\S+)?", 'a URL that begins with https://, or ""'))] = ""
    code: Annotated[str, Option(pattern_domain(r"[\w.~-]{0,60}", "up to 60 letters, digits and - _ . ~"))] = ""


def read_ends(file: TomlTable) -> dict[str, End]:
    """Return the ends in a study file by name."""
    part = file.table("ends")
    ends = {}
    for name in ENDS:
        below = part.table(name)
        if name in part:
            ends[name] = below.read(End)
            if CODE_PLACEHOLDER in ends[name].url and not ends[name].code and name != COMPLETED:
                below.refuse("url", f"a URL without {CODE_PLACEHOLDER}, or also a code, as participants have none here")
    part.check_unread_keys()
    return ends


class ReturnLink(NamedTuple):
    """Return link shown at an end.

    Attributes:
        url: URL with the code filled in; empty: none.
        code: Code shown; empty: none.
    """

    url: str
    code: str
    has_code_in_url: bool


def return_link(ends: Mapping[str, End], end: str, own_code: str) -> ReturnLink:
    """Return the link for a participant at an end.

    Args:
        own_code: Their completion code; empty: none.
    """
    link = ends.get(end)
    if link is None:  # paid participants use the link of completion, unless its code is shared
        usual = ends.get(COMPLETED, End())
        link = usual if own_code and not usual.code else End()
    code = link.code or own_code
    return ReturnLink(link.url.replace(CODE_PLACEHOLDER, code), code, CODE_PLACEHOLDER in link.url)
