"""What an author of programs for games of two moves reads; fields beside the common ones: turns, cells, noise."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.faces import format_number
from econzoo.envs.families.open_source import Texts, format_count
from econzoo.envs.games.matrix.tables import VIEW_CELLS


class OwnTexts(Texts):
    """Texts of cells, with the own move first."""

    forfeit_text = (
        "the turn is forfeited: you get the least that a turn can pay, the other the mean of what its move could bring;"
        " the histories show it as D"
    )

    def base_texts(self, view: Any) -> list[str]:
        """The table, and noise if there is any."""
        return ["table", "noise"] if view.noise > 0 else ["table"]

    def setting_fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        cells = {cell: format_number(getattr(view, cell)) for cell in VIEW_CELLS}
        return {"turns": format_count(view.turns, "turn"), **cells, "noise": format_number(100 * view.noise)}
