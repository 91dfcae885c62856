"""Where participants go at each end of a study: an address and a code for each, as recruiting platforms want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

from econzoo.envs.core.contract.options import Option
from econzoo.people.study.toml_reading import TomlTable, pattern_domain

if TYPE_CHECKING:
    from econzoo.people.study.study_data import Participant

COMPLETED, SCREENED_OUT, NO_CONSENT, FULL, WITHDRAWN, TIMED_OUT = ENDS = (
    *("completed", "screened_out", "no_consent", "full", "withdrawn", "timed_out"),
)
"""How a study ends for somebody: as planned, by the code word or the quiz, without consent, without a place, by their
own wish, or because others did not come, or they themselves left a match."""

TIMEOUT_EVENTS = ("alone", "left")
"""Kinds of events that make an end a `TIMED_OUT` one: others did not come, or a match was left."""

WRONG_WORD, WRONG_ANSWERS = SCREENING_REASONS = ("code word", "quiz")
"""Reasons of exclusion by the study itself; others are those of the operator."""

ADDRESS = pattern_domain(r"(https?://\S+)?", 'an address that begins with https://, or ""')

CODE_PLACEHOLDER = "{code}"
"""Stands in an address for the code."""


@dataclass(frozen=True)
class End:
    """Where participants go at an end.

    Attributes:
        url: The address, in which `CODE_PLACEHOLDER` is filled in; empty: none.
        code: That everybody is shown who comes to this end; empty: only who is paid has one, of their own.
    """

    url: Annotated[str, Option(ADDRESS)] = ""
    code: Annotated[str, Option(pattern_domain(r"[\w.~-]{0,60}", "up to 60 letters, digits and - _ . ~"))] = ""


def read_ends(file: TomlTable, completion_url: str) -> dict[str, End]:
    """The ends that a file has, by name.

    Args:
        file: The file.
        completion_url: The older key for the address of who completes the study.

    Raises:
        ValueError: An end is unknown, or an address wants a code that nobody has there.
    """
    part = file.table("ends")
    found = {}
    for name in ENDS:
        below = part.table(name)
        if name in part:
            found[name] = below.read(End)
            if CODE_PLACEHOLDER in found[name].url and not found[name].code and name != COMPLETED:
                below.refuse(
                    "url", f"an address without {CODE_PLACEHOLDER}, or a code beside it, as participants have none here"
                )
    part.check_unread_keys()
    if completion_url and COMPLETED in found:
        part.raise_error(COMPLETED, "ends.completed stands beside recruitment.completion_url; allowed: one of them")
    return {COMPLETED: End(completion_url), **found} if completion_url else found


def participant_end(one: Participant, timed_out: bool) -> str:
    """The end that somebody has come to; empty: they are on the way, or were excluded by the operator.

    Args:
        one: Who.
        timed_out: Whether they waited in vain for others, or left a match: see `TIMEOUT_EVENTS`.
    """
    if one.excluded_reason is not None:
        return SCREENED_OUT if one.excluded_reason in SCREENING_REASONS else ""
    if one.page == "withdrawn":
        return NO_CONSENT if one.withdrawn == "consent" else WITHDRAWN
    ended = TIMED_OUT if timed_out else COMPLETED
    return {"done": ended, "full": FULL}.get(one.page, "")


class ReturnLink(NamedTuple):
    """What somebody at an end is shown.

    Attributes:
        url: The address, with the code filled in; empty: none.
        code: That they are shown; empty: none.
        has_code_in_url: Whether the address tells the code.
    """

    url: str
    code: str
    has_code_in_url: bool


def return_link(ends: Mapping[str, End], end: str, own_code: str) -> ReturnLink:
    """Where somebody goes now.

    Args:
        ends: Of the study.
        end: That they have come to.
        own_code: Their completion code; empty: they have none.
    """
    told = ends.get(end)
    if told is None:  # who is paid all the same goes where others go, but not with the code of others
        usual = ends.get(COMPLETED, End())
        told = usual if own_code and not usual.code else End()
    code = told.code or own_code
    return ReturnLink(told.url.replace(CODE_PLACEHOLDER, code), code, CODE_PLACEHOLDER in told.url)
