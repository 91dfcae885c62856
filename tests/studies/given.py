"""Files of studies for tests: a small one that is right, and the same with something changed."""

from __future__ import annotations

from pathlib import Path

from econzoo.people.study import Study
from econzoo.people.study.study_file import parse_study

TEXT = '''
name = "pilot"
game = "bargaining"
texts = "en"
quiz_attempts = 2

[settings]
money = [100, 10000]
horizon = 12

[[arms]]
name = "people"
seats = ["person", "person"]

[[arms]]
name = "program"
seats = ["person", "boulware(0.2)"]
blinded = true

[matching]
participants = 24
repetitions = 3
partners = "stranger"
seed = 1

[words]
consent = """
You divide sums of money. # this is no comment
name = "this is no key"
"""
instructions = ""
debriefing = "Some of the others were programs."
kept = "Your answers, for ten years. Ask ann@example.org."

[attention]
code_word = "maple"
attempts = 2

[[quiz]]
question = "Who answers first?"
options = ["I", "the other"]
answer = "the other"

[[questionnaire]]
question = "How old are you?"
kind = "number"

[payment]
currency = "USD"
fee = 1.00
rate = 0.0005
floor = 0.0
cap = 5.0

[recruitment]
source = "links"

[time]
move = 120
waiting = 300
alone = "pay"

[leaving]
policy = "default"
'''

FILE = Path("pilot.toml")


def text(**changes: str) -> str:
    """The file with lines replaced: ``text(participants="participants = 8")``; a line is named by its key."""
    lines = TEXT.split("\n")
    for key, line in changes.items():
        place = next(place for place, old in enumerate(lines) if old.startswith(f"{key} ="))
        lines[place] = line
    return "\n".join(lines)


def study(**changes: str) -> Study:
    """The study of this file."""
    return parse_study(text(**changes), FILE)
