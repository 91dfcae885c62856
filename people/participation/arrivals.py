"""Entry of participants: links of recruiting platforms, and rate limits."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from econzoo.evaluate.serving import VisitorLimit
from econzoo.people.server import texts
from econzoo.people.study import LINKS, MTURK, PROLIFIC, Study

MAX_ID_LENGTH = 200

LINK_PARAMETERS = {
    PROLIFIC: ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    MTURK: ("workerId", "assignmentId", "hitId"),
    LINKS: ("label",),
}
"""Source to the parameters of its links; the first is the id of the participant."""

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""Assignment id of mTurk for the preview of a task."""

UNFILLED_PARAMETER = re.compile(r"\{\{.*\}\}|\$\{.*\}|LABEL")
"""Placeholders that were not filled in: ``{{%PROLIFIC_PID%}}``, ``${workerId}``, or that of the printed link."""

MAX_ENTRIES, ENTRY_WINDOW = 300, 60.0
"""Maximum new ids per address and window in seconds; a campus or laboratory may share an address."""


class Arrival(NamedTuple):
    """A participant's entry link; the label may be empty, `extra` are other parameters of the source."""

    id: str
    label: str
    extra: dict[str, str]


def is_preview(source: str, parameters: Mapping[str, str]) -> bool:
    """Whether a link is the preview of a task that was not accepted."""
    return source == MTURK and parameters.get("assignmentId") == PREVIEW


def parse_arrival(source: str, parameters: Mapping[str, str]) -> Arrival | str:
    """Parse an entry link; return an error message if the id is missing."""
    name, *others = LINK_PARAMETERS[source]
    id = parameters.get(name, "").strip()
    if not 0 < len(id) <= MAX_ID_LENGTH or not id.isprintable():
        return texts().say("study.no_id")
    if UNFILLED_PARAMETER.fullmatch(id):
        return texts().say("study.unfilled", found=id)
    more = {other: parameters[other][:MAX_ID_LENGTH] for other in others if parameters.get(other)}
    return Arrival(id, id if source == LINKS else "", more)


def guest_parameters(source: str) -> dict[str, str]:
    """Return parameters with a new random id, for demos."""
    return {LINK_PARAMETERS[source][0]: f"guest-{secrets.token_hex(4)}"}


def entry_limit() -> VisitorLimit:
    """Limit of entries per address, in memory; addresses are never stored."""
    return VisitorLimit(MAX_ENTRIES, ENTRY_WINDOW)


def entry_link(study: Study, url: str, demo: bool = False) -> str:
    """Return the entry link, with the placeholders of the recruiting platform."""
    if demo:
        return f"{url}/study/{study.name}"
    names = LINK_PARAMETERS[study.recruitment.source]
    filled = {PROLIFIC: "{{{{%{name}%}}}}", MTURK: "${{{name}}}", LINKS: "LABEL"}[study.recruitment.source]
    return f"{url}/study/{study.name}?" + "&".join(f"{name}={filled.format(name=name)}" for name in names)
