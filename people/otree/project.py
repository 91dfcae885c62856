"""Export of a study as an oTree project."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from econzoo.envs.core import PACKAGE, read_text, write_files
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import short_repr
from econzoo.people.participation import check_stand_ins
from econzoo.people.study import CHOICE, LIKERT, NUMBER, PAY, TEXT, Study
from econzoo.people.table import game_title
from econzoo.people.texts import Texts, load_texts

APP, ASSETS, STUDY = "econzoo_study", "_static/econzoo", "study.toml"

TEMPLATE_TARGETS = {
    "settings.py": "settings.py",
    "README.md": "README.md",
    "requirements.txt": "requirements.txt",
    "records.py": "records.py",
    "app.py": f"{APP}/__init__.py",
    "tests.py": f"{APP}/tests.py",
    "study.css": f"{ASSETS}/study.css",
    "play.js": f"{ASSETS}/play.js",
}
"""Template to its output file; other templates are pages of the app, which are copied."""

LABELS = {"payoff": "end.payoff"}
"""Label in the page's script to its text."""


def write_project(study: Study, out: str | Path) -> Path:
    """Write an oTree project of a study into a new or empty folder."""
    check_for_otree(study)
    home = Path(out)
    if home.exists() and (not home.is_dir() or any(path.is_file() for path in home.rglob("*"))):
        raise ValueError(f"{home} is not empty: expected a new or empty folder")
    write_files({home / name: text for name, text in project_files(study).items()}, must_be_new=True)
    return home


def check_for_otree(study: Study) -> None:
    """Raise ValueError for stages, players, questions and moves that oTree's process does not support."""
    if len(study.stages) > 1:
        raise ValueError(f"{study.file_location('stages', 0)}: oTree export does not support [[stages]]")
    if find_game(game := study.games[0]).actions.source:
        raise ValueError(f"{study.file_location('game')}: oTree export does not support {game}: its moves are programs")
    _check_items(study)
    for place, arm in enumerate(study.arms):
        for who in study.other_players(arm):
            _check_script(study, who, "arms", place, "seats")
    if study.time.alone != PAY:
        _check_script(study, study.time.alone, "time", "alone")
    if study.leaving.is_replaced:
        _check_script(study, study.leaving.policy, "leaving", "policy")
    check_stand_ins(study)


def _check_items(study: Study) -> None:
    """Raise for questions without an equivalent oTree field."""
    tables = {"quiz": (CHOICE,), "questionnaire": (CHOICE, LIKERT, NUMBER, TEXT)}
    for table, kinds in tables.items():
        for place, item in enumerate(getattr(study, table)):
            if item.kind not in kinds or item.image:
                what = "a picture" if item.image else f"kind = {item.kind}"
                raise ValueError(
                    f"{study.file_location(table, place)}: oTree export does not support {what}: "
                    f"expected kind = {' or '.join(kinds)}, without pictures"
                )


def _check_script(study: Study, who: str, *place: str | int) -> None:
    # Only specs of models, files and addresses have a colon.
    if ":" in who:
        raise ValueError(
            f"{study.file_location(*place)}: oTree export does not support player {short_repr(who)}: "
            f"expected people and scripts of {study.games[0]}; for models use `econzoo serve STUDY.toml`"
        )


def project_files(study: Study) -> dict[str, str]:
    """Return path to text of every file of the project."""
    folder = files(__package__).joinpath("templates")
    templates = {one.name.removesuffix(".template"): one.read_text(encoding="utf-8") for one in folder.iterdir()}
    values = template_values(study, load_texts(study.texts))
    pages = {f"{APP}/{name}": text for name, text in templates.items() if name not in TEMPLATE_TARGETS}
    filled = {
        path: Template(templates[name]).substitute(values) for name, path in TEMPLATE_TARGETS.items() if _has_gaps(name)
    }
    plain = {path: templates[name] for name, path in TEMPLATE_TARGETS.items() if not _has_gaps(name)}
    return {STUDY: study.source, **dict(_attached_texts(study)), **pages, **plain, **filled}


def _has_gaps(name: str) -> bool:
    """Whether a template has placeholders; dollar signs in scripts are none."""
    return not name.endswith((".js", ".css"))


def _attached_texts(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the texts file beside the study file, if any."""
    path = Path(study.texts)
    # Languages of the package have no suffix.
    if path.suffix and path.parent == study.path.parent:
        yield path.name, read_text(path)


def template_values(study: Study, texts: Texts) -> dict[str, str]:
    """Return the values of the placeholders: Python literals, and texts of the README."""
    game, quiz = study.games[0], {f"quiz_{number}": one.answer for number, one in enumerate(study.quiz, start=1)}
    python: Mapping[str, Any] = {
        "display_name": f"{study.name} ({game})",
        "doc": f"{study.name}: {find_game(game).summary}",
        "participants": study.matching.participants,
        "fee": study.payment.fee,
        "currency": study.payment.real_currency,
        "language": texts.lang,
        "secret": secrets.token_urlsafe(24),
        "quiz": quiz,
        "items": {f"item_{number}": number - 1 for number in range(1, len(study.questionnaire) + 1)},
        "boxes": [f"box_{number}" for number in range(1, len(study.boxes) + 1)],
        "attempts": study.attention.attempts if study.attention else 0,
        "quiz_attempts": study.quiz_attempts,
        "rounds": study.matching.repetitions,
        "consent": [["yes", texts.say("study.agree")], ["no", texts.say("study.disagree")]],
        "labels": LABELS,
    }
    word = study.attention.code_word if study.attention else ""
    plain = {"title": f"{study.name}: {game_title(game)}", "game": game, "version": version(PACKAGE)}
    labels = {"word": repr(texts.say("study.word")), "answer": repr(word), "name": repr(study.name.replace("-", "_"))}
    return {**{name: repr(value) for name, value in python.items()}, **plain, **labels, "fields": _fields(study)}


def _fields(study: Study) -> str:
    """Return the model fields of consent boxes, quiz and questionnaire."""
    lines = []
    for number, box in enumerate(study.boxes, start=1):
        field = f"models.BooleanField(blank=True, label={box.question!r}, widget=widgets.CheckboxInput)"
        lines.append(f"box_{number} = {field}")
    for number, one in enumerate(study.quiz, start=1):
        lines.append(_field(f"quiz_{number}", one.question, one.options))
    for number, item in enumerate(study.questionnaire, start=1):
        lines.append(_field(f"item_{number}", item.question, item.scale, item.kind == TEXT, item.kind, item.labels))
    return "\n".join(f"    {line}" for line in lines)


def _field(
    name: str, question: str, scale: Sequence[str], long: bool = False, kind: str = CHOICE, ends: Sequence[str] = ()
) -> str:
    field = "LongStringField" if long else "StringField"
    labels = dict(zip((scale[0], scale[-1]), ends, strict=False)) if ends else {}
    choices = [[one, f"{one} ({labels[one]})" if one in labels else one] for one in scale]
    widget = "RadioSelectHorizontal" if kind == LIKERT else "RadioSelect"
    chosen = f", choices={choices!r}, widget=widgets.{widget}" if choices else ""
    return f"{name} = models.{field}(blank=True, label={question!r}{chosen})"
