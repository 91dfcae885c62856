"""Selection of the texts of code reading, and their fields.

Fields of all texts: program. Those of an answer or the end: answer, label, score, worst, best. The program is rendered
from the installed Axelrod library on demand; `ImportError` without it.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from hashlib import sha256

from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_number
from econzoo.envs.games.code_reading import GAME, VARIANTS, Probability
from econzoo.envs.games.code_reading.items import axelrod_version, items
from econzoo.envs.games.code_reading.programs.axelrod_source import Place, load_library
from econzoo.envs.games.code_reading.programs.rendering import render_program
from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, View, score


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["task", "match", "program", "score_words" if view.words else "score"]


def turn(view: View) -> str:
    return "words" if view.words else "probability"


def ending(view: View) -> str:
    return "answered"


def event(view: View, happened: Event) -> str:
    """Name of the text on the answer."""
    return GAME.actions.kind_and_message(happened.action)[0]


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {"name": names[view.seat]}


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The program; after the answer, the answer and the truth."""
    if view.over:
        scores = {
            "score": score(view.label, view.answer),
            "worst": score(0.0, MAX_PROBABILITY),
            "best": score(1.0, MAX_PROBABILITY),
        }
        texts = {name: format_number(round(value, 2)) for name, value in scores.items()}
        return {"answer": format_number(view.answer), "label": format_number(view.label), **texts}
    return {"program": program_of(view.item, VARIANTS[view.variant])}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The probability that the reader gave, if any."""
    given = happened.action.probability if isinstance(happened.action, Probability) else UNKNOWN
    return {"given": "-" if given == UNKNOWN else format_number(given)}


def program_of(item: int, variant: str) -> str:
    """Render the text of an item."""
    _warn_of_another_release()
    one = items()[item]
    return render_program(Place(one.module, one.name), variant)


@lru_cache(maxsize=1)
def _warn_of_another_release() -> None:
    """Warn once if the installed library is not the release of the labels, with the programs that differ."""
    installed = load_library().version
    if installed == axelrod_version():
        return
    names = [one.name for one in items() if not _is_same(one.module, one.name, one.checksum)]
    changes = f"{len(names)} programs differ: {', '.join(names)}" if names else "all programs are the same"
    warnings.warn(f"Axelrod {installed} is installed, the labels are of {axelrod_version()}; {changes}", stacklevel=3)


def _is_same(module: str, name: str, checksum: str) -> bool:
    try:
        return sha256(render_program(Place(module, name)).encode()).hexdigest() == checksum
    except ValueError:
        # A program that the installed release does not have is another one.
        return False
