"""Names of the pages of participants, and kinds of events."""

from __future__ import annotations

CONSENT, INSTRUCTIONS, QUIZ, PRACTICE, SURVEY, WAITING, PLAY, QUESTIONNAIRE, DEBRIEFING, DONE = MAIN_PAGES = (
    *("consent", "instructions", "quiz", "practice", "survey"),
    *("waiting", "play", "questionnaire", "debriefing", "done"),
)
PAGES = (*MAIN_PAGES, EXCLUDED := "excluded", FULL := "full", WITHDRAWN := "withdrawn")
"""Pages of a participant, in the usual order; the last three are other ends."""

MATCH_PAGES = (PRACTICE, PLAY)

BETWEEN_MATCHES = (PRACTICE, SURVEY, WAITING, PLAY)
"""Pages that lead to a later match."""

END_PAGES = (DONE, EXCLUDED, FULL, WITHDRAWN)

SKIPPED = "skipped"
"""Kind of the event that a match was skipped."""

MESSAGE, ADVANCE, APPROVE, REVOKE, EXCLUDE = "message", "advance", "approve", "revoke", "exclude"
"""Kinds of operator events for a participant."""

PAUSE, RESUME, TOP_UP = "pause", "resume", "top_up"
"""Kinds of operator events for the whole study."""

OPERATOR = "operator"
"""Actor of these events."""
