"""Where participants can be, and what happens to them and to a study besides answers."""

from __future__ import annotations

CONSENT, INSTRUCTIONS, QUIZ, PRACTICE, SURVEY, WAITING, PLAY, QUESTIONNAIRE, DEBRIEFING, DONE = MAIN_PAGES = (
    *("consent", "instructions", "quiz", "practice", "survey"),
    *("waiting", "play", "questionnaire", "debriefing", "done"),
)
PAGES = (*MAIN_PAGES, EXCLUDED := "excluded", FULL := "full", WITHDRAWN := "withdrawn")
"""Where a participant can be, in the usual order; the last three are other ends."""

MATCH_PAGES = (PRACTICE, PLAY)
"""Where matches are played."""

BETWEEN_MATCHES = (PRACTICE, SURVEY, WAITING, PLAY)
"""From which somebody with a place comes to the next match."""

END_PAGES = (DONE, EXCLUDED, FULL, WITHDRAWN)

SKIPPED = "skipped"
"""Kind of event besides those of `econzoo.people.study.study_data`: a match was left out."""

MESSAGE, ADVANCE, APPROVE, REVOKE, EXCLUDE = "message", "advance", "approve", "revoke", "exclude"
"""What the operator does with a participant: tells them something, ends their time, approves pay or not, excludes."""

PAUSE, RESUME, TOP_UP = "pause", "resume", "top_up"
"""What the operator does with the whole study."""

OPERATOR = "operator"
"""Who did it."""
