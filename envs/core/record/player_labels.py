"""What tables call the players of matches: made for all matches of a table together, so that no two read alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from econzoo.envs.core.record.spec import labels


class PlayerLabels:
    """Something with players, each of whom has a label in tables.

    The labels are in a slot, not in a field: they depend on who else is in a table, and stand in no line of a record.
    """

    __slots__ = ("_labels",)
    players: list[str]
    _labels: list[str]

    @property
    def labels(self) -> list[str]:
        """The label of the player in each seat; see `econzoo.envs.core.record.spec.labels`."""
        if not hasattr(self, "_labels"):
            label_players([self])
        return self._labels


def label_players(matches: Sequence[PlayerLabels], specs: Iterable[str] = ()) -> dict[str, str]:
    """Gives the players of all matches their labels.

    Args:
        matches: Of the same tables.
        specs: Of players that these tables name too. Of several names of a player the last one counts.

    Returns:
        Spec to label.
    """
    found = labels([*dict.fromkeys(spec for match in matches for spec in match.players), *specs])
    own = {players: [found[spec] for spec in players] for players in {tuple(match.players) for match in matches}}
    for match in matches:
        match._labels = own[tuple(match.players)]
    return found
