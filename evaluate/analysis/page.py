"""``index.html``: the analysis as one self-contained page, in the style of the report."""

from __future__ import annotations

import math
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analysis.figures import effects_figure
from econzoo.evaluate.analysis.pairs import Heat
from econzoo.evaluate.analysis.prediction import missing
from econzoo.evaluate.analysis.study import FamilyStudy, Study
from econzoo.evaluate.analysis.tables import clear, interval, parts, points
from econzoo.evaluate.analysis.wording import meta_sentences, sentences, words
from econzoo.evaluate.console import number, percent
from econzoo.evaluate.figures import short, to_svg
from econzoo.evaluate.stories import visible
from econzoo.evaluate.words import many

if TYPE_CHECKING:
    from jinja2 import Environment

PAGE = "index.html"


def write_page(study: Study, folder: Path, title: str) -> Path:
    """Writes the page into a folder."""
    path = folder / PAGE
    path.write_text(page(study, title), encoding="utf-8")
    return path


def page(study: Study, title: str) -> str:
    """The page as text."""
    style = _template("econzoo.evaluate", "report.css") + _template("econzoo.evaluate.analysis", "analysis.css")
    return (
        _environment()
        .get_template("analysis.html")
        .render(
            title=title,
            style=style,
            settings=study.settings,
            matches=sum(len(family.observations.table) for family in study.families),
            families=[_shown(family) for family in study.families],
            sentences=[visible(one) for one in sentences(study)],
            problems=[visible(str(one)) for one in study.unreadable],
            missing=missing() if study.settings.splits else [],
        )
    )


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(lambda name: _template("econzoo.evaluate.analysis", name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=number, percent=percent, visible=visible, short=short, many=many, points=points)
    made.filters.update(clear=clear, interval=interval, words=words)
    made.globals.update(isnan=math.isnan)
    return made


def _template(package: str, name: str) -> str:
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


def _shown(family: FamilyStudy) -> dict[str, Any]:
    """A family as the template reads it."""
    return {
        "study": family,
        "metrics": [fit.metric for fit in family.fits],
        "parts": parts(family),
        "figures": {part: _figure(family, part) for part in ("parameters", "players")},
        "models": list(dict.fromkeys(score.model for score in family.scores)),
        "scores": {(score.metric, score.model): score for score in family.scores},
        "maps": [{"heat": heat, "most": _most(heat)} for heat in family.heats],
        "meta_words": [visible(one) for one in meta_sentences(family.meta)] if family.meta else [],
    }


def _figure(family: FamilyStudy, part: str) -> str:
    figure = effects_figure(family, part)
    return "" if figure is None else to_svg(figure, f"{family.name}: effects of {part}")


def _most(heat: Heat) -> float:
    return max(abs(cell.effect) for cell in heat.cells.values()) or 1.0
