"""``index.html``: the analysis as one self-contained page, in the style of the report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analyses.page import Page, new_page
from econzoo.evaluate.analyses.regression.figures import effects_figure
from econzoo.evaluate.analyses.regression.observations import seat, words
from econzoo.evaluate.analyses.regression.pairs import Heat
from econzoo.evaluate.analyses.regression.prediction import missing
from econzoo.evaluate.analyses.regression.tables import parts, points
from econzoo.evaluate.analyses.regression.wording import meta_sentences, sentences
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.figures import to_svg

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import FamilyStudy, Study

PAGE = "index.html"
HERE = "econzoo.evaluate.analyses.regression"


def page(study: Study, title: str, folders: Iterable[Path] = ()) -> Page:
    """The page of a study.

    Args:
        study: What to show.
        title: Heading.
        folders: Of the matches.
    """
    made = new_page(
        "analysis.html",
        title,
        HERE,
        study.unreadable,
        [one.observations.played for one in study.families if one.observations.played],
        folders,
        {"points": points, "words": words, "seat": seat},
        settings=study.settings,
        matches=sum(len(family.observations.table) for family in study.families),
        families=[_shown(family) for family in study.families],
        sentences=[visible(one) for one in sentences(study)],
        missing=missing() if study.settings.splits else [],
    )
    return made._replace(name=PAGE)


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
